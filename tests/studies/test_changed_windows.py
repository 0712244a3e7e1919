"""A window set that somebody changed is not learned from, nor judged on."""

import json
import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pacl.rr import Cut, RRWindowSet, audit_folder
from pacl.studies.tuning.windows import WindowsAsCut
from pacl.windows import WindowSetError
from support.refusals import refused
from support.small_runs import STRIDE, copied, flags, pacl, small_run, small_windows


def inverted_labels(folder):
    path = folder / "windows.parquet"
    table = pq.read_table(path)
    rhythm = pa.array(1 - table["rhythm"].to_numpy(), pa.int8())
    pq.write_table(table.set_column(table.column_names.index("rhythm"), "rhythm", rhythm), path)
    return path.name


def shuffled_beats(folder):
    path = folder / "rr_ms.npy"
    np.save(path, np.random.default_rng(0).permutation(np.load(path)))
    return path.name


def edited_manifest(folder):
    path = folder / "manifest.json"
    path.write_text(path.read_text().replace(f'"stride": {STRIDE}', '"stride": 25'))
    return path.name


def digest_of_a_file_removed(folder):
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    del manifest["files"]["rr_ms.npy"]
    path.write_text(json.dumps(manifest))
    return path.name


def digest_of_a_file_removed_in_an_older_manifest(folder):
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    del manifest["files"]["rr_ms.npy"], manifest["digest"]
    path.write_text(json.dumps(manifest))
    return "rr_ms.npy"


PLANTED = (
    inverted_labels,
    shuffled_beats,
    edited_manifest,
    digest_of_a_file_removed,
    digest_of_a_file_removed_in_an_older_manifest,
)


@pytest.fixture(params=PLANTED, ids=lambda change: change.__name__)
def changed(request, tmp_path):
    """A window set after a change, and the file that the error must name."""
    folder = tmp_path / "windows"
    shutil.copytree(small_windows(), folder)
    return folder, request.param(folder)


def test_train_refuses(changed, tmp_path, capsys):
    folder, name = changed
    said = pacl(capsys, "train", folder, "-o", tmp_path / "run", *flags())
    assert said.status == 2
    assert f"{folder}: " in said.err
    assert f"{name} changed" in said.err.replace(", rr_ms.npy", "")
    assert "prepare the window set again" in said.err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("command", ["evaluate", "embed"])
def test_commands_on_a_run_refuse(changed, tmp_path, capsys, command):
    folder, name = changed
    run = copied(small_run(), tmp_path / "run")
    output = ["-o", tmp_path / "x.npz"] if command == "embed" else []
    said = pacl(capsys, command, run.path, "--windows", folder, *output)
    assert said.status == 2
    assert f"{name} changed" in said.err.replace(", rr_ms.npy", "")


@pytest.mark.parametrize(
    "command",
    [
        ["reproduce", "--data", "{}"],
        ["rivals", "--data", "{}"],
        ["export", "{run}", "--int8", "--windows", "{}"],
    ],
    ids=lambda command: command[0],
)
def test_whatever_learns_or_judges_refuses(tmp_path, capsys, command):
    folder = tmp_path / "windows"
    shutil.copytree(small_windows(), folder)
    shuffled_beats(folder)
    run = small_run().path
    words = [word.format(folder, run=run) for word in command]
    output = tmp_path / ("x.onnx" if command[0] == "export" else "output")
    said = pacl(capsys, *words, "-o", output)
    assert said.status == 2
    assert "rr_ms.npy changed" in said.err


def test_tuning_refuses(changed):
    folder, name = changed
    source = WindowsAsCut(folder)
    for ask in (lambda: source.cut, lambda: source.parts(Cut())):
        with refused(WindowSetError, name):
            ask()


def test_audit_opens_it_and_says_so(changed):
    folder, name = changed
    found = [finding for finding in audit_folder(folder) if finding.kind == "changed-file"]
    assert name in [finding.who for finding in found]


def test_an_older_set_is_opened_with_the_digests_it_has(tmp_path):
    """Manifests were once written without a digest of their own."""
    folder = tmp_path / "windows"
    shutil.copytree(small_windows(), folder)
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    del manifest["digest"]
    path.write_text(json.dumps(manifest))
    assert len(RRWindowSet.open(folder)) == manifest["windows"]
    shuffled_beats(folder)
    with refused(WindowSetError, "rr_ms.npy"):
        RRWindowSet.open(folder)
