"""What finding beats in the ECG costs the AF detector: from the signal against annotated beats.

    python benchmarks/ecg_af.py

For each second: AF found, false AF, missed AF, not judged; with and without the quality mask, and
under added noise, on real ECGs and on ECGs made of annotated beats. The bundled detector learned
from these databases: the table compares ways to its input, it does not evaluate the detector.
"""

from dataclasses import replace

import numpy as np
from ecg_data import Annotated, made, real
from ecg_noise import with_noise
from numpy.typing import NDArray

from pacl.detect import Detection, Detector
from pacl.ecg import Ecg, find_beats
from pacl.records import Record, Rhythm, Span, record_from_beats

CASES = [
    ("none", 0),
    *((kind, db) for kind in ("baseline", "muscle", "motion") for db in (24, 12, 6, 0)),
]
WAYS = {"mask": True, "no mask": False}


def main() -> None:
    """Measure and print."""
    detector = Detector()
    for title, leads, records in (
        ("real ECGs, all leads", None, list(real())),
        ("real ECGs, first lead", 1, list(real())),
        ("ECGs made of annotated beats", None, list(made())),
    ):
        print(
            f"\n{title}: {len(records)} records, {sum(one.af.size for one in records):,} s, "
            f"{sum(int(one.af.sum()) for one in records):,} s of AF\n"
        )
        print("| noise | beats from | AF found | false AF | missed AF | not judged |")
        print("|---|---|--:|--:|--:|--:|")
        annotated = sum(seconds(detector.detect(excerpt(one)), one) for one in records)
        print(f"| none | annotations | {_cells(annotated)} |")
        for kind, db in CASES:
            totals = dict.fromkeys(WAYS, np.zeros(4, np.int64))
            for one in records:
                signal = one.millivolts[:leads]
                if kind != "none":
                    at = (one.beats_s * one.ecg.fs_hz).astype(np.int64)
                    signal = with_noise(signal, one.ecg.fs_hz, at, kind, db)
                for way, mask in WAYS.items():
                    found = from_signal(detector, one.with_signal(signal), mask=mask)
                    totals[way] = totals[way] + seconds(found, one)
            for way, total in totals.items():
                noise = "none" if kind == "none" else f"{kind}, {db} dB"
                print(f"| {noise} | signal, {way} | {_cells(total)} |", flush=True)


def from_signal(detector: Detector, ecg: Ecg, *, mask: bool) -> Detection | None:
    """The result on the beats that are found; nothing where there are none."""
    parts = find_beats(ecg, mask=mask)
    return detector.detect(record_from_beats(ecg, parts, "x", "x")) if parts else None


def excerpt(one: Annotated) -> Record:
    """The annotated beats of the ECG's time."""
    rr_ms = (1000 * np.diff(one.beats_s)).astype(np.float32)
    return replace(
        one.record,
        rr_ms=rr_ms,
        spans=(Span(0, rr_ms.size, Rhythm.UNKNOWN),),
        file_starts=np.zeros(1, np.int64),
        file_onset_s=one.beats_s[:1],
    )


def seconds(found: Detection | None, one: Annotated) -> NDArray[np.int64]:
    """Seconds of AF found, of false and of missed AF, and not judged."""
    middle_s = np.arange(one.af.size) + 0.5
    if found is None or not found.start_s.size:
        return np.array([0, 0, 0, one.af.size])
    at = np.searchsorted(found.start_s, middle_s, side="right") - 1
    judged = (at >= 0) & (middle_s < found.end_s[np.maximum(at, 0)])
    called = judged & found.af[np.maximum(at, 0)]
    right, false = called & one.af, called & ~one.af
    missed = judged & ~called & one.af
    return np.array([right.sum(), false.sum(), missed.sum(), (~judged).sum()])


def _cells(total: NDArray[np.int64]) -> str:
    return " | ".join(f"{value:,}" for value in total.tolist())


if __name__ == "__main__":
    main()
