"""What the pages of `pacl view` ask for, asked without a browser."""

import json
import os
import tempfile
from pathlib import Path

import numpy as np
import pytest

from pacl.detect import Detector, Person
from pacl.edits import EditLog
from pacl.records import open_records
from support.viewing import served, write_night


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two recordings, one that is damaged, and a link that leads out of the folder."""
    found = tmp_path_factory.mktemp("nights")
    write_night(found / "monday.csv", 1)
    write_night(found / "tuesday.csv", 2)
    (found / "torn.csv").write_text("rr_ms\n800\n<b>wrong</b>\n800\n")
    outside = write_night(tmp_path_factory.mktemp("elsewhere") / "secret.csv", 3)
    (found / "link.csv").symlink_to(outside)
    (found / "inside.csv").symlink_to(found / "monday.csv")
    return found


@pytest.fixture(scope="module")
def server(folder):
    with served(folder) as found:
        yield found


def rows_of(server, since=0):
    return {one["name"]: one for one in server.values(f"api/index?since={since}")["rows"]}


def all_judged(server):
    server.shelf._worker.join()
    return rows_of(server)


def files_of_edits(folder):
    return sorted(one.name for one in folder.iterdir() if "edits" in one.name)


def test_one_recording_is_led_to_and_several_get_an_index(server, one):
    status, headers, _ = one.ask()
    assert (status, headers["location"]) == (303, one.below("night"))
    status, _, content = server.ask()
    assert status == 200
    assert b"assets/index.js" in content


def test_paths_lead_nowhere(server, folder):
    inside = server.below("monday")
    for path in (
        "../../../../etc/passwd",
        "%2e%2e/%2e%2e/etc/passwd",
        "..%2f..%2fetc%2fpasswd",
        "assets/../guard.py",
        "assets/..%2f..%2fguard.py",
        "assets/%2e%2e/%2e%2e/app.py",
        "assets//etc/passwd",
        "assets/page.css%00.js",
        "assets/",
        "assets",
        "r/monday/",
        "r/monday.csv/",
        "r/0123456789abcdef/",
        "r/..%2fmonday.csv/",
        f"r/{folder}/",
        f"{inside}../../../../etc/passwd",
        f"{inside}monday.csv",
        f"{inside}ecg/..%2f..%2fetc%2fpasswd",
        f"{inside}%00",
        f"{inside}view%00",
        f"{inside}ecg/-1",
        f"{inside}ecg/0",
        f"{inside}ecg/{'9' * 5000}",
        inside[:-1],
    ):
        status, headers, content = server.ask(path)
        assert status == 404, path
        assert "location" not in headers
        assert b"root:" not in content


def test_a_link_that_leads_out_of_the_folder_is_not_followed(server, folder):
    rows = all_judged(server)
    assert rows["link"]["status"] == "failed"
    assert "leads out of" in rows["link"]["error"]
    for name in ("", "view", "beats", "edits.jsonl", "detection.json"):
        status, _, content = server.ask(server.below("link", name))
        assert status == 422
        assert b"leads out of" in content
    assert server.mark("link", kind="af", start_s=1, end_s=90)[0] == 422
    assert rows["inside"]["status"] == "ready"


def test_a_damaged_recording_is_a_failed_row_and_its_page_says_why(server):
    rows = all_judged(server)
    assert rows["torn"]["status"] == "failed"
    assert "<b>wrong</b>" in rows["torn"]["error"]
    assert {name for name, one in rows.items() if one["status"] == "ready"} == {
        *("monday", "tuesday", "inside")
    }
    status, headers, content = server.ask(server.below("torn"))
    assert status == 422
    assert headers["content-type"].startswith("text/html")
    assert b"cannot be shown" in content
    assert b"&lt;b&gt;wrong&lt;/b&gt;" in content


def test_rows_come_once_until_they_change(server):
    all_judged(server)
    found = server.values("api/index")
    assert (found["total"], found["ready"]) == (5, 5)
    assert server.values(f"api/index?since={found['revision']}")["rows"] == []
    server.mark("tuesday", kind="note", start_s=1, end_s=2, note="seen")
    changed = rows_of(server, found["revision"])
    assert set(changed) == {"tuesday"}
    assert changed["tuesday"]["edits"] == 1


@pytest.mark.parametrize("since", ["x", "-1", "1.5", "9" * 50, "", "1%00"])
def test_a_revision_that_is_none_is_refused(server, since):
    status, _, content = server.ask(f"api/index?since={since}")
    assert status == 400
    assert "error" in json.loads(content)


GOOD = {"kind": "af", "start_s": 10, "end_s": 60}


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"", "no mark"),
        (b"{", "no mark"),
        (b"\xff\xfe", "no mark"),
        (b"[]", "no mark"),
        (b"null", "no mark"),
        (b'"af"', "no mark"),
        (b"7", "no mark"),
        (b"{}", "kind"),
        (b"[" * 60_000, "no mark"),
        ({**GOOD, "kind": "flutter"}, "flutter"),
        ({**GOOD, "kind": ["af"]}, "kind"),
        ({**GOOD, "kind": None}, "kind"),
        ({**GOOD, "start_s": "10"}, "start_s"),
        ({**GOOD, "start_s": None}, "start_s"),
        ({**GOOD, "start_s": True}, "start_s"),
        ({**GOOD, "end_s": [60]}, "end_s"),
        ({**GOOD, "end_s": float("nan")}, "end_s"),
        ({**GOOD, "end_s": float("inf")}, "end_s"),
        ({**GOOD, "start_s": float("-inf")}, "start_s"),
        ({**GOOD, "end_s": 10**400}, "end_s"),
        ({**GOOD, "end_s": 1e308}, "end_s"),
        ({**GOOD, "end_s": 10}, "empty"),
        ({**GOOD, "end_s": 5}, "empty"),
        ({**GOOD, "end_s": 1e6}, "not in the recording"),
        ({**GOOD, "start_s": -5000}, "not in the recording"),
        ({"kind": "af"}, ""),
        ({"kind": "note", "start_s": 1, "end_s": 2, "note": " "}, "note"),
        ({"kind": "note", "start_s": 1, "end_s": 2, "note": 7}, "note"),
        ({"kind": "note", "start_s": 1, "end_s": 2, "note": "x" * 2001}, "2,001"),
        ({"kind": "note", "start_s": 1, "end_s": 2, "note": "\0"}, "note"),
        ({"kind": "note", "start_s": 1, "end_s": 2, "note": "\ud800"}, "note"),
        ({"kind": "undo", "of": "0123456789abcdef"}, "no such edit"),
        ({"kind": "redo", "of": "0123456789abcdef"}, "no such edit"),
        ({"kind": "undo", "of": "../../etc/passwd"}, "id"),
        ({"kind": "undo", "of": 7}, "of"),
        ({"kind": "undo"}, "of"),
    ],
)
def test_what_is_no_mark_is_refused_and_not_written(server, folder, body, says):
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    status, told = server.post(server.below("monday", "edits"), content)
    assert status == 422
    assert says in told["error"]
    assert "Traceback" not in told["error"]
    assert "monday.csv.edits.jsonl" not in files_of_edits(folder)
    assert server.values(server.below("monday", "revision")) == {"revision": 0}


@pytest.mark.parametrize(
    ("headers", "body", "expected"),
    [
        ({"Content_Type": "text/plain"}, b"{}", 415),
        ({"Content_Type": None}, b"{}", 415),
        ({"Content_Type": "application/x-www-form-urlencoded"}, b"kind=af", 415),
        ({}, b" " * 70_000, 413),
    ],
)
def test_other_bodies_are_refused_in_words(server, folder, headers, body, expected):
    status, told = server.post(server.below("monday", "edits"), body, **headers)
    assert status == expected
    assert told["error"]
    assert "monday.csv.edits.jsonl" not in files_of_edits(folder)


def test_marks_are_on_the_disk_when_the_answer_comes(one, night):
    status, view = one.mark("night", kind="sinus", start_s=30.0004, end_s=90)
    assert status == 200
    path = night.with_name("night.csv.edits.jsonl")
    log = EditLog.read(path, open_records(night).read("night"))
    assert [(mark.kind, mark.start_s, mark.end_s) for mark in log.marks] == [("sinus", 30.0, 90.0)]
    assert view["edits"][0]["id"] == log.edits[0].id
    assert view["revision"] == 1
    assert one.ask(one.below("night", "edits.jsonl"))[2] == path.read_bytes()


def test_the_result_follows_marks_and_undo_brings_it_back(one):
    before = one.values(one.below("night", "view"))
    first = before["episodes"][0]
    _, after = one.mark("night", kind="not-af", start_s=first["start_s"], end_s=first["end_s"])
    assert after["af_burden"] < before["af_burden"]
    assert len(after["episodes"]) == len(before["episodes"]) - 1
    assert after["without_edits"]["af_burden"] == before["af_burden"]
    _, undone = one.mark("night", kind="undo", of=after["edits"][0]["id"])
    assert (undone["edits"], len(undone["undone"])) == ([], 1)
    assert undone["episodes"] == before["episodes"]
    _, redone = one.mark("night", kind="redo", of=undone["undone"][0]["id"])
    assert redone["episodes"] == after["episodes"]
    status, told = one.mark("night", kind="redo", of=undone["undone"][0]["id"])
    assert status == 422
    assert "not taken back" in told["error"]


def test_files_are_downloads(one, night):
    view = one.values(one.below("night", "view"))
    span = view["episodes"][0]
    one.mark("night", kind="sinus", start_s=60, end_s=200)
    one.mark("night", kind="af", start_s=span["start_s"], end_s=span["end_s"])
    names = {}
    for name in ("edits.jsonl", "person.json", "detection.json"):
        status, headers, content = one.ask(one.below("night", name))
        assert status == 200
        names[name] = headers["content-disposition"]
        assert content.endswith(b"\n")
    assert names == {
        "edits.jsonl": 'attachment; filename="night.csv.edits.jsonl"',
        "person.json": 'attachment; filename="person.json"',
        "detection.json": 'attachment; filename="detection.json"',
    }
    profile = night.with_name("person.json")
    profile.write_bytes(one.ask(one.below("night", "person.json"))[2])
    Detector(person=Person.read(profile)).detect(open_records(night).read("night"))
    stated = json.loads(one.ask(one.below("night", "detection.json"))[2])
    assert stated["edits"]["given"] == 2


def test_a_file_has_a_plain_name_whatever_its_recording_is_called(tmp_path):
    path = write_night(tmp_path / 'a"b; c\N{SNOWMAN}.csv')
    with served(path) as found:
        (name,) = found.keys
        status, headers, _ = found.ask(found.below(name, "edits.jsonl"))
    assert status == 200
    plain = 'attachment; filename="a_b__c_.csv.edits.jsonl"'
    assert headers["content-disposition"] == plain


def test_beats_and_values_fit_together(one, night):
    view = one.values(one.below("night", "view"))
    content = one.ask(one.below("night", "beats"))[2]
    record = open_records(night).read("night")
    assert view["beats"] == len(record)
    ticks = np.frombuffer(content[: 2 * view["beats"]], "<u2")
    assert (ticks * view["tick_ms"]).tolist() == record.rr_ms.tolist()


def test_a_file_of_marks_that_is_a_link_is_refused(night, tmp_path_factory):
    other = tmp_path_factory.mktemp("elsewhere") / "target"
    with served(night) as found:
        night.with_name("night.csv.edits.jsonl").symlink_to(other)
        status, told = found.mark("night", kind="af", start_s=1, end_s=60)
        assert status == 422
        assert "link" in told["error"]
        assert found.ask(found.below("night"))[0] == 200  # the recording itself can be looked at
        (notice,) = found.values(found.below("night", "view"))["notices"]
        assert "link" in notice
    assert not other.exists()


def test_damaged_marks_are_told_with_their_line(one, night):
    path = night.with_name("night.csv.edits.jsonl")
    one.mark("night", kind="af", start_s=1, end_s=60)
    path.write_bytes(path.read_bytes() + b'{"kind": "nonsense"}\n')
    view = one.values(one.below("night", "view"))
    assert any(f"{path}: line 3" in notice for notice in view["notices"])
    assert view["edits"] == []
    status, _, content = one.ask(one.below("night"))
    assert status == 200
    assert b"line 3" in content
    status, told = one.mark("night", kind="af", start_s=1, end_s=60)
    assert status == 422
    assert "line 3" in told["error"]


def test_a_torn_last_line_is_a_notice(one, night):
    path = night.with_name("night.csv.edits.jsonl")
    one.mark("night", kind="af", start_s=1, end_s=60)
    path.write_bytes(path.read_bytes() + b'{"id": "0123')
    view = one.values(one.below("night", "view"))
    assert any("torn" in notice for notice in view["notices"])
    status, view = one.mark("night", kind="af", start_s=100, end_s=160)
    assert status == 200
    assert len(view["edits"]) == 2


def test_marks_of_another_program_are_taken_up(one, night):
    from pacl.edits import Edit, append

    before = one.values(one.below("night", "revision"))
    record = open_records(night).read("night")
    append(night.with_name("night.csv.edits.jsonl"), record, [Edit("exclude", 10, 60)])
    assert one.values(one.below("night", "revision")) != before
    view = one.values(one.below("night", "view"))
    assert [one["kind"] for one in view["edits"]] == ["exclude"]
    assert "excluded by hand" in {one["why"] for one in view["not_judged"]}


@pytest.fixture
def read_only():
    """A folder that this process may read but not write, whoever runs it."""
    root = Path(tempfile.mkdtemp())
    folder = root / "nights"
    folder.mkdir()
    write_night(folder / "night.csv")
    (root / "marks").mkdir()
    (root / "marks").chmod(0o777)
    root.chmod(0o755)
    folder.chmod(0o555)
    before = os.geteuid()
    if before == 0:  # nothing is forbidden to root
        os.seteuid(65534)
    yield folder
    os.seteuid(before)
    folder.chmod(0o755)
    for one in sorted(root.rglob("*"), reverse=True):
        one.rmdir() if one.is_dir() else one.unlink()
    root.rmdir()


def test_a_folder_that_cannot_be_written_can_be_looked_at(read_only):
    with served(read_only / "night.csv") as found:
        assert found.ask(found.below("night"))[0] == 200
        status, told = found.mark("night", kind="af", start_s=1, end_s=60)
        assert status == 422
        assert "cannot be written" in told["error"]
        assert str(read_only) in told["error"]
        assert found.values(found.below("night", "view"))["edits"] == []
    marks = read_only.with_name("marks")
    with served(read_only / "night.csv", edits_folder=marks) as found:
        assert found.mark("night", kind="af", start_s=1, end_s=60)[0] == 200
    assert [one.name for one in marks.iterdir()] == ["night.csv.edits.jsonl"]


def test_a_recording_that_is_gone_is_told(folder, tmp_path):
    path = write_night(tmp_path / "a.csv")
    write_night(tmp_path / "b.csv", 1)
    with served(tmp_path, start=False) as found:
        path.unlink()
        status, _, content = found.ask(found.below("a"))
        assert status == 422
        assert b"a.csv" in content
        assert rows_of(found)["a"]["status"] == "failed"
        assert found.ask(found.below("b"))[0] == 200


@pytest.mark.real
def test_an_ecg_comes_by_the_minute(data):
    with served(data / "mitdb-ecg" / "203.hea", start=False) as found:
        (name,) = found.keys
        view = found.values(found.below(name, "view"))
        fs_hz, leads = view["ecg"]["fs_hz"], len(view["ecg"]["leads"])
        piece = np.frombuffer(found.ask(found.below(name, "ecg/0"))[2], "<i2")
        assert piece.size == 60 * fs_hz * leads
        assert np.ptp(piece.reshape(leads, -1)[0]) > 500
        assert found.ask(found.below(name, "ecg/99999"))[2] == b""
        assert found.ask(found.below(name, "ecg/99999999"))[0] == 404


def test_files_of_one_name_in_two_folders_have_marks_of_their_own(folder, tmp_path):
    elsewhere = tmp_path / "marks"
    elsewhere.mkdir()
    for name in ("anna", "ben"):
        (tmp_path / "nights" / name).mkdir(parents=True)
        content = (folder / "monday.csv").read_text().splitlines()
        cut = content if name == "anna" else content[:-5]
        (tmp_path / "nights" / name / "night.csv").write_text("\n".join(cut) + "\n")
    with served(tmp_path / "nights", edits_folder=elsewhere) as found:
        for name in ("anna/night", "ben/night"):
            assert found.mark(name, kind="exclude", start_s=1, end_s=60)[0] == 200
    assert len(list(elsewhere.iterdir())) == 2


def test_a_mark_that_is_kept_is_never_called_unsaved(one, night):
    """What cannot be kept for the index must not matter."""
    night.with_name("night-old.csv.edits.jsonl").symlink_to("nowhere")
    status, view = one.mark("night", kind="af", start_s=1, end_s=60)
    assert (status, len(view["edits"])) == (200, 1)


def test_a_recording_that_changes_is_read_again_and_takes_no_old_marks(one, night):
    before = one.values(one.below("night", "view"))["beats"]
    night.write_text("\n".join(night.read_text().splitlines()[:-9]) + "\n")
    assert one.values(one.below("night", "view"))["beats"] == before - 9
