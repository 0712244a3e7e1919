"""A loss, an encoder, a reader and a system of somebody else, each one file."""

import json
import os
import subprocess
import sys

import pytest
import torch

from pacl.models import make_encoder
from pacl.records import READERS, LayoutError, ReadOptions, RecordError, open_records
from pacl.registry import Entry
from pacl.rivals import system_named
from pacl.studies import Plan, RunFolder
from pacl.studies.scheduler import why_apart
from pacl.testing import check_encoder, check_loss, check_reader, check_rival, check_system
from rivals.test_contract import cohort
from support.refusals import refused
from support.second_package import install
from support.signals import ring_of_sensors
from support.small_runs import flags, pacl, small_windows

torch.set_num_threads(1)  # batches are so small that more threads only wait for each other


@pytest.fixture(autouse=True)
def theirs(monkeypatch, tmp_path):
    install(monkeypatch, tmp_path / "site")


@pytest.fixture
def beats(tmp_path):
    folder = tmp_path / "beats"
    folder.mkdir()
    for name, patient in (("a", "anna"), ("b", "bert")):
        stated = {"patient": patient, "rr_ms": [800 + 7 * (at % 11) for at in range(300)]}
        (folder / f"{name}.beats").write_text(json.dumps(stated))
    return folder


def test_they_keep_our_contracts(beats):
    check_loss("triplet")
    check_loss("triplet", classes=4)
    check_encoder("gru", channels=2, length=40)
    check_reader("beats-json", beats)
    check_rival("constant", cohort(), cohort(7))
    check_system("nearest")


def test_they_are_trained_from_the_command_line(capsys, tmp_path):
    given = [flag for flag in flags(epochs=1) if not flag.startswith("--encoder")]
    argv = ["--loss=triplet", "--objective.margin=0.25", "--encoder.name=gru"]
    size = "--encoder.pooled-features=8"
    target = tmp_path / "run"
    said = pacl(capsys, "train", small_windows(), "-o", target, *given, *argv, size)
    assert said.status == 0, said.err
    run = RunFolder.open(target)
    assert (run.plan.loss, run.plan.objective.margin) == ("triplet", 0.25)
    assert run.plan.encoder.pooled_features == 8
    assert run.encoder().config["settings"] == {"pooled_features": 8, "dropout": 0.1}
    assert run.finished
    again = pacl(capsys, "train", small_windows(), "-o", target, *given, *argv, size, "--resume")
    assert again.status == 0, again.err
    said = pacl(capsys, "evaluate", target)
    assert said.status == 0, said.err


def test_two_runs_of_a_seed_are_equal(capsys, tmp_path):
    given = [flag for flag in flags(epochs=1) if not flag.startswith("--encoder")]
    for name in ("one", "two"):
        argv = ["-o", tmp_path / name, *given, "--encoder.name=gru", "--quiet"]
        said = pacl(capsys, "train", small_windows(), *argv)
        assert said.status == 0, said.err
    one, two = (RunFolder.open(tmp_path / name).encoder().state_dict() for name in ("one", "two"))
    assert all(torch.equal(one[name], two[name]) for name in one)


def test_all_that_is_wrong_with_their_settings_is_told_at_once(capsys, tmp_path):
    file = tmp_path / "a.toml"
    file.write_text(
        'loss = "triplet"\n[objective]\nmargin = 3\n[encoder]\nname = "gru"\ndepth = 2\n'
    )
    said = pacl(capsys, "train", "w", "-o", tmp_path / "r", "--config", file)
    assert said.status == 2
    assert "objective.margin: 3.0" in said.err
    assert "encoder.depth: not known" in said.err
    argv = ["--loss=triplet", "--objective.margin=wide", "--objective.temperature=0.1"]
    said = pacl(capsys, "train", "w", "-o", tmp_path / "r", *argv)
    assert said.status == 2
    assert "--objective.margin: 'wide'" in said.err
    assert "--objective.temperature: not known" in said.err


