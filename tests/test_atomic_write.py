import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from pacl.atomic_write import TargetError, atomic_folder, atomic_write, check_not_input
from support.refusals import refused


def test_a_folder_appears_when_the_block_ends(tmp_path):
    with atomic_folder(tmp_path / "a" / "b") as folder:
        (folder / "x").write_text("x")
        assert not (tmp_path / "a" / "b").exists()
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b"]
    assert (tmp_path / "a" / "b" / "x").read_text() == "x"


def test_nothing_remains_of_a_block_that_fails(tmp_path):
    with pytest.raises(KeyboardInterrupt), atomic_folder(tmp_path / "a") as folder:
        (folder / "x").write_text("x")
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_remains_of_a_killed_process_are_removed_and_those_of_a_living_kept(tmp_path):
    code = (
        "import os, signal; from pathlib import Path; from pacl.atomic_write import atomic_folder\n"
        f"with atomic_folder(Path({str(tmp_path / 'a')!r})) as folder:\n"
        "    (folder / 'x').write_text('x'); os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", code], check=False)
    (remains,) = tmp_path.iterdir()
    assert remains.name.endswith(".unfinished")
    living = tmp_path / f".a.{os.getppid()}.unfinished"
    living.mkdir()
    with atomic_folder(tmp_path / "a"):
        pass
    assert sorted(path.name for path in tmp_path.iterdir()) == [living.name, "a"]


def test_what_is_there_is_never_overwritten(tmp_path):
    (tmp_path / "mine").write_text("mine")
    for target in (tmp_path, tmp_path / "mine", Path("/")):
        with (
            refused(TargetError, target),
            atomic_folder(target),
        ):
            raise AssertionError
    assert (tmp_path / "mine").read_text() == "mine"


@pytest.mark.parametrize("folder", [".", "..", "/", "taken", "taken/"])
def test_a_folder_is_no_file(tmp_path, monkeypatch, folder):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").mkdir()
    with refused(TargetError, "folder"):
        atomic_write(Path(folder), b"1")
    assert [path.name for path in tmp_path.rglob("*")] == ["taken"]


def test_a_file_is_replaced_at_once_or_not(tmp_path):
    atomic_write(tmp_path / "new" / "x", b"1")
    atomic_write(tmp_path / "new" / "x", b"2")
    assert (tmp_path / "new" / "x").read_bytes() == b"2"
    assert len(list((tmp_path / "new").iterdir())) == 1
    with refused(TargetError, "File exists"):
        atomic_write(tmp_path / "new" / "x" / "y", b"3")


# --------------------------------------------------------------------------- what is replaced


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def umask():
    old = os.umask(0o027)
    yield
    os.umask(old)


def test_the_file_a_link_points_to_is_replaced_and_the_link_stays(tmp_path):
    (tmp_path / "there").mkdir()
    real = tmp_path / "there" / "real"
    real.write_bytes(b"1")
    (tmp_path / "one").symlink_to("there/real")
    (tmp_path / "two").symlink_to(tmp_path / "one")
    atomic_write(tmp_path / "two", b"2")
    assert real.read_bytes() == b"2"
    assert (tmp_path / "one").is_symlink()
    assert (tmp_path / "two").is_symlink()
    (tmp_path / "dangling").symlink_to("there/new")
    atomic_write(tmp_path / "dangling", b"3")
    assert (tmp_path / "there" / "new").read_bytes() == b"3"
    assert (tmp_path / "dangling").is_symlink()
    assert sorted(path.name for path in (tmp_path / "there").iterdir()) == ["new", "real"]


