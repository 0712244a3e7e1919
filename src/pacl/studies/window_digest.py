"""Whether windows are the same, wherever they are kept."""

import hashlib

import numpy as np

from pacl.windows import WindowSet


def digest_of(*parts: WindowSet) -> str:
    """SHA-256 over all that can be learned from windows."""
    digest = hashlib.sha256()
    for part in parts:
        table = part.table
        columns = (table.rhythm, table.start, table.centre_ms, table.scale_ms, part.rr_ms)
        for column in (table.patient.codes, *columns):
            digest.update(np.ascontiguousarray(column).data)
        digest.update(repr((part.window_beats, table.patient.names)).encode())
    return digest.hexdigest()