def test_a_reader_that_lacks_something_is_named(monkeypatch, tmp_path):
    class Milli:
        record_ids, left_out = ("a",), ()

    monkeypatch.setattr(READERS, "_added", {})
    READERS.add(Entry("milli", lambda settings, *, path: Milli(), recognises=lambda path: True))
    with refused(RecordError, "milli", "Milli", "no root", "no read"):
        open_records(tmp_path, ReadOptions(layout="milli"))


def test_help_names_them_and_a_broken_one_is_told_by_its_package(capsys, tmp_path):
    # In a process of its own: flags are made once, when the command is first used.
    done = subprocess.run(
        [sys.executable, "-m", "pacl", "train", "--help"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    shown = " ".join(done.stdout.replace("│", " ").split())
    assert "gru" in shown
    assert "triplet" in shown
    said = pacl(capsys, "train", "w", "-o", tmp_path / "r", "--loss=broken")
    assert said.status == 2
    assert "their-signals 1.2" in said.err


def test_a_run_of_a_package_that_is_gone_says_what_is_missing(capsys, tmp_path, monkeypatch):
    plan = Plan.from_dict({"encoder": {"name": "gru"}}).to_dict()
    monkeypatch.undo()
    with refused(Exception, "encoder.name", "'gru'", "pacl.encoders"):
        Plan.from_dict(plan)


def test_a_fleet_says_why_it_cannot_train_them():
    assert "gru" in why_apart(Plan.from_dict({"encoder": {"name": "gru"}}))
    assert "triplet" in why_apart(Plan.from_dict({"loss": "triplet"}))
    assert why_apart(Plan()) is None
    assert make_encoder("gru", in_channels=3).config["name"] == "gru"


def test_their_recordings_are_recognised_and_read(capsys, beats):
    reader = open_records(beats)
    assert reader.record_ids == ("a", "b")
    assert open_records(beats / "a.beats").record_ids == ("a",)
    options = ReadOptions(layout="beats-json", reader={"gain": ["2"]})
    assert open_records(beats, options).read("a").rr_ms[0] == 1600
    said = pacl(capsys, "inspect", beats)
    assert said.status == 0, said.err
    assert "2 " in said.out
    argv = ["--layout=beats-json", "--reader.gain=high"]
    said = pacl(capsys, "inspect", beats, *argv)
    assert said.status == 2
    assert "--reader.gain" in said.err
    with refused(LayoutError, "'beats-xml'", "iridia, wfdb, text, ecg, export, beats-json"):
        open_records(beats, ReadOptions(layout="beats-xml"))


def test_what_fails_in_their_reader_is_an_error_of_that_recording(beats):
    (beats / "broken.beats").write_text("{bad")
    reader = open_records(beats, ReadOptions(layout="beats-json"))
    with refused(RecordError, "broken", "beats-json", "JSONDecodeError"):
        reader.read("broken")
    others = [one for one in reader.record_ids if one != "broken"]
    assert all(len(reader.read(one)) for one in others)


def test_their_reader_that_finds_nothing_is_told_of(tmp_path):
    with refused(LayoutError, tmp_path, "beats-json", "no recording"):
        open_records(tmp_path, ReadOptions(layout="beats-json"))


def test_their_rival_is_there():
    assert system_named("constant").title == "Always the same"


def test_their_system_is_compared_with_ours(capsys, tmp_path):
    ring_of_sensors().write(tmp_path / "windows")
    argv = ["--systems=nearest", "--systems=lda", "--folds=2", "--seeds=1", "--train.keep=last"]
    few = ["--threads=1", "--quiet", "--device=cpu"]
    said = pacl(capsys, "systems", tmp_path / "windows", "-o", tmp_path / "study", *argv, *few)
    assert said.status == 0, said.err
    assert "Nearest centroid" in said.out
