"""Commands take addresses where they take paths."""

import json
import shutil
from pathlib import Path

import pytest

from pacl.records.remote import access
from support.in_process import pacl
from support.web_server import served


@pytest.fixture
def cohort(tmp_path, data):
    """Two annotated recordings of MITDB, and a document."""
    if not (data / "mitdb").is_dir():
        pytest.skip("no recordings of MITDB")
    for name in ("100.hea", "100.atr", "202.hea", "202.atr"):
        shutil.copy(data / "mitdb" / name, tmp_path / name)
    (tmp_path / "README.txt").write_text("about\n")
    return tmp_path


def without_source(text: str, *places: object) -> str:
    for place in places:
        text = text.replace(str(place), "PLACE")
    return text


@pytest.mark.parametrize("given", ["", "/100", "/100.atr"])
def test_detect_gives_the_same_for_an_address(cohort, given):
    here = pacl("detect", f"{cohort}{given}", "--format", "json")
    with served(cohort) as web:
        there = pacl("detect", f"{web.address}{given}", "--format", "json")
    assert (there.returncode, there.stderr) == (here.returncode, here.stderr)
    assert isinstance(json.loads(there.stdout), dict if given else list)
    assert without_source(there.stdout, web.address) == without_source(here.stdout, cohort)


def test_inspect_gives_the_same_for_an_address(cohort):
    here = pacl("inspect", cohort)
    with served(cohort) as web:
        there = pacl("inspect", f"{web.address}/")
    assert (there.returncode, there.stdout, there.stderr) == (0, here.stdout, here.stderr)


def test_a_file_address_is_a_path(cohort):
    assert pacl("inspect", f"file://{cohort}").stdout == pacl("inspect", cohort).stdout


def test_evaluate_rhythm_names_the_address_without_its_password(cohort, monkeypatch):
    monkeypatch.setattr("pacl.cli.evaluate_rhythm.intervals_of", lambda found: None)
    with served(cohort) as web:
        host = web.address.removeprefix("http://")
        done = pacl("evaluate-rhythm", f"http://anna:geheim@{host}", "--format", "json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["path"] == f"http://***@{host}"
    assert "geheim" not in done.stdout + done.stderr


def test_prepare_states_the_address(cohort, tmp_path):
    output = tmp_path / "windows"
    flags = "--protocol pooled --pooled.scale-s 300 --split.counts 1 0 1 --allow class-missing"
    with served(cohort) as web:
        done = pacl("prepare", web.address, *flags.split(), "-o", output)
        assert done.returncode == 0, done.stderr
    assert json.loads((output / "manifest.json").read_text())["source"] == web.address


@pytest.mark.parametrize("command", ["detect", "inspect", "evaluate-rhythm"])
def test_a_server_that_is_not_there_is_an_error(command, monkeypatch):
    monkeypatch.setattr(access, "PAUSES_S", (0.01, 0.01))
    done = pacl(command, "http://anna:geheim@127.0.0.1:9/cohort")
    assert done.returncode == 2
    assert "http://***@127.0.0.1:9/cohort" in done.stderr
    assert "geheim" not in done.stderr


def test_view_wants_recordings_of_this_machine(cohort):
    done = pacl("view", "https://host/cohort")
    assert done.returncode == 2
    assert "https://host/cohort" in done.stderr


def test_arrays_are_of_this_machine(tmp_path):
    done = pacl("prepare", "https://host/emg.npz", "-o", tmp_path / "windows")
    assert done.returncode == 2
    assert "https://host/emg.npz" in done.stderr
    assert not Path("https:").exists()
