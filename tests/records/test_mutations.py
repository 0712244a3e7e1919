"""Damaged recordings of every layout, and that the run over them notices what it looks for."""

import time
from pathlib import Path

import pytest

from pacl.errors import PaclError
from support.mutation_run import OF_RECORDS, run_target
from support.mutation_target import Target


@pytest.mark.parametrize("target", OF_RECORDS, ids=lambda target: target.name)
def test_damaged_recordings_are_read_or_refused(target: Target, tmp_path: Path) -> None:
    failures, done = run_target(target, cases=60, seed=7, limit_s=20, keep=tmp_path)
    assert done == 60
    assert not failures, failures


@pytest.mark.parametrize(
    ("fault", "name"),
    [(lambda: [][1], "IndexError"), (lambda: time.sleep(5), "TooLong"), (lambda: None, None)],
    ids=["another error", "a hang", "nothing"],
)
def test_the_run_notices(tmp_path, fault, name):
    def write(folder: Path) -> list[Path]:
        (folder / "a").write_bytes(b"sound")
        return [folder / "a"]

    def open_it(folder: Path) -> None:
        if (folder / "a").read_bytes() != b"sound":
            fault()
            raise PaclError("refused")

    failures, done = run_target(Target("x/y", write, open_it), 3, 1, 0.05, tmp_path)
    assert done == 3
    assert [failure.partition(" ")[0] for failure in failures] == ([name] if name else [])
    assert len(list(tmp_path.iterdir())) == len(failures)
