"""Heart-rate variability of many windows, beside a loop over windows with NeuroKit2.

    python -m pip install neurokit2        # no dependency of ours; 0.2.13 was measured
    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python benchmarks/hrv.py [RECORDS] [BEATS]

RECORDS is a folder of recordings, `afdb` or `ltafdb` under PACL_DATA; without it patients are
simulated. Every value that NeuroKit2 has is compared first. Two peers: its three functions, which
is what one calls to get these features, and only those of its inner steps that give a feature of
ours. Ends with status 1 if a value differs that is no tie.
"""

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from time import process_time
from typing import Any

import neurokit2 as nk
import numpy as np

from pacl.axes import Array, Bool, Float64
from pacl.features import (
    HRV_NAMES,
    frequency_features,
    hrv_features,
    nonlinear_features,
    time_features,
)
from pacl.records import Record, open_records
from pacl.records.simulate import simulate_cohort
from pacl.rr.plausible import is_kept

DATA = Path(os.environ.get("PACL_DATA", Path(__file__).parents[2] / "shared" / "data"))
OURS, PEER, REPEAT = 5_000, 100, 3
CHUNK = 256
RELATIVE = 1e-6
TIES = ("TINN",)
"""Of triangles that fit alike NeuroKit2 takes the one that rounding favours, we the first."""


def records_of(source: str | None) -> Iterator[Record]:
    """The recordings of a folder, or simulated ones."""
    if source is None:
        yield from (made.record for made in simulate_cohort(24, 0))
        return
    reader = open_records(DATA / source if (DATA / source).is_dir() else Path(source))
    yield from (reader.read(record_id) for record_id in reader.record_ids)


def windows_of(source: str | None, beats: int) -> Float64[Array, "window beat"]:
    """`OURS` windows of plausible beats, from all patients alike."""
    cut = []
    for record in records_of(source):
        kept = record.rr_ms[is_kept(record.rr_ms, "drop")].astype(np.float64)
        cut.append(kept[: kept.size // beats * beats].reshape(-1, beats))
    every = np.concatenate(cut)
    return every[np.linspace(0, len(every) - 1, OURS).astype(int)]


def whole(rr_ms: Float64[Array, "beat"]) -> dict[str, float]:
    """All that NeuroKit2's three functions give."""
    found: dict[str, float] = {}
    for function in (nk.hrv_time, nk.hrv_frequency, nk.hrv_nonlinear):
        found |= function({"RRI": rr_ms}).iloc[0].to_dict()
    return {name.removeprefix("HRV_"): value for name, value in found.items()}


def same(rr_ms: Float64[Array, "beat"]) -> dict[str, Any]:
    """Only what we have too: without fuzzy and multiscale entropies, and the multifractal ones."""
    found: dict[str, Any] = {}
    for function in (nk.hrv_time, nk.hrv_frequency):
        found |= function({"RRI": rr_ms}).iloc[0].to_dict()
    found = {name.removeprefix("HRV_"): value for name, value in found.items()}
    inner = import_module("neurokit2.hrv.hrv_nonlinear")  # the package has a function so named
    inner._hrv_nonlinear_poincare(rr_ms, out=found)
    inner._hrv_nonlinear_fragmentation(rr_ms, out=found)
    inner._hrv_nonlinear_poincare_hra(rr_ms, out=found)
    inner._hrv_symbolic_dynamics(rr_ms, out=found)
    near = {"delay": 1, "dimension": 2, "tolerance": 0.2 * np.std(rr_ms, ddof=1)}
    found["ApEn"] = nk.entropy_approximate(rr_ms, **near)[0]
    found["SampEn"] = nk.entropy_sample(rr_ms, **near)[0]
    found["ShanEn"] = nk.entropy_shannon(rr_ms)[0]
    found["DFA_alpha1"] = nk.fractal_dfa(rr_ms, scale=np.arange(4, 12))[0]
    found["HFD"] = nk.fractal_higuchi(rr_ms, k_max=10)[0]
    found["KFD"] = nk.fractal_katz(rr_ms)[0]
    return found


def shared_features(rr_ms: Float64[Array, "window beat"]) -> None:
    """Those of our groups that NeuroKit2 has."""
    for first in range(0, len(rr_ms), CHUNK):
        for group in (time_features, frequency_features, nonlinear_features):
            group(rr_ms[first : first + CHUNK])


def seconds(work: Callable[[], object], repeat: int = REPEAT) -> float:
    """Of the processor, on one thread: the best of several."""
    times = []
    for _ in range(repeat):
        began = process_time()
        work()
        times.append(process_time() - began)
    return min(times)


def differing(
    ours: Float64[Array, "window feature"], theirs: Float64[Array, "window feature"]
) -> Bool[Array, "window feature"]:
    """Where both have a value and it is not the same."""
    return np.isfinite(theirs) & ~np.isclose(ours, theirs, rtol=RELATIVE, atol=1e-12)


def main() -> int:
    """Compare, measure, print a row of Markdown."""
    warnings.simplefilter("ignore")  # NeuroKit2's, where it divides by a spread of zero
    source, beats = [*sys.argv[1:], None][0], int([*sys.argv[2:], 200][0])
    windows = windows_of(source, beats)
    some = windows[:: OURS // PEER][:PEER]
    ours = hrv_features(some)
    values = [whole(rr_ms) for rr_ms in some]
    names = [name for name in HRV_NAMES if name in values[0]]
    theirs = np.array([[value[name] for name in names] for value in values])
    wrong = differing(ours[:, [HRV_NAMES.index(name) for name in names]], theirs)
    for window, column in np.argwhere(wrong):
        print(f"window {window}: {names[column]} is not {theirs[window, column]}")
    missing = int((~np.isfinite(theirs)).sum())
    print(
        f"NeuroKit2 {version('neurokit2')}: {len(names)} of our {len(HRV_NAMES)} features, "
        f"{wrong.size} values, {int(wrong.sum())} differ by more than {RELATIVE}; "
        f"{missing} it has no number for"
    )
    print("Milliseconds of the processor a window:\n")
    print(f"| beats | ours, these {len(names)} | NeuroKit2's inner steps | ratio ", end="")
    print(f"| ours, all {len(HRV_NAMES)} | NeuroKit2's three functions | ratio |")
    print("|--:|--:|--:|--:|--:|--:|--:|")
    cells = []
    for mine, theirs_too in ((shared_features, same), (hrv_features, whole)):
        each = seconds(lambda mine=mine: mine(windows)) / len(windows)
        peer = seconds(lambda peer=theirs_too: [peer(rr_ms) for rr_ms in some], 1) / PEER
        cells.append(f"{1000 * each:.3f} | {1000 * peer:.1f} | **{peer / each:.0f}x**")
    print(f"| {beats} | {' | '.join(cells)} |")
    return int(any(names[column] not in TIES for _, column in np.argwhere(wrong)))


if __name__ == "__main__":
    sys.exit(main())
