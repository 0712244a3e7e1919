"""`pacl weights --data`: from folders of recordings to a detector, and what it refuses."""

from dataclasses import replace

import numpy as np
import pytest

from pacl.af.beats import BeatTraining
from pacl.detect import Detector
from pacl.studies import beats
from support.beat_cohorts import patient
from support.in_process import pacl

TINY = {"channels": 4, "kernel": 3, "dilations": (1, 2), "mean_beats": 9}
FEW = BeatTraining(steps=9, subjects=4, crops=2, beats=64, learning_rate=2e-2, averaged=0.8)


def write_cohort(folder, patients, *, af=True, seed=0):
    folder.mkdir()
    for number in range(patients):
        record = patient(number, af=af, seed=seed)
        rhythms = np.full(len(record), "N", dtype="<U4")
        for span in record.spans:
            if span.rhythm.name == "AF":
                rhythms[span.start : span.stop] = "AFIB"
        rows = [f"{rr:.3f},{one}" for rr, one in zip(record.rr_ms, rhythms, strict=True)]
        (folder / f"p{number}.csv").write_text("rr_ms,rhythm\n" + "\n".join(rows) + "\n")
    return folder


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("cohorts")
    return [
        write_cohort(root / "a", 10),
        write_cohort(root / "b", 10, seed=1),
        write_cohort(root / "c", 10, seed=2),
        write_cohort(root / "sinus", 2, af=False),
        write_cohort(root / "few", 2, seed=3),
    ]


@pytest.mark.slow
def test_from_folders_to_a_detector_that_detects(folders, tmp_path, monkeypatch):
    small = replace(beats.SUBJECTS, name="small", network=TINY, training=FEW, augmentations=())
    monkeypatch.setattr(beats, "CANDIDATES", (small, replace(small, name="other")))
    stream = replace(small, name="stream", network={**TINY, "widest_ahead": 2})
    monkeypatch.setattr(beats, "STREAM", stream)
    data = [word for folder in folders for word in ("--data", folder)]
    target = tmp_path / "made"
    done = pacl(
        *("weights", *data, "-o", target, "--name", "mine"),
        *("--steps", 40, "--threads", 1, "--device", "cpu", "--quiet"),
    )
    assert done.returncode == 0
    (note,) = done.stderr.splitlines()  # these recordings last four minutes
    assert "cannot learn a person" in note
    assert "a, left out: 10 patients" in done.stdout
    assert Detector(target / "mine").detect(patient(0)).judged_share == 1.0
    assert {one.name for one in (target / "left-out").iterdir()} == {
        "a",
        "b",
        "c",
        "sinus",
        "few",
    }
    card = (target / "mine" / "card.md").read_text()
    assert "| balanced | a | 10 |" in card
    assert "few" in card


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--steps", "2"], "--data alone"),
        ([], "--data"),
    ],
)
def test_options_that_do_not_go_together(words, told, tmp_path):
    done = pacl("weights", "-o", tmp_path / "x", *words)
    assert done.returncode == 2
    assert told in done.stderr


def test_two_cohorts_are_too_few(folders, tmp_path):
    data = ("--data", folders[0], "--data", folders[1])
    done = pacl("weights", *data, "-o", tmp_path / "x", "--quiet")
    assert done.returncode == 2
    assert "three cohorts" in done.stderr


def test_steps_from_one_up(folders, tmp_path):
    done = pacl("weights", "--data", folders[0], "-o", tmp_path / "x", "--steps", 0)
    assert done.returncode == 2
    assert "at least 1" in done.stderr
