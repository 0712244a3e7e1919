"""Results of the weights for faulty beats, ectopy, bigeminy and AF with little variation.

    python benchmarks/weights_stress.py MADE RECORDINGS OUT [--only PART ...]

MADE is the folder of `pacl weights RECORDINGS -o MADE`. Each patient is evaluated out of fold, with
the calibration of the weights, and compared with the yardstick of the same folds. Prints Markdown,
and draws `faults.png` and `faults.svg` in OUT.
"""

import argparse
import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from sklearn.ensemble import HistGradientBoostingClassifier
from synthetic_ectopy import PATTERNS
from threadpoolctl import threadpool_limits
from yardstick import boosting, statistics

from pacl.axes import Array, Bool, Float32, Float64
from pacl.evaluation import Predictions, embed, fit_platt
from pacl.features import statistics_of
from pacl.records import Faults, Reader, Record, open_records, with_faults
from pacl.records.annotations import SYMBOLS, parse_annotations
from pacl.rr import RRWindowSet, prepare
from pacl.studies import RunFolder
from pacl.studies.weights import CUT, RULE, judge_out_of_fold, measure_weights
from pacl.studies.weights.recipe import FOLDS
from pacl.windows import Split, split_units

SHARES = (0.01, 0.02, 0.05, 0.10)
RESOLUTIONS_MS = (5.0, 8.0, 10.0)
LEVELS = {
    "as recorded": Faults(),
    **{f"{100 * share:g} % missed": Faults(missed=share) for share in SHARES},
    **{f"{100 * share:g} % extra": Faults(extra=share) for share in SHARES},
    **{f"to {ms:g} ms": Faults(resolution_ms=ms) for ms in RESOLUTIONS_MS},
}
ECTOPIC = frozenset("AaJSVFejEn")
HEAVY = 0.10
VARIATION = (0.0, 0.04, 0.06, 0.08, 0.10, 0.15, np.inf)


@dataclass(frozen=True)
class FoldModel:
    """The models for the patients of a fold: run and yardstick, trained without them."""

    run: RunFolder
    boosted: HistGradientBoostingClassifier
    patients: frozenset[str]


class Stress:
    """The weights of a cohort, fold by fold, and their calibration."""

    def __init__(self, made: Path) -> None:
        self.windows = RRWindowSet.open(made / "windows")
        runs = [RunFolder.open(made / "runs" / f"fold-{fold}") for fold in range(FOLDS)]
        raw = judge_out_of_fold(self.windows, runs)
        self.platt = fit_platt(raw.logit, raw.labels)
        self.judged = raw.calibrated(self.platt)
        x, who = statistics(self.windows), np.array(self.windows.table.patient.to_list())
        y = self.windows.table.rhythm
        self.folds = []
        boosted = np.empty(len(y))
        for run in runs:
            part = json.loads((run.path / "split.json").read_text())["parts"]["test"]
            held = np.isin(who, part)
            model = boosting().fit(x[~held], y[~held])
            boosted[held] = model.decision_function(x[held])
            self.folds.append(FoldModel(run, model, frozenset(part)))
        self.boosted_platt = fit_platt(boosted, self.judged.labels)
        self.boosted = Predictions.of_windows(self.windows, boosted).calibrated(self.boosted_platt)

    def judge(self, windows: RRWindowSet) -> tuple[Predictions, Predictions]:
        """Other windows of the same patients, by the weights and by the yardstick."""
        who = np.array(windows.table.patient.to_list())
        ours, theirs = np.empty(len(windows)), np.empty(len(windows))
        for fold in self.folds:
            rows = np.flatnonzero(np.isin(who, list(fold.patients)))
            part = windows.select(rows)
            ours[rows] = fold.run.probe().logit(embed(fold.run.encoder(), part).pooled)
            theirs[rows] = fold.boosted.decision_function(statistics(part))
        return (
            Predictions.of_windows(windows, ours).calibrated(self.platt),
            Predictions.of_windows(windows, theirs).calibrated(self.boosted_platt),
        )


