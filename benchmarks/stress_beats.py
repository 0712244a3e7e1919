"""Rhythms and measurements that nobody learned from: how often they are called AF, or missed.

    python benchmarks/stress_beats.py --sinus NSRDB MADE/left-out/nsrdb \
        --both AFDB MADE/left-out/afdb -o stress.jsonl

MADE is a study of `pacl weights --data`. Each cohort is judged by the detector without it:
sinus rhythm with jitter on its beats, with beats on a coarse grid, with ectopy and pacing of kinds
that training never makes (`pacl.af.unseen_rhythms`); and AF with the same ectopy.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from pacl.af.unseen_rhythms import UNSEEN, Intervals, Make, UnseenRhythm
from pacl.axes import Array, Float64
from pacl.cohort import AllBeatsProtocol
from pacl.detect import Detector
from pacl.records import Record, Rhythm, open_records, record_from_rr

LEAST_BEATS = {Rhythm.SR: 1000, Rhythm.AF: 500}


def stretches(record: Record, rhythm: Rhythm, *, all_sinus: bool) -> Iterator[Float64[Array, "_"]]:
    """Long stretches of one rhythm."""
    if all_sinus:
        spans = [(start, stop) for start, stop in record.stretches()]
    else:
        shares = AllBeatsProtocol().select(record).shares
        found = [one for share in shares for one in share.excerpts if one.rhythm is rhythm]
        spans = [(one.start, one.stop) for one in found]
    for start, stop in spans:
        if stop - start >= LEAST_BEATS[rhythm]:
            yield np.clip(record.rr_ms[start:stop].astype(np.float64), 250, 2000)


def jitter(sd_ms: float) -> Make:
    """Beats found a little early or late."""

    def make(rr_ms: Intervals, generator: np.random.Generator) -> Intervals:
        times = np.cumsum(rr_ms) + generator.normal(0, sd_ms, rr_ms.size)
        return np.maximum(np.diff(np.sort(times), prepend=0.0), 1.0)

    return make


def grid(rate_hz: float) -> Make:
    """Beats on a grid of time."""

    def make(rr_ms: Intervals, generator: np.random.Generator) -> Intervals:
        step = 1000 / rate_hz
        return np.maximum(np.diff(np.round(np.cumsum(rr_ms) / step) * step, prepend=0.0), step)

    return make


MEASURED = (
    UnseenRhythm("as recorded", "ectopy", lambda rr_ms, generator: rr_ms),
    *(UnseenRhythm(f"jitter {sd} ms", "pacing", jitter(sd)) for sd in (10, 20, 30, 40)),
    *(UnseenRhythm(f"grid {rate} Hz", "pacing", grid(rate)) for rate in (32, 16, 10)),
)


def judge(detector: Detector, all_rr: list[Intervals], rhythm: UnseenRhythm) -> dict[str, float]:
    """Share of the judged time that is called AF, and share that is not judged."""
    af_s = judged_s = recorded_s = 0.0
    for number, rr_ms in enumerate(all_rr):
        made = rhythm.make(rr_ms, np.random.default_rng(number))
        found = detector.detect(record_from_rr(made, "ms", allow_smoothed=True))
        af_s, judged_s = af_s + found.af_s, judged_s + found.judged_s
        recorded_s += found.recorded_s
    return {"called_af": af_s / judged_s, "not_judged": 1 - judged_s / recorded_s}


def main() -> None:
    """Judge all of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sinus", nargs=2, metavar=("DATA", "DETECTOR"), required=True)
    parser.add_argument("--both", nargs=2, metavar=("DATA", "DETECTOR"), required=True)
    parser.add_argument("-o", "--output", type=Path, required=True)
    asked = parser.parse_args()
    for (data, detector), all_sinus in ((asked.sinus, True), (asked.both, False)):
        reader, judged_by = open_records(Path(data)), Detector(Path(detector))
        records = [reader.read(record_id) for record_id in reader.record_ids]
        for truth in (Rhythm.SR,) if all_sinus else (Rhythm.SR, Rhythm.AF):
            found = [each for one in records for each in stretches(one, truth, all_sinus=all_sinus)]
            for rhythm in (*MEASURED, *UNSEEN):
                if truth is Rhythm.AF and rhythm.kind == "pacing" and rhythm in UNSEEN:
                    continue  # it takes the place of the rhythm
                row = {
                    "data": Path(data).name,
                    "truth": truth.name,
                    "rhythm": rhythm.name,
                    **{key: round(one, 5) for key, one in judge(judged_by, found, rhythm).items()},
                }
                print(json.dumps(row), flush=True)
                with asked.output.open("a") as file:
                    file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
