"""AF in complete recordings: all stretches are judged, and the results are joined (2.4, 4)."""

import math
from copy import copy
from dataclasses import replace
from datetime import MAXYEAR, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import numpy as np

from pacl.axes import Array, Float64
from pacl.detect.beat_judge import BeatJudge
from pacl.detect.bundled import BUNDLED, bundled_map, open_judge
from pacl.detect.detection import LONGEST_MS, MIN_DURATION_S, Detection, Quality
from pacl.detect.episodes import af_episodes, not_judged_steps
from pacl.detect.judge import Judge, Mode, OperatingPoint, StretchSteps, probability
from pacl.detect.not_judged import GAP, DetectError, Offered
from pacl.detect.person import Person
from pacl.detect.person_check import Kind, PersonCheck, check_person
from pacl.detect.person_result import PersonResult
from pacl.detect.reference_map import RecordEmbeddings, embed_record
from pacl.detect.sinus_rhythm import Groups
from pacl.detect.window_judge import WindowJudge
from pacl.records import Record, record_from_rr
from pacl.records.text import Unit
from pacl.rr import is_implausible
from pacl.spans import NotJudged

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

WHY_NOT: dict[Kind, str] = {
    "nothing learned": "it holds nothing that can be used here",
    "too little": "it holds too little evidence",
    "learned in AF": "what was marked as sinus rhythm looks like AF",
    "unlike": "the sinus rhythm of this recording is very unlike that of the profile",
}
"""Why a profile is set aside, by the kind of notice."""


class Detector:
    """Detects AF with bundled weights, or with weights from a folder.

    Parameters
    ----------
    weights
        Name of bundled weights, or a folder that `pacl weights` wrote.
    operating_point
        `"sensitive"` finds more short AF, `"specific"` has fewer false alarms; or `"balanced"`.
    min_duration_s
        Shorter episodes are possible AF.
    person
        A person's profile, or its file: what `adapt` learned.
    use_person
        With false, the result without the profile stands; both are in `Detection.person` anyway.

    Examples
    --------
    >>> from pacl.records import open_records
    >>> detector = Detector()
    >>> record = open_records("recording.csv").read("recording")
    >>> round(detector.detect(record).af_burden, 2)
    0.44
    >>> detector.detect([812, 790, 805]).reason
    'needs 60 plausible beats (200-2000 ms) in a row, the longest run has 3'
    """

    def __init__(
        self,
        weights: str | Path = BUNDLED[0],
        *,
        operating_point: OperatingPoint = "balanced",
        min_duration_s: float = MIN_DURATION_S,
        person: Person | str | Path | None = None,
        use_person: bool = True,
    ) -> None:
        if not (math.isfinite(min_duration_s) and min_duration_s >= 0):
            raise DetectError(f"min_duration_s {min_duration_s}; give seconds from 0 up")
        self.operating_point: OperatingPoint = operating_point
        self.min_duration_s = float(min_duration_s)
        self.judge = open_judge(weights, operating_point)
        self.person = person_of(self.judge, person)
        self.use_person = use_person

    def of(self, person: Person | str | Path | None) -> "Detector":
        """The same detector for another person; weights are not loaded again."""
        found = copy(self)
        found.person = person_of(self.judge, person)
        return found

    def detect(
        self,
        record: "Record | ArrayLike",
        mode: Mode = "look-ahead",
        *,
        unit: Unit = "auto",
        allow_smoothed: bool = False,
    ) -> Detection:
        """Judge a recording.

        Parameters
        ----------
        record
            A recording, or its RR intervals as a list or an array.
        mode
            Look ahead, or judge each beat as in a stream.
        unit
            Unit of plain intervals; `"auto"` uses the median, as for text files. A `Record` is in
            ms.
        allow_smoothed
            Also judge plain intervals that look resampled or averaged.
        """
        if mode not in get_args(Mode):
            raise DetectError(f"mode {mode!r}; use {' or '.join(map(repr, get_args(Mode)))}")
        record = as_record(record, unit, allow_smoothed)
        begins_s = record.onset_s()
        ends_s = begins_s + record.rr_ms.astype(np.float64) / 1000
        _check_clock(record, float(ends_s.max()))
        rr_ms = record.rr_ms.astype(np.float32)
        if self.person is None:
            judged = [
                (start, self.judge.judge(rr_ms[start:stop], mode))
                for start, stop in record.stretches()
            ]
            return self._found(record, mode, judged, begins_s, ends_s)
        assert isinstance(self.judge, BeatJudge)  # noqa: S101 - person_of refuses others
        judge, prior = self.judge, self.judge.artifact.prior(mode)
        evidence = self.person.of(mode)
        own = evidence.posterior(prior)
        seen = [
            (start, judge.look_at(rr_ms[start:stop], mode)) for start, stop in record.stretches()
        ]
        without, adapted = (
            self._found(
                record, mode, [(at, judge.decide(one, by)) for at, one in seen], begins_s, ends_s
            )
            for by in (None, own)
        )
        groups = Groups.joined([judge.groups(one, at) for at, one in seen])
        check = check_person(self.person, mode, prior, record, groups)
        why_not = _why_not(check, without, use_person=self.use_person)
        result = PersonResult(own, prior, evidence, check, without, adapted, why_not)
        return replace(without if why_not is not None else adapted, person=result)

    def _found(
        self,
        record: Record,
        mode: Mode,
        stretches: list[tuple[int, StretchSteps]],
        begins_s: Float64[Array, "beat"],
        ends_s: Float64[Array, "beat"],
    ) -> Detection:
        """The result of judged stretches, each with the number of beats before it."""
        rr_ms, masked = record.rr_ms.astype(np.float32), record.cannot_be_judged()
        stretches = [
            (at, steps.without(masked[at : at + size], rr_ms[at : at + size]))
            for at, steps in stretches
            if (size := int(steps.last.max(initial=-1)) + 1)
        ]
        not_judged = [
            *record.not_judged,
            *(
                NotJudged(float(begins_s[at]), float(ends_s[at]), GAP)
                for at in record.gaps().tolist()
                if not masked[at]
            ),
        ]
        for start, steps in stretches:
            not_judged += not_judged_steps(steps, start, begins_s, ends_s, self.judge.needed_beats)
        found = StretchSteps.joined(stretches)
        counts = [one.counts for _, one in stretches]
        start_s, end_s = begins_s[found.first], ends_s[found.last]
        likely = probability(found.log_odds)
        lasts_s = end_s - start_s
        gaps = int(record.gaps().size)
        return Detection(
            record_id=record.record_id,
            source=record.source,
            started=record.started,
            mode=mode,
            weights=self.judge.name,
            operating_point=self.operating_point,
            min_duration_s=self.min_duration_s,
            duration_s=_lasts_s(record, float(begins_s[0]), float(ends_s[-1])),
            recorded_s=record.duration_s + record.without_beats_s(),
            seen_s=math.fsum(one.seen_s for one in counts),
            judged_s=float(lasts_s.sum()),
            af_s=float(lasts_s[found.af].sum()),
            episodes=tuple(af_episodes(found, rr_ms, start_s, end_s, likely, masked)),
            not_judged=tuple(sorted(not_judged, key=lambda one: (one.start_s, one.end_s))),
            quality=Quality(
                beats=len(record),
                implausible=float(is_implausible(rr_ms).mean()),
                not_judged=1.0 - float((found.last - found.first + 1).sum()) / len(record),
                gaps=gaps,
            ),
            offered=Offered.of(self.judge.needed_beats, len(record), gaps, counts),
            start_s=start_s,
            end_s=end_s,
            probability=likely,
            af=found.af,
            learned_from=self.judge.learned(rr_ms),
            measured=self.judge.measured(mode),
        )

    def place(
        self, record: "Record | ArrayLike", *, unit: Unit = "auto"
    ) -> RecordEmbeddings | None:
        """Compare a recording with the patients the weights were trained on.

        None where the weights have no map of these patients: only weights of windows have one.
        """
        record = as_record(record, unit, allow_smoothed=True)
        if not isinstance(self.judge, WindowJudge):
            return None
        reference = bundled_map(self.judge.name)
        return None if reference is None else embed_record(record, self.judge.scorer, reference)


