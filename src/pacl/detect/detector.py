"""AF in complete recordings: all stretches are judged, and the results are joined (2.4, 4)."""

import math
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import replace
from datetime import MAXYEAR, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from pacl.adaptation import Posterior
from pacl.detect.beat_judge import BeatJudge
from pacl.detect.bundled import BUNDLED, bundled_map, open_judge
from pacl.detect.detection import LONGEST_MS, MIN_DURATION_S, Detection
from pacl.detect.edits_result import EditsResult
from pacl.detect.judge import Judge, Mode, OperatingPoint
from pacl.detect.looked import Looked
from pacl.detect.mark import Mark, painted
from pacl.detect.marked_beats import MarkedBeats
from pacl.detect.not_judged import DetectError
from pacl.detect.outcome import How, outcome
from pacl.detect.person import Person
from pacl.detect.person_check import Kind, PersonCheck, check_person
from pacl.detect.person_from_marks import MarkedPerson, marked_person
from pacl.detect.person_result import PersonResult
from pacl.detect.reference_map import RecordEmbeddings, embed_record
from pacl.detect.window_judge import WindowJudge
from pacl.records import Record, record_from_rr
from pacl.records.text import Unit

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
        marks: Iterable[Mark] = (),
        learn: bool = True,
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
        marks, learn
            Marks by hand, and whether the person's profile is continued with them: see `decide`.
        """
        looked = self.look(record, mode, unit=unit, allow_smoothed=allow_smoothed)
        return self.decide(looked, marks, learn=learn)

    def look(
        self,
        record: "Record | ArrayLike",
        mode: Mode = "look-ahead",
        *,
        unit: Unit = "auto",
        allow_smoothed: bool = False,
    ) -> Looked:
        """Let the networks look at a recording, which takes most of the time; see `decide`.

        The parameters are those of `detect`.
        """
        if mode not in get_args(Mode):
            raise DetectError(f"mode {mode!r}; use {' or '.join(map(repr, get_args(Mode)))}")
        record = as_record(record, unit, allow_smoothed)
        _check_clock(record, float((record.onset_s() + record.rr_ms / 1000.0).max()))
        return Looked.at(self.judge, record, mode)

    def decide(
        self, looked: Looked, marks: Iterable[Mark] = (), *, learn: bool = True
    ) -> Detection:
        """Decide on a recording that this detector has looked at, with marks by hand.

        First the person's profile is continued with the marks, and all beats are decided with it.
        Then the marks replace what was decided of their own beats. Nothing is kept from one call to
        the next: without marks, the result is that of `detect`.

        Parameters
        ----------
        looked
            What `look` returned.
        marks
            In the order of marking: a later one replaces earlier ones where they overlap.
        learn
            With false, the profile is left as it is.

        Examples
        --------
        >>> from pacl.records import open_records
        >>> detector = Detector()
        >>> looked = detector.look(open_records("recording.csv").read("recording"))
        >>> found = detector.decide(looked, [Mark("exclude", 0, 600)])
        >>> found.not_judged[0].why
        'excluded by hand'
        """
        if looked.judge is not self.judge:
            raise DetectError(
                f"{looked.record.source}: another detector looked at it; call look of this one"
            )
        given = tuple(marks)
        without = self._decided(looked, self.person, ())
        if not given:
            return without
        final = painted(given)
        learned = MarkedPerson(self.person)
        if learn:
            learned = marked_person(looked, final, self.person, modes=(looked.mode,))
        found = self._decided(looked, learned.person, final)
        edits = EditsResult(len(given), final, without, bool(learned.used), learned.notices)
        return replace(found, edits=edits)

    def _decided(self, looked: Looked, person: Person | None, marks: Sequence[Mark]) -> Detection:
        """The result for a person, if one is given, with marks that do not overlap."""
        by_hand = MarkedBeats.of(marks, looked.record, looked.begins_s, looked.ends_s)

        def result(own: Posterior | None) -> Detection:
            return outcome(looked, looked.steps(own), by_hand, self._how)

        if person is None:
            return result(None)
        assert isinstance(self.judge, BeatJudge)  # noqa: S101 - person_of refuses others
        prior, evidence = self.judge.artifact.prior(looked.mode), person.of(looked.mode)
        own = evidence.posterior(prior)
        without, adapted = result(None), result(own)
        check = check_person(person, looked.mode, prior, looked.record, looked.groups)
        why_not = _why_not(check, without, use_person=self.use_person)
        found = PersonResult(own, prior, evidence, check, without, adapted, why_not)
        return replace(without if why_not is not None else adapted, person=found)

    @property
    def _how(self) -> How:
        return How(self.operating_point, self.min_duration_s)

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
