"""Whether windows are the same, wherever they are kept."""

import hashlib

import numpy as np

from pacl.windows import WindowSet


def digest_of(*parts: WindowSet) -> str:
    """SHA-256 over all that can be learned from windows."""
    digest = hashlib.sha256()
    for part in parts:
        table = part.table
        for column in (
            *(table.patient.codes, table.record.codes, table.rhythm, table.start, table.onset_s),
            *(table.centre_ms, table.scale_ms, part.rr_ms),
        ):
            digest.update(np.ascontiguousarray(column).data)
        digest.update(repr((part.window_beats, table.patient.names)).encode())
    return digest.hexdigest()
