"""A cache of window features, shared by all parts of a window set."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from pacl.axes import Array, Float, Float32, Int64
from pacl.one_thread import one_thread
from pacl.rr import RRWindowSet

Compute = Callable[[Array], Array]
"""From windows in ms [window, beat] to their features [window, feature]."""

KEPT = 4
"""Number of beat arrays whose features are cached; the least recently used leaves first."""

CHUNK = 4096


@dataclass(frozen=True, eq=False, slots=True)
class _Known:
    """Features of windows, sorted by their first beat."""

    start: Int64[Array, "window"]
    features: Float32[Array, "window feature"]


@dataclass(eq=False, slots=True)
class FeatureCache:
    """Features by the beats of a window: folds and parts of a set share them.

    Hashing a million beats takes 0.01 s, computing their features takes seconds.
    """

    compute: Compute
    _known: OrderedDict[tuple[str, int], _Known] = field(default_factory=OrderedDict)

    def of(self, windows: RRWindowSet) -> Float32[Array, "window feature"]:
        """Features of each window."""
        key = (_digest(windows.rr_ms), windows.window_beats)
        known = self._known.pop(key, None)
        start, first = np.unique(windows.table.start, return_index=True)
        fresh = first if known is None else first[~np.isin(start, known.start)]
        if known is None or fresh.size:
            known = _joined(known, windows.table.start[fresh], self._computed(windows, fresh))
        self._known[key] = known
        while len(self._known) > KEPT:
            self._known.popitem(last=False)
        return known.features[np.searchsorted(known.start, windows.table.start)]

    def _computed(
        self, windows: RRWindowSet, rows: Int64[Array, "fresh"]
    ) -> Float32[Array, "fresh feature"]:
        """Features of some windows in chunks; with no window, an array without rows.

        On one thread: the matrices are small, and threads that wait for a busy core are slower.
        """
        with one_thread():
            parts = [
                self.compute(windows.windows(rows[at : at + CHUNK], scaled=False))
                for at in range(0, max(rows.size, 1), CHUNK)
            ]
        return np.concatenate(parts).astype(np.float32)


def _joined(
    known: _Known | None, start: Int64[Array, "fresh"], features: Float32[Array, "fresh feature"]
) -> _Known:
    if known is not None:
        start = np.concatenate([known.start, start])
        features = np.concatenate([known.features, features])
    order = np.argsort(start)
    return _Known(start[order], features[order])


def _digest(rr_ms: Float[Array, "beat"]) -> str:
    return hashlib.blake2b(np.ascontiguousarray(rr_ms).data, digest_size=16).hexdigest()
