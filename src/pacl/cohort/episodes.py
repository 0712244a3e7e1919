"""Episodes of AF that follow a long stretch of sinus rhythm (2.1)."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pacl.records import Record, Rhythm, Span

HOUR_S = 3600.0


@dataclass(frozen=True, slots=True)
class Episode:
    """One SR stretch and the AF that follows; ranges of beats, half-open.

    `number` counts all AF runs of the record from 0, also those that do not qualify.
    """

    number: int
    sr: tuple[int, int]
    af: tuple[int, int]


@dataclass(frozen=True, slots=True)
class EpisodeSearch:
    """The episodes of a record that qualify, and why the others do not."""

    found: tuple[Episode, ...]
    dropped: Mapping[str, int]


def find_episodes(
    record: Record,
    *,
    min_af_s: float = HOUR_S,
    min_sr_s: float = 4 * HOUR_S,
    across_files: bool = False,
) -> EpisodeSearch:
    """Episodes with AF of at least `min_af_s` right after SR of at least `min_sr_s`.

    Durations are sums of raw intervals. Unless `across_files`, an episode is in one file: AF ends
    in the file it starts in, and SR counts from that file's first beat at the earliest.

    ```
    file   |........ SR, at least 4 h ........|...... AF, at least 1 h ......|
           sr[0]                              sr[1] = af[0]                  af[1]
    ```
    """
    runs = record.rhythm_runs()
    found: list[Episode] = []
    dropped: Counter[str] = Counter()
    number = -1
    for index, af in enumerate(runs):
        if af.rhythm is not Rhythm.AF:
            continue
        number += 1
        sr = runs[index - 1] if index and runs[index - 1].rhythm is Rhythm.SR else None
        episode, reason = _qualified(record, number, sr, af, min_af_s, min_sr_s, across_files)
        if episode:
            found.append(episode)
        else:
            dropped[reason] += 1
    return EpisodeSearch(tuple(found), dict(dropped))


def _qualified(
    record: Record,
    number: int,
    sr: Span | None,
    af: Span,
    min_af_s: float,
    min_sr_s: float,
    across_files: bool,
) -> tuple[Episode | None, str]:
    """The episode, or None and the reason it does not qualify."""
    if record.seconds(af.start, af.stop) < min_af_s:
        return None, f"AF shorter than {min_af_s:g} s"
    if sr is None:
        return None, "no SR right before the AF"
    start = sr.start
    if not across_files:
        file = int(np.searchsorted(record.file_starts, af.start, side="right")) - 1
        first, stop = record.file_bounds()[file]
        if af.stop > stop:
            return None, "AF runs on into the next file"
        start = max(start, first)
    if start == af.start:
        return None, "no SR before the AF in its file"
    if record.seconds(start, sr.stop) < min_sr_s:
        return None, f"SR before the AF shorter than {min_sr_s:g} s"
    return Episode(number, (start, sr.stop), (af.start, af.stop)), ""