def test_links_in_a_circle_are_an_error(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with refused(TargetError, tmp_path / "a"):
        atomic_write(tmp_path / "a", b"1")
    with refused(TargetError, "a: "), atomic_folder(tmp_path / "a"):
        raise AssertionError


def test_pipes_and_sockets_are_refused_and_stay(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the path of a socket is short
    os.mkfifo("pipe")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("socket")
        for name in ("pipe", "socket"):
            with refused(TargetError, f"{name}: "):
                atomic_write(Path(name), b"1")
            with refused(TargetError, name), atomic_folder(Path(name)):
                raise AssertionError
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pipe", "socket"]
    assert Path("pipe").is_fifo()
    assert Path("socket").is_socket()


@pytest.fixture
def device(tmp_path):
    """Devices that may be lost: root could replace those of the machine."""

    def make(name):
        real = Path("/dev", name)
        if os.geteuid() != 0:
            return real
        try:
            os.mknod(tmp_path / name, stat.S_IFCHR | 0o666, real.stat().st_rdev)
            (tmp_path / name).open("wb").close()
        except OSError as error:
            pytest.skip(f"no device can be made here ({error})")
        return tmp_path / name

    return make


def test_devices_are_never_replaced(tmp_path, device):
    null, zero = device("null"), device("zero")
    (tmp_path / "link").symlink_to(null)
    for path in (null, tmp_path / "link"):
        atomic_write(path, b"1")
    assert (tmp_path / "link").is_symlink()
    with refused(TargetError, "zero: "):
        atomic_write(zero, b"1")
    for path in (null, zero):
        assert stat.S_ISCHR(path.stat().st_mode)


@pytest.mark.parametrize("name", ["stdout", "link", "/dev/fd/1", "/proc/self/fd/1"])
def test_standard_output_is_written_to(tmp_path, name):
    (tmp_path / "stdout").symlink_to("/proc/self/fd/1")  # as /dev/stdout is
    (tmp_path / "link").symlink_to("stdout")
    code = (
        "from pathlib import Path; from pacl.atomic_write import atomic_write\n"
        f"print('before'); atomic_write(Path({name!r}), b'made\\n'); print('after')"
    )
    command = [sys.executable, "-c", code]
    piped = subprocess.run(command, cwd=tmp_path, stdout=subprocess.PIPE, check=True)
    assert piped.stdout == b"before\nmade\nafter\n"
    kept = tmp_path / "kept"
    kept.write_text("old\n")
    with kept.open("a") as file:
        subprocess.run(command, cwd=tmp_path, stdout=file, check=True)
    assert kept.read_text() == "old\nbefore\nmade\nafter\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept", "link", "stdout"]


def test_a_planted_link_is_not_followed(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / "folder").mkdir()
    for name in ("x", "y"):
        (tmp_path / f".{name}.{os.getpid()}.unfinished").symlink_to(victim)
    atomic_write(tmp_path / "x", b"1")
    with atomic_folder(tmp_path / "y") as folder:
        (folder / "z").write_text("z")
    assert victim.read_text() == "mine"
    assert (tmp_path / "x").read_bytes() == b"1"
    assert not (tmp_path / "x").is_symlink()
    assert (tmp_path / "y" / "z").read_text() == "z"


def test_the_unfinished_file_is_new_and_belongs_to_nobody_else(tmp_path, monkeypatch):
    seen = []
    fsync = os.fsync

    def look(handle):
        (path,) = tmp_path.glob("*.unfinished")
        seen.append((path.name, mode(path)))
        fsync(handle)

    monkeypatch.setattr(os, "fsync", look)
    (tmp_path / "x").write_text("")
    (tmp_path / "x").chmod(0o600)
    atomic_write(tmp_path / "x", b"1")
    atomic_write(tmp_path / "x", b"2")
    assert [found for _, found in seen] == [0o600, 0o600]
    assert seen[0][0] != seen[1][0]
    assert all(name.endswith(f".{os.getpid()}.unfinished") for name, _ in seen)


@pytest.mark.parametrize("kept", [0o600, 0o640, 0o444, 0o666])
def test_the_mode_of_what_was_there_is_kept(tmp_path, umask, kept):
    (tmp_path / "x").write_text("")
    (tmp_path / "x").chmod(kept)
    (tmp_path / "link").symlink_to("x")
    atomic_write(tmp_path / "link", b"1")
    assert mode(tmp_path / "x") == kept
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder").chmod(kept | 0o300)
    with atomic_folder(tmp_path / "folder") as folder:
        assert mode(folder) == kept | 0o300
    assert mode(tmp_path / "folder") == kept | 0o300


def test_what_is_new_has_the_usual_mode(tmp_path, umask):
    atomic_write(tmp_path / "x", b"1")
    assert mode(tmp_path / "x") == 0o640
    with atomic_folder(tmp_path / "folder"):
        pass
    assert mode(tmp_path / "folder") == 0o750


def test_nothing_remains_of_a_file_that_was_interrupted(tmp_path, monkeypatch):
    def stop(handle):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", stop)
    (tmp_path / "x").write_text("old")
    with pytest.raises(KeyboardInterrupt):
        atomic_write(tmp_path / "x", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["x"]
    assert (tmp_path / "x").read_text() == "old"


def test_remains_of_an_earlier_process_with_our_number_are_removed(tmp_path):
    """In a container every process may have the same number."""
    (tmp_path / f".a.{os.getpid()}.unfinished").mkdir()
    (tmp_path / f".a.0123abcd.{os.getpid()}.unfinished").mkdir()
    with atomic_folder(tmp_path / "a"):
        atomic_write(tmp_path / "a.b", b"1")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "a.b"]


def test_only_our_own_remains_are_removed(tmp_path):
    for name in (".a.notes.unfinished", ".a.b.99999999.unfinished", ".a.unfinished"):
        (tmp_path / name).write_text("mine")
    atomic_write(tmp_path / "a", b"1")
    assert len(list(tmp_path.iterdir())) == 4


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
    with refused(TargetError, "missing"):
        check_not_input(tmp_path / "missing", inputs)


def test_a_file_whose_writing_is_stopped_leaves_nothing(tmp_path, monkeypatch):
    def stop(file):
        raise SystemExit(143)

    monkeypatch.setattr(os, "fsync", stop)
    with pytest.raises(SystemExit):
        atomic_write(tmp_path / "a", b"content")
    assert list(tmp_path.iterdir()) == []


def test_a_second_signal_waits_until_all_is_cleared_away(tmp_path, monkeypatch):
    def stop(number, frame):
        raise SystemExit(128 + number)

    remove = shutil.rmtree

    def while_removing(*folder, **how):
        signal.raise_signal(signal.SIGTERM)
        remove(*folder, **how)

    monkeypatch.setattr(shutil, "rmtree", while_removing)
    before = signal.signal(signal.SIGTERM, stop)
    try:
        with pytest.raises(SystemExit), atomic_folder(tmp_path / "a") as folder:
            (folder / "x").write_text("x")
            raise KeyboardInterrupt
    finally:
        signal.signal(signal.SIGTERM, before)
    assert list(tmp_path.iterdir()) == []
