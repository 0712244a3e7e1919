"""From an ECG to heart beats, and to the stretches in which they cannot be trusted."""

from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Float64, Int64
from pacl.ecg.averages import AveragesFinder, Search
from pacl.ecg.contiguous import contiguous
from pacl.ecg.energy import clearest_leads
from pacl.ecg.finder import BeatFinder
from pacl.ecg.quality import SECOND_BAND_HZ, measure
from pacl.ecg.refine import refined
from pacl.ecg.signal import Ecg
from pacl.ecg.trouble import (
    FLAT,
    LIMIT,
    LONGEST_S,
    NO_BEAT,
    TOO_FAST,
    beat_trouble,
    signal_trouble,
)
from pacl.spans import NotJudged, runs

NOISE = "noise in the ECG"

WHYS = (LIMIT, FLAT, TOO_FAST, NO_BEAT, NOISE)
"""Reasons, the plainest first."""

CLOSE_S = 10.0
"""Stretches closer together than this are joined: a few beats between them tell nothing."""


@dataclass(frozen=True, eq=False, slots=True)
class Beats:
    """Heart beats of a contiguous part of an ECG, in seconds from the start of the recording.

    `lead` is the lead in which most of their times were taken. `not_judged` are stretches, apart
    from each other, in which beats cannot be trusted: from beat to beat, or to an end of the part.
    A part with fewer than two beats is not judged at all.
    """

    at_s: Float64[Array, "beat"]
    lead: str
    not_judged: tuple[NotJudged, ...] = ()


def find_beats(
    ecg: Ecg, finder: BeatFinder | None = None, *, mask: bool = True
) -> tuple[Beats, ...]:
    """Beats of each contiguous part, and what cannot be trusted.

    Parameters
    ----------
    ecg
        One or more leads.
    finder
        Finds the beats; by default `AveragesFinder`.
    mask
        Find what cannot be trusted; with false, all beats are taken as they are.
    """
    own, found = AveragesFinder(), []
    finder = finder or own
    for onset_s, millivolts in contiguous(ecg):
        search = own.search(millivolts, ecg.fs_hz) if mask or finder == own else None
        if search is not None and finder == own:
            at = search.peaks.sample
        else:
            at = finder.find(millivolts, ecg.fs_hz)
        leads = clearest_leads(millivolts, ecg.fs_hz)
        lead = ecg.leads[int(np.bincount(leads).argmax())]
        lasts_s = int(millivolts.shape[1]) / ecg.fs_hz
        if at.size < 2:
            why = _main_reason(
                [*signal_trouble(millivolts, ecg.fs_hz), NotJudged(0.0, lasts_s, NO_BEAT)]
            )
            whole = NotJudged(onset_s, onset_s + lasts_s, why)
            found.append(Beats(np.empty(0), lead, (whole,)))
            continue
        at_s = refined(millivolts, ecg.fs_hz, at, leads) / ecg.fs_hz
        aside: tuple[NotJudged, ...] = ()
        if mask and search is not None:
            second = at
            if finder == own:
                second = AveragesFinder(SECOND_BAND_HZ).find(millivolts, ecg.fs_hz)
            edges_s = _with_ends(at_s, lasts_s)
            doubts = [
                *_noise(search, second, ecg.fs_hz, edges_s),
                *signal_trouble(millivolts, ecg.fs_hz),
                *beat_trouble(edges_s),
            ]
            aside = _to_beats(doubts, edges_s, onset_s)
        found.append(Beats(onset_s + at_s, lead, aside))
    return tuple(found)


def _with_ends(at_s: Float64[Array, "beat"], lasts_s: float) -> Float64[Array, "edge"]:
    """The beats, and an end of the part where it lies far from them."""
    before = [0.0] if at_s[0] > LONGEST_S else []
    after = [lasts_s] if lasts_s - at_s[-1] > LONGEST_S else []
    return np.concatenate([before, at_s, after])


def _noise(
    search: Search, second: Int64[Array, "other"], fs_hz: float, edges_s: Float64[Array, "edge"]
) -> list[NotJudged]:
    """Beats that cannot be trusted; all of them where our own search has none."""
    if not search.peaks.sample.size:
        return [NotJudged(float(edges_s[0]), float(edges_s[-1]), NOISE)]
    peaks_s = search.peaks.sample / fs_hz
    return [
        NotJudged(float(peaks_s[low]), float(peaks_s[min(high, peaks_s.size - 1)]), NOISE)
        for low, high in runs(~measure(search, second, fs_hz).trusted())
    ]


def _to_beats(
    aside: list[NotJudged], at_s: Float64[Array, "beat"], onset_s: float
) -> tuple[NotJudged, ...]:
    """Stretches moved out to the next beats, and joined where little lies between them.

    In the same way, they reach to the first and the last beat.
    """
    groups: list[list[NotJudged]] = []
    end_s, last_s = -np.inf, float(at_s[-1])
    for one in sorted(aside, key=lambda one: one.start_s):
        low = max(int(np.searchsorted(at_s, one.start_s, side="right")) - 1, 0)
        high = min(int(np.searchsorted(at_s, one.end_s, side="left")), at_s.size - 1)
        if low >= high:
            continue  # before the first beat or after the last
        begins_s, ends_s = float(at_s[low]), float(at_s[high])
        moved = NotJudged(
            begins_s if begins_s - at_s[0] > CLOSE_S else float(at_s[0]),
            ends_s if last_s - ends_s > CLOSE_S else last_s,
            one.why,
        )
        if moved.start_s - end_s > CLOSE_S:
            groups.append([])
        groups[-1].append(moved)
        end_s = max(end_s, moved.end_s)
    return tuple(
        NotJudged(
            onset_s + min(one.start_s for one in group),
            onset_s + max(one.end_s for one in group),
            _main_reason(group),
        )
        for group in groups
    )


def _main_reason(group: list[NotJudged]) -> str:
    """The plainest of the reasons that hold for a good part of the time."""
    lasts_s = {why: sum(one.end_s - one.start_s for one in group if one.why == why) for why in WHYS}
    longest_s = max(lasts_s.values())
    return next(why for why in WHYS if lasts_s[why] >= longest_s / 2)
