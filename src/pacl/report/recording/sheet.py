"""The print sheet of a recording, computed: two pages with summary, trend, episodes and method.

```
page 1   result, all intervals over time, AF by hour, method, limits
page 2   a minute of beats from the start of each episode, with ECG where there is one
```
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Float64, Int8, Real
from pacl.detect import AfEpisode, Detection
from pacl.ecg import Ecg
from pacl.records import PLAUSIBLE_MS, Record
from pacl.report.recording.decisions import Decision, beat_decisions
from pacl.report.recording.ecg_samples import millivolts
from pacl.report.recording.hours import HourBars, compute_hours
from pacl.report.recording.words import limits_of, method_of, summary_of
from pacl.report.tachogram import thinned
from pacl.report.time_axis import extent_s
from pacl.report.wording import duration, moment, percent

MOST_DOTS = 6000
LEAST_HOURS_S = 2 * 3600.0
"""Shorter recordings have no bars by hour."""
MOST_STRIPS = {False: 16, True: 5}
"""Episodes with a strip, without and with ECG: as many as a page holds."""
MOST_NAMED = 30
"""Further episodes that are named without a strip."""
STRIP_S, BEFORE_S = 60.0, 5.0
WIDTH, HEIGHT = 1000.0, 200.0
STRIP_WIDTH = {False: 300.0, True: 720.0}
STRIP_HEIGHT = 60.0
ECG_MM, ECG_HEIGHT_MM = 180.0, 24.0
ECG_S = ECG_MM / 25.0
"""25 mm a second and 10 mm a millivolt, as on the paper of an ECG."""


@dataclass(frozen=True, slots=True)
class Marks:
    """The outline of dots or a line in a drawing, and its class in the style sheet."""

    kind: str
    outline: str


@dataclass(frozen=True, slots=True)
class Bar:
    """A rectangle of a drawing."""

    kind: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Tick:
    """A label on an axis."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Strip:
    """A minute of beats of one episode, and some seconds of its ECG."""

    title: str
    facts: str
    width: float
    shaded: Bar
    dots: tuple[Marks, ...]
    ecg: str | None


@dataclass(frozen=True, slots=True)
class Sheet:
    """All that is printed."""

    title: str
    summary: tuple[tuple[str, str], ...]
    dots: tuple[Marks, ...]
    shades: tuple[Bar, ...]
    bars: tuple[Bar, ...]
    ticks: tuple[Tick, ...]
    axis: str
    method: str
    limits: str
    strips: tuple[Strip, ...]
    with_ecg: bool
    left_out: str


def compute_sheet(record: Record, detection: Detection, ecg: Ecg | None = None) -> Sheet:
    """Compute the sheet of a recording."""
    begins_s, ends_s = extent_s(record)
    lasts_s = max(ends_s - begins_s, 1.0)
    decisions = beat_decisions(record, detection)
    onset_s = record.onset_s()

    def x(at_s: float) -> float:
        return round(WIDTH * (min(max(at_s, begins_s), ends_s) - begins_s) / lasts_s, 1)

    kept = thinned(record.rr_ms, MOST_DOTS)
    where = np.round(WIDTH * (onset_s[kept] - begins_s) / lasts_s, 1)
    longest = sorted(detection.episodes, key=lambda one: one.start_s - one.end_s)
    most = MOST_STRIPS[ecg is not None]
    shown = sorted(longest[:most], key=lambda one: one.start_s)
    hours = compute_hours(record, detection)
    return Sheet(
        title=record.record_id.removeprefix("record_"),
        summary=summary_of(record, detection),
        dots=_dots(where, record.rr_ms[kept], decisions[kept], HEIGHT),
        shades=tuple(
            Bar("af", x(one.start_s), 0.0, max(x(one.end_s) - x(one.start_s), 1.0), HEIGHT)
            for one in detection.episodes
        ),
        bars=_hour_bars(hours, x) if detection.recorded_s >= LEAST_HOURS_S else (),
        ticks=tuple(
            Tick(x(at * 3600), text)
            for at, text in hours.axis.ticks(begins_s / 3600, ends_s / 3600)
            if 20 <= x(at * 3600) <= WIDTH - 20
        ),
        axis=hours.axis.label,
        method=method_of(detection),
        limits=limits_of(detection),
        strips=tuple(_strip(record, detection, one, onset_s, decisions, ecg) for one in shown),
        with_ecg=ecg is not None,
        left_out=_left_out(detection, longest[most:]),
    )


