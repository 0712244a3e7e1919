"""The main results as sentences: which system is best, by how much, and what is significant."""

import math
from collections.abc import Sequence

from pacl.evaluation import SIGNIFICANCE, Ranks
from pacl.report.wording import counted, listed
from pacl.studies.rivals import (
    PROPOSED,
    REFERENCES,
    RivalsComparison,
    Score,
    differences_of,
    label_curves,
    leaks_of,
    p_text,
    patients_in,
    scores_of,
    where,
)

WORDS = {"above": "better", "below": "worse"}
"""A difference that is significant, by its verdict."""


def main_sentences(report: RivalsComparison, dataset: str) -> str:
    """The best systems on unseen patients of the same cohort."""
    scores = _known(scores_of(report, "main", dataset))
    if not scores:
        return "No system has an AUROC."
    first, row = scores[0], scores[0].rows[0]
    sentences = [
        f"On {dataset} ({row.patients:,} patients, {row.windows:,} windows, "
        f"{counted(len(first.rows), 'seed')}), {report.title(first.method)} has the highest AUROC, "
        f"{_auroc(first)}."
    ]
    if len(scores) > 1:
        second, last = scores[1], scores[-1]
        end = f"; {report.title(last.method)} has the lowest, {last.auroc.mean:.4f}"
        sentences.append(
            f"{report.title(second.method)} is second with {second.auroc.mean:.4f}, "
            f"{first.auroc.mean - second.auroc.mean:.4f} less{end * (len(scores) > 2)}."
        )
    within = max(scores, key=lambda score: _or_least(score.patient_auroc.mean))
    if not math.isnan(within.patient_auroc.mean):
        sentences.append(
            f"Within patients, {report.title(within.method)} has the highest AUROC, "
            f"{within.patient_auroc.mean:.4f}."
        )
    return " ".join(sentences)


def difference_sentences(report: RivalsComparison, dataset: str, reference: str) -> str:
    """Which systems are significantly better or worse than a reference."""
    found = differences_of(report, dataset, reference)
    if not found:
        return ""
    title = report.title(reference)
    place = 1 + sum(one.estimate > 0 for one in found)
    sentences = [f"{title} is number {place} of {len(found) + 1} by AUROC."]
    for verdict, words in WORDS.items():
        names = [
            f"{report.title(one.method)} ({abs(one.estimate):.4f}, {p_text(one.corrected)})"
            for one in found
            if one.verdict == verdict
        ]
        if names:
            sentences.append(f"Significantly {words}: {listed(names)}.")
        else:
            sentences.append(f"No system is significantly {words}.")
    if any(one.verdict != "open" for one in found):
        sentences.append("p is corrected for the number of systems.")
    rest = [report.title(one.method) for one in found if one.verdict == "open"]
    if rest:
        sentences.append(f"Inconclusive: {listed(rest)}.")
    return " ".join(sentences)


def network_sentences(report: RivalsComparison, dataset: str) -> str:
    """What the proposed objective adds to other networks; empty if it was not tried on any."""
    rows = where(report.differences, study="main", dataset=dataset, condition="")
    networks = dict.fromkeys(row.reference for row in rows if row.reference not in REFERENCES)
    differences = [
        f"{report.title(network)} {one.text}"
        for network in networks
        for one in differences_of(report, dataset, network)
        if not math.isnan(one.estimate)
    ]
    if not differences:
        return ""
    return (
        "AUROC of the proposed objective on other networks, minus that of the same network trained "
        f"end to end: {'; '.join(differences)}."
    )


def rank_sentences(ranks: Ranks | None, report: RivalsComparison) -> str:
    """The ranks by the AUROC within patients."""
    if ranks is None:
        return "There are too few systems or patients to rank them."
    differ = ranks.p < SIGNIFICANCE
    first = (
        f"Ranked by the AUROC within each of {ranks.subjects} patients, the systems "
        f"{'differ significantly' if differ else 'do not differ significantly'} "
        f"(Friedman's test, {p_text(ranks.p)}). {report.title(ranks.methods[0])} has the best "
        f"average rank, {ranks.average[0]:.2f}"
    )
    near = [report.title(name) for name in ranks.beside(0)]
    if not near:
        return f"{first}, and differs from all others."
    return f"{first}. Within the critical difference of {ranks.critical:.2f}: {listed(near)}."


