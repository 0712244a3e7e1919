"""Learn the detector's smoother, and what it is worth, out of fold.

    python benchmarks/weights_smoother.py MADE RECORDINGS

MADE is what `pacl weights RECORDINGS -o MADE` left. Every step of every patient, also where the
rhythm changes, is judged by the fold that had not seen them. The two numbers of each smoother, how
often a rhythm changes and how much a window is trusted, are chosen by the log loss over steps,
weighted by their seconds, and by the time called wrong; they are what `src/pacl/detect/smoother.py`
holds. AF begins as often as it ends and nothing is shifted: LTAFDB's share of AF is nobody else's.
Burden errors are in percentage points.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from pacl.axes import Array, Bool, Float64
from pacl.detect import CAUSAL_SMOOTHER, STRIDE_BEATS
from pacl.detect.judge import probability
from pacl.detect.window_smoother import LOOK_AHEAD_SMOOTHER, Smoother
from pacl.detect.window_steps import is_fit, step_logits, window_starts
from pacl.export import Weights, variation_of
from pacl.records import Reader, Rhythm, open_records
from pacl.rr import gather, is_implausible
from pacl.studies import RunFolder
from pacl.studies.weights import NAME
from pacl.studies.weights.recipe import FOLDS

CHANGES = (0.014, 0.02, 0.028, 0.04, 0.056, 0.08, 0.11, 0.16)
TRUSTS = (0.05, 0.07, 0.1, 0.14, 0.2, 0.28, 0.4, 0.56)
AS_GOOD = 0.001
"""Log losses that differ by less are taken for the same."""


@dataclass(frozen=True)
class Stretch:
    """Steps of one patient without a gap: what windows say, whether it is AF, for how long."""

    patient: str
    logit: Float64[Array, "step"]
    af: Bool[Array, "step"]
    seconds: Float64[Array, "step"]


def heard(made: Path, reader: Reader) -> dict[str, list[Stretch]]:
    """The stretches of all patients, as each mode hears them."""
    weights = Weights.read(made / f"{NAME}.safetensors")
    fold_of, encoders, probes = {}, [], []
    for fold in range(FOLDS):
        run = RunFolder.open(made / "runs" / f"fold-{fold}")
        tested = json.loads((run.path / "split.json").read_text())["parts"]["test"]
        fold_of |= dict.fromkeys(tested, fold)
        encoders.append(run.encoder())
        probes.append(run.probe())
    found: dict[str, list[Stretch]] = {"look-ahead": [], "causal": []}
    beats, held = weights.window_beats, weights.window_beats // STRIDE_BEATS
    for record_id in reader.record_ids:
        record = reader.read(record_id)
        rhythm, fold = record.rhythm(), fold_of[record.patient_id]
        for start, stop in record.stretches():
            kept = np.flatnonzero(~is_implausible(record.rr_ms[start:stop])) + start
            starts = window_starts(kept.size, beats)
            if not starts.size:
                continue
            rr_ms = record.rr_ms[kept].astype(np.float32)
            windows = gather(rr_ms, starts, beats)
            fit = is_fit(windows, kept[starts + beats - 1] - kept[starts] + 1)
            with torch.no_grad():
                parts = torch.split(torch.from_numpy(windows), 1024)
                pooled = torch.cat([encoders[fold](part).pooled for part in parts]).numpy()
            logit = weights.platt.logit(probes[fold].logit(pooled))
            logit = weights.steady.bound(logit, variation_of(windows))
            steps = starts.size + held - 1
            inside = kept[: steps * STRIDE_BEATS].reshape(steps, STRIDE_BEATS)
            af = (rhythm[inside] == Rhythm.AF).mean(axis=1) > 0.5
            known = (rhythm[inside] != Rhythm.UNKNOWN).all(axis=1)
            seconds = (
                rr_ms[: steps * STRIDE_BEATS].reshape(steps, STRIDE_BEATS).sum(axis=1)
                / 1000.0
                * known
            )
            ahead = step_logits(logit, fit, beats)
            for mode, said, skip in (
                ("look-ahead", ahead, 0),
                ("causal", np.where(fit, logit, np.nan), held - 1),
            ):
                some = np.isfinite(said)
                found[mode].append(
                    Stretch(record.patient_id, said[some], af[skip:][some], seconds[skip:][some])
                )
    return found


def learn(stretches: Sequence[Stretch], mode: str) -> Smoother:
    """Of the smoothers whose log loss is as good as the least, the one that errs least.

    The loss hardly changes where a rhythm may change more often and windows are trusted more; the
    share of time that is called wrong, in the mean over patients, tells such smoothers apart.
    """
    tried = [Smoother(change, trust) for change in CHANGES for trust in TRUSTS]
    total = np.concatenate([one.seconds for one in stretches])
    af = np.concatenate([one.af for one in stretches])
    _, patient = np.unique(
        np.concatenate([np.full(one.af.size, one.patient) for one in stretches]),
        return_inverse=True,
    )
    losses, errors = [], []
    for smoother in tried:
        p = np.clip(np.concatenate(_posteriors(stretches, smoother, mode)), 1e-6, 1 - 1e-6)
        losses.append(-(total * np.where(af, np.log(p), np.log(1 - p))).sum() / total.sum())
        wrong = np.bincount(patient, total * ((p >= 0.5) != af)) / np.bincount(patient, total)
        errors.append(wrong.mean())
    good = np.array(losses) <= min(losses) + AS_GOOD
    return tried[int(np.argmin(np.where(good, errors, np.inf)))]


def _posteriors(
    stretches: Sequence[Stretch], smoother: Smoother, mode: str
) -> list[Float64[Array, "step"]]:
    """What the smoother says of each stretch; all of them at once, a step at a time."""
    longest = max(one.logit.size for one in stretches)
    evidence = np.zeros((len(stretches), longest))
    for row, one in enumerate(stretches):
        evidence[row, : one.logit.size] = smoother.trust * one.logit
    change = smoother.change
    forward = np.empty_like(evidence)
    log_odds = np.zeros(len(stretches))
    for at in range(longest):
        if at:
            af = 0.5 * (1 + np.tanh(0.5 * log_odds))
            after = af * (1 - change) + (1 - af) * change
            log_odds = np.log(after / (1 - after))
        log_odds = np.clip(log_odds + evidence[:, at], -30, 30)
        forward[:, at] = log_odds
    if mode == "look-ahead":
        sizes = np.array([one.logit.size for one in stretches])
        later = np.zeros(len(stretches))
        for at in range(longest - 1, -1, -1):
            later = np.where(at >= sizes - 1, 0.0, later)
            forward[:, at] = np.clip(forward[:, at] + later, -30, 30)
            odds = np.exp(np.clip(later + evidence[:, at], -30, 30))
            later = np.log(((1 - change) * odds + change) / (change * odds + 1 - change))
    return [
        0.5 * (1 + np.tanh(0.5 * forward[row, : one.logit.size]))
        for row, one in enumerate(stretches)
    ]


def print_worth(name: str, stretches: Sequence[Stretch], likely: list[Array]) -> None:
    """A row: burden error over patients, false AF, missed AF."""
    rows: dict[str, Array] = {}
    for one, p in zip(stretches, likely, strict=True):
        called = p >= 0.5
        sums = [
            (one.seconds * mask).sum()
            for mask in (called, one.af, True, called & ~one.af, ~called & one.af)
        ]
        rows[one.patient] = rows.get(one.patient, 0) + np.array(sums)
    table = np.array(list(rows.values()))
    error = 100 * np.abs(table[:, 0] - table[:, 1]) / table[:, 2]
    low, middle, high = np.percentile(error, [25, 50, 75])
    total = table.sum(axis=0)
    print(
        f"| {name} | {middle:.2f} ({low:.2f} to {high:.2f}) | {error.mean():.2f} "
        f"| {24 * total[3] / (total[2] - total[1]):.2f} | {100 * total[4] / total[1]:.2f} % |"
    )


def main() -> None:
    """Learn both, and say what they are worth beside the bare windows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("made", type=Path)
    parser.add_argument("recordings", type=Path)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    found = heard(chosen.made, open_records(chosen.recordings))
    shipped = {"look-ahead": LOOK_AHEAD_SMOOTHER, "causal": CAUSAL_SMOOTHER}
    for mode, stretches in found.items():
        print(f"{mode}: {learn(stretches, mode)}", flush=True)
    print("\n| steps | median burden error (quartiles) | mean | false AF, h in 24 h | AF missed |")
    print("|---|--:|--:|--:|--:|")
    for mode, stretches in found.items():
        bare = [np.array([probability(x) for x in one.logit.tolist()]) for one in stretches]
        print_worth(f"{mode}, each by itself", stretches, bare)
        print_worth(f"{mode}, smoothed", stretches, _posteriors(stretches, shipped[mode], mode))


if __name__ == "__main__":
    main()
