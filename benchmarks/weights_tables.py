"""The results of `weights_study.py` as tables: rivals, references, the recipe with one change.

    python benchmarks/weights_tables.py WINDOWS STUDY [--external OTHER_WINDOWS] [--draw OUT]

WINDOWS and STUDY are the arguments of that script. The yardstick, boosting on RR statistics, is
fitted on the same folds. With --external the weights trained on all patients are evaluated on
another cohort, prepared with `--protocol all-beats --split.counts 0 0 1`. With --draw the
references are drawn instead, as `references.png` and `references.svg`.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from threadpoolctl import threadpool_limits
from weights_study import FOLDS, MINUTES, StudyOfWeights
from weights_variants import LOSSES, SEEDS
from yardstick import boosting, statistics

from pacl.axes import Array, Bool, Float32, Float64
from pacl.evaluation import (
    Predictions,
    auroc_interval,
    compare_auroc,
    compare_subjects,
    count_pairs,
    embed,
    measure_auroc,
)
from pacl.export import Weights
from pacl.rr import RRWindowSet
from pacl.studies.weights import measure_weights

TITLES = {"patient-aware": "proposed", "supcon": "SupCon", "bce": "BCE"}
HEAD = (
    "| | AUROC, all | SD over seeds | without other rhythms | within patients | worst tenth "
    "| sensitivity | specificity | false AF, h in 24 h | in other rhythms |\n|---|" + "--:|" * 9
)


def main() -> None:
    """Print Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("windows", type=Path)
    parser.add_argument("study", type=Path)
    parser.add_argument("--external", type=Path)
    parser.add_argument("--draw", type=Path)
    chosen = parser.parse_args()
    windows = RRWindowSet.open(chosen.windows)
    study = StudyOfWeights(windows, torch.device("cpu"))
    if chosen.external:
        print_external(windows, RRWindowSet.open(chosen.external), chosen.study)
        return
    if chosen.draw:
        draw_references(study, chosen.study, chosen.draw)
        return
    print_rivals(study, chosen.study)
    print_references(study, chosen.study)
    print_changes(study, chosen.study)


def print_rivals(study: StudyOfWeights, place: Path) -> None:
    """Losses and the yardstick out of fold, and the differences between them."""
    found = np.load(place / "rivals.npz")
    logits = {
        TITLES[loss]: np.stack([found[f"{loss}|{seed}|60"] for seed in SEEDS]) for loss in LOSSES
    }
    logits["boosted statistics"] = boosted_out_of_fold(study)[None]
    print_comparison(study.windows, logits, "Out of fold, five seeds")


def print_external(windows: RRWindowSet, other: RRWindowSet, place: Path) -> None:
    """Losses and the yardstick on another cohort, all trained on all patients of the first."""
    logits: dict[str, Float64[Array, "seed window"]] = {}
    for loss in LOSSES:
        each = [Weights.read(place / f"{loss}-{seed}.safetensors") for seed in SEEDS]
        logits[TITLES[loss]] = np.stack(
            [one.probe.logit(embed(one.encoder, other).pooled) for one in each]
        )
    with threadpool_limits(1):
        model = boosting().fit(statistics(windows), windows.table.rhythm)
    logits["boosted statistics"] = model.decision_function(statistics(other))[None]
    np.savez_compressed(place / "external.npz", **logits)
    print_comparison(other, logits, "Another database, five seeds")


