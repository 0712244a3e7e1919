"""The first bytes of files at an address."""

from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from pacl.records.address import Place
from pacl.records.content import HEAD_BYTES
from pacl.records.errors import RemoteError
from pacl.records.remote.access import ask, at_once, file_system, path_in


class _EnoughError(Exception):
    """As many bytes as were asked for have come."""


class _Beginning:
    """A file to write into that takes the first bytes alone, whatever a server sends."""

    def __init__(self) -> None:
        self.content = b""

    def write(self, more: bytes) -> int:
        """Take some bytes; ends the copying when there are enough."""
        self.content += more
        if len(self.content) > HEAD_BYTES:
            raise _EnoughError
        return len(more)

    def read(self) -> bytes:
        """What has come so far, without what is too much."""
        return self.content[:HEAD_BYTES]

    def tell(self) -> int:
        """How many bytes have come."""
        return len(self.content)

    def close(self) -> None:
        """Nothing to close."""


def _head(system: Any, place: Place, name: str) -> bytes:
    """The first `HEAD_BYTES` of a file; a server that cannot send parts is stopped."""
    path = path_in(system, place.address(name))

    def asked() -> bytes:
        if not place.is_web:
            return bytes(system.cat_file(path, start=0, end=HEAD_BYTES))
        beginning = _Beginning()
        with suppress(_EnoughError):
            system.get_file(path, beginning, chunk_size=HEAD_BYTES)
        return beginning.read()

    return ask(asked, place.shown(name))


def heads_of(place: Place, names: Collection[str]) -> dict[str, bytes | None]:
    """The first bytes of some files; None for one that cannot be read, as reading it will tell."""
    if not names:
        return {}
    system, _ = file_system(place.address())

    def one(name: str) -> bytes | None:
        try:
            return _head(system, place, name)
        except RemoteError:
            return None

    with ThreadPoolExecutor(at_once(system)) as pool:
        return dict(zip(names, pool.map(one, names), strict=True))
