"""ECGs and exports on the command line."""

import json
import sys

import numpy as np
import pytest

from pacl.cli import progress
from pacl.testing import made_ecg
from support.in_process import pacl

FS = 250.0


@pytest.fixture(scope="module")
def ecg(tmp_path_factory):
    """Four minutes of irregular beats, half a minute of them in noise."""
    folder = tmp_path_factory.mktemp("ecg")
    at_s = 1.0 + np.cumsum(np.random.default_rng(0).uniform(0.45, 1.1, 300))
    signal = made_ecg(at_s, FS, 240.0)[0]
    low, high = int(100 * FS), int(130 * FS)
    signal[low:high] += np.random.default_rng(1).standard_normal(high - low).astype(np.float32)
    rows = (f"{at / FS:.3f},{one:.4f}" for at, one in enumerate(signal))
    (folder / "holter.csv").write_text("time [s],ecg [mV]\n" + "\n".join(rows) + "\n")
    return folder / "holter.csv"


def test_af_in_an_ecg_with_noise(ecg):
    said = pacl("detect", ecg)
    assert said.returncode == 0
    assert "holter.csv: AF" in said.stdout
    assert "not judged (noise in the ECG)" in said.stdout
    found = json.loads(pacl("detect", ecg, "--format", "json").stdout)
    assert len(found["episodes"]) <= 2
    assert {one["why"] for one in found["not_judged"]} == {"noise in the ECG"}
    kept = json.loads(pacl("detect", ecg, "--format", "json", "--keep-noise").stdout)
    assert kept["judged_s"] > found["judged_s"] + 20


def test_a_page_names_the_noise(ecg, tmp_path):
    assert pacl("detect", ecg, "-o", tmp_path / "x.html").returncode == 0
    assert "noise in the ECG" in (tmp_path / "x.html").read_text()


def test_inspect_counts_noise_and_draws_the_ecg(ecg, tmp_path):
    said = pacl("inspect", ecg, "--quiet")
    assert "noise h" in said.stdout
    said = pacl("inspect", ecg, "--at", "0:01:55", "-o", tmp_path / "ecg.png")
    assert said.returncode == 0
    assert (tmp_path / "ecg.png").stat().st_size > 20_000
    assert "ecg.png" in said.stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--at", "0:01:00"], "-o"),
        (["--at", "0:30:00", "-o", "x.png"], "240 s"),
        (["--at", "soon", "-o", "x.png"], "01:30"),
        (["--at", "0:01:00", "-o", "x.png", "--seconds", "1000"], "2 to 300"),
    ],
)
def test_what_cannot_be_drawn_is_told(ecg, tmp_path, monkeypatch, words, told):
    monkeypatch.chdir(tmp_path)
    said = pacl("inspect", ecg, *words)
    assert said.returncode == 2
    assert told in said.stderr
    assert list(tmp_path.iterdir()) == []


def test_beats_without_an_ecg_cannot_be_drawn(tmp_path):
    (tmp_path / "rr.txt").write_text("800\n810\n" * 50)
    said = pacl("inspect", tmp_path / "rr.txt", "--at", "0:00:10", "-o", tmp_path / "x.png")
    assert said.returncode == 2
    assert "no ECG" in said.stderr


def test_a_missing_file_is_told_before_its_options(tmp_path):
    said = pacl("detect", tmp_path / "gone.edf", "--lead", "II")
    assert said.returncode == 2
    assert "no such file" in said.stderr


def test_a_missing_package_is_told_with_its_extra(ecg, monkeypatch):
    monkeypatch.setitem(sys.modules, "sleepecg", None)
    said = pacl("detect", ecg, "--beat-finder", "sleepecg")
    assert said.returncode == 2
    assert "pacl[ecg]" in said.stderr
    assert "Traceback" not in said.stderr


def test_reading_shows_progress_only_if_it_takes_long(capsys, monkeypatch):
    with progress.late_progress("reading x.xml") as advance:
        advance(1, 2)
        advance(2, 2)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(progress, "LATE_S", -1.0)
    with progress.late_progress("reading x.xml") as advance:
        advance(2, 2)
    assert "reading x.xml: 2" in capsys.readouterr().err
    with progress.late_progress("reading x.xml", quiet=True) as advance:
        advance(2, 2)
    assert capsys.readouterr().err == ""
