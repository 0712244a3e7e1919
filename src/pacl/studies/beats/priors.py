"""How people differ, by detectors that have not seen them: so that a detector can learn one person.

```
patients of X   judged by the detector without X    X is any cohort that decides or constrains
the detector    learns from the patients of all cohorts
without Y       learns from the patients of all cohorts but Y
```
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np

from pacl.adaptation import SURELY_REFERENCE, AdaptationError, LabelledStretches, learn_prior
from pacl.detect import (
    Artifact,
    BeatJudge,
    DayToDay,
    Groups,
    Mode,
    PersonPrior,
    SinusRhythm,
    groups_of,
)
from pacl.records import Record, Rhythm
from pacl.studies.beats.cohorts import BeatCohort
from pacl.studies.beats.write import add_priors
from pacl.studies.progress import SILENT, StudyReport

MINUTES = (0.5, 1.0, 2.0, 5.0, 15.0, 60.0)
WEARING_MINUTES = (15.0, 60.0, 180.0, 600.0)
LEAST_RUN_MINUTES = 5.0
"""Sinus rhythm that serves as evidence lasts at least so long."""

LEAST_HALF_MINUTES = 60.0
"""Sinus rhythm of each half of a recording, to compare a person with themselves."""

LABELS = {Rhythm.SR: 0, Rhythm.AF: 1}
NEITHER = 2

Patients = Mapping[str, list[tuple[Record, Groups]]]
"""Recordings of each patient, and their groups of ten beats."""


def learn_priors(
    cohorts: Sequence[BeatCohort],
    folder: Path,
    slopes: Mapping[Mode, float],
    report: StudyReport = SILENT,
) -> dict[Mode, PersonPrior]:
    """Learn how people differ, add it to each detector in `folder`, and return that of all cohorts.

    `folder/COHORT` is the detector without that cohort; `slopes` are those of the detector of all.
    Where too few people have both rhythms, a detector cannot learn a person; that is reported.
    """
    judges = {
        one.name: BeatJudge(Artifact.read(folder / one.name))
        for one in cohorts
        if one.role != "reported"
    }
    judged = {
        one.name: judge_patients(judges[one.name], one) for one in cohorts if one.name in judges
    }
    own = {name: slopes_of(judge.artifact) for name, judge in judges.items()}

    def without(left_out: str | None, slopes: Mapping[Mode, float]) -> dict[Mode, PersonPrior]:
        try:
            return {
                mode: person_prior(
                    [
                        rescaled(found[mode], slope / own[name][mode])
                        for name, found in judged.items()
                        if name != left_out
                    ]
                )
                for mode, slope in slopes.items()
            }
        except AdaptationError as error:
            why.append(str(error))
            return {}

    why: list[str] = []
    for name in judged:
        add_priors(folder / name, without(name, own[name]))
    found = without(None, slopes)
    if why:
        which = "these detectors" if not found else f"{len(why)} detectors with a cohort left out"
        report.on_note(f"{which} cannot learn a person: {why[-1]}")
    return found


def slopes_of(artifact: Artifact) -> dict[Mode, float]:
    """The slope of each mode."""
    modes: tuple[Mode, ...] = get_args(Mode)
    return {mode: artifact.decoder(mode, "balanced").slope for mode in modes}


def rescaled(patients: Patients, factor: float) -> Patients:
    """Log odds as by a detector with another slope."""
    return {
        patient: [
            (record, replace(groups, log_odds=factor * groups.log_odds)) for record, groups in some
        ]
        for patient, some in patients.items()
    }


def judge_patients(judge: BeatJudge, cohort: BeatCohort) -> Mapping[Mode, Patients]:
    """Groups of all patients of a cohort, in each mode."""
    found: dict[Mode, dict[str, list[tuple[Record, Groups]]]] = {}
    for mode in get_args(Mode):
        of = found.setdefault(mode, {})
        for one in cohort.records:
            groups = groups_of(judge, one.record, mode)
            of.setdefault(one.record.patient_id, []).append((one.record, groups))
    return found


def person_prior(cohorts: Sequence[Patients]) -> PersonPrior:
    """The prior of one mode from patients of several cohorts."""
    patients = [one for cohort in cohorts for one in cohort.values()]
    return PersonPrior(
        learn_prior(
            [_labelled(one) for one in patients],
            MINUTES,
            unlabelled_amounts=WEARING_MINUTES,
            least_run=LEAST_RUN_MINUTES,
        ),
        day_to_day([groups for one in patients for _, groups in one]),
    )


def day_to_day(recordings: Sequence[Groups]) -> DayToDay:
    """How much sinus rhythm differs between the two halves of long recordings."""
    differences = []
    for groups in recordings:
        sinus = groups.those(groups.log_odds < SURELY_REFERENCE)
        if sinus.minutes.sum() < 2 * LEAST_HALF_MINUTES:
            continue
        early = np.cumsum(sinus.minutes) <= sinus.minutes.sum() / 2
        one, other = (SinusRhythm().plus(sinus.those(half)) for half in (early, ~early))
        differences.append(
            [
                one.log_rr - other.log_rr,
                one.log_variation - other.log_variation,
                one.log_odds - other.log_odds,
            ]
        )
    if len(differences) < 2:
        raise AdaptationError(
            f"{len(differences)} recordings have {2 * LEAST_HALF_MINUTES:g} minutes of sinus "
            "rhythm; 2 are needed to see how much one person varies"
        )
    spread = np.sqrt(np.mean(np.square(differences), axis=0))
    return DayToDay(*(round(float(max(one, 1e-3)), 4) for one in spread))


def _labelled(recordings: Sequence[tuple[Record, Groups]]) -> LabelledStretches:
    """Groups of one patient with their rhythm; a gap ends a run."""
    log_odds, label, amount = [np.empty(0)], [np.empty(0, np.int64)], [np.empty(0)]
    for record, groups in recordings:
        rhythm = np.full(len(record), NEITHER)
        for span in record.spans:
            rhythm[span.start : span.stop] = LABELS.get(span.rhythm, NEITHER)
        first = groups.first.astype(np.int64)
        last = first + groups.beats.astype(np.int64) - 1
        changes = np.append(0, np.cumsum(np.diff(rhythm) != 0))
        pure = changes[first] == changes[last]
        ends = np.flatnonzero(np.append(first[1:] != last[:-1] + 1, True))
        # A group of no time and neither rhythm after each stretch ends a run.
        log_odds.append(np.insert(groups.log_odds, ends + 1, 0.0))
        label.append(np.insert(np.where(pure, rhythm[first], NEITHER), ends + 1, NEITHER))
        amount.append(np.insert(groups.minutes, ends + 1, 0.0))
    return LabelledStretches(
        np.concatenate(log_odds), np.concatenate(label), np.concatenate(amount)
    )
