"""Options as they are typed: an empty path is no folder, numbers may stand in a row."""

import json
import re

import pytest

from pacl.cli.app import COMMANDS
from pacl.cli.options import IN_A_ROW
from support.in_process import pacl as pacl_help
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


def test_options_with_numbers_are_those_of_the_help():
    helps = "".join(pacl_help(command, "--help").stdout for command in COMMANDS)
    assert set(re.findall(r"(--\S+)\s+(?:INT|FLOAT)\.\.\.", helps)) == IN_A_ROW


@pytest.mark.parametrize("row", [["--seeds", "1", "2"], ["--seeds=1"], ["--few", "1", "--few=2"]])
@pytest.mark.parametrize("name", ["cohort", "2024"])
def test_a_folder_after_numbers_is_the_data(row, name, tmp_path, monkeypatch, capsys):
    (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path)
    said = pacl(capsys, "rivals", *row, name, "-o", "out")
    assert said.status == 2
    assert name in said.err
    assert "no recording" in said.err
