"""What a file of edits comes to: what counts, what was taken back, what is refused."""

import json
from dataclasses import replace

import numpy as np
import pytest

from pacl.detect import Detector, Mark
from pacl.edits import MOST_NOTE, Edit, EditError, EditLog, Step, append, entry_from
from pacl.edits.edit import as_line
from pacl.edits.lines import MOST_BYTES
from support.refusals import refused

ID, OTHER = "0123456789abcdef", "f" * 16
HOSTILE = (
    "</script><script>alert(1)</script>",
    'quotes " and \\ and \n new lines \r\n\t',
    "{}]}\u2028\u2029 \u202e ελληνικά 心房細動 🫀",
    '"}\n{"kind": "undo"}',
    "x" * MOST_NOTE,
    "=HYPERLINK(1)",
)


def mark(kind="af", start_s=10.0, end_s=60.0, **more):
    return Edit(kind, start_s, end_s, **more)


def test_what_is_written_is_read(path, record):
    made = [
        mark(id=ID, note="seen in the ECG"),
        mark("exclude", 1.23456, 2),
        mark("note", 5, 5, note="?"),
    ]
    log = append(path, record, made)
    assert log == EditLog.read(path, record)
    assert log.edits == tuple(made)
    assert log.marks == (Mark("af", 10, 60), Mark("exclude", 1.235, 2))
    assert log.revision == 4
    assert (log.undone, log.problems) == ((), ())
    first = json.loads(path.read_text().splitlines()[0])
    assert first["format"] == "pacl edits 1"
    assert (first["record"], first["beats"]) == ("night", 300)


def test_undo_and_redo(path, record):
    one, other = mark(id=ID), mark("sinus", 20, 90, id=OTHER)
    before = append(path, record, [one, other])
    log = append(path, record, [Step("undo", ID)])
    assert (log.edits, log.undone) == ((other,), (one,))
    log = append(path, record, [Step("redo", ID)])
    assert log.edits == before.edits  # in its place
    assert log.undone == ()
    assert log.revision == 5
    assert len(path.read_text().splitlines()) == 5


def test_undoing_gives_the_same_result_to_the_last_bit(path, record):
    detector = Detector()
    looked = detector.look(record)
    before = detector.decide(looked)
    log = append(path, record, [mark(id=ID)])
    assert detector.decide(looked, log.marks).verdict == "AF"
    log = append(path, record, [Step("undo", ID)])
    after = detector.decide(looked, log.marks)
    assert after.to_dict() == before.to_dict()
    np.testing.assert_array_equal(after.probability, before.probability)


@pytest.mark.parametrize(
    ("steps", "facts"),
    [
        ([Step("undo", OTHER)], (OTHER, "undo")),
        ([Step("redo", ID)], (ID, "not taken back")),
        ([Step("undo", ID), Step("undo", ID)], (ID, "already")),
        ([mark(id=ID)], (ID, "already")),
    ],
)
def test_steps_that_make_no_sense_are_refused(path, record, steps, facts):
    append(path, record, [mark(id=ID)])
    before = path.read_bytes()
    with refused(EditError, path, *facts):
        append(path, record, steps)
    assert path.read_bytes() == before


@pytest.mark.parametrize("note", HOSTILE)
def test_a_note_is_kept_as_text(path, record, note):
    append(path, record, [mark("note", 1, 1, note=note)])
    assert EditLog.read(path, record).edits[0].note == note
    assert len(path.read_bytes().splitlines()) == 2
    assert path.read_bytes().isascii()


@pytest.mark.parametrize(
    "values",
    [
        {"kind": "af", "start_s": 5, "end_s": 5},
        {"kind": "af", "start_s": 9, "end_s": 5},
        {"kind": "af", "start_s": float("nan"), "end_s": 5},
        {"kind": "af", "start_s": 1, "end_s": float("inf")},
        {"kind": "af", "start_s": "1", "end_s": 2},
        {"kind": "af", "start_s": True, "end_s": 2},
        {"kind": "af", "start_s": 1},
        {"kind": "af", "start_s": 1, "end_s": 2, "more": 1},
        {"kind": "af", "start_s": 1, "end_s": 2, "note": 3},
        {"kind": "af", "start_s": 1, "end_s": 2, "id": "ABC"},
        {"kind": "af", "start_s": 1, "end_s": 2, "at": "yesterday"},
        {"kind": "af", "start_s": 1, "end_s": 2, "at": "2026-11-18T09:00:00"},
        {"kind": "note", "start_s": 1, "end_s": 2, "note": "  "},
        {"kind": "note", "start_s": 1, "end_s": 2, "note": "x" * (MOST_NOTE + 1)},
        {"kind": "note", "start_s": 1, "end_s": 2, "note": "\ud800"},
        {"kind": "undo"},
        {"kind": "undo", "of": "me"},
        {"kind": "flutter", "start_s": 1, "end_s": 2},
        {},
    ],
)
def test_wrong_values_are_refused(path, record, values):
    with refused(EditError):
        entry_from(values)
    sound = {"id": ID, "at": "2026-11-18T09:00:00Z"}
    append(path, record, [mark()])
    with path.open("ab") as file:
        file.write(as_line({**sound, **values}))
    with refused(EditError, path, "line 3"):
        EditLog.read(path, record)


