"""Does a detector that learned one person find their AF better? On databases left out.

    python benchmarks/adaptation.py LTAFDB AFDB --left-out made/left-out -o adaptation.json

Patients with both rhythms. Evidence is from the first contiguous sinus rhythm of at least 5
minutes; what is scored begins ten minutes after the first hour of it, or after its end, and is the
same for all amounts of evidence:

    AF AF SR SR SR SR SR SR SR AF AF SR AF ...
          [ev.][  up to 1 h ]<10>[ scored ....

`made/left-out/NAME` is the detector that has not seen NAME, as `pacl weights` writes it. Takes
three minutes a mode on one core for LTAFDB and AFDB.
"""

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from pacl.adaptation import LIMIT, Correction, Evidence, Posterior, Unlabelled
from pacl.axes import Array
from pacl.detect import Artifact, BeatJudge, Groups, Mode, PersonEvidence, PersonPrior
from pacl.records import Record, Rhythm
from pacl.spans import runs
from pacl.studies.beats import BeatCohort, read_cohorts

MINUTES = (0.5, 1.0, 2.0, 5.0, 15.0, 60.0)
LEAST_RUN, MOST_EVIDENCE, GAP, LEAST_EACH = 5.0, 60.0, 10.0, 10.0
"""Minutes: of the sinus rhythm, of evidence, between evidence and what is scored, and of each
rhythm that is scored."""
LEAST, MOST = 0.001, 0.999
WRONG_S = 30.0
"""Stretches called wrong that are at least so long can be corrected."""
CORRECTIONS = (1, 3, 10)
DRAWS = 4000


@dataclass(frozen=True)
class Patient:
    """A recording as the detector sees it, and where evidence and scored time are."""

    name: str
    record: Record
    seen: list[tuple[int, Any]]
    groups: Groups
    label: Array
    """Of each beat: 1 AF, 0 another rhythm, 2 unknown."""
    run: tuple[int, int]
    """First and last group of the first sinus rhythm."""
    scored: Array
    """Beats that are scored."""


def patients(
    judge: BeatJudge, cohort: BeatCohort, mode: Mode, *, both: bool = True
) -> Iterator[Patient]:
    """Patients with enough of both rhythms in the scored time."""
    for one in cohort.records:
        record = one.record
        rr_ms = record.rr_ms.astype(np.float32)
        seen = [(a, judge.look_at(rr_ms[a:b], mode)) for a, b in record.stretches()]
        groups = Groups.joined([judge.groups(each, at) for at, each in seen])
        run = first_run(record, groups)
        if run is None:
            continue
        begins = record.onset_s() / 60
        first = groups.first.astype(int)
        stop = after(groups, run, MOST_EVIDENCE)
        end = begins[first[stop - 1]] + groups.minutes[stop - 1]
        scored = (begins >= end + GAP) & (one.label < 2)
        minutes = [rr_ms[scored & (one.label == kind)].sum() / 60_000 for kind in (0, 1)]
        if (min if both else max)(minutes) >= LEAST_EACH:
            yield Patient(record.record_id, record, seen, groups, one.label, run, scored)


def first_run(record: Record, groups: Groups) -> tuple[int, int] | None:
    """Groups of the first contiguous sinus rhythm that is long enough."""
    sinus = np.zeros(len(record) + 1, np.int64)
    for span in record.spans:
        sinus[span.start : span.stop] = span.rhythm is Rhythm.SR
    within = np.append(0, np.cumsum(sinus))
    first, stop = groups.first.astype(int), (groups.first + groups.beats).astype(int)
    pure = within[stop] - within[first] == groups.beats
    follows = np.append(True, first[1:] == stop[:-1])
    for low, high in runs(pure):
        edges = [low, *(low + 1 + np.flatnonzero(~follows[low + 1 : high])).tolist(), high]
        for a, b in pairwise(edges):
            if groups.minutes[a:b].sum() >= LEAST_RUN:
                return int(a), int(b)
    return None


def after(groups: Groups, run: tuple[int, int], minutes: float) -> int:
    """The first group after some minutes of a run, or its end."""
    passed = np.cumsum(groups.minutes[run[0] : run[1]])
    return min(run[1], run[0] + 1 + int(np.searchsorted(passed, minutes)))


