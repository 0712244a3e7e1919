"""Compare simulated patients with LTAFDB and IRIDIA-AF: a table, and docs/assets/calibration.png.

    python docs/figures/calibration.py [patients]

One value a patient: each statistic averaged over 1,000-beat segments within one rhythm. IRIDIA-AF
is known by its published mean and standard deviation over patients only.
"""

import sys
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from places import DATA, ROOT, need
from sections import write_section

from pacl.axes import Array, Float64
from pacl.records import Record, Rhythm, WfdbReader
from pacl.records.simulate import simulate_cohort
from pacl.records.summary import STATISTICS, summarise
from pacl.report.style import FAINT, INK, RHYTHM_COLOURS, RHYTHM_NAMES, figure_style, save_figure

PATIENTS = 100

LABELS = {
    "mean_ms": "mean RR (ms)",
    "sdnn_ms": "SDNN (ms)",
    "rmssd_ms": "RMSSD (ms)",
    "pnn50": "pNN50 (%)",
}
LIMITS = {"mean_ms": (300, 1700), "sdnn_ms": (0, 320), "rmssd_ms": (0, 450), "pnn50": (0, 100)}

IRIDIA = {
    (Rhythm.SR, "mean_ms"): (910, 169),
    (Rhythm.SR, "sdnn_ms"): (115, 64),
    (Rhythm.SR, "rmssd_ms"): (126, 85),
    (Rhythm.SR, "pnn50"): (22, 19),
    (Rhythm.AF, "mean_ms"): (597, 122),
    (Rhythm.AF, "sdnn_ms"): (137, 48),
    (Rhythm.AF, "rmssd_ms"): (183, 70),
    (Rhythm.AF, "pnn50"): (66, 15),
}
"""Mean and standard deviation over patients."""


@dataclass(frozen=True)
class Panel:
    """One statistic in one rhythm, a value a patient."""

    rhythm: Rhythm
    statistic: str
    simulated: Float64[Array, "patient"]
    real: Float64[Array, "patient"]
    iridia: tuple[float, float]


def compute(patients: int) -> list[Panel]:
    """Sum up both cohorts, SR first."""
    reader = WfdbReader(DATA / "ltafdb")
    real = per_patient(reader.read(record_id) for record_id in reader.record_ids)
    simulated = per_patient(made.record for made in simulate_cohort(patients))
    return [
        Panel(rhythm, name, simulated[rhythm, name], real[rhythm, name], IRIDIA[rhythm, name])
        for rhythm in (Rhythm.SR, Rhythm.AF)
        for name in STATISTICS
    ]


def per_patient(
    records: Iterable[Record],
) -> dict[tuple[Rhythm, str], Float64[Array, "patient"]]:
    """Each statistic of each patient, averaged over records; pNN50 in per cent."""
    found: dict[tuple[Rhythm, str], dict[str, list[float]]] = {}
    for record in records:
        for summary in summarise(record):
            for name in STATISTICS:
                value = getattr(summary, name) * (100 if name == "pnn50" else 1)
                patients = found.setdefault((summary.rhythm, name), {})
                patients.setdefault(summary.patient_id, []).append(value)
    return {
        key: np.array([np.mean(values) for values in patients.values()])
        for key, patients in found.items()
    }


def draw(panels: list[Panel]) -> Figure:
    """Cumulative shares of patients, with mean and SD of all three cohorts above them."""
    figure = Figure(figsize=(10.2, 5.6), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.08, h_pad=0.06, wspace=0.03, hspace=0.05)
    axes = figure.subplots(2, len(STATISTICS), sharey=True, sharex="col")
    for ax, panel in zip(axes.flat, panels, strict=True):
        _draw_panel(ax, panel)
    for row, rhythm in zip(axes, (Rhythm.SR, Rhythm.AF), strict=True):
        row[0].set_ylabel("share of patients")
        row[0].set_title(RHYTHM_NAMES[rhythm], color=RHYTHM_COLOURS[rhythm], fontweight="bold")
        row[0].set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "25 %", "50 %", "75 %", "100 %"])
    for ax, name in zip(axes[-1], STATISTICS, strict=True):
        ax.set_xlabel(LABELS[name])
    patients = (panels[0].simulated.size, panels[0].real.size, panels[4].real.size)
    handles = [
        Line2D([], [], color=INK, lw=2.2, marker="o", ms=5),
        Line2D([], [], color=INK, lw=1.2, ls=(0, (4, 2)), marker="s", ms=4.5, mfc="white"),
        Line2D([], [], color=INK, lw=0.9, marker="D", ms=4.5, mfc="white"),
    ]
    names = [
        f"simulated, {patients[0]} patients",
        f"LTAFDB, {patients[1]} patients in SR and {patients[2]} in AF",
        "IRIDIA-AF, 152 patients (mean and SD only)",
    ]
    figure.legend(handles, names, loc="outside upper center", ncols=3, handlelength=3)
    return figure


def _draw_panel(ax: Axes, panel: Panel) -> None:
    colour = RHYTHM_COLOURS[panel.rhythm]
    ax.axhline(1, color=FAINT, lw=0.5)
    ax.axhline(0.5, color=FAINT, lw=0.5)
    ax.ecdf(panel.real, color=INK, lw=1.2, ls=(0, (4, 2)), zorder=3)
    ax.ecdf(panel.simulated, color=colour, lw=2.2, zorder=2)
    bars = (
        (1.30, _mean_sd(panel.simulated), {"color": colour, "marker": "o", "ms": 5}),
        (1.20, _mean_sd(panel.real), {"color": INK, "marker": "s", "ms": 4.5, "mfc": "white"}),
        (1.10, panel.iridia, {"color": INK, "marker": "D", "ms": 4.5, "mfc": "white"}),
    )
    for height, (mean, sd), look in bars:
        ax.errorbar(mean, height, xerr=sd, elinewidth=1.1, ls="none", zorder=4, **look)
    ax.set_xlim(*LIMITS[panel.statistic])
    ax.set_ylim(0, 1.38)
    ax.spines["left"].set_bounds(0, 1)


def _mean_sd(values: Float64[Array, "patient"]) -> tuple[float, float]:
    return float(values.mean()), float(values.std(ddof=1))


def main() -> None:
    """Print the table and draw the figure."""
    need("ltafdb")
    panels = compute(int(sys.argv[1]) if len(sys.argv) > 1 else PATIENTS)
    lines = ["| rhythm | statistic | simulated | LTAFDB | IRIDIA-AF |", "|---|---|--:|--:|--:|"]
    for panel in panels:
        pairs = (_mean_sd(panel.simulated), _mean_sd(panel.real), panel.iridia)
        cells = " | ".join(f"{mean:.0f} ± {sd:.0f}" for mean, sd in pairs)
        lines.append(f"| {panel.rhythm.name} | {LABELS[panel.statistic]} | {cells} |")
    print("\n".join(lines))
    write_section("docs/simulated.md", "calibration", "\n".join(lines))
    with figure_style():
        save_figure(draw(panels), ROOT / "docs" / "assets" / "calibration.png")


if __name__ == "__main__":
    main()
