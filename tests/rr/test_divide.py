"""A window set divided anew keeps its windows and leaks nobody."""

import json

import numpy as np
import pytest

from pacl.rr import RRWindowSet, audit_folder
from pacl.window_sets import divide_again, divide_folds
from pacl.windows import PARTS, LeakError, Split, WindowSetError, fold_split, strata
from support.refusals import refused
from support.small_runs import small_windows

COLUMNS = ("start", "rhythm", "raw_start", "onset_s", "centre_ms", "scale_ms")


def parts_of(path):
    table = RRWindowSet.open(path).table
    return {
        part: set(table.patient[table.split.is_(part)].present()) for part in table.split.present()
    }


def test_each_patient_is_tested_in_exactly_one_fold(tmp_path):
    folds = divide_folds(small_windows(), tmp_path, folds=5, seed=3)
    assert list(folds) == [0, 1, 2, 3, 4]
    everybody = set(RRWindowSet.open(small_windows()).table.patient.present())
    tested = []
    for path in folds.values():
        parts = parts_of(path)
        assert set().union(*parts.values()) == everybody
        assert sum(map(len, parts.values())) == len(everybody)
        tested += sorted(parts["test"])
    assert sorted(tested) == sorted(everybody)


def test_folds_without_validation(tmp_path):
    folds = divide_folds(small_windows(), tmp_path / "w", folds=2, seed=3, validation=False)
    assert list(folds) == [0, 1]
    everybody = set(RRWindowSet.open(small_windows()).table.patient.present())
    one, other = (parts_of(path) for path in folds.values())
    assert one.keys() == other.keys() == {"train", "test"}
    assert one["train"] == other["test"] == everybody - one["test"]
    assert one["test"] == other["train"]
    for path in folds.values():
        assert [finding for finding in audit_folder(path) if finding.serious] == []
    origin = RRWindowSet.open(folds[1]).manifest["split"]["origin"]
    assert origin == "subject fold 1 of 2, seed 3, no validation"


@pytest.mark.parametrize("first", [True, False])
def test_folds_with_and_without_validation_are_not_taken_for_each_other(tmp_path, first):
    folds = divide_folds(small_windows(), tmp_path, folds=3, seed=1, validation=first)
    assert divide_folds(small_windows(), tmp_path, folds=3, seed=1, validation=first) == folds
    with refused(WindowSetError, "fold-0"):
        divide_folds(small_windows(), tmp_path, folds=3, seed=1, validation=not first)


def test_windows_beats_and_scales_stay_as_they_were(tmp_path):
    before = RRWindowSet.open(small_windows())
    after = RRWindowSet.open(divide_folds(small_windows(), tmp_path, folds=3)[1])
    for name in COLUMNS:
        assert np.array_equal(getattr(after.table, name), getattr(before.table, name))
    assert np.array_equal(after.rr_ms, before.rr_ms)
    assert after.table.patient.to_list() == before.table.patient.to_list()
    assert after.table.split.to_list() != before.table.split.to_list()


def test_what_was_written_passes_the_audit_and_says_how_it_was_divided(tmp_path):
    path = divide_folds(small_windows(), tmp_path, folds=4, seed=7)[2]
    assert [finding for finding in audit_folder(path) if finding.serious] == []
    manifest = RRWindowSet.open(path).manifest
    assert manifest["split"]["origin"] == "subject fold 2 of 4, seed 7"
    assert manifest["counts"] == RRWindowSet.open(path).count()
    written = json.loads((path / "split.json").read_text())
    assert written["digest"] == manifest["split"]["digest"]
    assert {part: set(who) for part, who in written["parts"].items()} == parts_of(path)


def test_folds_take_the_room_of_one(tmp_path):
    source = tmp_path / "source"
    folds = divide_folds(small_windows(), tmp_path / "once", folds=3)
    again = divide_folds(folds[0], source, folds=3)
    assert (again[0] / "rr_ms.npy").stat().st_ino == (folds[0] / "rr_ms.npy").stat().st_ino


def test_beats_are_copied_where_they_cannot_be_linked(tmp_path, monkeypatch):
    def refuse(*paths):
        raise OSError("another file system")

    monkeypatch.setattr("os.link", refuse)
    path = divide_folds(small_windows(), tmp_path, folds=3)[0]
    assert audit_folder(path) is not None
    assert (path / "rr_ms.npy").read_bytes() == (small_windows() / "rr_ms.npy").read_bytes()


def test_folds_that_are_there_are_left_and_others_refused(tmp_path):
    folds = divide_folds(small_windows(), tmp_path, folds=3, seed=1)
    before = (folds[0] / "manifest.json").stat().st_mtime_ns
    assert divide_folds(small_windows(), tmp_path, folds=3, seed=1) == folds
    assert (folds[0] / "manifest.json").stat().st_mtime_ns == before
    with refused(WindowSetError, "fold-0"):
        divide_folds(small_windows(), tmp_path, folds=3, seed=2)


def test_a_split_that_leaves_somebody_out_is_refused(tmp_path):
    found = RRWindowSet.open(small_windows())
    split = fold_split(strata(found.table, found.class_names), folds=3, fold=0, seed=0)
    first = sorted(split.part_of)[0]
    fewer = {who: part for who, part in split.part_of.items() if who != first}
    with refused(WindowSetError, "split"):
        divide_again(small_windows(), tmp_path / "w", Split("subject", fewer, "by hand"))
    assert not (tmp_path / "w").exists()


def test_a_split_of_records_is_refused_unless_allowed(tmp_path):
    found = RRWindowSet.open(small_windows())
    records = found.table.record.present()
    split = Split("record", {r: PARTS[at % 3] for at, r in enumerate(records)}, "by hand")
    with refused(LeakError, "unsafe-split"):
        divide_again(small_windows(), tmp_path / "w", split)
    assert not (tmp_path / "w").exists()
    divide_again(
        small_windows(), tmp_path / "w", split, allow=["unsafe-split", "patient-in-two-parts"]
    )
    assert not RRWindowSet.open(tmp_path / "w").safe