def print_comparison(
    windows: RRWindowSet, logits: Mapping[str, Float64[Array, "seed window"]], title: str
) -> None:
    """One row per system, then the differences of the first and the others."""
    print(f"\n### {title}\n\n{HEAD}")
    everything = np.ones(len(windows), dtype=bool)
    for name, seeds in logits.items():
        print(row(name, windows, seeds, everything), flush=True)
    labels, who = windows.table.rhythm.astype(np.int64), windows.table.patient
    print("\n| AUROC with its interval over patients | |\n|---|---|")
    for name, seeds in logits.items():
        pairs = [count_pairs(labels, one, who.codes, who.names) for one in seeds]
        print(f"| {name} | {auroc_interval(pairs).describe(4)} |", flush=True)
    first, *others = logits
    print("\n| difference in AUROC | interval over patients | p, patients swapped | seeds ahead |")
    print("|---|---|--:|--:|")
    for other in others:
        one, two = logits[first], logits[other]
        if len(two) == 1:
            two = np.repeat(two, len(one), axis=0)
        compared = compare_auroc(labels, one, two, who.codes, np.random.default_rng(0))
        ahead = f"{compared.seeds_better * len(one):g} of {len(one)}"
        print(
            f"| {first} less {other} | {compared.over_patients.describe(4)} "
            f"| {compared.flips.p_value:.4f} | {ahead} |",
            flush=True,
        )
    print("\n| difference in AUROC within patients | interval | p | seeds ahead | patients ahead |")
    print("|---|---|--:|--:|--:|")
    own = {name: _own(windows, seeds) for name, seeds in logits.items()}
    for other in others:
        second = np.broadcast_to(own[other], own[first].shape)
        compared = compare_subjects(own[first], second, np.random.default_rng(0))
        ahead = f"{compared.seeds_better * len(own[first]):g} of {len(own[first])}"
        print(
            f"| {first} less {other} | {compared.over_patients.describe(4)} "
            f"| {compared.flips.p_value:.4f} | {ahead} | {compared.subjects_better:.0%} |",
            flush=True,
        )


def print_references(study: StudyOfWeights, place: Path) -> None:
    """References of windows by minutes of wearing, for all patients and for some."""
    hour = study.after_hour()
    everyone = np.ones(len(study.windows), dtype=bool)
    relative = np.load(place / "faultless.npz")
    others = np.load(place / "references.npz")
    paper = np.load(place / "paper.npz")
    named = {
        "the window's own mean": [relative["relative|1|60"], relative["relative|42|60"]],
        "the window's own median and IQR": [others["window|1|60"], others["window|42|60"]],
        **{
            f"{title}, {minutes:g} min": [others[f"{key}|{seed}|{minutes:g}"] for seed in (1, 42)]
            for key, title in (
                ("regular", "the most regular window so far"),
                ("shrunk", "a population prior shrunk by what was seen"),
            )
            for minutes in MINUTES
        },
        "an hour known to be SR, asinh": [others["hour|1|60"], others["hour|42|60"]],
        "an hour known to be SR, as in the paper": [
            paper["hour, not bent|1|60"],
            paper["hour, not bent|42|60"],
        ],
    }
    for title, rows in (("All patients", everyone), ("Patients with an hour of SR", hour)):
        print(f"\n### References: {title}, two seeds\n\n{HEAD}")
        for name, seeds in named.items():
            if rows is hour or not name.startswith("an hour"):
                print(row(name, study.windows, np.stack(seeds), rows), flush=True)


def draw_references(study: StudyOfWeights, place: Path, out: Path) -> None:
    """AUROC by minutes of wearing, for patients with an hour of SR, and for all."""
    from matplotlib.figure import Figure

    from pacl.report.style import figure_style, save_figure

    labels = study.windows.table.rhythm.astype(np.int64)
    groups = {
        "patients with an hour of SR": study.after_hour(),
        "all patients": np.ones(len(labels), dtype=bool),
    }
    lines = {
        "the window's own mean": ("faultless", "relative", "#D55E00"),
        "its own median and IQR": ("references", "window", "#CC79A7"),
        "a prior shrunk by what was seen": ("references", "shrunk", "#009E73"),
        "the most regular window so far": ("references", "regular", "#0072B2"),
        "an hour known to be SR": ("references", "hour", "#777777"),
    }
    with figure_style():
        figure = Figure(figsize=(9, 3.6), layout="constrained")
        for axes, (title, rows) in zip(
            figure.subplots(1, 2, sharey=True), groups.items(), strict=True
        ):
            for name, (file, key, colour) in lines.items():
                if key == "hour" and rows.all():
                    continue
                found = np.load(place / f"{file}.npz")
                heights = [
                    np.mean([_auroc(found, key, seed, minutes, labels, rows) for seed in (1, 42)])
                    for minutes in MINUTES
                ]
                axes.plot(MINUTES, heights, "o-", color=colour, label=name)
            axes.set(title=title, xlabel="minutes of wearing", xticks=MINUTES)
        figure.axes[0].set_ylabel("AUROC, out of fold")
        handles, names = figure.axes[0].get_legend_handles_labels()
        figure.axes[1].legend(handles, names, loc="lower right", fontsize=8)
        for ending in (".png", ".svg"):
            save_figure(figure, out / f"references{ending}")


