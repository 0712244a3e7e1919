from dataclasses import replace

import numpy as np
import pytest

from pacl.cohort import EpisodesProtocol, PooledProtocol
from pacl.records import Record, Rhythm, Span
from pacl.report.figures.timeline import compute_timeline
from pacl.report.figures.timeline_drawing import draw_timeline
from pacl.report.style import FigureError
from pacl.rr import RRWindowSet, RRWindowTable, cut_windows
from pacl.rr.store import ScaleBeats
from support.refusals import refused
from support.window_sets import make_set, names

HOUR = 3600


def steady(spans, name="record_1"):
    """A beat a second, with a little spread, so that beats are seconds."""
    beats = spans[-1].stop
    return Record(
        patient_id="patient_1",
        record_id=name,
        rr_ms=np.where(np.arange(beats) % 2, 990, 1010).astype(np.int32),
        file_starts=np.array([0]),
        file_onset_s=np.array([0.0]),
        spans=tuple(spans),
        digest="",
        source="here",
    )


def window_set(records, protocol):
    """Windows of records, put together without the code that prepares them."""
    cuts = [cut_windows(record, protocol.select(record)) for record in records]
    offsets = np.cumsum([0, *(cut.rr_ms.size for cut in cuts)])
    rows = [
        (record, cut, offset)
        for record, cut, offset in zip(records, cuts, offsets[:-1], strict=True)
    ]

    def column(take):
        return np.concatenate([take(cut, offset) for _, cut, offset in rows])

    of = [record.record_id for record, cut, _ in rows for _ in range(cut.start.size)]
    first = column(lambda cut, _: cut.raw_index[cut.start])
    table = RRWindowTable(
        patient=names(["patient_1"] * len(of)),
        record=names(of),
        split=names(["test"] * len(of)),
        episode=column(lambda cut, _: cut.episode),
        rhythm=column(lambda cut, _: cut.rhythm),
        start=column(lambda cut, offset: cut.start + offset),
        raw_start=first,
        raw_stop=column(lambda cut, _: cut.raw_index[cut.start + 199] + 1),
        onset_s=column(lambda cut, _: cut.onset_s),
        to_onset_s=column(lambda cut, _: cut.to_onset_s),
        centre_ms=column(lambda cut, _: cut.centre_ms),
        scale_ms=column(lambda cut, _: cut.scale_ms),
    )
    scale = [(r.record_id, *beats) for r, cut, _ in rows for beats in cut.scale_beats]
    return RRWindowSet(
        window_beats=200,
        rr_ms=column(lambda cut, _: cut.rr_ms),
        raw_index=column(lambda cut, _: cut.raw_index),
        beat_rhythm=column(lambda cut, _: cut.beat_rhythm),
        table=table,
        scale_beats=ScaleBeats(
            tuple(name for name, _, _ in scale),
            np.array([start for _, start, _ in scale]),
            np.array([stop for _, _, stop in scale]),
        ),
        manifest={"allowed": []},
    )


def episode(sr_h=5, af_h=2, name="record_1"):
    sr, end = sr_h * HOUR, (sr_h + af_h) * HOUR
    return steady([Span(0, sr, Rhythm.SR), Span(sr, end, Rhythm.AF)], name)


def test_an_episode_by_hand():
    """Five hours of SR, two of AF: scale hour, SR hour, nothing, AF hour."""
    line = compute_timeline(window_set([episode()], EpisodesProtocol()))
    late_h = 31 / HOUR  # the first 30 s of a run are left out, and a beat begins every second
    assert line.scale_h == (pytest.approx((0, 1), abs=1e-3),)
    sr, af = line.blocks
    assert (sr.rhythm, af.rhythm) == (Rhythm.SR, Rhythm.AF)
    assert (sr.start_h, sr.stop_h) == pytest.approx((1, 2), abs=0.02)
    assert (af.start_h, af.stop_h) == pytest.approx((5 - late_h, 6 - late_h), abs=0.02)
    assert line.onset_h == af.start_h
    assert line.before_onset_h == pytest.approx(3, abs=0.03)
    assert (line.centre_ms, line.scale_ms) == pytest.approx((1000, 20))
    assert line.scale_beats == pytest.approx(HOUR, abs=2)


