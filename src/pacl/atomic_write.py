"""Files and folders written atomically: complete or not at all, whenever the process stops."""

import errno
import os
import re
import secrets
import shutil
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from pacl.errors import PaclError
from pacl.interrupts import uninterrupted


class TargetError(PaclError):
    """A path that cannot be written to, or that is in use already."""


MOST_LINKS = 40
"""Links that are followed, one to the next."""
_MAY_ASK, _NO_SUCH_PROCESS, _STILL_RUNS = 0x1000, 87, 259
"""PROCESS_QUERY_LIMITED_INFORMATION, ERROR_INVALID_PARAMETER and STILL_ACTIVE of Windows."""
_UNDER_WAY: set[Path] = set()
"""What this process is writing now; other names with its id are of an earlier process."""


@contextmanager
def atomic_folder(target: Path) -> Iterator[Path]:
    """Give a folder to write into, which becomes `target` when the block ends without error.

    `target` must be new or empty: nothing is overwritten. The mode of an empty folder is kept. What
    an earlier process left unfinished when it was killed is removed.
    """
    target = Path(os.path.realpath(target))
    unfinished = _unfinished(target)
    try:
        if target.is_symlink():
            raise _circle()
        check_new(target)
        target.parent.mkdir(parents=True, exist_ok=True)
        _remove_remains(target)
        mode = stat.S_IMODE(target.stat().st_mode) | 0o700 if target.is_dir() else None
        unfinished.mkdir(0o777 if mode is None else mode)
        if mode is not None:
            unfinished.chmod(mode)  # despite the umask
        yield unfinished
        check_new(target)
        if target.is_dir():
            target.rmdir()
        unfinished.rename(target)
    except OSError as error:
        raise _cannot_write(target, error) from error
    finally:
        with uninterrupted():  # a second Ctrl-C would leave half of it there
            shutil.rmtree(unfinished, ignore_errors=True)
            _UNDER_WAY.discard(unfinished)


def atomic_write(path: Path, content: bytes) -> None:
    """Write a file, replacing what was there only when all of it is on disk.

    Only files are replaced, and their mode is kept. Of a link, the file it points to is replaced.
    Standard output by its name, as /dev/stdout, and /dev/null are written to; other devices, pipes
    and sockets are refused. What an earlier process left unfinished when it was killed is removed.
    """
    try:
        target, descriptor = _followed(path)
        if descriptor is not None:
            _write_to(descriptor, content)
            return
        there = target.stat() if target.exists() else None
        if there is not None and stat.S_ISDIR(there.st_mode):
            raise TargetError(f"{path}: cannot be written, it is a folder; name a file")
        if there is not None and not stat.S_ISREG(there.st_mode):
            _check_null(path, there)
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        _replace(target, there, content)
    except OSError as error:
        if isinstance(error, BrokenPipeError):  # the reader of standard output has stopped reading
            raise
        raise _cannot_write(path, error) from error


def _followed(path: Path) -> tuple[Path, int | None]:
    """Where links end, and which open file that is, if it is one of this process."""
    open_files = {Path("/dev/fd"), Path(f"/proc/{os.getpid()}/fd")}
    for _ in range(MOST_LINKS):
        if path.name.isdecimal() and Path(os.path.realpath(path.parent)) in open_files:
            return path, int(path.name)
        if not path.is_symlink():
            return path, None
        path = path.parent / path.readlink()
    raise _circle()


def _circle() -> OSError:
    return OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def _write_to(descriptor: int, content: bytes) -> None:
    """Write after what was printed: the place in the output is shared."""
    if sys.stdout is not None:
        sys.stdout.flush()
    with os.fdopen(os.dup(descriptor), "wb") as file:
        file.write(content)


def _check_null(path: Path, there: os.stat_result) -> None:
    null = Path(os.devnull)
    if hasattr(there, "st_rdev"):
        same = null.exists() and null.stat().st_rdev == there.st_rdev
    else:  # Windows, where the name is all there is
        same = path.name.lower() == null.name.lower()
    if not (stat.S_ISCHR(there.st_mode) and same):
        raise TargetError(
            f"{path}: cannot be written, it is a device, a pipe or a socket; name a file, or leave "
            "out the output to print it"
        )