def label_sentences(report: RivalsComparison, dataset: str) -> str:
    """The best system for each number of labelled patients."""
    found = label_curves(report, dataset)
    bests = []
    for at, condition in enumerate(found.conditions):
        curves = [curve for curve in found.curves if not math.isnan(curve.auroc[at].mean)]
        if not curves:
            continue
        best = max(curves, key=lambda curve: curve.auroc[at].mean)
        own = [curve for curve in curves if curve.method == PROPOSED and curve is not best]
        behind = "".join(
            f" ({report.title(curve.method)} {curve.auroc[at].mean:.4f})" for curve in own
        )
        whose = "all training patients" if math.isinf(patients_in(condition)) else condition
        bests.append(f"{whose}: {report.title(best.method)} {best.auroc[at].mean:.4f}{behind}")
    if not bests:
        return ""
    highest = f"Highest AUROC by the number of patients with labels: {'; '.join(bests)}."
    return f"{highest}{_few_label_sentences(report, dataset, found.conditions)}"


def _few_label_sentences(report: RivalsComparison, dataset: str, conditions: Sequence[str]) -> str:
    """Which systems differ significantly from the proposed one with few labels."""
    few = {
        condition: found
        for condition in conditions
        if (found := differences_of(report, dataset, PROPOSED, study="labels", condition=condition))
    }
    if not few:
        return ""
    title = report.title(PROPOSED)
    sentences = [
        f"With {condition}, significantly {words} than {title}: {listed(names)}."
        for condition, found in few.items()
        for verdict, words in WORDS.items()
        if (names := [report.title(one.method) for one in found if one.verdict == verdict])
    ]
    none = f"With few patients, no system differs significantly from {title}."
    return f" {' '.join(sentences) or none}"


def external_sentences(report: RivalsComparison, dataset: str, condition: str) -> str:
    """The best system on another cohort, and which differ from the proposed one."""
    scores = _known(scores_of(report, "elsewhere", dataset, condition))
    if not scores:
        return ""
    first = scores[0]
    title = report.title(PROPOSED) if PROPOSED in report.methods else PROPOSED
    best = report.title(first.method)
    sentences = [f"{condition}: {best} has the highest AUROC, {_auroc(first)}."]
    found = differences_of(report, dataset, PROPOSED, study="elsewhere", condition=condition)
    for verdict, words in WORDS.items():
        names = [report.title(one.method) for one in found if one.verdict == verdict]
        if names:
            sentences.append(f"Significantly {words} than {title}: {listed(names)}.")
    if found and all(one.verdict == "open" for one in found):
        sentences.append(f"No system differs significantly from {title}.")
    return " ".join(sentences)


def leak_sentences(report: RivalsComparison, dataset: str) -> str:
    """How much a split by windows overestimates AUROC."""
    found = leaks_of(report, dataset)
    sentences = []
    for condition in found.conditions:
        gains = sorted(
            (leak.inflation[condition] for leak in found.leaks if condition in leak.inflation),
            key=lambda one: -one.estimate,
        )
        if gains:
            most, least = gains[0], gains[-1]
            lesser = f", least for {report.title(least.method)} ({least.estimate:+.4f})"
            significant = sum(one.verdict == "above" for one in gains)
            sentences.append(
                f"Split by {condition}, AUROC rises most for {report.title(most.method)} "
                f"({most.estimate:+.4f}){lesser * (len(gains) > 1)}; significantly for "
                f"{significant} of {len(gains)} systems."
            )
    return " ".join(sentences)


def _known(scores: Sequence[Score]) -> list[Score]:
    return [score for score in scores if not math.isnan(score.auroc.mean)]


def _auroc(score: Score) -> str:
    interval = f" (95 % interval {score.interval})" if score.interval else ""
    return f"{score.auroc.mean:.4f}{interval}"


def _or_least(value: float) -> float:
    return -math.inf if math.isnan(value) else value
