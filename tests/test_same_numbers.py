"""`benchmarks/same_numbers.py` finds a number that moved, in whatever file it is."""

import json
import sys
from pathlib import Path

import h5py
import numpy as np
import onnx
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from onnx import helper, numpy_helper
from safetensors.numpy import save_file

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))
from same_numbers_commands import commands
from same_numbers_committed import compare_committed
from same_numbers_compare import Rules, compare_files


def write_onnx(path, number):
    weights = numpy_helper.from_array(np.array([number, 2.0], np.float32), "weights")
    graph = helper.make_graph([helper.make_node("Relu", ["weights"], ["out"])], "g", [], [])
    graph.initializer.append(weights)
    onnx.save(helper.make_model(graph), path)


def write_h5(path, number):
    with h5py.File(path, "w") as file:
        file["rr"] = [1.0, number]


def write_parquet(path, number):
    table = pa.table({"auroc": [0.5, number], "patient": ["a", "b"], "seconds": [1.0, 2.0]})
    pq.write_table(table, path)


WRITERS = {
    "a.json": lambda path, one: path.write_text(json.dumps({"a": [{"b": one}], "c": "x"})),
    "a.jsonl": lambda path, one: path.write_text(f'{{"loss": 1}}\n{{"loss": {one}}}\n'),
    "a.toml": lambda path, one: path.write_text(f"[train]\nlr = {one}\n"),
    "a.csv": lambda path, one: path.write_text(f"name,auroc\nx,1\ny,{one}\n"),
    "cells.csv": lambda path, one: path.write_text(f"name,interval\nx,{one} to 3\n"),
    "a.parquet": write_parquet,
    "a.npy": lambda path, one: np.save(path, np.array([[one, np.nan]])),
    "a.npz": lambda path, one: np.savez(path, pooled=np.array([one], np.float32)),
    "a.h5": write_h5,
    "a.safetensors": lambda path, one: save_file({"w": np.array([one], np.float32)}, path),
    "a.onnx": write_onnx,
    "a.c": lambda path, one: path.write_text(f"/* made by 0.1 */ float w[] = {{{one}f, 2}};"),
    "a.txt": lambda path, one: path.write_text(f"record_00  {one} h\n"),
}


@pytest.fixture
def folders(tmp_path):
    pair = tmp_path / "before", tmp_path / "after"
    for folder in pair:
        folder.mkdir()
    return pair


def compared(before, after, **rules):
    files = ([p.relative_to(one) for p in one.rglob("*.*")] for one in (before, after))
    return compare_files(before, after, *files, Rules(**rules))


@pytest.mark.parametrize("name", WRITERS)
def test_a_number_that_moved_is_found_in_every_format(folders, name):
    for folder in folders:
        WRITERS[name](folder / name, 0.25)
    same = compared(*folders)
    assert (same.files, same.differences) == (1, [])
    assert same.numbers > 0
    WRITERS[name](folders[1] / name, 0.25000003)
    found = compared(*folders)
    assert len(found.differences) == 1
    assert name in found.differences[0]


def test_nothing_is_forgiven_for_its_type(folders):
    np.save(folders[0] / "a.npy", np.ones(2, np.float32))
    np.save(folders[1] / "a.npy", np.ones(2, np.float64))
    assert "float64" in compared(*folders).differences[0]


def write_jsons(folders, before, after):
    for folder, value in zip(folders, (before, after), strict=True):
        (folder / "a.json").write_text(json.dumps(value))


def test_keys_that_are_missing_renamed_new_or_times(folders):
    before = {"kept": 1, "gone": 2, "old": 3, "seconds": 4}
    write_jsons(folders, before, {"kept": 1, "new": 3, "seconds": 5, "more": 6})
    found = compared(*folders, renamed={"old": "new"})
    assert found.differences == ["a.json: gone is missing"]
    assert found.notes == ["a.json: more is new"]
    assert found.numbers == 2


def test_keys_may_move_a_level_up_or_down(folders):
    write_jsons(folders, {"about": {"a": 1, "b": 2}, "c": 3}, {"a": 1, "b": 2, "more": {"c": 3}})
    assert compared(*folders).differences == []
    write_jsons(folders, {"about": {"a": 1, "b": 2}, "c": 3}, {"a": 1, "b": 4, "more": {"c": 5}})
    assert [one.partition(" ")[2] for one in compared(*folders).differences] == [
        "about.b: 2 before, 4 after",
        "c: 3 before, 5 after",
    ]


def test_strings_are_listed_apart(folders):
    write_jsons(folders, {"verdict": "cannot tell"}, {"verdict": "inconclusive"})
    found = compared(*folders)
    assert found.differences == []
    assert "inconclusive" in found.strings[0]


def test_numbers_of_a_sentence_count(folders):
    write_jsons(folders, {"reason": "-0.02 over 15 patients"}, {"reason": "15 patients: -0.02"})
    assert compared(*folders).differences == []
    write_jsons(folders, {"reason": "-0.02 over 15 patients"}, {"reason": "15 patients: 0.02"})
    assert len(compared(*folders).differences) == 1


def test_rows_may_come_in_another_order(folders):
    for folder, rows in zip(folders, ("a,1\nb,2\n", "b,2\na,1\n"), strict=True):
        (folder / "a.csv").write_text(f"name,auroc\n{rows}")
    assert compared(*folders).differences == []
    (folders[1] / "a.csv").write_text("name,auroc\nb,1\na,2\n")
    assert compared(*folders).differences == ["a.csv: name: labels of other rows"]
    (folders[1] / "a.csv").write_text("name,auroc\nc,1\nd,2\n")
    assert compared(*folders).differences == []


def test_files_that_moved_were_renamed_left_or_are_missing(folders):
    before, after = folders
    for name in ("elsewhere/a.csv", "moved/b.csv", "left/c.csv", "d.csv"):
        (before / name).parent.mkdir(exist_ok=True)
        (before / name).write_text(f"{name}\n1\n")
    for old, new in (("elsewhere/a.csv", "external/a.csv"), ("moved/b.csv", "b.csv")):
        (after / new).parent.mkdir(exist_ok=True)
        (after / new).write_bytes((before / old).read_bytes())
    found = compared(*folders, renamed={"elsewhere": "external"}, left=["left/*"])
    assert found.differences == ["d.csv: is missing"]
    assert found.files == 2


def test_committed_tables_keep_their_numbers_and_say_what_left(folders):
    before, after = folders
    for folder in folders:
        (folder / "docs").mkdir()
        (folder / "README.md").write_text("Some words about 3 things.\n")
    (before / "docs/a.md").write_text("| AUROC |\n|---|\n| 0.91 |\n| 1,200 |\n")
    (after / "docs/a.md").write_text("| AUROC of 5 |\n|---|\n| **0.92** |\n| 1200 |\n")
    for name in ("t.csv", "t.tex", "twice.png", "once.png"):
        (before / "docs" / name).write_text("a\n1\n" if name[:2] == "t." else name)
    (after / "docs/t.csv").write_text("a\n1\n")
    (after / "docs/once.png").write_text("twice.png")
    found = compare_committed(before, after, Rules())
    assert found.differences == ["docs/a.md: 0.91 is missing 1 times from its tables"]
    assert "docs/twice.png: left, the same is in docs/once.png" in found.notes


def test_each_command_has_a_name_of_its_own_that_says_where_it_writes():
    every = commands()
    assert len({one.name for one in every}) == len(every)
    for one in every:
        if " -o " in one.line:
            assert one.line.split(" -o ")[1].split()[0].partition(".")[0] == one.name
