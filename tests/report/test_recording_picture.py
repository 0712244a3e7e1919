from dataclasses import replace

import numpy as np
import pytest

from pacl.cohort import EpisodesProtocol, PooledProtocol
from pacl.records import GAP_MS, Record, Rhythm, Span
from pacl.report import compute_recording_picture, draw_recording_picture
from pacl.report.style import FigureError
from pacl.rr import cut_windows
from support.refusals import refused


def record(beats=2000, spans=None, gap_at=None, files=(0,), onsets=(0.0,)):
    rr_ms = np.full(beats, 800, dtype=np.int32)
    if gap_at is not None:
        rr_ms[gap_at] = GAP_MS + 5000
    return Record(
        patient_id="patient_003",
        record_id="record_004",
        rr_ms=rr_ms,
        file_starts=np.array(files, dtype=np.int64),
        file_onset_s=np.array(onsets, dtype=np.float64),
        spans=spans or (Span(0, beats, Rhythm.UNKNOWN),),
        digest="",
        source="here",
    )


def test_runs_gaps_and_files_stand_where_they_are_in_time():
    spans = (Span(0, 500, Rhythm.SR), Span(500, 2000, Rhythm.AF))
    picture = compute_recording_picture(
        record(spans=spans, gap_at=900, files=(0, 1000), onsets=(3600.0, 7200.0))
    )
    assert picture.runs_h[0] == pytest.approx((1.0, 1.0 + 400 / 3600, Rhythm.SR))
    assert picture.runs_h[1][1] == pytest.approx(2.0 + 800 / 3600)
    inside, between = picture.gaps_h
    assert inside == pytest.approx((1.0 + 720 / 3600, 1.0 + 735 / 3600))
    assert between == pytest.approx((1.0 + (999 * 0.8 + 15) / 3600, 2.0))
    assert picture.file_onsets_h == (2.0,)
    assert picture.dots.rr_ms.max() == 800  # the gap is no beat


def test_close_ups_show_both_rhythms_and_the_onset_between():
    spans = (Span(0, 500, Rhythm.SR), Span(500, 2000, Rhythm.AF))
    picture = compute_recording_picture(record(spans=spans))
    assert [close.start for close in picture.close_ups] == [150, 400, 1150]
    onset = picture.close_ups[1]
    assert onset.rhythm.tolist() == [Rhythm.SR] * 100 + [Rhythm.AF] * 100


def test_close_ups_cross_no_gap():
    spans = (Span(0, 500, Rhythm.SR), Span(500, 2000, Rhythm.AF))
    picture = compute_recording_picture(record(spans=spans, gap_at=510))
    assert [close.start for close in picture.close_ups] == [150, 511 + (1489 - 200) // 2]


@pytest.mark.parametrize("beats", [1, 2, 150, 2000])
@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_any_recording_can_be_drawn(tmp_path, beats, ending):
    path = tmp_path / f"picture.{ending}"
    draw_recording_picture(compute_recording_picture(record(beats=beats)), path)
    assert path.stat().st_size > 5000
    assert [child.name for child in tmp_path.iterdir()] == [path.name]


def test_a_month_is_drawn_in_few_rows(tmp_path):
    picture = compute_recording_picture(
        record(beats=60, files=range(0, 60, 2), onsets=range(0, 2592000, 86400))
    )
    draw_recording_picture(picture, tmp_path / "month.png")
    assert (tmp_path / "month.png").exists()


def test_a_format_that_cannot_be_drawn_is_named(tmp_path):
    with refused(FigureError, "x.bmp", ".png", ".svg", ".pdf"):
        draw_recording_picture(compute_recording_picture(record()), tmp_path / "x.bmp")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("protocol", [EpisodesProtocol(), PooledProtocol()])
def test_the_ribbon_shows_what_the_protocol_takes(protocol):
    """Five hours of SR, then two of AF, a beat a second."""
    spans = (Span(0, 18_000, Rhythm.SR), Span(18_000, 25_200, Rhythm.AF))
    rr_ms = np.where(np.arange(25_200) % 2, 990, 1010).astype(np.int32)
    steady = replace(record(beats=25_200, spans=spans), rr_ms=rr_ms)
    use = compute_recording_picture(steady, protocol).use
    taken = cut_windows(steady, protocol.select(steady))
    assert use.windows == {
        kind: int((taken.rhythm == kind).sum()) for kind in (Rhythm.SR, Rhythm.AF)
    }
    assert use.scale_h == (pytest.approx((0.0, 1.0), abs=1e-3),)
    (sr, af) = use.windows_h
    whole = isinstance(protocol, PooledProtocol)
    assert sr == (pytest.approx(1.0, abs=0.01), pytest.approx(5.0 if whole else 2.0, abs=0.02), 0)
    assert af == (pytest.approx(5.0, abs=0.01), pytest.approx(7.0 if whole else 6.0, abs=0.02), 1)
    assert use.protocol == ("pooled" if whole else "episodes")


def test_without_a_protocol_there_is_no_ribbon():
    assert compute_recording_picture(record()).use is None
