"""The card of a detector of beats: what it is for, what it is worth, what it is not."""

from collections.abc import Mapping, Sequence
from typing import Any

from pacl.detect import LearnedFrom, OperatingPoint

POINTS: tuple[OperatingPoint, ...] = ("sensitive", "balanced", "specific")


def write_beat_card(
    name: str,
    learned: Sequence[LearnedFrom],
    measured: Mapping[str, Mapping[str, Mapping[str, Mapping[str, Any]]]],
    recipe: str,
    parameters: Mapping[str, int],
) -> str:
    """The card as Markdown."""
    sources = "\n".join(
        f"- {one.cohort}: {one.source or 'source not stated'}"
        f"{f', {one.licence}' if one.licence else ''}; {one.records} recordings of "
        f"{one.patients} patients"
        for one in learned
    )
    return f"""# {name}

Finds atrial fibrillation (AF) in RR intervals, in ms, of anybody: every beat gets a probability,
and beats in AF that follow each other are an episode, from five beats on. No labels of the person
are needed.

**Not a medical device.** It has not been cleared for diagnosis, its operating points have not been
set for any clinical purpose, and a person's heart rhythm is a physician's to judge.

## What it takes and gives

| | |
|---|---|
| input | RR intervals in ms, at least 60 plausible ones (200-2000 ms) in a row |
| output | a logit for every beat, calibrated log odds, episodes, AF burden, what was not judged |
| look-ahead | five networks of {parameters["look-ahead"]:,} parameters that learned from other \
seeds; each sees 560 beats to either side. Where the first is in doubt, the mean of all decides |
| stream | {parameters["stream"]:,} parameters, looks 30 beats ahead |
| delay of a stream | a beat is decided 60 to 70 beats later |
| recipe | {recipe} |

## What it learned from

{sources}

## What it is worth to strangers

Each row is a cohort that the detector of that row has not learned from and was not calibrated by.
Cohorts with AF had no part in the choice of that detector's recipe. A cohort of sinus rhythm alone
had: recipes with much false AF in it were not chosen. Flutter is left out. Se and P+ by time; false
alarms are called episodes without any AF, in 24 hours.

{_tables(measured)}
## Limits

- RR intervals alone cannot tell AF from atrial flutter with changing conduction.
- Beats at inexact times: jitter of more than about 30 ms (one standard deviation) on the beats of
  sinus rhythm is called AF in more than 2 % of the time.
- AF in a paced heart may be missed while the pacemaker sets the rhythm.
- Frequent atrial ectopy in runs may be called short AF.
"""


def _tables(measured: Mapping[str, Mapping[str, Mapping[str, Mapping[str, Any]]]]) -> str:
    """One table for each mode."""
    return "\n".join(_table(mode, measured[mode]) for mode in measured)


def _table(mode: str, points: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> str:
    head = (
        f"{mode[0].upper()}{mode[1:]}:\n\n"
        "| operating point | cohort | patients | Se | P+ | false alarms a day | "
        "false AF, h a day | found below 30 s | 30 s to 2 min |\n"
        "|---|---|--:|--:|--:|--:|--:|--:|--:|\n"
    )
    rows = [
        f"| {point} | {cohort} | {one['patients']} | {_share(one['sensitivity'])} | "
        f"{_share(one['predictivity'])} | {one['false_alarms_per_day']:.2f} | "
        f"{_hours(one['false_af_h_per_day'])} | {_found(one, 0)} | {_found(one, 1)} |"
        for point in POINTS
        for cohort, one in points[point].items()
    ]
    return head + "\n".join(rows) + "\n"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _hours(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _found(one: Mapping[str, Any], at: int) -> str:
    length = one["episodes"][at]
    return f"{length['found']} of {length['of']}" if length["of"] else "-"
