"""What the numbers say, in plain words: who is ahead, by how much, whether more than chance."""

import math
from collections.abc import Sequence

from pacl.evaluation.ranks import LEVEL, Ranks
from pacl.studies.rivals.comparison import RivalsComparison
from pacl.studies.rivals.rows import PROPOSED, REFERENCES, where
from pacl.studies.rivals.scores import Score, label_curves, patients_in, scores_of
from pacl.studies.rivals.verdicts import Difference, differences_of, leaks_of, p_text


def told_main(report: RivalsComparison, dataset: str) -> str:
    """Who is ahead on strangers of the same cohort."""
    scores = _known(scores_of(report, "main", dataset))
    if not scores:
        return "No system has an AUROC."
    first, row = scores[0], scores[0].rows[0]
    said = [
        f"On {dataset} ({row.patients:,} patients, {row.windows:,} windows, "
        f"{len(first.rows)} {'seed' if len(first.rows) == 1 else 'seeds'}), "
        f"{report.title(first.method)} is ahead with an AUROC of {_auroc(first)}."
    ]
    if len(scores) > 1:
        second, last = scores[1], scores[-1]
        end = f"; the last, {report.title(last.method)}, has {last.auroc.mean:.4f}"
        said.append(
            f"{report.title(second.method)} follows with {second.auroc.mean:.4f}, "
            f"{first.auroc.mean - second.auroc.mean:.4f} less{end * (len(scores) > 2)}."
        )
    within = max(scores, key=lambda score: _or_least(score.patient_auroc.mean))
    if not math.isnan(within.patient_auroc.mean):
        also = "also " * (within is first)
        said.append(
            f"Within patients {report.title(within.method)} is {also}ahead with "
            f"{within.patient_auroc.mean:.4f}."
        )
    return " ".join(said)


def told_differences(report: RivalsComparison, dataset: str, reference: str) -> str:
    """Which systems lie above or below a reference by more than chance."""
    found = differences_of(report, dataset, reference)
    if not found:
        return ""
    title = report.title(reference)
    place = 1 + sum(one.estimate > 0 for one in found)
    said = [f"{title} is at place {place} of {len(found) + 1} by AUROC."]
    for verdict in ("above", "below"):
        told = [one for one in found if one.verdict == verdict]
        names = [f"{report.title(one.method)} ({_plain(one)})" for one in told]
        if told:
            said.append(f"By more than chance {verdict} it: {listed(names)}.")
        else:
            said.append(f"No system is {verdict} it by more than chance.")
    if any(one.verdict != "open" for one in found):
        said.append("Chance was reckoned with for all systems at once.")
    still = [report.title(one.method) for one in found if one.verdict == "open"]
    if still:
        said.append(f"It cannot be told from {listed(still, 'or')}.")
    return " ".join(said)


def told_networks(report: RivalsComparison, dataset: str) -> str:
    """What the proposed objective adds to other networks; nothing where it was not tried on any."""
    rows = where(report.differences, study="main", dataset=dataset, condition="")
    networks = dict.fromkeys(row.reference for row in rows if row.reference not in REFERENCES)
    said = [
        f"{report.title(network)} {one.text}"
        for network in networks
        for one in differences_of(report, dataset, network)
        if not math.isnan(one.estimate)
    ]
    if not said:
        return ""
    return (
        "The proposed objective on other networks, less the same network trained end to end: "
        f"{'; '.join(said)}."
    )


def told_ranks(ranks: Ranks | None, report: RivalsComparison) -> str:
    """What patients' own AUROC say."""
    if ranks is None:
        return "Systems or patients are too few to be ranked."
    differ = ranks.p < LEVEL
    said = (
        f"Ranked by the AUROC within each of {ranks.patients} patients, the systems "
        f"{'differ by more than chance' if differ else 'may differ by chance alone'} "
        f"(Friedman's test, {p_text(ranks.p)}). {report.title(ranks.methods[0])} has the best "
        f"average rank, {ranks.average[0]:.2f}"
    )
    near = [report.title(name) for name in ranks.beside(0)]
    if not near:
        return f"{said}, and is told from all others."
    return (
        f"{said}; within the critical difference of {ranks.critical:.2f} it is not told from "
        f"{listed(near, 'or')}."
    )


