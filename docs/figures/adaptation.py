"""Draw how learning one person works and what it gains: docs/assets/adaptation-*.svg.

    python docs/figures/adaptation.py

The figures are those of `benchmarks/adaptation.py`, kept in docs/results/adaptation.
"""

import json
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from places import ROOT

from pacl.adaptation import Evidence
from pacl.detect import PersonEvidence, find_artifact
from pacl.records import Rhythm
from pacl.report.style import DISTINCT, FAINT, INK, RHYTHM_COLOURS, figure_style, save_figure

RESULTS, ASSETS = ROOT / "docs/results/adaptation", ROOT / "docs/assets"
KINDS = {
    "sinus rhythm": DISTINCT[0],
    "unlabelled": DISTINCT[2],
    "both": DISTINCT[4],
    "shift of the log odds": DISTINCT[7],
}
MINUTES = (0.5, 1.0, 2.0, 5.0, 15.0, 60.0)
PEOPLE = {"everybody": None, "a very regular heart": -8.5, "a heart with extra beats": -4.0}
"""Mean log odds of AF in an hour of known sinus rhythm."""


def main() -> None:
    """Draw all."""
    found = json.loads((RESULTS / "look-ahead.json").read_text())
    for name, figure in {
        "people": people(),
        "places": places(found["places"]),
        "gain": gain(found["rows"]),
    }.items():
        target = ASSETS / f"adaptation-{name}.svg"
        save_figure(figure, target)
        print(target.relative_to(ROOT))


def people() -> Figure:
    """Where AF begins for everybody, for a regular heart, and for one with extra beats."""
    artifact = find_artifact("af-beats")
    assert artifact is not None
    prior = artifact.prior("look-ahead")
    at = np.linspace(-11.5, 9, 400)
    with figure_style():
        figure = Figure(figsize=(7.0, 3.6), layout="constrained")
        panels = figure.subplots(3, 1, sharex=True)
        for axes, (name, mean) in zip(panels, PEOPLE.items(), strict=True):
            evidence = Evidence() if mean is None else Evidence(60.0, mean)
            own = PersonEvidence(sinus=evidence).posterior(prior)
            hills = (
                (own.place, own.place_sd, Rhythm.SR, "sinus rhythm"),
                (own.target_place, prior.subject.target_sd, Rhythm.AF, "AF"),
            )
            for place, sd, rhythm, label in hills:
                height = np.exp(-0.5 * ((at - place) / sd) ** 2)
                axes.fill_between(at, height, color=RHYTHM_COLOURS[rhythm], alpha=0.4, lw=0)
                axes.text(place, 0.25, label, ha="center", fontsize=8, color=INK)
            axes.axvline(0, color=FAINT, lw=1)
            axes.axvline(own.boundary, color=INK, lw=1.4, ls="--")
            axes.set(ylim=(0, 1.2), yticks=[], xlim=(-11.5, 9))
            axes.set_title(name, loc="left", fontsize=9)
        panels[-1].set_xlabel("how much the beats look like AF (log odds of the detector)")
    return figure


def places(found: list[Any]) -> Figure:
    """Sinus rhythm against AF of each patient."""
    with figure_style():
        figure = Figure(figsize=(5.2, 3.6), layout="constrained")
        axes = figure.subplots()
        for name, marker, colour in (("ltafdb", "o", DISTINCT[0]), ("afdb", "^", DISTINCT[7])):
            own = np.array([one[2:] for one in found if one[0] == name])
            related = np.corrcoef(own.T)[0, 1]
            axes.plot(
                own[:, 0],
                own[:, 1],
                marker,
                ms=5,
                color=colour,
                alpha=0.8,
                label=f"{name.upper()}, {len(own)} patients, correlation {related:.2f}",
            )
        axes.set(xlabel="log odds in sinus rhythm", ylabel="log odds in AF")
        axes.set_ylim(-3.5, 11.5)
        axes.legend(fontsize=8, loc="upper right")
    return figure


def gain(rows: dict[str, Any]) -> Figure:
    """Difference in log loss against minutes of evidence."""
    with figure_style():
        figure = Figure(figsize=(9.0, 3.5), layout="constrained")
        panels = figure.subplots(1, 3)
        titles = {"ltafdb and afdb": "both", "ltafdb": "LTAFDB", "afdb": "AFDB"}
        for axes, (group, title) in zip(panels, titles.items(), strict=True):
            _gain(axes, rows[group], f"{title}, {rows[group]['none']['patients']} patients")
        panels[0].set_ylabel("mean log loss, adapted less not adapted")
        panels[0].legend(fontsize=7.5, loc="upper right")
    return figure


def _gain(axes: Axes, rows: dict[str, Any], title: str) -> None:
    axes.axhline(0, color=FAINT, lw=1)
    for step, (kind, colour) in enumerate(KINDS.items()):
        some = [rows[f"{kind}, {minutes:g} min"] for minutes in MINUTES]
        middle = np.array([one["difference"] for one in some])
        low, high = np.array([one["interval"] for one in some]).T
        at = np.array(MINUTES) * 1.09 ** (step - 1.5)
        axes.errorbar(
            at,
            middle,
            yerr=(middle - low, high - middle),
            color=colour,
            marker="o",
            ms=3,
            lw=1.2,
            elinewidth=0.8,
            label=kind if kind != "unlabelled" else "unlabelled wearing",
        )
    axes.set(xscale="log", xticks=MINUTES, ylim=(-0.06, 0.06), title=title)
    axes.set_xticklabels([f"{one:g}" for one in MINUTES])
    axes.minorticks_off()
    axes.set_xlabel("minutes of evidence")


if __name__ == "__main__":
    main()
