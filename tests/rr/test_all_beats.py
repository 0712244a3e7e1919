"""Windows of every beat of every patient: in ms, each beat accounted for, and audited."""

from dataclasses import replace

import numpy as np
import pytest

from pacl.cohort import AllBeatsProtocol, PooledProtocol
from pacl.records import Record, Rhythm
from pacl.rr import Cut, RRWindowSet, audit_windows, cut_windows, prepare
from pacl.rr.segment import LEDGER
from pacl.windows import LeakError, split_units
from support.recordings import Shelf, make_record, random_record
from support.refusals import refused

SR, AF, OTHER, UNKNOWN = Rhythm
BEATS, STRIDE = 10, 5


def cut(record: Record, others: str = "not-af", **more):
    selection = AllBeatsProtocol(others).select(record)
    return cut_windows(record, selection, window_beats=BEATS, stride=STRIDE, **more)


def drawn(runs, seed: int = 0, **more) -> Record:
    """Beats no two of which are alike, so that no window is there twice."""
    size = sum(beats for _, beats in runs)
    return make_record(runs, np.random.default_rng(seed).integers(300, 1900, size), **more)


def with_flutter(record: Record, at: int) -> Record:
    spans = list(record.spans)
    spans[at] = replace(spans[at], mark="(AFL")
    return replace(record, spans=tuple(spans))


def test_windows_stay_in_ms():
    record = drawn([(SR, 40), (OTHER, 20), (AF, 30)])
    found = cut(record)
    assert found.rr_ms.tolist() == record.rr_ms.tolist()
    assert set(found.centre_ms.tolist()) == {0.0}
    assert set(found.scale_ms.tolist()) == {1.0}
    assert found.scale_beats == ()
    assert dict(found.dropped) == {}


def test_a_window_may_hold_sr_and_bigeminy_but_never_af():
    found = cut(make_record([(SR, 13), (OTHER, 7), (AF, 10), (SR, 10)]))
    # 20 beats without AF give 3 windows, AF and the SR after it one each
    assert found.start.tolist() == [0, 5, 10, 20, 30]
    assert found.rhythm.tolist() == [SR, SR, SR, AF, SR]
    assert found.beat_rhythm.tolist() == [SR] * 13 + [OTHER] * 7 + [AF] * 10 + [SR] * 10
    assert found.to_onset_s[:3].tolist() == [10.0, 5.0, 0.0]
    assert np.isnan(found.to_onset_s[3:]).all()
    assert found.onset_s.tolist() == [0.0, 5.0, 10.0, 20.0, 30.0]


def test_beats_of_one_length_need_no_spread_to_be_scaled_by():
    assert cut(make_record([(AF, 30)], 600)).start.size == 5


def test_the_ledger_by_hand():
    rr_ms = np.full(77, 800)
    rr_ms[3] = 2500  # implausible
    rr_ms[30] = 12_000  # a gap
    runs = [(SR, 13), (OTHER, 7), (AF, 24), (OTHER, 20), (UNKNOWN, 5), (SR, 8)]
    found = cut(with_flutter(make_record(runs, rr_ms), 3))
    assert list(found.beats) == list(LEDGER)
    assert dict(found.beats) == {
        "all": 77,
        "in windows": 15 + 10 + 10,  # 19 kept without AF; AF of 10 before the gap, 13 behind it
        "scale": 0,
        "gap": 1,
        "implausible": 1,
        "too few in a row": 4 + 0 + 3 + 8,
        "not selected": 20 + 5,
    }


@pytest.mark.parametrize("others", ["not-af", "left-out"])
@pytest.mark.parametrize("seed", range(15))
def test_every_beat_is_somewhere(seed, others):
    """Beat by beat: in a window of its own label, or counted as left out."""
    generator = np.random.default_rng(seed)
    record = random_record(generator, runs=12, lead_in_s=6.0)
    for at in range(0, len(record.spans), 4):
        record = with_flutter(record, at)
    found = cut(record, others)
    beats = dict(found.beats)
    assert beats.pop("all") == len(record) == sum(beats.values())
    rhythm = record.rhythm()
    flutter = np.zeros(len(record), dtype=bool)
    for span in record.spans:
        flutter[span.start : span.stop] = span.rhythm is OTHER and span.mark == "(AFL"
    known = (rhythm == AF) | (rhythm == SR) | ((rhythm == OTHER) & ~flutter & (others == "not-af"))
    inside = set()
    for start, label in zip(found.start.tolist(), found.rhythm.tolist(), strict=True):
        raw = found.raw_index[start : start + BEATS]
        assert known[raw].all()
        assert ((rhythm[raw] == AF) == (label == AF)).all()
        assert label in (SR, AF)
        if others == "left-out":
            assert set(rhythm[raw].tolist()) == {label}
        inside |= set(raw.tolist())
    assert len(inside) == beats["in windows"] > 0
    assert beats["scale"] == 0
    lead_in = np.zeros(len(record), dtype=bool)
    first_file = record.file_bounds()[0][1]
    lead_in[:first_file] = record.onset_s()[:first_file] < 6.0
    assert beats["not selected"] == np.count_nonzero(~known | lead_in)


# ----------------------------------------------------------------------------------------- audit

COHORT = {
    "both": [(SR, 30), (OTHER, 20), (SR, 25), (AF, 60)],
    "only-af": [(AF, 70)],
    "only-other": [(OTHER, 50)],
    "sr": [(SR, 60), (OTHER, 15)],
    "late": [(UNKNOWN, 20), (AF, 40), (SR, 40)],
    "af-too": [(AF, 45), (UNKNOWN, 5)],
}


