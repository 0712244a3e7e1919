import numpy as np
import pytest

from pacl.cohort import PooledProtocol
from pacl.records import FormatError, Rhythm
from pacl.rr import CutRecord, Unreadable, cut_windows
from pacl.rr.collect import Collector
from pacl.rr.store import ARRAYS
from pacl.windows import GrowingArray
from support.recordings import make_record, random_record

SR, AF, OTHER, UNKNOWN = Rhythm


@pytest.fixture
def beats(tmp_path):
    arrays = {name: GrowingArray(tmp_path / f"{name}.npy", kind) for name, kind in ARRAYS.items()}
    yield arrays
    for array in arrays.values():
        array.close()


def load(beats, tmp_path):
    for array in beats.values():
        array.close()
    found = {name: np.load(tmp_path / f"{name}.npy") for name in beats}
    for name, kind in ARRAYS.items():  # so that they can be closed once more
        beats[name] = GrowingArray(tmp_path / f"again_{name}.npy", kind)
    return found


def record(name, patient, shift=0):
    rr_ms = 800 + shift + np.arange(120) % 37
    return make_record([(SR, 80), (AF, 40)], rr_ms, name=name, patient=patient)


def cut(made, window_beats=10):
    selection = PooledProtocol(scale_s=20.0).select(made)
    return cut_windows(made, selection, window_beats=window_beats, stride=5)


def test_windows_of_many_records_are_those_of_each(beats, tmp_path):
    generator = np.random.default_rng(3)
    made = [random_record(generator, runs=10) for _ in range(6)]
    cuts = [cut(one) for one in made]
    collector = Collector(beats, 10, one_scale_per_patient=False)
    for one, found in zip(made, cuts, strict=True):
        collector.add(CutRecord.of(one, found))
    table = collector.table()
    stored = load(beats, tmp_path)
    assert len(table) == sum(found.start.size for found in cuts) > 50
    row = offset = 0
    for found in cuts:
        for at in range(found.start.size):
            start = slice(table.start[row], table.start[row] + 10)
            own = slice(found.start[at], found.start[at] + 10)
            assert table.start[row] == found.start[at] + offset
            for name in ARRAYS:
                assert np.array_equal(stored[name][start], getattr(found, name)[own])
            assert table.raw_start[row] == found.raw_index[own][0]
            assert table.raw_stop[row] == found.raw_index[own][-1] + 1
            for name in ("episode", "rhythm", "onset_s", "centre_ms", "scale_ms"):
                assert getattr(table, name)[row] == getattr(found, name)[at]
            row += 1
        offset += found.rr_ms.size
    for name in ("all", "in windows", "scale", "not selected"):
        assert collector.beat_counts[name] == sum(found.beats[name] for found in cuts)


def test_whose_they_are(beats):
    collector = Collector(beats, 10, one_scale_per_patient=False)
    for name, patient in (("r0", "p0"), ("r1", "p1"), ("r2", "p0")):
        one = record(name, patient)
        collector.add(CutRecord.of(one, cut(one)))
    table = collector.table()
    each = len(table) // 3
    assert table.record.to_list() == ["r0"] * each + ["r1"] * each + ["r2"] * each
    assert table.patient.to_list() == ["p0"] * each + ["p1"] * each + ["p0"] * each
    assert table.patient.names == ("p0", "p1")
    assert table.split.present() == ("",)
    assert collector.patients == {"r0": "p0", "r1": "p1", "r2": "p0"}
    scale = collector.scale_beats()
    assert scale.record == ("r0", "r1", "r2")
    assert scale.start.tolist() == [0, 0, 0]
    assert scale.stop.tolist() == [25] * 3
    assert collector.records[0] == {
        "record": "r0",
        "patient": "p0",
        "digest": "digest of r0",
        "windows": {"SR": 10, "AF": 7},
        "beats": dict(cut(record("r0", "p0")).beats),
        "dropped": {},
    }


def test_one_scale_a_patient(beats):
    made = [record("r0", "p0"), record("r1", "p1", 50), record("r2", "p0", 100)]
    cuts = [cut(one) for one in made]
    assert len({float(found.centre_ms[0]) for found in cuts}) == 3
    collector = Collector(beats, 10, one_scale_per_patient=True)
    for one, found in zip(made, cuts, strict=True):
        collector.add(CutRecord.of(one, found))
    table = collector.table()
    for name, like in (("r0", 0), ("r1", 1), ("r2", 0)):
        rows = table.record.is_(name)
        assert set(table.centre_ms[rows].tolist()) == {float(cuts[like].centre_ms[0])}
        assert set(table.scale_ms[rows].tolist()) == {float(cuts[like].scale_ms[0])}


def test_the_first_record_with_windows_gives_the_scale(beats):
    without = make_record([(OTHER, 50)], 800, name="r0", patient="p0")
    collector = Collector(beats, 10, one_scale_per_patient=True)
    collector.add(CutRecord.of(without, cut(without)))
    second = record("r1", "p0", 70)
    collector.add(CutRecord.of(second, cut(second)))
    assert set(collector.table().centre_ms.tolist()) == {float(cut(second).centre_ms[0])}


def test_what_could_not_be_read_and_what_was_left_out_are_counted(beats):
    collector = Collector(beats, 10, one_scale_per_patient=False)
    without = make_record([(OTHER, 50)], 800, name="r0", patient="p0")
    collector.add(CutRecord.of(without, cut(without)))
    collector.add_bad(Unreadable("r1", FormatError("r1.h5", "it is torn", "mend it")))
    assert len(collector.table()) == 0
    assert collector.scale_beats().start.size == 0
    assert dict(collector.dropped) == {
        "records with less than 20 s of SR": 1,
        "records that cannot be read": 1,
    }
    assert collector.records[1] == {"record": "r1", "error": "r1.h5: it is torn; mend it"}
    assert collector.records[0]["windows"] == {"SR": 0, "AF": 0}
    assert collector.patients == {"r0": "p0"}
