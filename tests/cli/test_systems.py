"""`pacl systems` as a person meets it: from arrays to a page, resumed, refused."""

import json

import numpy as np
import pytest

from support.drawing import skip_drawing
from support.signals import CLASSES, ring_of_sensors
from support.small_runs import pacl

SMALL = (
    *("--systems=subject-aware", "--systems=lda", "--seeds=1", "--folds=2"),
    *("--sampler.subjects=3", "--sampler.windows=4", "--train.epochs=1", "--train.keep=last"),
    *("--encoder.name=residual", "--encoder.width=8", "--encoder.blocks=1"),
    *("--threads=1", "--device=cpu", "--quiet"),
)


@pytest.fixture(scope="module")
def recordings(tmp_path_factory):
    """Windows in a row, as if they had been recorded so."""
    folder = tmp_path_factory.mktemp("recordings")
    found = ring_of_sensors()
    for who in found.table.subject.present():
        own = found.select(found.table.subject.is_(who))
        signal = np.concatenate(list(own.take()), axis=1).T
        np.savez(
            folder / f"{who}.npz",
            signal=signal,
            label=np.repeat([CLASSES[at] for at in own.table.labels], found.length),
        )
    return folder


def test_from_recordings_to_a_page_and_once_more(capsys, recordings, tmp_path, monkeypatch):
    skip_drawing(monkeypatch)
    windows, study = tmp_path / "windows", tmp_path / "study"
    cut = ("--arrays.length=32", "--arrays.stride=32", "--arrays.scale=all", "--quiet")
    pacl(capsys, "prepare", recordings, "--layout", "arrays", "-o", windows, *cut)
    said = pacl(capsys, "systems", windows, "-o", study, *SMALL)
    assert said.err == ""
    page = study / "report" / "report.html"
    assert said.out.splitlines()[-1] == str(page)
    assert "LDA on features" in said.out
    written = page.read_text("utf-8")
    result = study / "fits" / "subject-aware" / "seed-1-fold-0.npz"
    before = result.stat().st_mtime_ns
    pacl(capsys, "systems", windows, "-o", study, *SMALL)  # nothing is left to fit
    assert result.stat().st_mtime_ns == before
    page.unlink()
    pacl(capsys, "systems", "-o", study)
    assert page.read_text("utf-8") == written


def test_settings_can_be_looked_at_first(capsys):
    said = pacl(capsys, "systems", "-o", "unused", *SMALL, "--print-config")
    stated = json.loads(said.out)
    assert stated["encoder"]["width"] == 8
    assert stated["systems"] == ["subject-aware", "lda"]


def test_a_system_that_is_not_known(capsys, tmp_path):
    said = pacl(capsys, "systems", tmp_path, "-o", tmp_path / "study", "--systems=gru").err
    assert "gru" in said
    assert "lda" in said


def test_a_folder_without_a_study(capsys, tmp_path):
    assert "pacl systems" in pacl(capsys, "systems", "-o", tmp_path / "study").err


def test_windows_of_another_kind(capsys, tmp_path):
    said = pacl(capsys, "systems", tmp_path, "-o", tmp_path / "study").err
    assert str(tmp_path) in said
