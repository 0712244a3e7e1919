import json
from dataclasses import replace

import numpy as np
import pytest

from pacl.window_sets import audit_folder, prints_of
from pacl.windows import Finding, WindowSet, WindowSetError, audit_arrays
from support.array_sets import CLASSES, made_arrays, made_set
from support.in_process import pacl
from support.refusals import refused


def kinds(windows: WindowSet) -> dict[str, Finding]:
    return {one.kind: one for one in audit_arrays(windows, windows.manifest)}


def test_a_clean_set_has_no_finding():
    assert audit_arrays(made_set()) == ()


def test_a_subject_in_two_parts():
    split = made_arrays()["split"]
    split[0] = "test"
    found = kinds(made_set(split=split))["subject-in-two-parts"]
    assert (found.severity, found.who) == ("leak", "subject 0")
    assert "test and in train" in found.what


def test_a_record_of_two_subjects():
    records = made_arrays()["records"]
    records[6] = "0-0"
    found = kinds(made_set(records=records))["record-of-two-subjects"]
    assert (found.severity, found.who) == ("leak", "0-0")


@pytest.mark.parametrize("shift", [-9, -1, 0, 1, 9, 10])
def test_windows_of_two_parts_that_overlap(shift):
    given = made_arrays()
    records, start = given["records"], given["start"]
    records[6] = records[0]  # of another subject, in another part
    start[:3] = (100, 200, 300)
    start[6] = 200 + shift
    found = kinds(made_set(records=records, start=start))
    assert ("shared-samples" in found) is (abs(shift) < 10)
    if abs(shift) < 10:
        assert "2 windows" in found["shared-samples"].what
    without = made_set(records=records, start=None)
    assert "shared-samples" not in kinds(without)  # where windows lie is not known


def test_windows_of_one_part_may_overlap():
    start = made_arrays()["start"] // 2
    assert "shared-samples" not in kinds(made_set(start=start))


@pytest.mark.parametrize(("other", "expected"), [(1, False), (6, True), (18, True), (None, False)])
def test_the_same_window_twice(other, expected):
    """In one part of one subject it is no leak; 18 is of another subject of the same part."""
    x = made_arrays()["x"]
    if other is not None:
        x[other] = x[0]
    found = kinds(made_set(x=x))
    assert ("duplicate-window" in found) is expected
    if expected:
        assert "2 windows" in found["duplicate-window"].what


def test_windows_that_never_change_are_no_duplicates():
    x = made_arrays()["x"]
    x[:12] = 3.5
    found = kinds(made_set(x=x))
    assert "duplicate-window" not in found
    assert found["constant-channel"].severity == "note"
    assert "subject 0, subject 1" in found["constant-channel"].what


def test_values_that_are_no_numbers():
    windows = made_set()
    x = windows.x.copy()
    x[4, 1, 2] = np.nan
    found = kinds(replace(windows, x=x))["bad-value"]
    assert (found.severity, found.who) == ("fault", "0-1")


def test_a_part_without_a_class():
    labels = made_arrays()["labels"]
    labels[(made_arrays()["split"] == "test") & (labels == "run")] = "rest"
    found = kinds(made_set(labels=labels))
    assert found["class-missing"].severity == "fault"
    assert "test has no window of class run" in found["class-missing"].what
    assert "2 of 6 subjects" in found["subject-without-class"].what


def test_a_class_that_nobody_has_is_a_note():
    found = kinds(made_set(class_names=(*CLASSES, "swim")))
    assert found["class-missing"].severity == "note"
    assert found.keys() == {"class-missing"}


def test_one_class_alone_can_be_stored(tmp_path):
    assert made_set(labels=["rest"] * 36).write(tmp_path / "w") == ()


def test_kinds_that_are_not_known(tmp_path):
    with refused(WindowSetError, "mixed-rhythm", "shared-samples"):
        made_set().write(tmp_path / "w", allow=["mixed-rhythm"])


def test_the_command_audits_a_folder(tmp_path):
    made_set().write(tmp_path / "w")
    clean = pacl("audit", tmp_path / "w")
    assert (clean.returncode, clean.stdout) == (0, "no leak found\n")
    path = tmp_path / "w" / "x.npy"
    path.write_bytes(path.read_bytes()[:-1] + b"!")
    assert [one.kind for one in audit_folder(tmp_path / "w")] == ["changed-file"]
    audited = pacl("audit", tmp_path / "w", "--json")
    assert audited.returncode == 1
    assert json.loads(audited.stdout)[0]["who"] == "x.npy"


def test_windows_are_recognised_by_their_content():
    windows = made_set()
    prints = prints_of(windows)
    assert prints.keys() == set(windows.table.record.present())
    renamed = made_set(subjects=["other"] * 36, records=["other"] * 36, split=["test"] * 36)
    everything = np.unique(np.concatenate(list(prints.values())))
    assert np.array_equal(prints_of(renamed)["other"], everything)
    assert everything.size == 36
    others = made_set(x=windows.x + np.float32(1e-3))
    assert not np.isin(prints_of(others)["0-0"], everything).any()