def test_the_scale_and_the_windows_are_seen_to_be_apart():
    line = compute_timeline(window_set([episode()], EpisodesProtocol()))
    (_, end_h), first = line.scale_h[-1], line.blocks[0]
    assert end_h <= first.start_h
    assert line.sr.scale_min >= 0
    assert line.dots.onset_h.min() >= end_h - 1e-9


def test_beats_stand_where_the_recording_says():
    record = episode()
    windows = window_set([record], EpisodesProtocol())
    line = compute_timeline(windows)
    begins_h = record.onset_s() / HOUR
    beats = np.unique(windows.table.start[:, None] + np.arange(200))
    zero_h = begins_h[windows.scale_beats.start[0]]
    wanted = begins_h[windows.raw_index[beats]] - zero_h
    assert line.dots.onset_h == pytest.approx(wanted, abs=0.02 / HOUR + 1e-5)
    assert np.array_equal(line.dots.rr_ms, windows.rr_ms[beats])
    assert {*line.dots.kind.tolist()} == {Rhythm.SR, Rhythm.AF}


def test_openings_show_windows_beat_by_beat():
    line = compute_timeline(window_set([episode()], EpisodesProtocol()))
    for opening in (line.sr, line.af):
        assert opening.stride == 50
        assert len(opening.windows_min) == 9
        starts = [start for start, _ in opening.windows_min]
        assert np.diff(starts) == pytest.approx(50 / 60, abs=1e-3)
        assert opening.windows_min[0] == pytest.approx((0, 200 / 60), abs=1e-6)


def test_the_clearest_example_is_taken_unless_one_is_named():
    records = [episode(9, 2, "a"), episode(5, 2, "b"), episode(5, 2, "c")]
    windows = window_set(records, EpisodesProtocol())
    assert compute_timeline(windows).record == "b"
    assert compute_timeline(windows, "a").record == "a"
    assert compute_timeline(windows, "a").before_onset_h == pytest.approx(7, abs=0.03)


def test_a_full_example_comes_before_a_shorter_one_without_waste():
    short = EpisodesProtocol(min_af_s=600.0)
    records = [
        steady([Span(0, 4 * HOUR + 60, Rhythm.SR), Span(4 * HOUR + 60, 16_000, Rhythm.AF)], "a"),
        episode(6, 2, "b"),
    ]
    assert compute_timeline(window_set(records, short)).record == "b"


def test_pooled_windows_can_be_drawn_too():
    spans = [Span(0, 9000, Rhythm.SR), Span(9000, 9500, Rhythm.AF), Span(9500, 20_000, Rhythm.SR)]
    spans.append(Span(20_000, 25_000, Rhythm.AF))
    line = compute_timeline(window_set([steady(spans)], PooledProtocol()))
    assert [block.rhythm for block in line.blocks] == [Rhythm.SR, Rhythm.AF] * 2
    assert line.onset_h == pytest.approx(20_000 / HOUR, abs=0.02)
    draw_timeline(line)


@pytest.mark.parametrize("sr_h", [4, 20])
def test_any_example_can_be_drawn(sr_h):
    figure = draw_timeline(compute_timeline(window_set([episode(sr_h)], EpisodesProtocol())))
    whole, sr, af = figure.axes
    assert whole.get_xlim()[1] > sr_h
    assert sr.get_title(loc="left") == "first SR windows: 200 beats, one every 50"
    assert af.get_title(loc="left").startswith("first AF windows")


def test_a_set_of_small_windows_can_be_drawn():
    found = compute_timeline(make_set())
    whole, sr, af = draw_timeline(found).axes
    assert whole.get_xlabel().startswith("hours")
    assert "SR windows" in sr.get_title(loc="left")
    assert "AF windows" in af.get_title(loc="left")


def test_what_cannot_be_drawn_is_named():
    windows = window_set([episode()], EpisodesProtocol())
    with refused(FigureError, "'x'", "record_1"):
        compute_timeline(windows, "x")
    only_sr = windows.select(windows.table.rhythm == Rhythm.SR)
    with refused(FigureError, "SR", "AF"):
        compute_timeline(only_sr)
    with refused(FigureError, "record_1", "SR", "AF"):
        compute_timeline(only_sr, "record_1")
    scaled = replace(windows, manifest={**windows.manifest, "scaled": True})
    with refused(FigureError, "scaled"):
        compute_timeline(scaled)