def test_a_kind_of_a_later_version_says_what_to_do(path, record):
    append(path, record, [mark()])
    with path.open("ab") as file:
        file.write(as_line({"id": ID, "at": "2026-11-18T09:00:00Z", "kind": "flutter"}))
    with refused(EditError, path, "line 3", "flutter", "newer version"):
        EditLog.read(path, record)


def test_an_edit_outside_the_recording_is_refused(path, record):
    with refused(EditError, path, 5000):
        append(path, record, [mark(end_s=5000.0)])
    assert not path.exists()


def test_edits_of_another_recording_are_refused(path, record):
    append(path, record, [mark()])
    other = replace(record, rr_ms=record.rr_ms + 1, source="other.csv")
    for act in (EditLog.read, lambda *both: append(*both, [mark()])):
        with refused(EditError, path, "other.csv", "another recording", 300):
            act(path, other)


@pytest.mark.parametrize(
    "content",
    [
        b"812\n790\n",
        b'{"format": "pacl edits 2", "record": "night", "digest": "0", "beats": 300}\n',
        b'{"format": "pacl edits 1"}\n',
        b"\x00" * 100,
        b"\n\n",
        b"x" * 100_000,
    ],
)
def test_another_format_is_refused_and_left_as_it_is(path, record, content):
    path.write_bytes(content)
    for act in (EditLog.read, lambda *both: append(*both, [mark()])):
        with refused(EditError, path, "line 1", "pacl edits 1"):
            act(path, record)
    assert path.read_bytes() == content


def test_absurd_sizes_are_refused(path, record):
    append(path, record, [mark()])
    with path.open("ab") as file:
        file.truncate(MOST_BYTES + 1)
    for act in (EditLog.read, lambda *both: append(*both, [mark()])):
        with refused(EditError, path, MOST_BYTES + 1, MOST_BYTES):
            act(path, record)


def test_a_missing_file_is_an_error(path, record):
    with refused(EditError, path):
        EditLog.read(path, record)


def test_any_torn_end_is_left_out_and_said(path, record):
    """A process may stop after any byte of a line."""
    append(path, record, [mark(id=ID)])
    whole = path.read_bytes()
    line = as_line(mark("note", 1, 2, note='a "quote" }, \\ é 🫀').to_dict())
    for size in range(1, len(line) - 1):
        path.write_bytes(whole + line[:size])
        log = EditLog.read(path, record)
        assert len(log.edits) == 1, line[:size]
        assert "line 3" in log.problems[0]
        added = append(path, record, [Step("undo", ID)])
        assert added == EditLog.read(path, record)
        assert added.undone
        assert path.read_bytes().startswith(whole + line[:size] + b"\n")


def test_a_last_line_without_its_end_counts(path, record):
    """An editor may leave out the last new line."""
    append(path, record, [mark(id=ID)])
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    assert len(EditLog.read(path, record).edits) == 1
    log = append(path, record, [mark("sinus")])
    assert len(log.edits) == 2
    assert log == EditLog.read(path, record)


def test_a_torn_first_line_is_written_again(path, record):
    append(path, record, [mark()])
    head = path.read_bytes().splitlines()[0]
    for size in (0, 1, 20, len(head) - 1, len(head)):
        path.write_bytes(head[:size])
        assert EditLog.read(path, record).edits == ()
        log = append(path, record, [mark()])
        assert log == EditLog.read(path, record)
        assert (len(log.edits), log.problems) == (1, ())


def test_damage_in_the_middle_is_not_taken_for_a_torn_line(path, record):
    append(path, record, [mark(), mark()])
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[1].replace(b'"kind":', b'"kind"?', 1) + lines[2])
    with refused(EditError, path, "line 2"):
        EditLog.read(path, record)