def known(patient: Patient, minutes: float) -> Evidence:
    """The first minutes of the first sinus rhythm."""
    part = slice(patient.run[0], after(patient.groups, patient.run, minutes))
    return Evidence().plus(patient.groups.log_odds[part], patient.groups.minutes[part])


def known_late(patient: Patient, minutes: float) -> Evidence:
    """As many minutes at the end of the hour that evidence is taken from."""
    stop = after(patient.groups, patient.run, MOST_EVIDENCE)
    back = np.cumsum(patient.groups.minutes[patient.run[0] : stop][::-1])
    part = slice(max(patient.run[0], stop - 1 - int(np.searchsorted(back, minutes))), stop)
    return Evidence().plus(patient.groups.log_odds[part], patient.groups.minutes[part])


def unlabelled(patient: Patient, minutes: float) -> Unlabelled:
    """As many minutes of whatever came before the end of the evidence."""
    stop = after(patient.groups, patient.run, MOST_EVIDENCE)
    back = np.cumsum(patient.groups.minutes[:stop][::-1])
    part = slice(max(0, stop - 1 - int(np.searchsorted(back, minutes))), stop)
    return Unlabelled().plus(patient.groups.log_odds[part], patient.groups.minutes[part])


def score(judge: BeatJudge, patient: Patient, own: Posterior | None, scored: Array) -> list[float]:
    """Mean log loss, hours of AF missed, hours of false AF, hours scored."""
    losses, missed, false, hours = [np.empty(0)], 0.0, 0.0, 0.0
    for at, seen in patient.seen:
        steps = judge.decide(seen, own)
        part = slice(at, at + seen.rr_ms.size)
        counted = scored[part] & np.isfinite(steps.log_odds)
        true = patient.label[part][counted] == 1
        likely = np.clip(1 / (1 + np.exp(-steps.log_odds[counted])), LEAST, MOST)
        losses.append(-np.log(np.where(true, likely, 1 - likely)))
        lasts_h = seen.rr_ms[counted] / 3_600_000
        called = steps.af[counted]
        missed += float(lasts_h[true & ~called].sum())
        false += float(lasts_h[~true & called].sum())
        hours += float(lasts_h.sum())
    return [float(np.concatenate(losses).mean()), missed, false, hours]


def ways(prior: PersonPrior) -> dict[str, Callable[[Patient, float], Posterior]]:
    """The kinds of evidence, alone and together, and a plain shift of the log odds."""

    def shift(patient: Patient, minutes: float) -> Posterior:
        none = PersonEvidence().posterior(prior)
        return replace(none, shift=prior.subject.reference - known(patient, minutes).mean)

    return {
        "sinus rhythm": lambda p, t: PersonEvidence(sinus=known(p, t)).posterior(prior),
        "sinus rhythm, late": lambda p, t: PersonEvidence(sinus=known_late(p, t)).posterior(prior),
        "unlabelled": lambda p, t: PersonEvidence(wearing=unlabelled(p, t)).posterior(prior),
        "both": lambda p, t: PersonEvidence(sinus=known(p, t), wearing=unlabelled(p, t)).posterior(
            prior
        ),
        "shift of the log odds": shift,
    }


def corrected(
    judge: BeatJudge, prior: PersonPrior, patient: Patient
) -> Iterator[tuple[str, list[float]]]:
    """The first corrections of the first half of a recording, scored on the second half."""
    half = patient.record.onset_s() >= patient.record.duration_s / 2
    first, stop = patient.groups.first, patient.groups.first + patient.groups.beats
    wrong = []
    for at, seen in patient.seen:
        called = judge.decide(seen).af
        label = patient.label[at : at + seen.rr_ms.size]
        for kind in (0, 1):
            for low, high in runs((label == kind) & (called != kind) & ~half[at : at + label.size]):
                inside = (first >= at + low) & (stop <= at + high)
                if inside.any() and seen.rr_ms[low:high].sum() >= WRONG_S * 1000:
                    mean = float(patient.groups.log_odds[inside].mean())
                    wrong.append((at + low, Correction(kind == 1, mean)))
    later = half & (patient.label < 2)
    if not wrong or not later.any():
        return
    in_order = tuple(one for _, one in sorted(wrong, key=lambda one: one[0]))
    yield "none", score(judge, patient, None, later)
    for most in CORRECTIONS:
        own = PersonEvidence(corrections=in_order[:most]).posterior(prior)
        yield f"corrections, at most {most}", score(judge, patient, own, later)


