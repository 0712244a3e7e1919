"""Paths as they are typed: an empty one is not the current folder."""

import pytest

from support.small_runs import pacl

READ = (
    *(["inspect", ""], ["prepare", "", "-o", "made"], ["audit", ""], ["train", "", "-o", "made"]),
    *(["audit", "--split", "", "--metadata", "x.csv"], ["audit", "--split", "x", "--metadata", ""]),
    *(["tune", "", "-o", "made"], ["evaluate", ""], ["evaluate", "run", "--windows", ""]),
    *(["evaluate-rhythm", ""], ["compare", "run", ""], ["weights", "", "-o", "made"]),
    *(["weights", "x", "-o", "made", "--test-data", ""], ["embed", "", "-o", "made.npz"]),
    *(["embed", "run", "--windows", "", "-o", "made.npz"], ["export", "", "-o", "made.c"]),
    *(["export", "run", "-o", "made.onnx", "--int8", "--windows", ""],),
    *(["import-checkpoint", "", "-o", "made"], ["reproduce", "-o", "made", "--data", ""]),
    *(["reproduce", "-o", "made", "--test-data", ""], ["reproduce", "-o", "made", "--tuned", ""]),
    *(["rivals", "-o", "made", "--data", ""], ["rivals", "-o", "made", "--other-data", ""]),
    *(["train", "windows", "-o", "made", "--config", ""],),
)
WRITTEN = (
    *(["inspect", "x", "-o", ""], ["prepare", "x", "-o", ""], ["train", "x", "-o", ""]),
    *(["tune", "x", "-o", ""], ["weights", "x", "-o", ""], ["embed", "run", "-o", ""]),
    *(["export", "run", "-o", ""], ["import-checkpoint", "x", "-o", ""], ["reproduce", "-o", ""]),
    *(["rivals", "-o", ""], ["simulate", ""], ["download", "afdb", ""]),
)


@pytest.mark.parametrize("words", [*READ, *WRITTEN], ids=" ".join)
def test_an_empty_path_is_refused_and_nothing_is_written(words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    said = pacl(capsys, *words)
    assert (said.status, said.out) == (2, "")
    assert "empty path" in said.err
    assert not list(tmp_path.iterdir())
