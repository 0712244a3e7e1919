"""Published and learned detectors of AF from intervals, all through one scorer.

    python benchmarks/peers.py DATA -o peers.jsonl --processes 16

DATA holds the folders ltafdb, afdb, mitdb and nsrdb. Published methods have the thresholds of their
papers. Those that learn do so anew for each database and seed, from all other databases, with the
weights and augmentations of `strangers.py`. Whoever judges, runs of fewer than five beats are not
AF, and nothing else is done to what was judged. Stretches too short for a method are not AF.

Published methods take half a minute; trees about two minutes for each seed on 16 cores; the
networks, `lstm` and `network`, want a GPU: `--peers lstm boosted --seeds 1 2 3`.
"""

import argparse
import json
import multiprocessing
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
import torch
from strangers import DATABASES, compare, weights_of

from pacl.axes import Array, Bool
from pacl.detect.judged_steps import runs
from pacl.detect.rhythm_agreement import Agreement
from pacl.detect.rhythm_scores import rhythm_scores
from pacl.models.beat_lstm import BeatLSTM
from pacl.models.beat_network import BeatNetwork
from pacl.models.per_beat import PerBeatNetwork
from pacl.records import Record
from pacl.rivals.beats import (
    BeatRival,
    Boosted,
    LakeMoorman,
    Lian,
    OfNetwork,
    Petrenas,
    Zhou,
)
from pacl.rivals.beats.boosted import window_features
from pacl.training.beats import (
    ROBUST,
    BeatLine,
    BeatSampler,
    BeatTraining,
    LabelledRecord,
    train_beats,
)

PUBLISHED: dict[str, BeatRival] = {
    "zhou": Zhou(),
    "petrenas": Petrenas(),
    "lake-moorman": LakeMoorman(),
    "lian": Lian(),
}
NETWORKS: dict[str, Callable[..., PerBeatNetwork]] = {"lstm": BeatLSTM, "network": BeatNetwork}
LEARNED = ("boosted", *NETWORKS)
LEAST_BEATS = 5


@dataclass(frozen=True)
class Judged:
    """Whose recording, how far calls agree, and how many beats lie in stretches too short."""

    patient: str
    agreement: Agreement
    short_beats: int


def judge_record(rival: BeatRival, record: Record) -> Judged:
    """Judge all stretches of a recording."""
    af = np.zeros(len(record), np.bool_)
    short = 0
    for first, stop in record.stretches():
        if stop - first < rival.least_beats:
            short += stop - first
        else:
            rr_ms = record.rr_ms[first:stop].astype(np.float32)
            af[first:stop] = without_short_runs(rival.logits(rr_ms) > 0)
    return Judged(record.patient_id, compare(record, af), short)


def without_short_runs(af: Bool[Array, "beat"]) -> Bool[Array, "beat"]:
    """Only runs of at least five beats."""
    kept = np.zeros_like(af)
    for low, high in runs(af):
        kept[low:high] = high - low >= LEAST_BEATS
    return kept


def score(judged: list[Judged]) -> dict[str, Any]:
    """Figures of one database."""
    by_patient: dict[str, Agreement] = {}
    for one in judged:
        by_patient[one.patient] = by_patient.get(one.patient, Agreement()) + one.agreement
    scores = rhythm_scores(list(by_patient.values()))
    total = scores.total
    without_af_s = total.counted_s - total.af_s
    wrong = total.called_episodes - total.right_episodes
    return {
        "sensitivity": scores.ratios["duration_sensitivity"].gross,
        "specificity": 1 - (total.called_s - total.both_s) / without_af_s,
        "predictivity": scores.ratios["duration_predictivity"].gross if total.af_s else None,
        "false_af_h_per_day": scores.false_af_h_per_day,
        "false_episodes_in_5_h": 5 * 3600 * wrong / total.counted_s,
        "found": [f"{one.found}/{one.episodes}" for one in scores.by_length],
        "short_beats": sum(one.short_beats for one in judged),
    }


@dataclass(frozen=True)
class Learning:
    """What those that learn are given."""

    line: BeatLine
    pool: ProcessPoolExecutor
    windows: int
    steps: int

    def learn(self, name: str, left_out: str, seed: int) -> BeatRival:
        """One of them, from all databases but one."""
        device = self.line.rr_ms.device
        sampler = BeatSampler(self.line, weights_of(self.line, left_out))
        generator = torch.Generator(device).manual_seed(seed)
        if name == "boosted":
            rival = Boosted(seed=seed)
            return rival.fit(self.line, sampler, ROBUST, generator, self.windows, self.features)
        network = NETWORKS[name](generator=torch.Generator().manual_seed(seed)).to(device)
        training = BeatTraining(steps=self.steps)
        train_beats(network, self.line, sampler, ROBUST, training, generator)
        return OfNetwork(network, name)

    def features(self, rr_ms: Array) -> Array:
        """Features of many windows, a share of them in each process."""
        return np.concatenate(list(self.pool.map(window_features, np.array_split(rr_ms, 64))))


def judge(
    rival: BeatRival, records: list[LabelledRecord], pool: ProcessPoolExecutor
) -> dict[str, Any]:
    """Judge a database: networks here, where their device is, all others in processes."""
    work = map if isinstance(rival, OfNetwork) else pool.map
    began = time.perf_counter()
    judged = list(work(judge_record, repeat(rival), [one.record for one in records]))
    return {"judged_s": round(time.perf_counter() - began, 1), **score(judged)}


def rows(asked: argparse.Namespace, pool: ProcessPoolExecutor) -> Iterator[dict[str, Any]]:
    """One row for each method, database and seed."""
    learned = [name for name in asked.peers if name in LEARNED]
    needed = [one for one in DATABASES if learned or one.name in asked.judged]
    records = {one.name: list(one.read(asked.data)) for one in needed}
    for name in asked.peers:
        for judged in asked.judged if name in PUBLISHED else ():
            found = judge(PUBLISHED[name], records[judged], pool)
            yield {"peer": name, "judged": judged, "seed": None, **found}
    if not learned:
        return
    device = "cuda" if torch.cuda.is_available() else "cpu"
    everything = [one for each in records.values() for one in each]
    line = BeatLine.of(everything, BeatNetwork().reach, device)
    learning = Learning(line, pool, asked.windows, asked.steps)
    for name in learned:
        for judged in asked.judged:
            for seed in asked.seeds:
                began = time.perf_counter()
                rival = learning.learn(name, judged, seed)
                learned_s = round(time.perf_counter() - began, 1)
                found = judge(rival, records[judged], pool)
                yield {
                    "peer": name,
                    "judged": judged,
                    "seed": seed,
                    "learned_s": learned_s,
                    **found,
                }


def main() -> None:
    """Judge each database by each method."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = [one.name for one in DATABASES]
    known = [*PUBLISHED, *LEARNED]
    parser.add_argument("data", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--peers", nargs="+", choices=known, default=list(PUBLISHED))
    parser.add_argument("--judged", nargs="+", choices=names, default=names)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--windows", type=int, default=60_000, help="that trees learn from")
    parser.add_argument("--steps", type=int, default=2000, help="that networks learn for")
    asked = parser.parse_args()
    begin = multiprocessing.get_context("spawn")  # torch's threads do not survive a fork
    with ProcessPoolExecutor(asked.processes, begin) as pool:
        for row in rows(asked, pool):
            print(json.dumps(row), flush=True)
            with asked.output.open("a") as file:
                file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
