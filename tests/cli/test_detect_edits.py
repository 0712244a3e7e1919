"""`pacl detect --edits` as a person runs it."""

import csv
import io
import json
from functools import partial

import numpy as np
import pytest

from pacl.edits import Edit, append, edits_path
from pacl.records import open_records
from support.in_process import pacl
from support.rhythms import fibrillation, sinus

run = partial(pacl, "detect")


@pytest.fixture
def nights(tmp_path):
    """A night with AF in the middle, of which the AF is denied by hand, and a calm one."""
    generator = np.random.default_rng(0)
    mixed = [sinus(500, generator), fibrillation(400, generator), sinus(500, generator)]
    for name, rr_ms in {"af": np.concatenate(mixed), "calm": sinus(300, generator)}.items():
        (tmp_path / f"{name}.txt").write_text("".join(f"{x:.0f}\n" for x in rr_ms))
    record = open_records(tmp_path / "af.txt").read("af")
    edits = [Edit("sinus", 0, 300), Edit("not-af", 400, 720), Edit("note", 5, 5, note="calm")]
    append(edits_path(record, False), record, edits)
    return tmp_path


def test_text_says_what_it_would_be_without(nights):
    done = run(nights / "af.txt", "--edits", nights / "af.txt.edits.jsonl")
    assert done.returncode == 0, done.stderr
    assert "af.txt: no AF" in done.stdout
    assert "2 edits by hand; without them AF, AF burden 2" in done.stdout


def test_json_has_the_marks(nights):
    done = run(nights / "af.txt", "--edits", nights, "--format", "json")
    found = json.loads(done.stdout)
    assert found["verdict"] == "no AF"
    assert [one["kind"] for one in found["edits"]["marks"]] == ["sinus", "not-af"]
    assert found["edits"]["without"]["verdict"] == "AF"
    assert found["edits"]["without"]["af_burden"] > 0.2


def test_a_folder_gives_each_recording_its_own(nights):
    done = run(nights, "--edits", nights, "--format", "csv")
    assert done.returncode == 0, done.stderr
    rows = {one["record"]: one for one in csv.DictReader(io.StringIO(done.stdout))}
    assert (rows["af"]["edits"], rows["af"]["verdict_without_edits"]) == ("2", "AF")
    assert (rows["calm"]["edits"], rows["calm"]["verdict_without_edits"]) == ("0", "no AF")
    assert "no edits by hand" in run(nights, "--edits", nights).stdout
    listed = json.loads(run(nights, "--edits", nights, "--format", "json").stdout)
    assert [one["edits"] is None for one in listed] == [False, True]


def test_edits_beside_recordings_further_down_are_found(nights):
    below = nights / "below"
    below.mkdir()
    for one in ("af.txt", "af.txt.edits.jsonl"):
        (nights / one).rename(below / one)
    assert "2 edits by hand" in run(nights, "--edits", nights).stdout


def test_edits_kept_elsewhere_are_found_by_name(nights, tmp_path_factory):
    other = tmp_path_factory.mktemp("edits")
    (nights / "af.txt.edits.jsonl").rename(other / "af.txt.edits.jsonl")
    assert "2 edits by hand" in run(nights, "--edits", other).stdout


def test_without_the_option_nothing_is_said_of_edits(nights):
    done = run(nights / "af.txt", "--format", "json")
    found = json.loads(done.stdout)
    assert "edits" not in found
    assert found["verdict"] == "AF"
    assert "edits" not in run(nights / "af.txt").stdout
    assert "edits" not in run(nights / "af.txt", "--format", "csv").stdout.splitlines()[0]


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        (("calm.txt", "--edits", "af.txt.edits.jsonl"), ("another recording", "calm.txt")),
        (("calm.txt", "--edits", "."), ("calm.txt.edits.jsonl",)),
        ((".", "--edits", "af.txt.edits.jsonl"), ("2 recordings", "folder")),
        (("af.txt", "--edits", "nowhere"), ("nowhere", "check the path")),
        (("-", "--edits", "."), ("--edits", "stream")),
        (("af.txt", "--edits", "af.txt"), ("af.txt: line 1", "pacl edits 1")),
    ],
)
def test_what_does_not_fit_is_refused(nights, monkeypatch, words, facts):
    monkeypatch.chdir(nights)
    done = run(*words)
    assert done.returncode != 0
    for fact in facts:
        assert fact in done.stderr


@pytest.mark.parametrize("given", [".", "af.txt.edits.jsonl"])
def test_edits_are_never_written_over(nights, monkeypatch, given):
    monkeypatch.chdir(nights)
    before = (nights / "af.txt.edits.jsonl").read_bytes()
    done = run("af.txt", "--edits", given, "--format", "json", "-o", "af.txt.edits.jsonl")
    assert done.returncode != 0
    assert "inputs are never changed" in done.stderr
    assert (nights / "af.txt.edits.jsonl").read_bytes() == before


def test_a_torn_line_is_said(nights):
    path = nights / "af.txt.edits.jsonl"
    path.write_bytes(path.read_bytes() + b'{"id": "00')
    done = run(nights / "af.txt", "--edits", path)
    assert done.returncode == 0
    assert "line 5" in done.stderr
    assert "2 edits by hand" in done.stdout
