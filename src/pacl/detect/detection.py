"""The result for one recording: episodes of AF, AF burden, and what could not be judged."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal

from pacl.axes import Array, Bool, Float64
from pacl.detect.edits_result import EditsResult
from pacl.detect.judge import Mode, OperatingPoint
from pacl.detect.not_judged import EXCLUDED, Offered, main_reason
from pacl.detect.person_result import PersonResult
from pacl.spans import NotJudged

Verdict = Literal["AF", "AF or flutter", "possible AF", "no AF", "cannot tell"]

FORMAT = "pacl detection 1"
"""Format of `to_dict`. Existing names stay; new ones may be added."""

MIN_DURATION_S = 30.0
"""Shorter AF is possible AF: guidelines ask for at least 30 s."""

FLUTTER = (
    "its intervals are of a few lengths, as in atrial flutter with changing conduction; RR "
    "intervals alone cannot tell it from AF"
)

SURE = 0.75
"""AF of a lower confidence is possible AF."""

LEAST_JUDGED = 0.5
"""Least share of the recorded time that must be judged for the verdict `no AF`. Below one half,
more time is unknown than known, and AF may lie in it. A verdict of AF has no such limit."""

LONGEST_MS = 86_400_000.0
"""Intervals longer than a day are refused."""


@dataclass(frozen=True, slots=True)
class AfEpisode:
    """An episode of AF, in seconds from the start of the recording.

    `confidence` is the mean probability of AF. It may be flutter with changing conduction if its
    intervals have a few lengths only. `not_judged_s` of it are noise, over which it goes on.
    `by_hand_s` of it were marked AF by hand.
    """

    start_s: float
    end_s: float
    confidence: float
    may_be_flutter: bool = False
    not_judged_s: float = 0.0
    by_hand_s: float = 0.0

    @property
    def by_hand(self) -> bool:
        """Whether any part of it was marked AF by hand."""
        return self.by_hand_s > 0

    @property
    def duration_s(self) -> float:
        """Its duration."""
        return self.end_s - self.start_s

    @property
    def judged_s(self) -> float:
        """The part of it that was judged, and is AF."""
        return self.duration_s - self.not_judged_s


@dataclass(frozen=True, slots=True)
class Quality:
    """Signal quality: number of intervals, and shares outside 200-2000 ms and not judged.

    `gaps` counts intervals above 10 s: no signal.
    """

    beats: int
    implausible: float
    not_judged: float
    gaps: int


@dataclass(frozen=True, eq=False, slots=True)
class Detection:
    """AF in one recording.

    Parameters
    ----------
    record_id, source, started
        The recording, its file, and the date and time of its second 0, where known.
    mode, weights, operating_point, min_duration_s
        How it was judged. Shorter episodes are possible AF.
    duration_s, recorded_s, seen_s, judged_s, af_s
        Seconds from the first beat to the last; recorded (all intervals, without pauses between
        files); that could be judged; that were judged (weights of windows start at the end of a
        window); and of AF among the judged.
    offered
        Counts of the beats.
    start_s, end_s, probability, af
        For each judged step, of one beat or 50 beats: its time, the probability of AF, and whether
        it is part of an episode.
    learned_from
        Whether the weights were trained on this recording; None where it is not known.
    measured
        Performance of the weights on each database left out in training.
    person
        What a person's profile changed, where one was given.
    edits
        What marks by hand changed, where some were given.
    """

    record_id: str
    source: str
    started: datetime | None
    mode: Mode
    weights: str
    operating_point: OperatingPoint
    min_duration_s: float
    duration_s: float
    recorded_s: float
    seen_s: float
    judged_s: float
    af_s: float
    episodes: tuple[AfEpisode, ...]
    not_judged: tuple[NotJudged, ...]
    quality: Quality
    offered: Offered
    start_s: Float64[Array, "step"]
    end_s: Float64[Array, "step"]
    probability: Float64[Array, "step"]
    af: Bool[Array, "step"]
    learned_from: bool | None = False
    measured: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    person: PersonResult | None = None
    edits: EditsResult | None = None

    @property
    def af_burden(self) -> float | None:
        """Share of the judged time in AF; None where nothing was judged."""
        return self.af_s / self.judged_s if self.judged_s > 0 else None

    @property
    def judged_share(self) -> float:
        """Share of the recorded time that was judged."""
        return self._share(self.judged_s)

    @property
    def seen_share(self) -> float:
        """Share of the recorded time that could be judged.

        For weights of windows in the causal mode it is larger than the judged share, which starts
        at the end of a window.
        """
        return self._share(max(self.seen_s, self.judged_s))  # the last step has a few more beats

    def _share(self, seconds: float) -> float:
        return min(round(seconds / self.recorded_s, 9), 1.0) if self.recorded_s > 0 else 0.0

    @property
    def verdict(self) -> Verdict:
        """`AF`, `AF or flutter`, `possible AF`, `no AF`, or `cannot tell`."""
        if certain := [one for one in self.episodes if self._is_certain(one)]:
            flutter = all(one.may_be_flutter and not self._is_marked(one) for one in certain)
            return "AF or flutter" if flutter else "AF"
        if self.episodes:
            return "possible AF"
        return "no AF" if self.judged_s > 0 and self.seen_share >= LEAST_JUDGED else "cannot tell"

    def _is_certain(self, episode: AfEpisode) -> bool:
        sure = episode.judged_s >= self.min_duration_s and episode.confidence >= SURE
        return sure or self._is_marked(episode)

    def _is_marked(self, episode: AfEpisode) -> bool:
        """Whether a person marked enough of it as AF."""
        return episode.by_hand and episode.by_hand_s >= self.min_duration_s

    @property
    def why_not_judged(self) -> str | None:
        """The main reason why time is not judged; None where all is."""
        return main_reason(self.not_judged)

    @property
    def reason(self) -> str | None:
        """Why the verdict is neither AF nor no AF, with the numbers; else None."""
        match self.verdict:
            case "AF or flutter":
                return FLUTTER
            case "possible AF":
                return self._why_possible()
            case "cannot tell":
                return self._why_not()
        return None

    def _why_possible(self) -> str:
        longest = max(self.episodes, key=lambda one: one.judged_s)
        if longest.judged_s < self.min_duration_s:
            judged = " without noise" if longest.not_judged_s else ""
            return (
                f"the longest episode lasts {_floored(longest.judged_s, 1)} s{judged}; AF is said "
                f"from {self.min_duration_s:g} s on"
            )
        likely = max(one.confidence for one in self.episodes if one.judged_s >= self.min_duration_s)
        return (
            f"no episode of {self.min_duration_s:g} s is sure: the highest confidence is "
            f"{_floored(likely, 2)}, AF is said from {SURE:g} on"
        )

    def _why_not(self) -> str:
        offered = self.offered
        unfit = offered.sparse + offered.repeated or not offered.looked_at
        if self.judged_s <= 0 and (not unfit or self.why_not_judged == EXCLUDED):
            return f"nothing can be judged: {self.why_not_judged}"
        if self.judged_s <= 0:
            return offered.why_nothing()
        main, percent = self.why_not_judged, _floored(100 * self.seen_share, 1)
        return (
            f"only {percent} % of the recorded time could be judged, and no AF was found in "
            f"it; at least {100 * LEAST_JUDGED:g} % is needed to say no AF"
            + (f"; the main reason for the rest: {main}" if main else "")
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "format": FORMAT,
            "file": self.source,
            "record": self.record_id,
            "verdict": self.verdict,
            "reason": self.reason,
            "af_burden": self.af_burden,
            "episodes": [
                {
                    "start_s": round(one.start_s, 3),
                    "end_s": round(one.end_s, 3),
                    "confidence": round(one.confidence, 4),
                    "may_be_flutter": one.may_be_flutter,
                    **({"not_judged_s": round(one.not_judged_s, 3)} if one.not_judged_s else {}),
                    **({"by_hand": True} if one.by_hand else {}),
                    **self._clock(one.start_s, one.end_s),
                }
                for one in self.episodes
            ],
            "quality": {
                "beats": self.quality.beats,
                "implausible": round(self.quality.implausible, 6),
                "not_judged": round(self.quality.not_judged, 6),
                "gaps": self.quality.gaps,
                "longest_run": self.offered.longest_run,
                "needed_beats": self.offered.needed_beats,
            },
            "not_judged": [
                {"start_s": round(one.start_s, 3), "end_s": round(one.end_s, 3), "why": one.why}
                for one in self.not_judged
            ],
            "duration_s": round(self.duration_s, 3),
            "recorded_s": round(self.recorded_s, 3),
            "judged_s": round(self.judged_s, 3),
            "judged_share": round(self.judged_share, 6),
            "seen_share": round(self.seen_share, 6),
            "least_seen_share": LEAST_JUDGED,
            "started": None if self.started is None else self.started.isoformat(),
            "mode": self.mode,
            "weights": self.weights,
            "operating_point": self.operating_point,
            "learned_from": self.learned_from,
            "min_duration_s": self.min_duration_s,
            **({} if self.person is None else {"person": self.person.to_dict()}),
            **({} if self.edits is None else {"edits": self.edits.to_dict()}),
        }

    def _clock(self, start_s: float, end_s: float) -> dict[str, str]:
        if self.started is None:
            return {}
        begins, ends = (self.started + timedelta(seconds=s) for s in (start_s, end_s))
        return {"start": begins.isoformat(" ", "seconds"), "end": ends.isoformat(" ", "seconds")}


def _floored(value: float, digits: int) -> str:
    """A number rounded down, so that it does not seem to reach a limit that it misses."""
    return f"{math.floor(value * 10**digits) / 10**digits:.{digits}f}"