@dataclass(frozen=True)
class FaultyReader:
    """Recordings with faults put into each."""

    reader: Reader
    faults: Faults

    @property
    def root(self) -> Path:
        """Where the recordings are."""
        return self.reader.root

    @property
    def record_ids(self) -> tuple[str, ...]:
        """Their names."""
        return self.reader.record_ids

    @property
    def left_out(self) -> tuple[str, ...]:
        """What is not read."""
        return self.reader.left_out

    def read(self, record_id: str) -> Record:
        """A recording with faults, which do not depend on other recordings."""
        seed = np.random.SeedSequence([int.from_bytes(record_id.encode(), "little")])
        return with_faults(self.reader.read(record_id), self.faults, np.random.default_rng(seed))


def print_faults(stress: Stress, reader: Reader, out: Path) -> None:
    """AUROC under each fault, as a table and a picture."""
    print("\n### A detector's faults\n")
    print("| beats | AUROC | boosted statistics | within patients | sensitivity | specificity |")
    print("|---|--:|--:|--:|--:|--:|")
    drawn: dict[str, tuple[float, float]] = {}
    for name, faults in LEVELS.items():
        place = out / "faulty"
        windows = _cut(FaultyReader(reader, faults), place)
        ours, theirs = stress.judge(windows)
        found, other = measure_weights(ours), measure_weights(theirs)
        drawn[name] = (found.auroc.estimate, other.auroc.estimate)
        print(
            f"| {name} | {found.auroc.text()} | {other.auroc.estimate:.4f} "
            f"| {found.auroc_patient.estimate:.4f} | {found.sensitivity.estimate:.3f} "
            f"| {found.specificity.estimate:.3f} |",
            flush=True,
        )
    (out / "faults.json").write_text(json.dumps(drawn, indent=1))
    draw_faults(drawn, out)


def draw_faults(found: dict[str, tuple[float, float]], out: Path) -> None:
    """Two lines per panel: the weights and the yardstick."""
    from matplotlib.figure import Figure

    from pacl.report.style import figure_style, save_figure

    panels = {
        "missed beats, %": ([0, 1, 2, 5, 10], " % missed"),
        "extra beats, %": ([0, 1, 2, 5, 10], " % extra"),
        "time resolution, ms": ([0, 5, 8, 10], " ms"),
    }
    with figure_style():
        figure = Figure(figsize=(9, 3), layout="constrained")
        for axes, (title, (levels, ending)) in zip(
            figure.subplots(1, 3, sharey=True), panels.items(), strict=True
        ):
            prefix = "to " if ending == " ms" else ""
            keys = ["as recorded", *(f"{prefix}{level}{ending}" for level in levels[1:])]
            for at, (name, colour) in enumerate(
                {"weights": "#D55E00", "boosted statistics": "#777777"}.items()
            ):
                axes.plot(levels, [found[key][at] for key in keys], "o-", color=colour, label=name)
            axes.set(title=title, xticks=levels)
        figure.axes[0].set_ylabel("AUROC, out of fold")
        figure.axes[0].legend(loc="lower left")
        for ending in (".png", ".svg"):
            save_figure(figure, out / f"faults{ending}")


def print_ectopy(stress: Stress, recordings: Path) -> None:
    """Time without AF by how many of its beats are ectopic, as annotated."""
    table = stress.windows.table
    share = np.empty(len(table))
    heavy: dict[str, float] = {}
    for record in table.record.present():
        rows = table.record.is_(record)
        content = (recordings / f"{record}.atr").read_bytes()
        found = parse_annotations(content, record)
        symbols = np.array(list(SYMBOLS.ljust(64)))[found.code[found.is_beat()]]
        ectopic = np.append(0, np.cumsum(np.isin(symbols, list(ECTOPIC))))
        start, stop = table.raw_start[rows], table.raw_stop[rows]
        share[rows] = (ectopic[stop] - ectopic[start]) / (stop - start)
        not_af = rows & (table.rhythm == 0)
        heavy[record] = float(share[not_af].mean()) if not_af.any() else 0.0
    many = np.isin(np.array(table.record.to_list()), [r for r, s in heavy.items() if s >= HEAVY])
    free = stress.judged.labels == 0
    groups: dict[str, Bool[Array, "window"]] = {
        "patients with a tenth of ectopic beats or more": free & many,
        "all others": free & ~many,
        "windows with less than 1 % ectopic beats": free & (share < 0.01),
        "1 to 10 %": free & (share >= 0.01) & (share < 0.1),
        "10 to 30 %": free & (share >= 0.1) & (share < 0.3),
        "30 % or more": free & (share >= 0.3),
    }
    print("\n### Ectopy\n")
    print("| time without AF | patients | hours | false AF, h in 24 h | boosted statistics |")
    print("|---|--:|--:|--:|--:|")
    for name, rows in groups.items():
        ours, theirs = stress.judged.select(rows), stress.boosted.select(rows)
        hours = ours.seconds.sum() / 3600
        rates = [24 * np.average(one.logit > 0, weights=one.seconds) for one in (ours, theirs)]
        print(
            f"| {name} | {len(ours.patient.present())} | {hours:,.0f} | {rates[0]:.2f} "
            f"| {rates[1]:.2f} |"
        )