def places(patient: Patient) -> list[float]:
    """Mean log odds of the population's detector in sinus rhythm and in AF."""
    first = patient.groups.first.astype(int)
    rhythm = patient.record.rhythm()[first]
    log_odds = np.clip(patient.groups.log_odds, -LIMIT, LIMIT)
    return [
        round(float(np.average(log_odds[own], weights=patient.groups.minutes[own])), 3)
        for own in (rhythm == Rhythm.SR, rhythm == Rhythm.AF)
    ]


def interval(differences: Array) -> list[float]:
    """A 95 % bootstrap interval of a mean over patients."""
    drawn = np.random.default_rng(0).integers(0, differences.size, (DRAWS, differences.size))
    return [round(float(one), 5) for one in np.quantile(differences[drawn].mean(1), [0.025, 0.975])]


def row(base: Array, found: Array) -> dict[str, Any]:
    """Figures over patients: mean, worst tenth, differences with intervals."""
    worst = max(1, round(len(found) / 10))
    wrong, wrong_base = (one[:, 1:3].sum(1) for one in (found, base))
    loss = found[:, 0] - base[:, 0]
    return {
        "patients": len(found),
        "hours": round(float(found[:, 3].sum()), 1),
        "log_loss": round(float(found[:, 0].mean()), 5),
        "worst_tenth": round(float(np.sort(found[:, 0])[-worst:].mean()), 5),
        "missed_h": round(float(found[:, 1].sum()), 3),
        "false_h": round(float(found[:, 2].sum()), 3),
        "difference": round(float(loss.mean()), 5),
        "interval": interval(loss),
        "wrong_h_a_patient": round(float((wrong - wrong_base).mean()), 4),
        "wrong_interval": interval(wrong - wrong_base),
    }


def main() -> None:
    """Measure all ways on all cohorts."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("data", type=Path, nargs="+")
    options.add_argument("--left-out", type=Path, required=True)
    options.add_argument("--mode", choices=("look-ahead", "causal"), default="look-ahead")
    options.add_argument("-o", "--output", type=Path, required=True)
    given = options.parse_args()
    mode: Mode = given.mode
    scores: dict[str, dict[str, list[list[float]]]] = {}
    found: dict[str, Any] = {}
    corrections: dict[str, list[list[float]]] = {}
    of_patients: list[Any] = []
    for cohort in read_cohorts(given.data):
        judge = BeatJudge(Artifact.read(given.left_out / cohort.name))
        prior = judge.artifact.prior(mode)
        of = scores.setdefault(cohort.name, {})
        for patient in patients(judge, cohort, mode):
            base = score(judge, patient, None, patient.scored)
            of.setdefault("none", []).append(base)
            for name, way in ways(prior).items():
                for minutes in MINUTES:
                    own = way(patient, minutes)
                    of.setdefault(f"{name}, {minutes:g} min", []).append(
                        score(judge, patient, own, patient.scored)
                    )
            for name, one in corrected(judge, prior, patient):
                corrections.setdefault(name, []).append(one)
            of_patients.append([cohort.name, patient.name, *places(patient)])
            print(cohort.name, patient.name, [round(one, 3) for one in base], flush=True)
    names = list(next(iter(scores.values())))
    for group in ([*scores], *([one] for one in scores)):
        arrays = {
            name: np.concatenate([np.array(scores[one][name]) for one in group]) for name in names
        }
        found[" and ".join(group)] = {
            name: row(arrays["none"], each) for name, each in arrays.items()
        }
    found["corrections"] = {
        name: row(np.array(corrections["none"]), np.array(one)) for name, one in corrections.items()
    }
    written = {"mode": mode, "rows": found, "places": of_patients}
    given.output.write_text(json.dumps(written, indent=1) + "\n")
    for group, rows in found.items():
        print(f"\n{group}")
        for name, one in rows.items():
            print(f"  {name:30} {one}")


if __name__ == "__main__":
    main()
