"""The windows of a recording among the reference patients."""

from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Float32, Int64
from pacl.detect.reference_map import ReferenceMap
from pacl.detect.scorer import WindowScorer
from pacl.detect.steps import cut_stretch
from pacl.records import Record


@dataclass(frozen=True, eq=False, slots=True)
class RecordEmbeddings:
    """Embeddings of the windows of a recording that are fit to be judged, and a map for them.

    Parameters
    ----------
    reference
        The map that was made with the weights.
    first, last
        Each window's first and last beat in the recording.
    pooled
        Each window's embedding.
    """

    reference: ReferenceMap
    first: Int64[Array, "window"]
    last: Int64[Array, "window"]
    pooled: Float32[Array, "window feature"]


def embed_record(record: Record, scorer: WindowScorer, reference: ReferenceMap) -> RecordEmbeddings:
    """Embed the windows of a recording, the same as are judged."""
    none = np.empty(0, np.int64)
    first, last = [none], [none]
    pooled = [np.empty((0, reference.origin.size), np.float32)]
    for start, stop in record.stretches():
        cut = cut_stretch(record.rr_ms[start:stop], scorer.window_beats)
        if not cut.fit.any():
            continue
        first.append(start + cut.first[cut.fit])
        last.append(start + cut.last[cut.fit])
        pooled.append(scorer.pooled(cut.rr_ms[cut.fit]))
    return RecordEmbeddings(
        reference, np.concatenate(first), np.concatenate(last), np.concatenate(pooled)
    )