def _dots(
    x: Float64[Array, "dot"],
    rr_ms: Real[Array, "dot"],
    decisions: Int8[Array, "dot"],
    height: float,
) -> tuple[Marks, ...]:
    """One outline for each decision: a short line for each beat."""
    low, high = PLAUSIBLE_MS
    y = np.round(height * (high - np.clip(rr_ms, low, high)) / (high - low), 1)
    found = []
    for decision, kind in (
        (Decision.NOT_JUDGED, "unknown"),
        (Decision.NOT_AF, "not-af"),
        (Decision.AF, "af"),
    ):
        of = np.flatnonzero(decisions == decision)
        outline = "".join(f"M{a:g} {b:g}h1" for a, b in zip(x[of], y[of], strict=True))
        if outline:
            found.append(Marks(kind, outline))
    return tuple(found)


def _hour_bars(hours: HourBars, x: Callable[[float], float]) -> tuple[Bar, ...]:
    found = []
    for start_h, judged, af in zip(hours.start_h, hours.judged_min, hours.af_min, strict=True):
        low, high = x(start_h * 3600), x((start_h + hours.width_h) * 3600)
        for kind, minutes in (("judged", judged), ("af", af)):
            tall = round(float(minutes), 1)
            if tall and high > low:
                found.append(Bar(kind, low + 0.5, 60 - tall, max(high - low - 1, 0.5), tall))
    return tuple(found)


def _strip(
    record: Record,
    detection: Detection,
    episode: AfEpisode,
    onset_s: Float64[Array, "beat"],
    decisions: Int8[Array, "beat"],
    ecg: Ecg | None,
) -> Strip:
    from_s, width = episode.start_s - BEFORE_S, STRIP_WIDTH[ecg is not None]
    low, high = np.searchsorted(onset_s, [from_s, from_s + STRIP_S])
    x = np.round(width * (onset_s[low:high] - from_s) / STRIP_S, 1)
    start = width * BEFORE_S / STRIP_S
    end = width * min((episode.end_s - from_s) / STRIP_S, 1.0)
    facts = [duration(episode.duration_s), f"confidence {percent(episode.confidence)}"]
    return Strip(
        title=moment(episode.start_s, detection.started, detection.duration_s),
        facts=", ".join([*facts, *(["may be flutter"] if episode.may_be_flutter else [])]),
        width=width,
        shaded=Bar("af", round(start, 1), 0.0, round(end - start, 1), STRIP_HEIGHT),
        dots=_dots(x, record.rr_ms[low:high], decisions[low:high], STRIP_HEIGHT),
        ecg=None if ecg is None else _ecg_line(ecg, episode.start_s),
    )


def _ecg_line(ecg: Ecg, from_s: float) -> str | None:
    """The first lead from a time on, in mm; None where there is no signal."""
    values = millivolts(ecg, from_s, from_s + ECG_S)[0]
    known = np.isfinite(values)
    if not known.any():
        return None
    middle = float(np.median(values[known]))
    x = np.round(ECG_MM * np.arange(values.size) / max(values.size - 1, 1), 2)
    y = np.round(np.clip(0.6 * ECG_HEIGHT_MM - 10 * (values - middle), 0, ECG_HEIGHT_MM), 2)
    pens = np.where(np.append(False, known[:-1]), "L", "M")
    drawn = zip(pens[known], x[known], y[known], strict=True)
    return "".join(f"{pen}{a:g} {b:g}" for pen, a, b in drawn)


def _left_out(detection: Detection, others: Sequence[AfEpisode]) -> str:
    """The episodes without a strip."""
    if not others:
        return ""
    named = sorted(others[:MOST_NAMED], key=lambda one: one.start_s)
    text = "; ".join(
        f"{moment(one.start_s, detection.started, detection.duration_s)} "
        f"({duration(one.duration_s)})"
        for one in named
    )
    rest = len(others) - len(named)
    return f"Shorter episodes: {text}{f'; and {rest:,} more' if rest else ''}."
