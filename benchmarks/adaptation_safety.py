"""What a profile does where it should do nothing: another person, permanent AF, healthy people.

    python benchmarks/adaptation_safety.py LTAFDB AFDB MITDB NSRDB --left-out made/left-out

Each cohort is judged by the detector that has not seen it, as in `adaptation.py`. Takes two minutes
on one core.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from adaptation import MOST_EVIDENCE, Patient, after, known, patients, row, score
from pacl.adaptation import SURELY_REFERENCE
from pacl.detect import (
    MOST_UNLIKE,
    UNLIKE,
    Artifact,
    BeatJudge,
    Detector,
    Groups,
    PersonEvidence,
    SinusRhythm,
    adapt,
)
from pacl.studies.beats import BeatCohort, read_cohorts

MINUTES = 5.0
LEAST_LATER = 60.0
"""Minutes of sinus rhythm to compare a profile with."""
PERMANENT = 0.99
"""Share of the annotated time from which on AF is permanent."""
WORN_S = (3600.0, 6 * 3600.0)


def baseline(patient: Patient) -> SinusRhythm:
    """The sinus rhythm of a profile of five minutes."""
    return SinusRhythm().plus(_part(patient, patient.run[0], _stop(patient, MINUTES)))


def later(patient: Patient) -> SinusRhythm:
    """What looks like sinus rhythm in the scored time."""
    rest = _part(patient, _stop(patient, MOST_EVIDENCE), patient.groups.first.size)
    return SinusRhythm().plus(rest.those(rest.log_odds < SURELY_REFERENCE))


def _stop(patient: Patient, minutes: float) -> int:
    return after(patient.groups, patient.run, minutes)


def _part(patient: Patient, low: int, high: int) -> Groups:
    at = np.arange(patient.groups.first.size)
    return patient.groups.those((at >= low) & (at < high))


def other_people(judge: BeatJudge, people: list[Patient]) -> dict[str, Any]:
    """Notices for the same person and for others, and the harm of the next person's profile."""
    prior = judge.artifact.prior("look-ahead")
    profiles = [baseline(one) for one in people]
    days = [later(one) for one in people]
    usable = [at for at, one in enumerate(days) if one.minutes >= LEAST_LATER]
    unlike = np.array(
        [[prior.day_to_day.unlike(profiles[a], days[b]) for b in usable] for a in usable]
    )
    same, others = np.diag(unlike), unlike[~np.eye(len(usable), dtype=bool)]
    base, own, wrong, checked = [], [], [], []
    for at, one in enumerate(people):
        donor = (at + 1) % len(people)
        by = [
            PersonEvidence(sinus=known(each, MINUTES)).posterior(prior)
            for each in (one, people[donor])
        ]
        base.append(score(judge, one, None, one.scored))
        own.append(score(judge, one, by[0], one.scored))
        wrong.append(score(judge, one, by[1], one.scored))
        noticed = prior.day_to_day.unlike(profiles[donor], days[at]) > MOST_UNLIKE
        checked.append(base[-1] if noticed else wrong[-1])
    plain = np.array(base)
    return {
        **{
            f"{who}_{what}": round(float((some > limit).mean()), 3)
            for who, some in (("same_person", same), ("others", others))
            for what, limit in (("noticed", UNLIKE), ("set_aside", MOST_UNLIKE))
        },
        "own_profile": row(plain, np.array(own)),
        "profile_of_another": row(plain, np.array(wrong)),
        "profile_of_another_with_the_check": row(plain, np.array(checked)),
    }


def permanent(detector: Detector, folder: Path, cohort: BeatCohort) -> dict[str, int]:
    """Unlabelled wearing of people in permanent AF: changed verdicts and decisions."""
    found = {"people": 0, "evidence_used": 0, "verdicts_changed": 0, "decisions_changed": 0}
    for one in cohort.records:
        annotated = one.label < 2
        if not annotated.any() or one.label[annotated].mean() < PERMANENT:
            continue
        found["people"] += 1
        for worn_s in WORN_S:
            beats = one.record.beat_after(0, worn_s)
            worn = one.record.rr_ms[:beats]
            person = adapt(np.maximum(worn, 1).astype(float), unit="ms", weights=folder)
            result = detector.of(person).detect(one.record).person
            assert result is not None
            found["evidence_used"] += result.evidence.wearing.usable
            found["verdicts_changed"] += result.adapted.verdict != result.without.verdict
            found["decisions_changed"] += not np.array_equal(result.adapted.af, result.without.af)
    return found


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("data", type=Path, nargs="+")
    options.add_argument("--left-out", type=Path, required=True)
    options.add_argument("-o", "--output", type=Path)
    given = options.parse_args()
    found: dict[str, Any] = {}
    for cohort in read_cohorts(given.data):
        folder = given.left_out / cohort.name
        judge = BeatJudge(Artifact.read(folder))
        of = found.setdefault(cohort.name, {})
        if cohort.role == "decides":
            of["permanent_af"] = permanent(Detector(folder), folder, cohort)
        some = list(patients(judge, cohort, "look-ahead", both=False))
        prior = judge.artifact.prior("look-ahead")
        base = np.array([score(judge, one, None, one.scored) for one in some])
        adapted = np.array(
            [
                score(
                    judge,
                    one,
                    PersonEvidence(sinus=known(one, MINUTES)).posterior(prior),
                    one.scored,
                )
                for one in some
            ]
        )
        of["all_with_sinus_rhythm"] = {"none": row(base, base), "5 min": row(base, adapted)}
        long = [one for one in some if later(one).minutes >= LEAST_LATER]
        if len(long) > 1:
            of["other_people"] = other_people(judge, long)
        print(cohort.name, json.dumps(of, indent=1), flush=True)
    if given.output is not None:
        given.output.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