def prepared(target, protocol=None, counts=(1, 1, 1)) -> RRWindowSet:
    records = [
        drawn(runs, seed, name=f"record-{who}", patient=who)
        for seed, (who, runs) in enumerate(COHORT.items())
    ]
    prepare(
        Shelf(records),
        target,
        protocol=protocol or AllBeatsProtocol(),
        divide=lambda strata, _: split_units(strata, seed=0, counts=counts),
        cut=Cut(window_beats=BEATS, stride=STRIDE),
    )
    return RRWindowSet.open(target)


@pytest.fixture(scope="module")
def windows(tmp_path_factory) -> RRWindowSet:
    return prepared(tmp_path_factory.mktemp("all-beats") / "windows")


def holds(windows: RRWindowSet, rhythm: Rhythm) -> np.ndarray:
    """Which windows hold a beat of a rhythm."""
    rows = windows.table.start[:, None] + np.arange(windows.window_beats)
    return (windows.beat_rhythm[rows] == rhythm).any(axis=1)


def serious(windows: RRWindowSet) -> dict[str, str]:
    return {one.kind: one.what for one in audit_windows(windows) if one.serious}


def as_if(windows: RRWindowSet, **protocol: object) -> RRWindowSet:
    return replace(windows, manifest={**windows.manifest, "protocol": protocol})


def with_beat(windows: RRWindowSet, beat: int, rhythm: Rhythm) -> RRWindowSet:
    changed = windows.beat_rhythm.copy()
    changed[beat] = rhythm
    return replace(windows, beat_rhythm=changed)


def test_a_set_with_other_rhythms_passes(windows):
    assert serious(windows) == {}
    assert windows.safe
    assert windows.manifest["protocol"] == {"name": "AllBeatsProtocol", "others": "not-af"}
    others = holds(windows, OTHER)
    assert others.any()
    assert set(windows.table.rhythm[others].tolist()) == {SR}
    mixed = others & holds(windows, SR)
    assert mixed.any()


def test_a_set_that_names_the_protocol_as_version_0_1_did_passes(windows):
    assert serious(as_if(windows, name="EveryProtocol", others="not-af")) == {}


def test_patients_without_sr_and_without_both_take_part(windows):
    table = windows.table
    assert table.patient.present() == tuple(sorted(COHORT))
    not_af = set(table.patient[table.rhythm == SR].present())
    assert not_af == {"both", "only-other", "sr", "late"}
    assert np.all(table.centre_ms == 0)
    assert np.all(table.scale_ms == 1)
    assert windows.scale_beats.record == ()
    rows = np.arange(len(windows))
    assert np.array_equal(windows.windows(rows), windows.windows(rows, scaled=False))


def test_without_other_rhythms_windows_are_in_one(tmp_path):
    found = prepared(tmp_path / "w", AllBeatsProtocol("left-out"), counts=(1, 0, 0))
    assert serious(found) == {}
    assert not holds(found, OTHER).any()
    assert "only-other" not in found.table.patient.present()


@pytest.mark.parametrize(
    "protocol",
    [
        {"name": "PooledProtocol", "scale_s": 3600.0},
        {"name": "AllBeatsProtocol", "others": "left-out"},
        {},
    ],
)
def test_other_rhythms_in_a_set_of_another_protocol_are_found(windows, protocol):
    at_fault = int(np.count_nonzero(holds(windows, OTHER)))
    found = serious(as_if(windows, **protocol))
    assert set(found) == {"mixed-rhythm"}
    assert found["mixed-rhythm"].startswith(f"{at_fault} windows reach across a change of rhythm")
    assert "record-both" in found["mixed-rhythm"]


@pytest.mark.parametrize("rhythm", [AF, UNKNOWN])
@pytest.mark.parametrize("offset", [0, 4, BEATS - 1])
@pytest.mark.parametrize("beside", [SR, OTHER])
def test_af_and_the_unknown_in_a_window_without_af_are_found(windows, beside, offset, rhythm):
    row = int(np.flatnonzero((windows.table.rhythm == SR) & holds(windows, beside))[0])
    spoilt = with_beat(windows, int(windows.table.start[row]) + offset, rhythm)
    assert "record-both" in serious(spoilt)["mixed-rhythm"]


@pytest.mark.parametrize("rhythm", [SR, OTHER, UNKNOWN])
@pytest.mark.parametrize("offset", [0, 4, BEATS - 1])
def test_what_is_not_af_in_a_window_of_af_is_found(windows, offset, rhythm):
    row = int(np.flatnonzero(windows.table.patient.is_("only-af"))[0])
    spoilt = with_beat(windows, int(windows.table.start[row]) + offset, rhythm)
    assert "record-only-af" in serious(spoilt)["mixed-rhythm"]


def test_a_window_with_the_wrong_label_is_found(windows):
    for kind, label in ((SR, AF), (AF, SR)):
        row = int(np.flatnonzero(windows.table.rhythm == kind)[0])
        rhythm = windows.table.rhythm.copy()
        rhythm[row] = label
        spoilt = replace(windows, table=replace(windows.table, rhythm=rhythm))
        assert "mixed-rhythm" in serious(spoilt)


def test_a_protocol_that_mixes_is_refused_when_windows_are_cut(tmp_path, monkeypatch):
    """Bigeminy smuggled into windows of a protocol that does not say so."""
    monkeypatch.setattr(
        PooledProtocol, "select", lambda _, record: AllBeatsProtocol().select(record)
    )
    with refused(LeakError, "mixed-rhythm"):
        prepared(tmp_path / "w", PooledProtocol())
    assert not (tmp_path / "w").exists()
