"""The card of a model: what it is for, what it was made from, what it is worth, what it is not."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from pacl.report.table import Cell, Head, Table

if TYPE_CHECKING:
    from pacl.studies.weights import CohortFigures, MadeWeights

SOURCES: Mapping[str, str] = {
    "ltafdb": (
        "Long-Term AF Database 1.0.0, PhysioNet, 84 patients of about 24 h, ODC-By 1.0. Petrutiu, "
        "Sahakian and Swiryn, Europace 9, 2007; Goldberger et al., Circulation 101(23), 2000"
    ),
    "afdb": (
        "MIT-BIH Atrial Fibrillation Database 1.0.0, PhysioNet, 25 patients of about 10 h, "
        "ODC-By 1.0. Moody and Mark, Computers in Cardiology 10, 1983; Goldberger et al., "
        "Circulation 101(23), 2000"
    ),
}
"""Where known cohorts come from, by the name of their folder."""


def source_of(name: str) -> str:
    """What to say of where a cohort comes from."""
    return SOURCES.get(name.lower(), name)


def write_card(made: "MadeWeights", cohort: str) -> str:
    """The card as Markdown."""
    weights, beats = made.weights, made.weights.window_beats
    steady = weights.steady.variation
    parameters = sum(one.numel() for one in weights.encoder.parameters())
    int8 = made.int8.figures
    offered = "not worth having" if int8.why_not else "worth having"
    tested = "".join(f"\n- judged on: {source_of(name)}" for name in made.elsewhere)
    return f"""# {weights.name}

Tells atrial fibrillation (AF) from its absence in {beats} consecutive RR intervals, in ms, of
anybody: no labels of the patient, no reference hour, nothing to wait for.

**Not a medical device.** It has not been cleared for diagnosis, its threshold has not been set for
any clinical purpose, and a person's heart rhythm is a physician's to judge.

## Intended use

To find stretches of AF in long RR recordings for research, and as a start for other detectors.

## What it takes and gives

| | |
|---|---|
| input | `rr`: RR intervals in ms, (window, {beats}) float32, without those outside 200-2000 ms |
| output | `probability` of AF where both classes are equally common, `logit`, `pooled` embedding |
| network | {parameters:,} parameters; each window is seen by its own mean, inside the network |
| probability | a linear probe on the embedding, calibrated on the folds' held-out patients |
| ONNX file | {int8.float_bytes:,} bytes, AUROC out of fold {int8.float_auroc:.4f} |
| the same as int8 | {int8.int8_bytes:,} bytes, AUROC out of fold {int8.int8_auroc:.4f}; {offered} |
| steady windows | SD below {steady:.0%} of the mean: never called AF, whatever the network says |

## What it was made from

- learned from: {source_of(cohort)}{tested}

Windows of AF, and windows of anything that is known not to be AF: sinus rhythm, bigeminy, runs of
tachycardia. Atrial flutter is neither; what is said of it means nothing. The weights are MIT; they
contain information from the data above, which is made available under its own licence.

## What it is worth

Out of fold: each patient of the cohort it was made from, judged by a model trained without them.
Elsewhere: patients of another database, judged by these weights. Intervals are meant to cover 95 %,
over patients; where they were found to cover less, it is said. Threshold and calibration were
fitted on the out-of-fold logits, so that the figures beside them there are a little kind.

{_readable(figures_table(made))}
Patients with the lowest AUROC of their own, of those with both:

{_readable(worst_table(made))}
Why the recipe is as it is, and how weights made from LTAFDB bear a detector's faults, ectopy and
near-regular AF, is in `docs/results/weights.md` of the source.

## What it cannot do

- It reads intervals, not the ECG: regular AF (paced, or with complete heart block) is missed, and
  irregular rhythms that are not AF (frequent atrial ectopy above all) can look like AF.
- Regular rhythms that hardly any patient has, such as a pacemaker's with some noise, were not
  learned. Below {steady:.0%} of variation a ceiling keeps them from being called AF, above it
  nothing does.
- Training windows were made to breathe, because hardly anybody in the cohorts is young; real
  recordings of the young were not there to try, and paced deep breathing can still look like AF.
- It has been judged on windows in one rhythm, or without AF. What it says while a rhythm changes
  has not been measured here.
- Whoever is unlike the patients above was not seen: children, athletes, wearers of optical sensors.
- The probability holds where both classes are equally common; where AF is rare, more of what is
  called AF is not.
"""


def _readable(table: Table) -> str:
    """Brackets of intervals need no escape in a cell, and the card is also read as it is."""
    return table.to_markdown().replace("\\[", "[").replace("\\]", "]")


def figures_table(made: "MadeWeights") -> Table:
    """Every figure of every cohort."""
    cohorts = {"out of fold": made.out_of_fold, **made.elsewhere}
    rows: dict[str, Callable[[CohortFigures], str]] = {
        "patients": lambda one: f"{one.patients}",
        "windows": lambda one: f"{one.windows:,}",
        "hours without AF, with AF": lambda one: f"{one.not_af_h:,.0f}, {one.af_h:,.0f}",
        "AUROC, all windows": lambda one: one.auroc.text(),
        "AUROC without other rhythms": _pure,
        "AUROC within patients, mean": _within,
        "sensitivity (AF time)": lambda one: one.sensitivity.text(3),
        "specificity (other time)": lambda one: one.specificity.text(3),
        "false AF, h in 24 h": lambda one: one.false_af_h.text(2),
        "the same in bigeminy and the like": _false_in_others,
        "calibration error": lambda one: f"{one.expected_error:.3f}",
    }
    return Table(
        "",
        "",
        heads=(Head(""), *map(Head, cohorts)),
        rows=tuple(
            (Cell(what), *(Cell(tell(one)) for one in cohorts.values()))
            for what, tell in rows.items()
        ),
    )


def worst_table(made: "MadeWeights") -> Table:
    """Who was judged worst."""
    cohorts = {"out of fold": made.out_of_fold, **made.elsewhere}
    return Table(
        "",
        "",
        heads=tuple(map(Head, ("cohort", "patient", "AUROC", "windows without AF", "with AF"))),
        rows=tuple(
            (
                Cell(name),
                Cell(who.patient),
                Cell(f"{who.auroc:.3f}"),
                Cell(f"{who.not_af:,}"),
                Cell(f"{who.af:,}"),
            )
            for name, one in cohorts.items()
            for who in one.worst
        ),
    )


def _pure(one: "CohortFigures") -> str:
    return "one class alone" if one.auroc_pure is None else one.auroc_pure.text()


def _within(one: "CohortFigures") -> str:
    return "nobody has both" if one.auroc_patient is None else one.auroc_patient.text()


def _false_in_others(one: "CohortFigures") -> str:
    return "none there" if one.false_af_h_others is None else one.false_af_h_others.text(2)