def _auroc(
    found: Mapping[str, Float32[Array, "window"]],
    key: str,
    seed: int,
    minutes: float,
    labels: Array,
    rows: Bool[Array, "window"],
) -> float:
    """Of a reference after some minutes; one that does not depend on them has one entry."""
    name = f"{key}|{seed}|{minutes:g}"
    logit = found[name if name in found else f"{key}|{seed}|60"]
    return measure_auroc(labels[rows], logit[rows])


def print_changes(study: StudyOfWeights, place: Path) -> None:
    """The short recipe with one thing changed."""
    everyone = np.ones(len(study.windows), dtype=bool)
    print(f"\n### One thing changed, 36 epochs\n\n{HEAD}")
    gathered: dict[str, list[Float32[Array, "window"]]] = {}
    for group in ("recipe", "training", "faultless"):
        found = np.load(place / f"{group}.npz")
        for key in found.files:
            name = "no faults put in" if group == "faultless" else key.split("|")[0]
            gathered.setdefault(name, []).append(found[key])
    for name, seeds in gathered.items():
        print(row(f"{name} ({len(seeds)} seeds)", study.windows, np.stack(seeds), everyone))


def row(
    name: str,
    windows: RRWindowSet,
    seeds: Float64[Array, "seed window"],
    rows: Bool[Array, "window"],
) -> str:
    """The means over seeds; probabilities of the probe, not calibrated."""
    chosen = windows.select(np.flatnonzero(rows))
    each = [
        measure_weights(Predictions.of_windows(chosen, one[rows].astype(np.float64)))
        for one in seeds
    ]
    worst = [_worst_tenth(chosen, one[rows]) for one in seeds]

    def mean(values: Sequence[float], digits: int = 4) -> str:
        return f"{np.mean(values):.{digits}f}"

    aurocs = [one.auroc.estimate for one in each]
    spread = f"{np.std(aurocs, ddof=1):.4f}" if len(aurocs) > 1 else ""
    others = [one.false_af_h_others.estimate for one in each if one.false_af_h_others]
    cells = (
        mean(aurocs),
        spread,
        mean([one.auroc_pure.estimate for one in each]),
        mean([one.auroc_patient.estimate for one in each]),
        mean(worst),
        mean([one.sensitivity.estimate for one in each], 3),
        mean([one.specificity.estimate for one in each], 3),
        mean([one.false_af_h.estimate for one in each], 2),
        mean(others, 1) if others else "",
    )
    return f"| {name} | " + " | ".join(cells) + " |"


def _worst_tenth(windows: RRWindowSet, logit: Float64[Array, "window"]) -> float:
    own = np.sort(_own(windows, logit[None])[0])
    return float(own[: -(-own.size // 10)].mean())


def _own(
    windows: RRWindowSet, seeds: Float64[Array, "seed window"]
) -> Float64[Array, "seed patient"]:
    """AUROC of each patient with both classes."""
    table = windows.table
    each = [
        count_pairs(table.rhythm.astype(np.int64), one, table.patient.codes, table.patient.names)
        for one in seeds
    ]
    return np.stack([pairs.own[pairs.both] for pairs in each])


def boosted_out_of_fold(study: StudyOfWeights) -> Float64[Array, "window"]:
    """Logits of the yardstick, out of fold."""
    x, y = statistics(study.windows), study.windows.table.rhythm
    logit = np.empty(len(y))
    with threadpool_limits(1):
        for fold in range(FOLDS):
            held = study.fold == fold
            logit[held] = boosting().fit(x[~held], y[~held]).decision_function(x[held])
    return logit


if __name__ == "__main__":
    main()
