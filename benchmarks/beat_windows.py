"""Windows of 200 beats alone: networks of a study beside boosted features, each cohort left out.

    python benchmarks/beat_windows.py LTAFDB AFDB MITDB NSRDB CPSC2021 --study MADE -o windows.jsonl

MADE is a study of `pacl weights --data` with the same cohorts. A window is AF or not, all of it; a
network's answer is the mean logit of its beats, with nothing around them. Intervals are over
patients, drawn with replacement.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from torch.nn.functional import pad

from pacl.af.beats import ROBUST, BeatLine, BeatSampler
from pacl.af.networks import PerBeatNetwork
from pacl.axes import Array, Float32, Float64, Int64
from pacl.rivals.beats import Boosted
from pacl.studies.beats import SUBJECTS, BeatCohort, BeatFit, LeftOut, read_cohorts
from pacl.studies.beats.cohorts import draw_weights
from pacl.studies.beats.make import FITS, SEEDS

BEATS, DRAWS, AT_ONCE = 200, 400, 256


def windows_of(
    cohort: BeatCohort, stride: int
) -> tuple[Float32[Array, "window beat"], Int64[Array, "window"], Array]:
    """Windows of one rhythm, whether they are AF, and whose they are."""
    found, af, patients = [], [], []
    for one in cohort.records:
        for start, stop in one.record.stretches():
            for at in range(start, stop - BEATS + 1, stride):
                label = one.label[at : at + BEATS]
                if label[0] < 2 and (label == label[0]).all():
                    found.append(one.record.rr_ms[at : at + BEATS])
                    af.append(int(label[0]))
                    patients.append(one.record.patient_id)
    return np.array(found, np.float32), np.array(af), np.array(patients)


@torch.no_grad()
def mean_logits(network: PerBeatNetwork, rr_ms: Float32[Array, "window beat"]) -> Array:
    """The mean logit of each window, which nothing precedes or follows."""
    around, found = (network.behind, network.ahead), []
    for part in torch.from_numpy(rr_ms).split(AT_ONCE):
        there = torch.ones_like(part, dtype=torch.bool)
        logits = network(pad(part, around, value=800.0), pad(there, around))
        found.append(logits.mean(dim=1).numpy())
    return np.concatenate(found)


def boosted_logits(
    cohorts: list[BeatCohort], rr_ms: Float32[Array, "window beat"], seed: int
) -> Float64[Array, "window"]:
    """Trees that learned from the other cohorts."""
    line = BeatLine.of((each for one in cohorts for each in one.records), BEATS)
    sampler = BeatSampler(line, draw_weights(cohorts))
    generator = torch.Generator().manual_seed(seed)
    return Boosted(seed=seed).fit(line, sampler, ROBUST, generator).window_logits(rr_ms)


def interval(af: Array, patients: Array, one: Array, others: list[Array]) -> list[float]:
    """95 % of the differences in AUROC when patients are drawn anew."""
    generator, names = np.random.default_rng(0), np.unique(patients)
    rows = {name: np.flatnonzero(patients == name) for name in names}
    found = []
    for _ in range(DRAWS):
        drawn = np.concatenate([rows[name] for name in generator.choice(names, names.size)])
        if 0 < af[drawn].mean() < 1:
            beside = np.mean([roc_auc_score(af[drawn], each[drawn]) for each in others])
            found.append(roc_auc_score(af[drawn], one[drawn]) - beside)
    return [round(float(each), 5) for each in np.quantile(found, [0.025, 0.975])]


def main() -> None:
    """Judge each cohort that decides."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cohorts", type=Path, nargs="+")
    parser.add_argument("--study", type=Path, required=True)
    parser.add_argument("--judged", nargs="+", help="names of cohorts; all that decide, by default")
    parser.add_argument("--stride", type=int, default=250)
    parser.add_argument("-o", "--output", type=Path, required=True)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    cohorts = read_cohorts(asked.cohorts)
    for cohort in cohorts:
        if cohort.role != "decides" or cohort.name not in (asked.judged or [cohort.name]):
            continue
        rr_ms, af, patients = windows_of(cohort, asked.stride)
        fits = [BeatFit(SUBJECTS, LeftOut((cohort.name,)), seed) for seed in SEEDS]
        ours = [mean_logits(fit.network(asked.study / FITS), rr_ms) for fit in fits]
        rest = [one for one in cohorts if one.name != cohort.name]
        theirs = [boosted_logits(rest, rr_ms, seed) for seed in SEEDS]
        together = np.mean(ours, axis=0)
        row = {
            "cohort": cohort.name,
            "windows": len(af),
            "networks": [round(roc_auc_score(af, one), 5) for one in ours],
            "boosted": [round(roc_auc_score(af, one), 5) for one in theirs],
            "five networks": round(roc_auc_score(af, together), 5),
            "sum": round(roc_auc_score(af, together + np.mean(theirs, axis=0)), 5),
            "five networks less boosted": interval(af, patients, together, theirs),
        }
        print(json.dumps(row), flush=True)
        with asked.output.open("a") as file:
            file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
