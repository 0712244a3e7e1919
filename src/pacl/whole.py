"""Files and folders that are there whole or not at all, whenever the process is stopped."""

import glob
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pacl.errors import PaclError


class TargetError(PaclError):
    """A place that cannot be written to, or that holds something already."""


@contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """Give a folder to write into, which becomes `target` when the block ends without error.

    `target` must be new or empty: nothing is overwritten. What an earlier process left unfinished
    when it was killed is removed.
    """
    target = target.resolve()
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.unfinished")
    try:
        check_new(target)
        target.parent.mkdir(parents=True, exist_ok=True)
        _remove_remains(target)
        unfinished.mkdir()
        yield unfinished
        check_new(target)
        if target.is_dir():
            target.rmdir()
        unfinished.rename(target)
    except OSError as error:
        raise _cannot_write(target, error) from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, replacing what was there only when all of it is on disk.

    What an earlier process left unfinished when it was killed is removed.
    """
    unfinished = path.parent / f".{path.name}.{os.getpid()}.unfinished"
    try:
        if path.is_dir():
            raise TargetError(f"{path}: cannot be written, it is a folder; name a file")
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove_remains(path)
        with unfinished.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError as error:
        with suppress(OSError):
            unfinished.unlink()
        raise _cannot_write(path, error) from error


def check_new(target: Path) -> None:
    """Refuse a folder that holds something, or the one we are in."""
    if target == Path.cwd():
        raise TargetError(f"{target}: this is the current folder; name another one")
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise TargetError(
            f"{target}: expected a new or empty folder, but it holds something; "
            "name another or move this one away, nothing is overwritten"
        )


def check_not_input(output: Path, inputs: Iterable[Path]) -> None:
    """Refuse to write over a file that is read, whatever path or link it is named by.

    Where an input is a folder, every file below it counts as read; a new file in it is fine.
    """
    for given in inputs:
        if os.path.realpath(output) == os.path.realpath(given) or _same_file(output, given):
            raise TargetError(
                f"{output}: it is the input {given}; name another output, inputs are never changed"
            )
        if output.is_file() and given.is_dir():
            for folder, _, names in os.walk(given):
                if any(_same_file(output, Path(folder, name)) for name in names):
                    raise TargetError(
                        f"{output}: it is a file of the input {given}; name another output, inputs "
                        "are never changed"
                    )


def _same_file(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:  # one of them is not there
        return False


def _remove_remains(target: Path) -> None:
    for remains in target.parent.glob(f".{glob.escape(target.name)}.*.unfinished"):
        process = remains.name.split(".")[-2]
        if not process.isdigit() or not _alive(int(process)):
            shutil.rmtree(remains, ignore_errors=True)
            with suppress(OSError):
                remains.unlink()


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _cannot_write(path: Path, error: OSError) -> TargetError:
    return TargetError(
        f"{path}: cannot be written ({error.strerror or error}); choose another place"
    )
