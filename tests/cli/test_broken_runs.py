"""Commands on a run whose files are broken end with words and status 2, and soon."""

import os

import pytest

from support.small_runs import cohort, copied, flags, pacl, small_run, small_windows

DEEP = b"[" * 200_000
FILES = {
    "compare": ("config.json", "windows.json", "test/evaluation.json"),
    "evaluate": ("config.json", "test/predictions.parquet", "test/pooled.npy"),
    "embed": ("config.json", "windows.json", "model.safetensors", "probe.json"),
    "export": ("config.json", "model.safetensors", "probe.json", "windows.json"),
}


@pytest.mark.parametrize("fault", ["deep", "list", "pipe", "empty", "huge number"])
@pytest.mark.parametrize(
    ("command", "name"), [(command, name) for command, names in FILES.items() for name in names]
)
def test_a_broken_file_is_named(capsys, tmp_path, command, name, fault):
    run = copied(small_run(), tmp_path / "run")
    path = run.path / name
    if fault == "pipe":
        path.unlink()
        os.mkfifo(path)
    else:
        number = b'{"weight": [1e999], "bias": 9' + b"9" * 400 + b"}"
        path.write_bytes({"deep": DEEP, "list": b"[]", "empty": b""}.get(fault, number))
    output = {"embed": ["-o", tmp_path / "x.npz"], "export": ["-o", tmp_path / "x.onnx"]}
    said = pacl(capsys, command, run.path, *output.get(command, []))
    assert said.status == 2
    assert path.name in said.err
    assert len(said.err) < 1000


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", DEEP, None])
def test_a_broken_checkpoint_is_not_gone_on_from(capsys, tmp_path, content):
    run = copied(small_run(), tmp_path / "run")
    if content is None:
        os.mkfifo(run.checkpoint)
    else:
        run.checkpoint.write_bytes(content)
    said = pacl(capsys, "train", small_windows(), "-o", run.path, "--resume", *flags())
    assert said.status == 2
    assert "checkpoint.pt" in said.err


@pytest.mark.parametrize("option", ["--config", "--split.file"])
@pytest.mark.parametrize("kind", ["pipe", "/dev/zero", "folder"])
def test_settings_that_are_no_file(capsys, tmp_path, option, kind):
    path = kind if kind.startswith("/") else tmp_path / kind
    if kind == "pipe":
        os.mkfifo(path)
    if kind == "folder":
        path.mkdir()
    words = ["prepare", cohort(), "-o", tmp_path / "w", "--protocol", "pooled", "--quiet"]
    said = pacl(capsys, *words, option, path)
    assert said.status == 2
    assert str(path) in said.err
