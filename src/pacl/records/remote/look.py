"""The first bytes of files at an address."""

from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from pacl.records.address import Place
from pacl.records.content import HEAD_BYTES
from pacl.records.errors import RemoteError
from pacl.records.remote.access import ask, file_system
from pacl.records.remote.listing import MOST_AT_ONCE


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


def head_of(place: Place, name: str) -> bytes:
    """The first `HEAD_BYTES` of a file; a server that cannot send parts is stopped."""

    def asked() -> bytes:
        system, path = file_system(place.address(name))
        if not place.is_web:
            return bytes(system.cat_file(path, start=0, end=HEAD_BYTES))
        beginning = _Beginning()
        with suppress(_EnoughError):
            system.get_file(path, beginning, chunk_size=HEAD_BYTES)
        return beginning.read()

    return ask(asked, place.shown(name))


def heads_of(place: Place, names: Collection[str]) -> dict[str, bytes | None]:
    """The first bytes of some files; None for one that cannot be read, as reading it will tell."""

    def one(name: str) -> bytes | None:
        try:
            return head_of(place, name)
        except RemoteError:
            return None

    if not names:
        return {}
    with ThreadPoolExecutor(MOST_AT_ONCE) as pool:
        return dict(zip(names, pool.map(one, names), strict=True))
