import os
import subprocess
import sys
from pathlib import Path

import pytest

from pacl.whole import TargetError, check_not_input, whole_folder, write_whole


def test_a_folder_appears_when_the_block_ends(tmp_path):
    with whole_folder(tmp_path / "a" / "b") as folder:
        (folder / "x").write_text("x")
        assert not (tmp_path / "a" / "b").exists()
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b"]
    assert (tmp_path / "a" / "b" / "x").read_text() == "x"


def test_nothing_remains_of_a_block_that_fails(tmp_path):
    with pytest.raises(KeyboardInterrupt), whole_folder(tmp_path / "a") as folder:
        (folder / "x").write_text("x")
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_remains_of_a_killed_process_are_removed_and_those_of_a_living_kept(tmp_path):
    code = (
        "import os, signal; from pathlib import Path; from pacl.whole import whole_folder\n"
        f"with whole_folder(Path({str(tmp_path / 'a')!r})) as folder:\n"
        "    (folder / 'x').write_text('x'); os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", code], check=False)
    (remains,) = tmp_path.iterdir()
    assert remains.name.endswith(".unfinished")
    living = tmp_path / f".a.{os.getppid()}.unfinished"
    living.mkdir()
    with whole_folder(tmp_path / "a"):
        pass
    assert sorted(path.name for path in tmp_path.iterdir()) == [living.name, "a"]


def test_what_is_there_is_never_overwritten(tmp_path):
    (tmp_path / "mine").write_text("mine")
    for target in (tmp_path, tmp_path / "mine"):
        with (
            pytest.raises(TargetError, match="holds something; name another"),
            whole_folder(target),
        ):
            raise AssertionError
    assert (tmp_path / "mine").read_text() == "mine"


@pytest.mark.parametrize("folder", [".", "..", "/", "taken", "taken/"])
def test_a_folder_is_no_file(tmp_path, monkeypatch, folder):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").mkdir()
    with pytest.raises(TargetError, match="cannot be written, it is a folder; name a file"):
        write_whole(Path(folder), b"1")
    assert [path.name for path in tmp_path.rglob("*")] == ["taken"]


def test_a_file_is_replaced_at_once_or_not(tmp_path):
    write_whole(tmp_path / "new" / "x", b"1")
    write_whole(tmp_path / "new" / "x", b"2")
    assert (tmp_path / "new" / "x").read_bytes() == b"2"
    assert len(list((tmp_path / "new").iterdir())) == 1
    with pytest.raises(TargetError, match=r"cannot be written \(File exists\); choose another"):
        write_whole(tmp_path / "new" / "x" / "y", b"3")


# ---------------------------------------------------------------------------- outputs and inputs


@pytest.fixture
def recording(tmp_path):
    (tmp_path / "in").mkdir()
    path = tmp_path / "in" / "a.txt"
    path.write_text("800\n")
    return path


def test_an_output_is_not_an_input_by_any_name(recording, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "soft").symlink_to(recording)
    os.link(recording, tmp_path / "hard")
    (tmp_path / "folder").symlink_to(tmp_path / "in")
    for output in (recording, "in/../in/a.txt", "in/a.txt", "soft", "hard", "folder/a.txt"):
        for given in (recording, Path("in"), tmp_path / "folder"):
            with pytest.raises(TargetError) as told:
                check_not_input(Path(output), [tmp_path / "other", given])
            assert str(output) in str(told.value)
            assert str(given) in str(told.value)
            assert "name another output" in str(told.value)


def test_a_new_file_beside_or_below_an_input_is_fine(recording, tmp_path):
    inputs = [recording, recording.parent, tmp_path / "missing"]
    for output in (recording.with_suffix(".json"), tmp_path / "out.json"):
        check_not_input(output, inputs)
    (tmp_path / "out.json").write_text("old")
    check_not_input(tmp_path / "out.json", inputs)
    with pytest.raises(TargetError, match="missing"):
        check_not_input(tmp_path / "missing", inputs)
