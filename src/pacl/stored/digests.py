"""The SHA-256 of a file."""

import hashlib
from pathlib import Path

from pacl.file_bytes import open_file
from pacl.stored.arrays import MOST

CHUNK = 2**20


def digest_of_file(path: Path) -> str:
    """Hash a file without holding it in memory."""
    digest = hashlib.sha256()
    with open_file(path, MOST) as file:
        while part := file.read(CHUNK):
            digest.update(part)
    return digest.hexdigest()
