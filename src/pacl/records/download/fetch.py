"""One file over HTTP: resumed where it stopped, verified, and written atomically."""

import errno
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pacl.errors import PaclError
from pacl.records.download import arrive
from pacl.records.download.arrive import TryAgain, arriving, within

Track = Callable[[str, int, int], None]
"""Called with a file's name, its bytes so far and its bytes in all (0 where unknown)."""

CHUNK_BYTES = 1024**2
ATTEMPTS = 5
"""Consecutive failures, without a chunk between them, after which a file is given up."""

BACKOFF_S = 1.0
"""Pause after the first failure; it doubles with each, up to half a minute."""

MAX_BYTES = 40 * 1000**3
"""Above this a file is none of these data sets: the largest, IRIDIA-AF, has 10.5 GB."""

_TIMEOUT_S = (10, 60)
_BUSY = {408, 425, 429, 500, 502, 503, 504}
_SMALL_BYTES = 16 * 1024**2


class DownloadError(PaclError):
    """A file that could not be fetched; names its address, the file, the fault and the remedy."""

    def __init__(self, url: str, file: Path | str, what: str, remedy: str) -> None:
        super().__init__(f"{file} from {url}: {what}; {remedy}")
        self.url = url
        self.file = file
        self.what = what
        self.remedy = remedy


def need_pooch(url: str, directory: Path) -> Any:
    """Pooch, or an error that states how to install it."""
    try:
        import pooch
    except ImportError as error:
        raise DownloadError(
            url, directory, "downloading needs pooch", "pip install 'pacl[download]'"
        ) from error
    return pooch


def fetch_file(
    url: str, path: Path, known_hash: str, track: Track | None = None, most: int = MAX_BYTES
) -> int:
    """Fetch a file of at most `most` bytes with a known hash; return the bytes transferred.

    A complete file is left alone. Bytes go to `NAME.part` first, which a later call resumes, and
    become `NAME` in one step once the hash (`sha256:...` or `md5:...`) is verified.
    """
    pooch = need_pooch(url, path)
    part = path.with_name(f"{path.name}.part")
    for file in (path, part):
        if file.exists() and not file.is_file():
            raise DownloadError(
                url, file, "a folder, pipe or device is in its place", "move it away"
            )
    transferred = 0

    def downloader(url: str, output_file: str, _: Any, check_only: bool = False) -> None:
        nonlocal transferred
        transferred = _download(url, part, path.name, track, most)
        Path(output_file).unlink(missing_ok=True)
        try:
            os.link(part, output_file)  # the part stays until the hash is known to be right
        except OSError:
            part.replace(output_file)

    try:
        with _quiet(pooch):
            pooch.retrieve(url, known_hash, path.name, path.parent, downloader=downloader)
    except ValueError as error:
        part.unlink(missing_ok=True)
        raise DownloadError(
            url,
            path,
            f"the content does not have the checksum {known_hash}, {path.name}.part was deleted",
            "try again; should it persist, the server's file has changed",
        ) from error
    except OSError as error:
        raise disk_error(url, path, error) from error
    part.unlink(missing_ok=True)
    return transferred


def fetch_small(url: str, file: Path) -> bytes:
    """Content of a small file without a known hash, held in memory; `file` is for messages."""
    need_pooch(url, file)
    content = bytearray()

    def step() -> None:
        content.clear()
        with _get(url, file, 0) as response:
            for chunk in arriving(response, CHUNK_BYTES):
                content.extend(chunk)
                if len(content) > _SMALL_BYTES:
                    raise DownloadError(url, file, "far larger than expected", "check the address")

    _persist(url, file, step, lambda: 0)
    return bytes(content)


