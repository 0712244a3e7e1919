"""Whether windows are the same, wherever they are kept."""

import hashlib

import numpy as np

from pacl.windows import WindowSet


def digest_of(*parts: WindowSet, times: bool = False) -> str:
    """SHA-256 over all that can be learned from windows.

    With `times` also when they were, and in which recording, which some systems learn from.
    """
    digest = hashlib.sha256()
    for part in parts:
        table = part.table
        columns = (table.rhythm, table.start, table.centre_ms, table.scale_ms, part.rr_ms)
        when = (table.record.codes, table.onset_s) if times else ()
        for column in (table.patient.codes, *columns, *when):
            digest.update(np.ascontiguousarray(column).data)
        digest.update(repr((part.window_beats, table.patient.names)).encode())
    return digest.hexdigest()
