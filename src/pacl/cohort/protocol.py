"""Which beats of a record are scaled on and which are cut into windows (2.1, App. A).

```
episodes   |30 s|-- scale hour --|-- SR windows --| ... at least 2 h ... |-- AF windows --| ...
                 hour 0-1          hour 1-2 of the SR run               onset  first hour

pooled     the first 3,600 s of SR, added up, are the scale beats; all other SR and AF is cut
all-beats  nothing is scaled on; all AF is cut, and all that is known not to be AF
```
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal, Protocol, runtime_checkable

import numpy as np

from pacl.cohort.episodes import HOUR_S, Episode, find_episodes
from pacl.records import GAP_MS, Record, Rhythm
from pacl.settings import Seconds
from pacl.stored import Between

Beats = tuple[int, int]
"""A range of beats of a record, half-open."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Beats to cut windows from, all with one label.

    `episode` is the number of the AF run in the record that the excerpt belongs to, or -1.
    `next_af` is the first beat of the AF that follows an SR excerpt, or -1.
    """

    start: int
    stop: int
    rhythm: Rhythm
    episode: int = -1
    next_af: int = -1


@dataclass(frozen=True, slots=True)
class Share:
    """Excerpts of a record together with the beats that their scale is fitted on.

    With `in_ms` nothing is scaled: windows stay in ms.
    """

    scale: tuple[Beats, ...]
    excerpts: tuple[Excerpt, ...]
    in_ms: bool = False


@dataclass(frozen=True, slots=True)
class Selection:
    """What a protocol selects from a record, and what it drops and why."""

    shares: tuple[Share, ...]
    dropped: Mapping[str, int]


@runtime_checkable
class CohortProtocol(Protocol):
    """A rule that selects the beats of a record."""

    @property
    def min_to_onset_s(self) -> float:
        """Seconds between the end of an SR window and the onset of AF, at least."""

    def select(self, record: Record) -> Selection:
        """Select beats of a record."""


@dataclass(frozen=True)
class EpisodesProtocol:
    """The paper's rule: AF of an hour or more after SR of four hours or more.

    All windows of a record are scaled by the scale hour of its first qualifying SR run; see
    `scaler` for others.
    """

    min_af_s: Seconds = HOUR_S
    """Shortest AF, in seconds."""
    min_sr_s: Annotated[float, Between(2 * HOUR_S, 1e9)] = 4 * HOUR_S
    """Shortest SR right before the AF, in seconds; two hours of it are used."""
    across_files: bool = False
    """Whether an episode may reach across files."""
    scaler: Literal["record", "episode", "patient"] = "record"
    """What is scaled separately; all records of a patient are scaled by the first that has an
    episode."""
    sr_anchor: Literal["run", "file_start"] = "run"
    """From where the hours of SR are counted. `file_start` is what the authors' files do; it may
    label AF as SR."""
    af_part: Literal["first_hour", "whole"] = "first_hour"
    """How much of an AF episode is cut."""

    @property
    def min_to_onset_s(self) -> float:
        """SR windows come from the first two hours of at least four."""
        return self.min_sr_s - 2 * HOUR_S

    def select(self, record: Record) -> Selection:
        """Take the scale hour, the SR hour and the AF hour of each qualifying episode."""
        search = find_episodes(
            record, min_af_s=self.min_af_s, min_sr_s=self.min_sr_s, across_files=self.across_files
        )
        shares: list[Share] = []
        for episode in search.found:
            scale, sr = self._sr_hours(record, episode)
            af = Excerpt(*self._af_beats(record, episode), Rhythm.AF, episode.number)
            # Two episodes of a file share the hours that count from its start: cut them once.
            taken = {(cut.start, cut.rhythm) for share in shares for cut in share.excerpts}
            excerpts = (af,) if (sr.start, sr.rhythm) in taken else (sr, af)
            if self.scaler != "episode" and shares:
                first = shares[0]
                shares[0] = Share(first.scale, (*first.excerpts, *excerpts))
            else:
                shares.append(Share((scale,), excerpts))
        return Selection(tuple(shares), search.dropped)

    def _sr_hours(self, record: Record, episode: Episode) -> tuple[Beats, Excerpt]:
        first, stop = episode.sr
        if self.sr_anchor == "file_start":
            file = int(np.searchsorted(record.file_starts, episode.af[0], side="right")) - 1
            first, stop = int(record.file_starts[file]), episode.af[0]
        first = max(first, after_lead_in(record))
        middle = record.beat_after(first, HOUR_S)
        end = record.beat_after(first, 2 * HOUR_S)
        first, middle, end = (min(beat, stop) for beat in (first, middle, end))
        # A lead-in moves the hours back, and the last beat of an hour ends after it.
        end_s, onset_s = record.elapsed_s(np.array([end, episode.af[0]])).tolist()
        while end > middle and onset_s - end_s < self.min_to_onset_s:
            end -= 1
            end_s -= float(record.rr_ms[end]) / 1000
        next_af = episode.af[0]
        if self.sr_anchor == "file_start":  # another AF may come before that of the episode
            runs = record.rhythm_runs()
            next_af = min(
                max(run.start, middle)
                for run in runs
                if run.rhythm is Rhythm.AF and run.stop > middle
            )
        return (first, middle), Excerpt(middle, end, Rhythm.SR, episode.number, next_af)

    def _af_beats(self, record: Record, episode: Episode) -> Beats:
        start, stop = episode.af
        end = stop if self.af_part == "whole" else record.beat_after(start, HOUR_S)
        return start, min(end, stop)


@dataclass(frozen=True)
class PooledProtocol:
    """For cohorts without such episodes: all SR and AF but the beats that are scaled on.

    `scale_s` seconds of SR, added up from the end of the lead-in and over gaps in it, are the
    scale beats. A record with less SR is left out: there is nothing to scale it by.
    """

    scale_s: Seconds = HOUR_S
    """Seconds of SR to scale on."""

    @property
    def min_to_onset_s(self) -> float:
        """SR windows may end right before AF."""
        return 0.0

    def select(self, record: Record) -> Selection:
        """Take the scale beats, then all SR and AF runs without them."""
        counts = (record.rhythm() == Rhythm.SR) & (record.rr_ms <= GAP_MS)
        begin = after_lead_in(record)
        counts[:begin] = False
        sr_s = np.cumsum(np.where(counts, record.rr_ms, 0), dtype=np.float64) / 1000
        if sr_s[-1] < self.scale_s:
            return Selection((), {f"records with less than {self.scale_s:g} s of SR": 1})
        cut = int(np.searchsorted(sr_s, self.scale_s)) + 1
        scale: list[Beats] = []
        excerpts: list[Excerpt] = []
        runs = record.rhythm_runs()
        for index, run in enumerate(runs):
            first = max(run.start, begin)
            if first >= run.stop:
                continue
            if run.rhythm is Rhythm.SR:
                if first < cut:
                    scale.append((first, min(run.stop, cut)))
                after = runs[index + 1] if index + 1 < len(runs) else None
                next_af = run.stop if after and after.rhythm is Rhythm.AF else -1
                if run.stop > cut:
                    start = max(first, cut)
                    excerpts.append(Excerpt(start, run.stop, Rhythm.SR, next_af=next_af))
            elif run.rhythm is Rhythm.AF:
                excerpts.append(Excerpt(first, run.stop, Rhythm.AF))
        return Selection((Share(tuple(scale), tuple(excerpts)),), {})


def after_lead_in(record: Record) -> int:
    """First heart beat after the calibration signal at the start of the recording."""
    beat = record.beat_after(0, record.lead_in_s - float(record.file_onset_s[0]))
    return min(beat, record.file_bounds()[0][1])