def _replace(target: Path, there: os.stat_result | None, content: bytes) -> None:
    _remove_remains(target)
    unfinished = _unfinished(target)
    mode = 0o666 if there is None else stat.S_IMODE(there.st_mode) & 0o777
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    try:
        with os.fdopen(os.open(unfinished, flags, mode), "wb") as file:
            if there is not None and hasattr(os, "fchown"):  # not on Windows
                with suppress(OSError):  # only root may give files away
                    os.fchown(file.fileno(), there.st_uid, there.st_gid)
                os.fchmod(file.fileno(), mode)  # despite the umask
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(target)
    finally:
        with uninterrupted(), suppress(OSError):
            unfinished.unlink(missing_ok=True)
        _UNDER_WAY.discard(unfinished)


def check_new(target: Path) -> None:
    """Refuse a folder that holds something, or the one we are in."""
    if target == Path.cwd():
        raise TargetError(f"{target}: this is the current folder; name another one")
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise TargetError(
            f"{target}: expected a new or empty folder, but it holds something; "
            "name another or move this one away, nothing is overwritten"
        )


def check_not_input(output: Path, inputs: Iterable[Path], *, same_ending: bool = True) -> None:
    """Refuse to write over a file that is read, under any path or link.

    Where an input is a folder, all files below it count as read; a new file in it is fine. Without
    `same_ending`, files in it that end as the output does are no inputs: the same command may have
    written them before, such as a picture.
    """
    for given in inputs:
        is_input = os.path.realpath(output) == os.path.realpath(given) or _same_file(output, given)
        same = given if is_input else None
        if same is None and output.is_file() and given.is_dir():
            below = (Path(folder, name) for folder, _, names in os.walk(given) for name in names)
            counted = (one for one in below if same_ending or one.suffix != output.suffix)
            same = next((one for one in counted if _same_file(output, one)), None)
        if same is not None:
            raise TargetError(
                f"{output}: it is the input {same}; name another output, inputs are never changed"
            )


def _same_file(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:  # one of them is not there
        return False


def _unfinished(target: Path) -> Path:
    """A name that cannot be guessed, with the number of the process that writes."""
    name = f".{target.name}.{secrets.token_hex(4)}.{os.getpid()}.unfinished"
    unfinished = target.parent / name
    _UNDER_WAY.add(unfinished)
    return unfinished


def _remove_remains(target: Path) -> None:
    named = re.compile(rf"\.{re.escape(target.name)}\.(?:[0-9a-f]{{8}}\.)?([0-9]+)\.unfinished")
    for remains in _listed(target.parent):
        found = named.fullmatch(remains.name)
        if found is None or remains in _UNDER_WAY:
            continue
        process = int(found[1])
        if process == os.getpid() or not _alive(process):
            shutil.rmtree(remains, ignore_errors=True)
            with suppress(OSError):
                remains.unlink()


def _listed(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except PermissionError:  # a folder that one may write to, and not look into
        return []


def _alive(process: int) -> bool:
    if os.name == "nt":  # there, signal 0 is Ctrl-C
        return _alive_on_windows(process)
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _alive_on_windows(process: int) -> bool:
    """Whether a process runs; one that may not be asked does."""
    import ctypes

    kernel: Any = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined]
    handle = kernel.OpenProcess(_MAY_ASK, False, process)
    if not handle:
        return bool(ctypes.get_last_error() != _NO_SUCH_PROCESS)  # type: ignore[attr-defined]
    status = ctypes.c_ulong()
    known = kernel.GetExitCodeProcess(handle, ctypes.byref(status))
    kernel.CloseHandle(handle)
    return not known or status.value == _STILL_RUNS


def _cannot_write(path: Path, error: OSError) -> TargetError:
    return TargetError(
        f"{path}: cannot be written ({error.strerror or error}); choose another path"
    )
