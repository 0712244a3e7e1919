"""Commands with a `cohort.toml`: it is applied, said, and never written over."""

import json

import pytest

from pacl.cohort import EpisodesProtocol
from pacl.records import open_records
from pacl.studies.inputs import cohort_name, usual_protocol
from support.iridia import write_metadata, write_record
from support.mit import annotation_file
from support.small_runs import pacl


@pytest.fixture
def nights(tmp_path):
    """Three records without marks; the manifest lies beside their folder."""
    beats = [(1000 * second, "N", "") for second in range(1, 9)]
    (tmp_path / "nights").mkdir()
    for name in ("a_1", "a_2", "b_1"):
        (tmp_path / "nights" / f"{name}.atr").write_bytes(annotation_file(beats, fs=1000))
    text = "recordings = 'nights'\nname = 'N'\nunmarked = 'SR'\npatient = '(.)_.'\n"
    (tmp_path / "n.toml").write_text(text)
    return tmp_path


def test_inspect_says_in_one_line_what_a_manifest_did(capsys, nights):
    done = pacl(capsys, "inspect", nights / "n.toml", "-q")
    assert done.status == 0
    said = f"{nights / 'n.toml'}: N, 3 records without rhythm marks read as SR, 3 records of 2 "
    assert done.out.splitlines()[-1].startswith(said)
    assert "SR h" in done.out
    assert "n.toml" not in pacl(capsys, "inspect", nights / "nights", "-q").out


def test_inspect_says_that_patients_are_those_of_the_command_line(capsys, nights):
    (nights / "map.csv").write_text("record_id,patient_id\na_1,x\na_2,y\nb_1,z\n")
    done = pacl(capsys, "inspect", nights / "n.toml", "--patients", nights / "map.csv", "-q")
    assert "--patients" in done.out.splitlines()[-1]


def test_inspect_says_where_a_manifest_changed_nothing(capsys, nights):
    (nights / "nights" / "cohort.toml").write_text("source = 'here'")
    done = pacl(capsys, "inspect", nights / "nights" / "a_1", "-q")
    assert "neither rhythms nor patients" in done.out.splitlines()[-1]


def test_a_bad_manifest_is_named_with_status_2(capsys, nights):
    (nights / "n.toml").write_text("recordings = 'nights'\nunmarked = 'sinus'\n")
    for command in ("inspect", "detect"):
        done = pacl(capsys, command, nights / "n.toml")
        assert done.status == 2
        assert "n.toml: unmarked = 'sinus'" in done.err


def test_detect_gives_a_list_and_writes_over_neither_manifest_nor_recordings(capsys, nights):
    for name in ("a_2", "b_1"):
        (nights / "nights" / f"{name}.atr").unlink()
    found = json.loads(pacl(capsys, "detect", nights / "n.toml", "--format", "json").out)
    assert [one["record"] for one in found] == ["a_1"], "a list, as of a folder"
    (nights / "nights" / "cohort.toml").write_text("name = 'N'")
    (nights / "nights" / "x.json").write_text("mine")
    (nights / "nights" / "cohort.json").symlink_to(nights / "nights" / "cohort.toml")
    for path, output in (("n.toml", "x.json"), ("nights/a_1", "cohort.json")):
        done = pacl(capsys, "detect", nights / path, "-o", nights / "nights" / output)
        assert done.status == 2
        assert "inputs are never changed" in done.err
    assert (nights / "nights" / "x.json").read_text() == "mine"


def test_a_cohort_is_called_as_its_manifest_says(nights):
    assert cohort_name(nights / "n.toml") == "N"
    (nights / "n.toml").write_text("recordings = 'nights'")
    assert cohort_name(nights / "n.toml") == cohort_name(nights / "nights") == "nights"


def test_the_usual_protocol_is_that_of_the_layout(tmp_path):
    write_record(tmp_path, "record_000", [[800] * 300], [])
    write_metadata(tmp_path / "metadata.csv", [("record_000", "p", 1)])
    (tmp_path / "cohort.toml").write_text("name = 'X'")
    assert usual_protocol(open_records(tmp_path)) == EpisodesProtocol()
