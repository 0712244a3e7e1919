"""One person beside the population: where their sinus rhythm lies, and what a profile changed."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pacl.axes import Array, Float64
from pacl.detect import Detection, PersonResult
from pacl.detect.scoring import judged_spans
from pacl.records import Record, Rhythm
from pacl.report.page import (
    Block,
    Heading,
    Note,
    TableBlock,
    Text,
    recording_block,
    without_markup,
)
from pacl.report.recording.annotations import LanePicture, draw_lanes
from pacl.report.style import FAINT, INK, RECORDING_WIDTH, RHYTHM_COLOURS, recording_style
from pacl.report.table import Cell, Head, Table
from pacl.report.time_axis import TimeAxis
from pacl.report.wording import counted, percent
from pacl.spans import joined

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FROM, TO = -11.0, 9.0
LEAST_SD = 0.25
"""Narrower hills are drawn as wide as this."""


@dataclass(frozen=True, slots=True)
class Hill:
    """Where a class probably lies: mean and standard deviation."""

    place: float
    sd: float

    def height(self, at: Float64[Array, "place"]) -> Float64[Array, "place"]:
        """The hill, with 1 at its top."""
        found: Float64[Array, "place"] = np.exp(-0.5 * ((at - self.place) / self.sd) ** 2)
        return found


@dataclass(frozen=True, slots=True)
class BaselinePicture:
    """Hills of sinus rhythm and AF and the boundary, for the population and for the person."""

    population: tuple[Hill, Hill, float]
    person: tuple[Hill, Hill, float]
    today: float | None
    """Where the sinus rhythm of this recording lies."""


def compute_baseline(result: PersonResult) -> BaselinePicture:
    """Place the population and the person on the axis of log odds."""
    prior, own = result.prior.subject, result.own
    return BaselinePicture(
        population=(
            Hill(prior.reference, prior.reference_sd),
            Hill(prior.target, prior.target_sd),
            0.0,
        ),
        person=(
            Hill(own.place, max(own.place_sd, LEAST_SD)),
            Hill(own.target_place, prior.target_sd),
            own.boundary,
        ),
        today=result.check.today.log_odds if result.check.today.minutes else None,
    )


def draw_baseline(picture: BaselinePicture) -> "Figure":
    """Draw the population above the person."""
    from matplotlib.figure import Figure

    at = np.linspace(FROM, TO, 400)
    with recording_style():
        figure = Figure(figsize=(RECORDING_WIDTH, 3.1), layout="constrained")
        panels = figure.subplots(2, 1, sharex=True)
        lanes = {"population": picture.population, "profile": picture.person}
        for axes, (name, (sinus, af, boundary)) in zip(panels, lanes.items(), strict=True):
            for hill, rhythm, label in ((sinus, Rhythm.SR, "sinus rhythm"), (af, Rhythm.AF, "AF")):
                colour = RHYTHM_COLOURS[rhythm]
                axes.fill_between(at, hill.height(at), color=colour, alpha=0.35, lw=0)
                axes.text(hill.place, 0.3, label, color=INK, ha="center", fontsize=8)
            axes.axvline(0.0, color=FAINT, lw=1.0)
            axes.axvline(boundary, color=INK, lw=1.4, ls="--")
            axes.set(ylim=(0, 1.15), yticks=[], ylabel=name, xlim=(FROM, TO))
        if picture.today is not None:
            panels[1].plot([picture.today], [0.06], marker="^", color=RHYTHM_COLOURS[Rhythm.SR])
        panels[1].set_xlabel("how much the beats look like AF (log odds)")
    return figure


def _notes(result: PersonResult) -> list[Block]:
    """Whether the result uses the profile, and what there is to know about it."""
    notices = (Note(without_markup(one.text), _head(one.kind)) for one in result.check.notices)
    return [Note(_sentence(result), "Profile"), *notices]


def person_blocks(record: Record, detection: Detection) -> list[Block]:
    """The section about the profile; empty if none was given."""
    result = detection.person
    if result is None:
        return []
    return [
        Heading("The profile of this person"),
        *_notes(result),
        _baseline_block(result),
        TableBlock(_both_table(result)),
        *_changed(record, result),
    ]


def _head(kind: str) -> str:
    return f"{kind[0].upper()}{kind[1:]}"


def _sentence(result: PersonResult) -> str:
    evidence = result.evidence
    learned = [
        f"{evidence.sinus.amount:.0f} minutes marked as sinus rhythm" * bool(evidence.sinus.amount),
        f"{evidence.wearing.amount / 60:.1f} hours without labels" * evidence.wearing.usable,
        counted(len(evidence.corrections), "correction") * bool(evidence.corrections),
    ]
    used = " and ".join(one for one in learned if one) or "nothing"
    which = (
        "The result on this page uses it."
        if result.applied
        else f"The result on this page does **not** use it: {result.why_not}."
    )
    return (
        f"There is a profile, learned from {used}. {which} With the profile: "
        f"{_short(result.adapted)}; without it: {_short(result.without)}."
    )


def _short(one: Detection) -> str:
    burden = "" if one.af_burden is None else f", AF burden {percent(one.af_burden)}"
    return f"**{one.verdict}**{burden}"


def _baseline_block(result: PersonResult) -> Block:
    picture = compute_baseline(result)
    today = " The triangle is the sinus rhythm of this recording." * (picture.today is not None)
    return recording_block(
        "person",
        lambda: draw_baseline(picture),
        "Sinus rhythm and AF on the axis of log odds, for the population and by the profile",
        "**The profile beside the population.** The hills show where sinus rhythm and AF lie from "
        "person to person (above), and where the profile places them (below). A beat to the right "
        f"of the dashed line speaks for AF (operating point balanced).{today}",
    )


def _both_table(result: PersonResult) -> Table:
    """Both results side by side."""
    rows = tuple(
        (
            Cell(name),
            Cell(one.verdict),
            Cell("" if one.af_burden is None else percent(one.af_burden)),
            Cell(f"{len(one.episodes):,}"),
        )
        for name, one in (
            ("without the profile", result.without),
            ("with the profile", result.adapted),
        )
    )
    heads = (Head("Result"), Head("Verdict"), Head("AF burden"), Head("Episodes"))
    return Table("With and without the profile", "", heads, rows)


def _changed(record: Record, result: PersonResult) -> list[Block]:
    """AF over time with and without the profile, where they differ."""
    if np.array_equal(result.without.af, result.adapted.af):
        return [Text("With and without the profile, all decisions are the same.")]
    lanes = {"with profile": result.adapted, "without": result.without}
    picture = LanePicture(
        axis=TimeAxis.of(record),
        af_s={
            name: joined((each.start_s, each.end_s) for each in one.episodes)
            for name, one in lanes.items()
        },
        known_s={name: judged_spans(one) for name, one in lanes.items()},
    )
    return [
        recording_block(
            "with-and-without",
            lambda: draw_lanes(picture),
            "Detected AF over time, without the profile above and with it below",
            "**With and without the profile.** Above, AF as detected without the profile; below, "
            "with it. Blank: not judged.",
        )
    ]
