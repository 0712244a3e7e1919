import os
import pickle

import torch

from pacl.atomic_write import TargetError
from pacl.training import TrainingError, load_checkpoint, save_checkpoint
from support.mutate import damaged
from support.refusals import refused

STATE = {
    "trainer": {"weight": torch.arange(3.0), "epoch": 2, "best": None},
    "history": [{"loss": 0.5, "extra": {"tau": 0.05}}],
}


def test_what_was_saved_comes_back(tmp_path):
    path = tmp_path / "new" / "checkpoint.pt"
    save_checkpoint(path, STATE)
    found = load_checkpoint(path)
    assert torch.equal(found["trainer"].pop("weight"), torch.arange(3.0))
    assert found == {"trainer": {"epoch": 2, "best": None}, "history": STATE["history"]}
    assert [child.name for child in path.parent.iterdir()] == ["checkpoint.pt"]


def test_the_older_one_stays_until_the_new_one_is_whole(tmp_path, monkeypatch):
    path = tmp_path / "checkpoint.pt"
    save_checkpoint(path, STATE)
    older = path.read_bytes()

    def full(file):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with refused(TargetError, "No space left on device"):
        save_checkpoint(path, {})
    assert path.read_bytes() == older
    assert [child.name for child in tmp_path.iterdir()] == ["checkpoint.pt"]


def test_what_a_killed_process_left_unfinished_is_cleared_away(tmp_path):
    killed = tmp_path / ".checkpoint.pt.999999999.unfinished"
    killed.write_bytes(b"half")
    others = tmp_path / f".checkpoint.pt.{os.getppid()}.unfinished"
    others.write_bytes(b"half, but its process lives")
    save_checkpoint(tmp_path / "checkpoint.pt", STATE)
    assert sorted(child.name for child in tmp_path.iterdir()) == [others.name, "checkpoint.pt"]


class Evil:
    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return os.mkdir, (self.mark,)


def test_no_code_is_run(tmp_path):
    path, mark = tmp_path / "checkpoint.pt", tmp_path / "ran"
    torch.save({"trainer": Evil(str(mark))}, path)
    with refused(TrainingError, path):
        load_checkpoint(path)
    path.write_bytes(pickle.dumps(Evil(str(mark)), protocol=2))
    with refused(TrainingError, path):
        load_checkpoint(path)
    assert not mark.exists()


def test_damage_is_told_and_names_the_file(tmp_path):
    path = tmp_path / "checkpoint.pt"
    with refused(TrainingError, path):
        load_checkpoint(path)
    save_checkpoint(path, STATE)
    errors = 0
    for content in damaged(path.read_bytes(), 150, seed=1):
        path.write_bytes(content)
        try:
            load_checkpoint(path)
        except TrainingError as error:
            assert str(path) in str(error)
            errors += 1
    assert errors > 75
