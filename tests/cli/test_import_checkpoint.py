"""`pacl import-checkpoint` as a person meets it."""

import pytest

from pacl.studies import RunFolder
from support.small_runs import pacl, small_windows


@pytest.fixture
def checkpoint(reference):
    return reference / "released-checkpoint.pth"


@pytest.mark.reference
def test_without_windows_there_is_an_encoder_and_what_to_do_is_told(capsys, checkpoint, tmp_path):
    run = tmp_path / "run"
    said = pacl(capsys, "import-checkpoint", checkpoint, "-o", run, "--device", "cpu")
    assert (said.status, said.err) == (0, "")
    assert said.out == f"{run}: the released encoder, without a probe\n"
    assert sum(p.numel() for p in RunFolder.open(run).encoder().parameters()) == 135_009
    judged = pacl(capsys, "evaluate", run, "--windows", small_windows())
    assert judged.status == 2
    assert "no probe was fitted; finish the run, or import the checkpoint with --wi" in judged.err
    alone = pacl(capsys, "embed", run, "-o", tmp_path / "e.npz")
    assert alone.status == 2
    assert "it was given no windows of its own; name some with --windows" in alone.err
    argv = ["embed", run, "-o", tmp_path / "e.npz", "--windows", small_windows(), "-q"]
    assert pacl(capsys, *argv).status == 0


@pytest.mark.reference
def test_with_windows_it_is_judged_and_can_be_compared(capsys, checkpoint, tmp_path):
    run = tmp_path / "run"
    argv = ["import-checkpoint", checkpoint, "-o", run, "--windows", small_windows()]
    said = pacl(capsys, *argv, "--device", "cpu", "--threads", 1)
    assert (said.status, said.err) == (0, "")
    assert said.out.splitlines()[0].split() == ["validation", "test"]
    assert said.out.splitlines()[-1] == f"{run}: the released encoder, with a probe"
    compared = pacl(capsys, "compare", run)
    assert compared.out.splitlines()[0].split() == ["released"]
    judged = pacl(capsys, "evaluate", run, "--windows", small_windows(4), "--name", "other", "-q")
    assert judged.status == 0, judged.err


@pytest.mark.parametrize("content", [None, b"", b"no weights at all"])
def test_what_is_no_checkpoint_is_named_and_nothing_is_written(capsys, tmp_path, content):
    path = tmp_path / "weights.pth"
    if content is not None:
        path.write_bytes(content)
    said = pacl(capsys, "import-checkpoint", path, "-o", tmp_path / "run")
    assert said.status == 2
    assert f"{path}: " in said.err
    assert "Traceback" not in said.err
    assert not (tmp_path / "run").exists()
