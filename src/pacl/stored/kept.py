"""Results that are kept between runs, by the digest of all that they were computed from.

```
~/.cache/pacl/
  3f/3fa9...c2.json      {"format": "pacl kept 1", "key": "3fa9...", "digest": "...", "value": ...}
```

A file that is damaged, or was put there by others, is ignored: its value is computed again.
"""

import hashlib
import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any, TypedDict

from pacl.atomic_write import TargetError, atomic_write
from pacl.errors import PaclError
from pacl.stored.documents import read_json

KEPT_FORMAT = "pacl kept 1"
MOST_BYTES = 64 * 2**20
"""Bytes of all files together; some tens of thousands of recordings."""
LEFT = 0.8
"""Share of `MOST_BYTES` that is left when the oldest files are removed."""
VARIABLE = "PACL_CACHE"

_KEY = re.compile(r"[0-9a-f]{64}")
_FILE = re.compile(r"[0-9a-f]{64}\.json")
_FOLDER = re.compile(r"[0-9a-f]{2}")


class _Stated(TypedDict):
    format: str
    key: str
    digest: str
    value: Any


class Kept:
    """Values of JSON in a folder, each under a SHA-256 in hexadecimal digits.

    Where the folder cannot be written, nothing is kept, and `notice` is told once. Several threads
    and processes may use one folder.

    Parameters
    ----------
    folder
        Made when the first value is kept; other users of the machine cannot look into it. By
        default the folder that `cache_folder` gives.
    most_bytes
        Size of all files together. Above it, those that were not used for longest are removed.
    notice
        Called with a sentence where nothing can be kept.
    """

    def __init__(
        self,
        folder: Path | str | None = None,
        *,
        most_bytes: int = MOST_BYTES,
        notice: Callable[[str], object] | None = None,
    ) -> None:
        self.folder = cache_folder() if folder is None else Path(folder)
        self._most, self._notice = most_bytes, notice
        self._bytes: int | None = None
        self._lock = Lock()
        self._works = True

    def get(self, key: str) -> Any | None:
        """The value under a key; None where there is none, or its file is damaged."""
        path = self._path(key)
        try:
            found: _Stated = read_json(path, _Stated, written_as=KEPT_FORMAT)
        except PaclError:
            return None
        if found["key"] != key or found["digest"] != _digest(found["value"]):
            return None
        with suppress(OSError):
            os.utime(path)  # used now: others are removed first
        return found["value"]

    def put(self, key: str, value: Any) -> None:
        """Keep a value that JSON can hold."""
        path = self._path(key)
        stated = {"format": KEPT_FORMAT, "key": key, "digest": _digest(value), "value": value}
        content = json.dumps(stated, allow_nan=False).encode()
        if not self._works:
            return
        try:
            if not self.folder.is_dir():
                self.folder.parent.mkdir(parents=True, exist_ok=True)
                self.folder.mkdir(mode=0o700, exist_ok=True)
            atomic_write(path, content)
        except (OSError, TargetError) as error:
            self._stop(error)
            return
        self._count(len(content))

    def _stop(self, error: Exception) -> None:
        with self._lock:
            first, self._works = self._works, False
        if first and self._notice is not None:
            self._notice(
                f"{self.folder}: results are not kept for the next time ({error}); set {VARIABLE} "
                "to a folder that can be written"
            )

    def _count(self, added: int) -> None:
        """Add to the size of all files, which is measured once; remove the oldest above it."""
        with self._lock:
            if self._bytes is None:
                self._bytes = sum(one.st_size for one in self._files().values())
            else:
                self._bytes += added
            if self._bytes > self._most:
                self._bytes = self._remove_oldest()

    def _remove_oldest(self) -> int:
        files = self._files()
        left = sum(one.st_size for one in files.values())  # others may have removed some
        for path, status in sorted(files.items(), key=lambda one: one[1].st_mtime_ns):
            if left <= LEFT * self._most:
                break
            with suppress(OSError):
                path.unlink()
            left -= status.st_size
        return left

    def _files(self) -> Mapping[Path, os.stat_result]:
        """The files that are ours."""
        return dict(_listed(self.folder))

    def _path(self, key: str) -> Path:
        if not _KEY.fullmatch(key):
            raise ValueError(f"key {key!r}; expected a SHA-256 in hexadecimal digits")
        return self.folder / key[:2] / f"{key}.json"


def cache_folder() -> Path:
    """The folder of `PACL_CACHE`, else the one for such files on this system."""
    if given := os.environ.get(VARIABLE):
        return Path(given)
    if sys.platform == "darwin":
        return Path("~/Library/Caches/pacl").expanduser()
    variable, usual = "XDG_CACHE_HOME", "~/.cache"
    if sys.platform == "win32":
        variable, usual = "LOCALAPPDATA", "~/AppData/Local"
    given = os.environ.get(variable, "")
    place = Path(given) if Path(given).is_absolute() else Path(usual).expanduser()
    return place / "pacl"


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _listed(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    with suppress(OSError), os.scandir(folder) as parts:
        for part in parts:
            if not _FOLDER.fullmatch(part.name):
                continue
            with suppress(OSError), os.scandir(part.path) as files:
                for file in files:
                    if _FILE.fullmatch(file.name):
                        with suppress(OSError):
                            yield Path(file.path), file.stat(follow_symlinks=False)
