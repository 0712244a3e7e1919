"""A decision for every beat, judged on databases that were left out.

    python benchmarks/strangers.py DATA --steps 2000 --seeds 1 -o strangers.jsonl

DATA holds the folders ltafdb, afdb, mitdb and nsrdb. Each of them is left out once; a network
learns from the others and is judged on it: by time and by episode (EC57), false AF, and the mean
over patients of the log loss of a beat. `--without Ectopy` leaves an augmentation out. On a GPU
2,000 steps take less than a minute.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch

from pacl.axes import Array, Bool, Float32
from pacl.detect.judged_steps import runs
from pacl.detect.rhythm_agreement import Agreement, agreement
from pacl.detect.rhythm_scores import rhythm_scores
from pacl.detect.rhythm_spans import Compared, annotated_spans, joined
from pacl.evaluation.beat_logits import beat_logits, called_af
from pacl.models.beat_network import BeatNetwork
from pacl.records import Record, Rhythm, Span, open_records
from pacl.training.beats import (
    ROBUST,
    BeatLine,
    BeatSampler,
    BeatTraining,
    LabelledRecord,
    label_beats,
    train_beats,
)

LEAST, MOST = 0.001, 0.999
"""A probability counts as these at the most: one beat that is surely wrong is not everything."""


@dataclass(frozen=True)
class Database:
    """What a database's files do not say: who is who, and what beats without a mark are."""

    name: str
    same: dict[str, str]
    all_sinus: bool = False
    most: float = 1.0

    def read(self, folder: Path) -> Iterator[LabelledRecord]:
        """All recordings, labelled."""
        reader = open_records(folder / self.name)
        for record_id in reader.record_ids:
            record = reader.read(record_id)
            patient = self.same.get(record.patient_id, record.patient_id)
            spans = (Span(0, len(record), Rhythm.SR),) if self.all_sinus else record.spans
            record = replace(record, patient_id=patient, spans=spans)
            yield LabelledRecord(self.name, record, label_beats(record))


DATABASES = (
    Database("ltafdb", {}),
    Database("afdb", {}),
    Database("mitdb", {"202": "201"}),
    Database("nsrdb", {}, all_sinus=True, most=0.15),
)


def weights_of(line: BeatLine, left_out: str) -> dict[str, float]:
    """By the square root of a database's patients; sinus rhythm alone at most 15 % of a batch."""
    names = [name for name, _ in line.subjects]
    found = {name: names.count(name) ** 0.5 for name in set(names) - {left_out}}
    total = sum(found.values())
    bounds = {one.name: one.most * total for one in DATABASES}
    return {name: min(weight, bounds[name]) for name, weight in found.items()}


def compare(record: Record, af: Bool[Array, "beat"]) -> Agreement:
    """One recording: what was called AF against what is."""
    begins_s = record.onset_s()
    ends_s = begins_s + record.rr_ms / 1000.0
    called = [(begins_s[low], ends_s[high - 1]) for low, high in runs(af)]
    annotated = annotated_spans(record)
    return agreement(Compared(annotated.af, joined(called), annotated.known))


def judge(
    records: list[LabelledRecord], line: BeatLine, logits: Float32[Array, "beat"], evidence: float
) -> dict[str, object]:
    """Figures of one database."""
    present = line.present.cpu().numpy()
    af = called_af(logits, present, evidence=evidence)
    by_patient: dict[str, Agreement] = {}
    losses: dict[str, list[Float32[Array, "beat"]]] = {}
    for at, one in enumerate(records):
        mine = line.record == at
        whole = np.zeros(len(one.record), np.bool_)
        heard = np.concatenate([np.arange(*stretch) for stretch in one.record.stretches()])
        whole[heard] = af[mine]
        who = one.record.patient_id
        found = compare(one.record, whole)
        by_patient[who] = by_patient[who] + found if who in by_patient else found
        label = one.label[heard]
        likely = np.clip(1 / (1 + np.exp(-logits[mine].astype(np.float64))), LEAST, MOST)
        loss = -np.log(np.where(label == 1, likely, 1 - likely))[label < 2]
        losses.setdefault(who, []).append(loss)
    scores = rhythm_scores(list(by_patient.values()))
    total = scores.total
    wrong = total.called_episodes - total.right_episodes
    means = [float(np.concatenate(each).mean()) for each in losses.values() if sum(map(len, each))]
    return {
        "log_loss": float(np.mean(means)),
        "sensitivity": scores.ratios["duration_sensitivity"].gross,
        "predictivity": scores.ratios["duration_predictivity"].gross,
        "false_af_h_per_day": scores.false_af_h_per_day,
        "false_episodes_in_5_h": 5 * 3600 * wrong / total.counted_s,
        "found": [f"{one.found}/{one.episodes}" for one in scores.by_length],
    }


def main() -> None:
    """Leave each database out, for each seed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--channels", type=int, default=32)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--left-out", nargs="+", default=[one.name for one in DATABASES])
    parser.add_argument("--without", nargs="+", default=[], help="augmentations, by name")
    parser.add_argument("--evidence", type=float, nargs="+", default=[0.0, 10.0, 20.0, 40.0])
    asked = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    known = [type(one).__name__ for one in ROBUST]
    if unknown := set(asked.without) - set(known):
        sys.exit(f"no augmentation {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    augmentations = [one for one in ROBUST if type(one).__name__ not in asked.without]
    records = {one.name: list(one.read(asked.data)) for one in DATABASES}
    apart = BeatNetwork().reach
    everything = BeatLine.of([one for each in records.values() for one in each], apart, device)
    alone = {name: BeatLine.of(records[name], apart, device) for name in asked.left_out}
    for seed in asked.seeds:
        for left_out in asked.left_out:
            began = time.perf_counter()
            network = BeatNetwork(asked.channels, generator=torch.Generator().manual_seed(seed))
            network = network.to(device)
            train_beats(
                network,
                everything,
                BeatSampler(everything, weights_of(everything, left_out)),
                augmentations,
                BeatTraining(steps=asked.steps),
                torch.Generator(device).manual_seed(seed),
                told=lambda step, loss: step % 100 or print(f"{step}: {loss:.4f}", flush=True),
            )
            learned_s = time.perf_counter() - began
            logits = beat_logits(network, alone[left_out])
            for evidence in asked.evidence:
                row = {
                    "left_out": left_out,
                    "seed": seed,
                    "steps": asked.steps,
                    "without": asked.without,
                    "evidence": evidence,
                    "learned_s": round(learned_s, 1),
                    **judge(records[left_out], alone[left_out], logits, evidence),
                }
                print(json.dumps(row), flush=True)
                with asked.output.open("a") as file:
                    file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
