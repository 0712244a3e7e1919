"""Options as they are typed: an empty path is no folder, numbers may stand in a row."""

import json

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


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        (["reproduce", "--seeds", "3", "4"], ["seeds"]),
        (["reproduce", "--seeds", "3", "--seeds=4"], ["seeds"]),
        (["systems", "--seeds", "3", "4", "--folds=2"], ["seeds"]),
        (
            ["systems", "--encoder.name=residual", "--encoder.blocks", "3", "4"],
            ["encoder", "blocks"],
        ),
    ],
    ids=lambda words: " ".join(words),
)
def test_numbers_stand_in_a_row_or_have_a_flag_each(words, keys, capsys):
    said = pacl(capsys, *words, "--print-config")
    assert said.status == 0, said.err
    found = json.loads(said.out)
    for key in keys:
        found = found[key]
    assert found == [3, 4]


def test_a_path_after_numbers_in_a_row_is_not_lost(capsys, tmp_path):
    said = pacl(capsys, "rivals", "-o", tmp_path / "out", "--seeds", "1", "2", tmp_path)
    assert said.status == 2
    assert all(fact in said.err for fact in ("--seeds", str(tmp_path)))
    assert not (tmp_path / "out").exists()
