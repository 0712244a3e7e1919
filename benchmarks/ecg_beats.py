"""Beats found in an ECG against annotated beats, with peers, without and with added noise.

    python benchmarks/ecg_beats.py

Sensitivity, positive predictivity and F1 within 150 and 50 ms, of all beats and as the median of
the records; sleepecg and wfdb's XQRS on the first lead are the peers, in the same run. Pairs are
made one to one, the nearest first.
"""

import time
from collections.abc import Callable

import numpy as np
from ecg_data import Annotated, real
from ecg_noise import with_noise
from numpy.typing import NDArray

from pacl.ecg import SleepecgFinder, find_beats

Floats = NDArray[np.float64]
Finder = Callable[[Annotated, NDArray[np.float32]], Floats]
NOISES = [(kind, db) for kind in ("baseline", "muscle", "motion") for db in (24, 18, 12, 6, 0)]


def main() -> None:
    """Measure and print."""
    records = list(real())
    finders: dict[str, Finder] = {
        "pacl, all leads": _ours,
        "pacl, first lead": lambda one, signal: _ours(one, signal[:1]),
        "sleepecg, first lead": _sleepecg,
        "wfdb XQRS, first lead": _xqrs,
    }
    print(f"{len(records)} records, {sum(one.beats_s.size for one in records):,} beats\n")
    print("| finder | Se, P+ 150 ms | F1 150 ms | F1 50 ms | median F1 150 ms | 50 ms | seconds |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for name, finder in finders.items():
        began = time.perf_counter()
        found = [finder(one, one.millivolts) for one in records]
        took_s = time.perf_counter() - began
        print(f"| {name} | {_row(records, found)} | {took_s:.2f} |")
    print("\n| record | " + " | ".join(finders) + " |\n|---|" + "--:|" * len(finders))
    for one in records:
        cells = [_f1(counts(one.beats_s, f(one, one.millivolts), 0.15)) for f in finders.values()]
        print(f"| {one.name} | " + " | ".join(f"{cell:.4f}" for cell in cells) + " |")
    print("\n| noise, F1 150 ms | " + " | ".join(finders) + " |\n|---|" + "--:|" * len(finders))
    for kind, db in NOISES:
        totals = dict.fromkeys(finders, np.zeros(3))
        for one in records:
            at = (one.beats_s * one.ecg.fs_hz).astype(np.int64)
            signal = with_noise(one.millivolts, one.ecg.fs_hz, at, kind, db)
            for name, finder in finders.items():
                totals[name] = totals[name] + counts(one.beats_s, finder(one, signal), 0.15)
        cells = " | ".join(f"{_f1(total):.4f}" for total in totals.values())
        print(f"| {kind}, {db} dB | {cells} |", flush=True)


def counts(wanted_s: Floats, found_s: Floats, within_s: float) -> Floats:
    """Found, false and missed beats."""
    distance = [
        (abs(found_s[at] - wanted), number, at)
        for number, wanted in enumerate(wanted_s)
        for at in range(*np.searchsorted(found_s, (wanted - within_s, wanted + within_s)))
    ]
    used_wanted, used_found = set(), set()
    for _, number, at in sorted(distance):
        if number not in used_wanted and at not in used_found:
            used_wanted.add(number)
            used_found.add(at)
    right = len(used_wanted)
    return np.array([right, found_s.size - right, wanted_s.size - right], dtype=np.float64)


def _row(records: list[Annotated], found: list[Floats]) -> str:
    by = {
        within: [
            counts(one.beats_s, beats, within) for one, beats in zip(records, found, strict=True)
        ]
        for within in (0.15, 0.05)
    }
    right, false, missed = np.sum(by[0.15], axis=0)
    cells = [f"{right / (right + missed):.4f}, {right / (right + false):.4f}"]
    cells += [f"{_f1(np.sum(by[within], axis=0)):.4f}" for within in by]
    cells += [f"{np.median([_f1(one) for one in by[within]]):.4f}" for within in by]
    return " | ".join(cells)


def _f1(total: Floats) -> float:
    right, false, missed = total
    return float(2 * right / max(2 * right + false + missed, 1))


def _ours(one: Annotated, signal: NDArray[np.float32]) -> Floats:
    parts = find_beats(one.with_signal(signal), mask=False)
    return np.concatenate([part.at_s for part in parts] or [np.empty(0)])


def _sleepecg(one: Annotated, signal: NDArray[np.float32]) -> Floats:
    return SleepecgFinder().find(signal[:1], one.ecg.fs_hz) / one.ecg.fs_hz


def _xqrs(one: Annotated, signal: NDArray[np.float32]) -> Floats:
    from wfdb.processing import xqrs_detect

    found = xqrs_detect(signal[0].astype(np.float64), one.ecg.fs_hz, verbose=False)
    return np.unique(np.asarray(found, dtype=np.int64)) / one.ecg.fs_hz


if __name__ == "__main__":
    main()