def print_regular_af(stress: Stress) -> None:
    """AF by how much its intervals vary."""
    rows = np.flatnonzero(stress.judged.labels == 1)
    variation = np.concatenate(
        [
            _variation(stress.windows.windows(some))
            for some in np.array_split(rows, max(1, len(rows) // 4096))
        ]
    )
    print("\n### AF by how regular it is\n")
    print("| SD / mean of the window | windows | patients | called AF | boosted statistics |")
    print("|---|--:|--:|--:|--:|")
    for low, high in pairwise(VARIATION):
        some = rows[(variation >= low) & (variation < high)]
        if not some.size:
            continue
        mask = np.zeros(len(stress.windows), dtype=bool)
        mask[some] = True
        ours, theirs = stress.judged.select(mask), stress.boosted.select(mask)
        name = f"{low:.2f} to {high:.2f}" if np.isfinite(high) else f"{low:.2f} or more"
        print(
            f"| {name} | {some.size:,} | {len(ours.patient.present())} "
            f"| {np.mean(ours.logit > 0):.3f} | {np.mean(theirs.logit > 0):.3f} |"
        )


def print_bigeminy(stress: Stress) -> None:
    """Simulated sinus rhythm with ectopy; there is no AF in it."""
    generator = np.random.default_rng(0)
    print("\n### Simulated ectopy without AF\n")
    print("| pattern | windows | called AF | boosted statistics |\n|---|--:|--:|--:|")
    for name, make in PATTERNS.items():
        rr_ms = make(generator).astype(np.float32)
        ours, theirs = [], []
        for fold in stress.folds:
            with torch.no_grad():
                pooled = fold.run.encoder()(torch.from_numpy(rr_ms)).pooled.numpy()
            ours.append(stress.platt.logit(fold.run.probe().logit(pooled)))
            theirs.append(
                stress.boosted_platt.logit(fold.boosted.decision_function(statistics_of(rr_ms)))
            )
        print(
            f"| {name} | {len(rr_ms):,} | {np.mean(np.array(ours) > 0):.3f} "
            f"| {np.mean(np.array(theirs) > 0):.3f} |"
        )


def _variation(rr_ms: Float32[Array, "window beat"]) -> Float64[Array, "window"]:
    return np.asarray(rr_ms.std(axis=1) / rr_ms.mean(axis=1), dtype=np.float64)


def _cut(reader: FaultyReader, place: Path) -> RRWindowSet:
    def divide(strata: dict[str, str], patients: dict[str, str]) -> Split:
        return split_units(strata, seed=0, counts=(0, 0, 1))

    shutil.rmtree(place, ignore_errors=True)
    prepare(reader, place, protocol=RULE, divide=divide, cut=CUT)
    return RRWindowSet.open(place)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the parts asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("made", type=Path)
    parser.add_argument("recordings", type=Path)
    parser.add_argument("out", type=Path)
    parts = ("ectopy", "regular", "bigeminy", "faults")
    parser.add_argument("--only", nargs="+", choices=parts, default=parts)
    chosen = parser.parse_args(arguments)
    chosen.out.mkdir(parents=True, exist_ok=True)
    with threadpool_limits(1):
        stress = Stress(chosen.made)
        if "ectopy" in chosen.only:
            print_ectopy(stress, chosen.recordings)
        if "regular" in chosen.only:
            print_regular_af(stress)
        if "bigeminy" in chosen.only:
            print_bigeminy(stress)
        if "faults" in chosen.only:
            print_faults(stress, open_records(chosen.recordings), chosen.out)


if __name__ == "__main__":
    main()