def person_of(judge: Judge, person: Person | str | Path | None) -> Person | None:
    """A person's profile, read if it is a file; refused if it was learned with other weights."""
    if person is None:
        return None
    found = person if isinstance(person, Person) else Person.read(person)
    if not isinstance(judge, BeatJudge):
        raise DetectError(f"{judge.name}: these weights cannot use a profile; use {BUNDLED[0]}")
    found.check_weights(judge.name, judge.artifact.networks_digest)
    return found


def _why_not(check: PersonCheck, without: Detection, *, use_person: bool) -> str | None:
    """Why the result without the profile stands; None where the profile is used."""
    if not use_person:
        return "switched off"
    if without.verdict == "cannot tell":
        return "without the profile the detector cannot tell, and a profile must not decide that"
    aside = [one.kind for one in check.notices if one.sets_aside]
    return WHY_NOT[aside[0]] if aside else None


def as_record(record: "Record | ArrayLike", unit: Unit, allow_smoothed: bool) -> Record:
    """A recording, made of plain intervals where it is none."""
    if not isinstance(record, Record):
        record = record_from_rr(record, unit, allow_smoothed=allow_smoothed)
    elif unit not in ("auto", "ms"):
        raise DetectError(f"{record.source}: unit {unit!r} asked for, but a Record is in ms")
    if record.rr_ms.max() > LONGEST_MS:
        raise DetectError(
            f"{record.source}: an interval of {record.rr_ms.max():g} ms, more than a day; "
            "split the recording there"
        )
    return record


def _lasts_s(record: Record, begins_s: float, ends_s: float) -> float:
    """From the first beat to the last, or to what is not judged before or after them."""
    aside = record.not_judged
    return max([ends_s, *(one.end_s for one in aside)]) - min(
        [begins_s, *(one.start_s for one in aside)]
    )


def _check_clock(record: Record, ends_s: float) -> None:
    """Refuse a recording that would end after the last year of the calendar."""
    if record.started is None:
        return
    try:
        year = (record.started + timedelta(seconds=ends_s)).year
    except OverflowError:
        year = MAXYEAR
    if year >= MAXYEAR:
        raise DetectError(
            f"{record.source}: it starts at {record.started} and would end in the year {MAXYEAR} "
            "or later; correct the date, or leave it out"
        )
