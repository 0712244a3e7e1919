"""Marks that may belong to a recording, found by name."""

import pytest

from pacl.view.edits_near import EditsNear


@pytest.fixture
def near(tmp_path):
    def found(*names, folder=None):
        return EditsNear(folder).digest([tmp_path / name for name in names])

    return found


def test_without_marks_there_is_no_digest(near, tmp_path):
    (tmp_path / "night.csv").touch()
    (tmp_path / "other.csv.edits.jsonl").write_text("x")
    assert near("night.csv") == ""
    assert EditsNear().digest([]) == ""
    assert EditsNear().digest([tmp_path / "nowhere" / "night.csv"]) == ""


@pytest.mark.parametrize(
    ("file", "marks"),
    [
        ("night.csv", "night.csv.edits.jsonl"),
        ("night.csv", "night.csv.anna.edits.jsonl"),
        ("00.hea", "00.edits.jsonl"),
        ("record_000/record_000_rr_00.h5", "record_000.edits.jsonl"),
    ],
)
def test_the_digest_follows_the_marks(near, tmp_path, file, marks):
    (tmp_path / marks).write_text("one")
    first = near(file)
    assert first
    assert near(file) == first
    (tmp_path / marks).write_text("two")
    assert near(file) != first


def test_marks_in_a_folder_of_their_own(near, tmp_path):
    own = tmp_path / "marks"
    own.mkdir()
    (tmp_path / "night.csv.edits.jsonl").write_text("beside")
    assert near("night.csv", folder=own) == ""
    (own / "night.csv.edits.jsonl").write_text("own")
    assert near("night.csv", folder=own) not in ("", near("night.csv"))


def test_folders_are_listed_once(tmp_path):
    near = EditsNear()
    assert near.digest([tmp_path / "night.csv"]) == ""
    (tmp_path / "night.csv.edits.jsonl").write_text("new")
    assert near.digest([tmp_path / "night.csv"]) == ""
    assert EditsNear().digest([tmp_path / "night.csv"])
