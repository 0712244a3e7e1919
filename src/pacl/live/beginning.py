"""The beginning of a source shows whether it is text at all, and in another unit."""

from collections.abc import Iterable

from pacl.live.errors import LiveError
from pacl.records import describe_content

HEAD_BYTES = 4_096
"""Bytes that are looked at."""
SHORT_MS, MOST_SHORT = 10.0, 3
"""A source whose first intervals, so many, are all shorter than this has another unit."""
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_BOM = b"\xef\xbb\xbf"
_OF_READERS = "--layout"


def check_text(head: bytes, where: str) -> None:
    """Refuse a picture, an archive, a recording in another format and the like.

    Objects are let through: one per line is a format of live sources.
    """
    if not head.strip() or head.removeprefix(_BOM).lstrip().startswith(b"{"):
        return
    if head.startswith(_UTF16):
        raise LiveError(f"{where}: text in UTF-16, expected UTF-8; save or write it as UTF-8")
    kind = describe_content(head, where)
    if kind is not None:
        remedy = kind.remedy
        if _OF_READERS in remedy:  # it is a recording that another command reads
            remedy = "read it with pacl detect"
        raise LiveError(
            f"{where}: it seems to be {kind.what}, expected lines of RR intervals; {remedy}"
        )


class FirstIntervals:
    """Refuses a source whose first intervals are all too short to be in ms; zeros do not count."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._short = 0
        self._done = False

    def check(self, rr_ms: Iterable[float]) -> None:
        """Look at the next intervals."""
        for one in rr_ms:
            if self._done or one == 0:
                continue
            self._done = one >= SHORT_MS
            self._short += not self._done
            if self._short == MOST_SHORT:
                raise LiveError(
                    f"{self._where}: the first {MOST_SHORT} intervals are all shorter than "
                    f"{SHORT_MS:g} ms; if they are in seconds, give --unit s, or name the column "
                    "rr_s"
                )