def told_labels(report: RivalsComparison, dataset: str) -> str:
    """Who is ahead with few labelled patients."""
    found = label_curves(report, dataset)
    said = []
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
        said.append(f"{whose}: {report.title(best.method)} {best.auroc[at].mean:.4f}{behind}")
    if not said:
        return ""
    ahead = f"Ahead by the number of patients with labels: {'; '.join(said)}."
    return f"{ahead}{_told_few(report, dataset, found.conditions)}"


def _told_few(report: RivalsComparison, dataset: str, conditions: Sequence[str]) -> str:
    """Which systems few labels tell from the proposed one."""
    few = {
        condition: found
        for condition in conditions
        if (found := differences_of(report, dataset, PROPOSED, study="labels", condition=condition))
    }
    if not few:
        return ""
    title = report.title(PROPOSED)
    said = [
        f"With {condition}, by more than chance {verdict} {title}: {listed(names)}."
        for condition, found in few.items()
        for verdict in ("above", "below")
        if (names := [report.title(one.method) for one in found if one.verdict == verdict])
    ]
    none = f"With so few, no system differs from {title} by more than chance."
    return f" {' '.join(said) or none}"


def told_elsewhere(report: RivalsComparison, dataset: str, condition: str) -> str:
    """Who is ahead on another cohort, and whether more than chance from the proposed one."""
    scores = _known(scores_of(report, "elsewhere", dataset, condition))
    if not scores:
        return ""
    first = scores[0]
    said = f"{condition}: {report.title(first.method)} is ahead with an AUROC of {_auroc(first)}."
    found = differences_of(report, dataset, PROPOSED, study="elsewhere", condition=condition)
    for verdict in ("above", "below"):
        names = [report.title(one.method) for one in found if one.verdict == verdict]
        if names:
            said += f" By more than chance {verdict} {report.title(PROPOSED)}: {listed(names)}."
    if found and all(one.verdict == "open" for one in found):
        said += f" No system differs from {report.title(PROPOSED)} by more than chance."
    return said


def told_leak(report: RivalsComparison, dataset: str) -> str:
    """How much a split by windows flatters."""
    found = leaks_of(report, dataset)
    said = []
    for condition in found.conditions:
        gains = sorted(
            (leak.inflation[condition] for leak in found.leaks if condition in leak.inflation),
            key=lambda one: -one.estimate,
        )
        if gains:
            most, least = gains[0], gains[-1]
            lesser = f", least for {report.title(least.method)} ({least.estimate:+.4f})"
            sure = sum(one.verdict == "above" for one in gains)
            said.append(
                f"Split by {condition}, AUROC rises most for {report.title(most.method)} "
                f"({most.estimate:+.4f}){lesser * (len(gains) > 1)}; by more than chance for "
                f"{sure} of {len(gains)} systems."
            )
    return " ".join(said)


def listed(names: Sequence[str], last: str = "and") -> str:
    """`A, B and C`; `A; B, C; and D` where a name has a comma itself."""
    *before, end = names
    if not before:
        return end
    if any("," in name for name in names):
        return f"{'; '.join(before)}; {last} {end}"
    return f"{', '.join(before)} {last} {end}"


def _known(scores: Sequence[Score]) -> list[Score]:
    return [score for score in scores if not math.isnan(score.auroc.mean)]


def _auroc(score: Score) -> str:
    interval = f" (95 % interval {score.interval})" if score.interval else ""
    return f"{score.auroc.mean:.4f}{interval}"


def _plain(one: Difference) -> str:
    return f"by {abs(one.estimate):.4f}, {p_text(one.corrected)}"


def _or_least(value: float) -> float:
    return -math.inf if math.isnan(value) else value
