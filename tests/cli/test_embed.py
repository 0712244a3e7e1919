"""`pacl embed` as a person meets it."""

import shutil

import numpy as np
import pytest

from pacl.evaluation import embed
from pacl.rr import RRWindowSet
from pacl.studies import train_run
from support.small_runs import copied, pacl, plan, rewritten, small_run, small_windows, write_h5


@pytest.fixture
def run(tmp_path):
    return copied(small_run(), tmp_path / "run")


def read(path):
    with np.load(path) as found:
        return dict(found)


def test_all_parts_of_its_own_windows_are_written(capsys, run, tmp_path):
    path = tmp_path / "new" / "e.npz"
    said = pacl(capsys, "embed", run.path, "-o", path)
    assert said.status == 0, said.err
    windows = RRWindowSet.open(small_windows())
    table = windows.table
    assert said.out == f"{path}: {len(windows):,} windows, 8 pooled features\n"
    assert said.err.splitlines()[-1] == f"embedding: {len(windows)}/{len(windows)}"
    found = read(path)
    assert set(found) == {
        *("pooled", "projected", "probability", "rhythm", "patient", "record", "part", "onset_s")
    }
    assert {len(values) for values in found.values()} == {len(windows)}
    made = embed(run.encoder(), windows)
    assert np.array_equal(found["pooled"], made.pooled)
    assert np.array_equal(found["projected"], made.projected)
    assert np.array_equal(found["probability"], run.probe().probability(made.pooled))
    assert np.array_equal(found["rhythm"], table.rhythm)
    assert np.array_equal(found["onset_s"], table.onset_s)
    assert found["patient"].tolist() == table.patient.to_list()
    assert found["record"].tolist() == table.record.to_list()
    assert found["part"].tolist() == table.split.to_list()
    test = found["part"] == "test"
    assert np.allclose(found["probability"][test], run.evaluated("test").probability, atol=1e-5)
    assert [child.name for child in path.parent.iterdir()] == ["e.npz"]


@pytest.mark.parametrize("kind", ["window set", "h5"])
def test_other_windows_are_embedded(capsys, run, tmp_path, kind):
    other = small_windows(4) if kind == "window set" else write_h5(tmp_path / "a.h5")
    said = pacl(capsys, "embed", run.path, "-o", tmp_path / "e.npz", "--windows", other, "-q")
    assert (said.status, said.err) == (0, "")
    found = read(tmp_path / "e.npz")
    size = len(RRWindowSet.open(other)) if kind == "window set" else 24
    assert found["pooled"].shape == found["projected"].shape == (size, 8)
    assert len(found["probability"]) == size


def test_without_a_probe_there_is_no_probability(capsys, run, tmp_path):
    (run.path / "probe.json").unlink()
    assert pacl(capsys, "embed", run.path, "-o", tmp_path / "e.npz").status == 0
    assert "probability" not in read(tmp_path / "e.npz")
    assert "pooled" in read(tmp_path / "e.npz")


def test_an_older_file_is_replaced_whole(capsys, run, tmp_path):
    path = tmp_path / "e.npz"
    path.write_bytes(b"older")
    assert pacl(capsys, "embed", run.path, "-o", path).status == 0
    assert len(read(path)["pooled"])


def test_nothing_that_is_read_is_overwritten(capsys, run, tmp_path):
    model = run.path / "model.safetensors"
    before = model.read_bytes()
    (tmp_path / "link.npz").symlink_to(model)
    said = pacl(capsys, "embed", run.path, "-o", tmp_path / "link.npz")
    assert (said.status, model.read_bytes()) == (2, before)
    assert f"{tmp_path / 'link.npz'}: it is the input {model}" in said.err
    for _ in range(2):
        assert pacl(capsys, "embed", run.path, "-o", run.path / "e.npz").status == 0


def no_windows(run, tmp_path):
    (run.path / "windows.json").unlink()


def no_model(run, tmp_path):
    (run.path / "model.safetensors").unlink()


@pytest.mark.parametrize(
    ("change", "argv", "message"),
    [
        (None, ["-o", "{tmp}/e.csv"], "e.csv: "),
        (None, ["-o", "{tmp}/e.npz", "--windows", "{tmp}/no"], "no: not a window set ("),
        (None, ["-o", "{tmp}/e.npz", "--device", "tpu9"], "device tpu9: cannot be used here"),
        (no_windows, ["-o", "{tmp}/e.npz"], "no windows of its own; name some with --windows"),
        (no_model, ["-o", "{tmp}/e.npz"], "no model yet; finish it: pacl train ... --resume"),
        (None, [], "--output"),
    ],
)
def test_a_mistake_is_told_in_plain_words(capsys, run, tmp_path, change, argv, message):
    if change is not None:
        change(run, tmp_path)
    said = pacl(capsys, "embed", run.path, *(word.format(tmp=tmp_path) for word in argv))
    assert said.status == 2
    assert message in said.err
    assert sorted(child.name for child in tmp_path.iterdir()) == ["run"]


def test_a_window_set_that_was_changed_since_is_refused(capsys, tmp_path):
    windows = rewritten(small_windows(), tmp_path / "windows", lambda w: w)
    run = train_run(windows, tmp_path / "run", plan(epochs=1), device="cpu")
    shutil.rmtree(windows)
    rewritten(small_windows(), windows, lambda w: w.select(w.table.start >= 300))
    said = pacl(capsys, "embed", run.path, "-o", tmp_path / "e.npz")
    assert said.status == 2
    assert f"{windows}: " in said.err
    assert "--windows" in said.err
    assert "--windows" in said.err
