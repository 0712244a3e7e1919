"""Published and learned detectors of AF from intervals, all through one scorer.

    python benchmarks/peers.py LTAFDB AFDB MITDB NSRDB -o peers.jsonl --processes 16

Each cohort is a folder, or a `cohort.toml` that names one. Published methods have the thresholds of
their papers. Those that learn do so anew for each cohort and seed, from all others, drawn and
augmented as for `af-beats`. Runs of fewer than five beats are not AF, and nothing else is done to
what was judged; with `--decoder` it goes through the decoder of `af-beats`. Stretches too short for
a method are not AF.

Published methods take half a minute; trees about two minutes for each seed on 16 cores; the
networks, `lstm` and `network`, want a GPU: `--peers lstm boosted --seeds 1 2 3`.
"""

import argparse
import json
import multiprocessing
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
import torch

from pacl.af.beats import ROBUST, BeatLine, BeatSampler, BeatTraining, train_beats
from pacl.af.networks import BeatLSTM, BeatNetwork, PerBeatNetwork
from pacl.axes import Array, Bool
from pacl.detect import Decoder
from pacl.detect.scoring import (
    Agreement,
    Compared,
    agreement,
    annotated_spans,
    rhythm_scores,
)
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
from pacl.spans import joined, runs
from pacl.studies.beats import BeatCohort, read_cohorts
from pacl.studies.beats.cohorts import draw_weights

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


def judge_record(rival: BeatRival, record: Record, decoder: Decoder | None) -> Judged:
    """Judge all stretches of a recording."""
    af = np.zeros(len(record), np.bool_)
    short = 0
    for first, stop in record.stretches():
        if stop - first < rival.least_beats:
            short += stop - first
        else:
            rr_ms = record.rr_ms[first:stop].astype(np.float32)
            logits = rival.logits(rr_ms)
            af[first:stop] = (
                without_short_runs(logits > 0) if decoder is None else decoder.decode(logits)
            )
    return Judged(record.patient_id, compare(record, af), short)


def compare(record: Record, af: Bool[Array, "beat"]) -> Agreement:
    """One recording: what was called AF against what is."""
    begins_s = record.onset_s()
    ends_s = begins_s + record.rr_ms / 1000.0
    called = [(begins_s[low], ends_s[high - 1]) for low, high in runs(af)]
    annotated = annotated_spans(record)
    return agreement(Compared(annotated.af, joined(called), annotated.known))


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

    cohorts: Mapping[str, BeatCohort]
    line: BeatLine
    pool: ProcessPoolExecutor
    windows: int
    steps: int

    def learn(self, name: str, left_out: str, seed: int) -> BeatRival:
        """One of them, from all databases but one."""
        device = self.line.rr_ms.device
        others = [one for name, one in self.cohorts.items() if name != left_out]
        sampler = BeatSampler(self.line, draw_weights(others))
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
    rival: BeatRival, cohort: BeatCohort, pool: ProcessPoolExecutor, decoder: Decoder | None
) -> dict[str, Any]:
    """Judge a database: networks here, where their device is, all others in processes."""
    work = map if isinstance(rival, OfNetwork) else pool.map
    began = time.perf_counter()
    records = [one.record for one in cohort.records]
    judged = list(work(judge_record, repeat(rival), records, repeat(decoder)))
    return {"judged_s": round(time.perf_counter() - began, 1), **score(judged)}


def rows(asked: argparse.Namespace, pool: ProcessPoolExecutor) -> Iterator[dict[str, Any]]:
    """One row for each method, database and seed."""
    learned = [name for name in asked.peers if name in LEARNED]
    cohorts = {one.name: one for one in read_cohorts(asked.cohorts)}
    asked_for = asked.judged or list(cohorts)
    decoder = Decoder(evidence=20.0) if asked.decoder else None
    for name in asked.peers:
        for judged in asked_for if name in PUBLISHED else ():
            found = judge(PUBLISHED[name], cohorts[judged], pool, decoder)
            yield {"peer": name, "judged": judged, "seed": None, **found}
    if not learned:
        return
    device = "cuda" if torch.cuda.is_available() else "cpu"
    everything = [one for each in cohorts.values() for one in each.records]
    line = BeatLine.of(everything, BeatNetwork().reach, device)
    learning = Learning(cohorts, line, pool, asked.windows, asked.steps)
    for name in learned:
        for judged in asked_for:
            for seed in asked.seeds:
                began = time.perf_counter()
                rival = learning.learn(name, judged, seed)
                learned_s = round(time.perf_counter() - began, 1)
                found = judge(rival, cohorts[judged], pool, decoder)
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
    known = [*PUBLISHED, *LEARNED]
    parser.add_argument("cohorts", type=Path, nargs="+")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--peers", nargs="+", choices=known, default=list(PUBLISHED))
    parser.add_argument("--judged", nargs="+", help="names of cohorts; all, by default")
    parser.add_argument("--decoder", action="store_true", help="use the decoder of af-beats")
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