def _download(url: str, part: Path, name: str, track: Track | None, most: int) -> int:
    """Bring `part` to its full length; return the bytes transferred."""
    transferred = 0

    def step() -> None:
        nonlocal transferred
        have = part.stat().st_size if part.exists() else 0
        with _get(url, part.with_name(name), have) as response:
            if response.status_code == 416:  # nothing beyond what is there
                if _total(response, 0) == have:
                    return
                part.unlink()
                raise TryAgain("the part on disk is longer than the file")
            resumed = response.status_code == 206
            if resumed and _range_start(response) != have:
                part.unlink(missing_ok=True)
                raise TryAgain("the server sent another range than was asked for")
            done = have if resumed else 0  # a server without ranges starts over
            total = _total(response, done)
            _check_size(url, part, name, max(done, total), most)
            with part.open("ab" if resumed else "wb", buffering=0) as out:
                for chunk in arriving(response, CHUNK_BYTES):
                    out.write(chunk)
                    done += len(chunk)
                    _check_size(url, part, name, done, most)
                    transferred += len(chunk)
                    if track:
                        track(name, done, total)
            if total and done < total:
                raise TryAgain(f"the connection closed at {done:,} of {total:,} bytes")

    _persist(url, part.with_name(name), step, lambda: transferred // CHUNK_BYTES)
    return transferred


def _check_size(url: str, part: Path, name: str, size: int, most: int) -> None:
    if size > most:
        part.unlink(missing_ok=True)
        raise DownloadError(
            url,
            part.with_name(name),
            f"{size:,} bytes or more, expected at most {most:,}",
            "check the address",
        )


def _persist(url: str, file: Path, step: Callable[[], None], progress: Callable[[], int]) -> None:
    """Do `step` until it succeeds, or has failed `ATTEMPTS` times without progress between."""
    import requests

    failures, before = 0, progress()
    while True:
        try:
            return step()
        except (TryAgain, requests.exceptions.RequestException) as error:
            if isinstance(error, ValueError):  # requests' errors about the address itself
                raise DownloadError(url, file, f"{error}", "check the address") from error
            failures = 1 if progress() > before else failures + 1
            before = progress()
            if failures >= ATTEMPTS:
                raise DownloadError(
                    url,
                    file,
                    f"{failures} attempts failed, the last with: {error}",
                    "check the connection and try again, what has arrived is kept",
                ) from error
            time.sleep(min(BACKOFF_S * 2 ** (failures - 1), 30))


@contextmanager
def _get(url: str, file: Path, have: int) -> Iterator[Any]:
    """Ask for `url` from byte `have` on; statuses that mean failure raise."""
    import requests

    headers = {"Accept-Encoding": "identity"}  # so that bytes on the wire are bytes on disk
    if have:
        headers["Range"] = f"bytes={have}-"

    def ask() -> Any:
        return requests.get(url, headers=headers, stream=True, timeout=_TIMEOUT_S)

    with within(arrive.ANSWER_S, ask) as response:
        status = response.status_code
        if status in _BUSY:
            raise TryAgain(f"the server answered {status} {response.reason}")
        if status not in (200, 206) and not (status == 416 and have):
            raise DownloadError(
                url,
                file,
                f"the server answered {status} {response.reason}",
                "check the address; the data set may have moved",
            )
        yield response


def _range_start(response: Any) -> int | None:
    found = re.match(r"bytes (\d+)-", response.headers.get("Content-Range", ""))
    return int(found[1]) if found else None


def _total(response: Any, done: int) -> int:
    """Size of the file in bytes, 0 where the server does not state it."""
    if found := re.search(r"/(\d+)$", response.headers.get("Content-Range", "")):
        return int(found[1])
    length = response.headers.get("Content-Length", "")
    return done + int(length) if length.isdecimal() and response.status_code != 416 else 0


def disk_error(url: str, file: Path, error: OSError) -> DownloadError:
    """The error for a disk that is full or cannot be written."""
    full = error.errno == errno.ENOSPC
    return DownloadError(
        url,
        file,
        "the disk is full" if full else f"cannot be written ({error.strerror or error})",
        "free space and try again, what has arrived is kept"
        if full
        else "check the folder and its permissions",
    )


@contextmanager
def _quiet(pooch: Any) -> Iterator[None]:
    """Keep pooch from announcing each file on stderr, where a progress bar may be."""
    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel("WARNING")
    try:
        yield
    finally:
        logger.setLevel(level)
