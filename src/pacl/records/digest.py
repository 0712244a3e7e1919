"""Content digests, so that anything made from a recording can say from which bytes."""

import hashlib
from collections.abc import Iterable


def digest(parts: Iterable[tuple[str, bytes]]) -> str:
    """SHA-256 over named parts; a part moved, renamed or cut gives another digest."""
    total = hashlib.sha256()
    for name, content in parts:
        total.update(f"{name}\0{len(content)}\0".encode())
        total.update(content)
    return total.hexdigest()
