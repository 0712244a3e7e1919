"""Results of recordings as text, JSON and CSV."""

import csv
import io
import json
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from pacl.printable import plain_cell, printable

if TYPE_CHECKING:
    from pacl.detect import Detection, EditsResult, PersonResult

SHOWN = 20
SAID = 0.01
"""From this share of the time on, the main reason why it is not judged is said."""
EPISODE = ("start_s", "end_s", "confidence", "start", "end")
COLUMNS = ("file", "record", "verdict", "af_burden", *EPISODE, "judged_share", "reason")
WITH_PROFILE = ("profile", "verdict_without", "af_burden_without")
"""More columns, where a person's profile was given."""
WITH_EDITS = ("edits", "verdict_without_edits", "af_burden_without_edits")
"""More columns, where marks by hand were given."""


def as_json(found: Sequence["Detection"], several: bool, *, with_edits: bool = False) -> str:
    """One object, or a list of objects where several recordings may be given."""
    objects = [one.to_dict() for one in found]
    if with_edits:
        for one in objects:
            one.setdefault("edits", None)
    return json.dumps(objects if several else objects[0], indent=1) + "\n"


def as_csv(found: Sequence["Detection"], *, with_edits: bool = False) -> str:
    """One row per episode; one row without times for a recording without episodes."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    profiles = any(one.person is not None for one in found)
    more = (*(WITH_PROFILE if profiles else ()), *(WITH_EDITS if with_edits else ()))
    rows.writerow([*COLUMNS, *more])
    for one in found:
        head = (plain_cell(one.source), plain_cell(one.record_id), one.verdict, _burden(one))
        tail = [f"{one.judged_share:.6f}", one.reason or ""]
        if one.person is not None:
            without = one.person.without
            tail += [one.person.why_not or "used", without.verdict, _burden(without)]
        elif profiles:  # learned from the marks of other recordings
            tail += [""] * len(WITH_PROFILE)
        if with_edits and one.edits is None:
            tail += ["0", one.verdict, _burden(one)]
        elif with_edits and one.edits is not None:
            without = one.edits.without
            tail += [str(one.edits.given), without.verdict, _burden(without)]
        for episode in one.to_dict()["episodes"] or [{}]:
            rows.writerow([*head, *(episode.get(key, "") for key in EPISODE), *tail])
    return text.getvalue()


def _burden(one: "Detection") -> str:
    return "" if one.af_burden is None else f"{one.af_burden:.6f}"


def as_text(found: Sequence["Detection"], *, with_edits: bool = False) -> str:
    """One paragraph per recording."""
    return "\n".join(_paragraph(one, with_edits=with_edits) for one in found)


def _paragraph(one: "Detection", *, with_edits: bool) -> str:
    lines = [f"{printable(one.source)}: {one.verdict}"]
    if one.verdict != "cannot tell":
        lines[0] += (
            f", AF burden {100 * (one.af_burden or 0.0):.1f} % of "
            f"{_clock(round(one.judged_s))} judged, {counted(len(one.episodes), 'episode')}"
        )
    if one.reason is not None:
        lines[0] += f": {one.reason}"
    if one.person is not None:
        lines += _with_profile(one.person)
    if with_edits:
        lines += _with_edits(one.edits)
    if one.learned_from:
        lines.append(f"  {printable(one.weights)} was trained on this recording")
    for episode in one.episodes[:SHOWN]:
        start_s, end_s = round(episode.start_s), round(episode.end_s)  # so that all times agree
        dates = ""
        if one.started is not None:
            begins, ends = (one.started + timedelta(seconds=at) for at in (start_s, end_s))
            dates = f"  {begins.isoformat(' ', 'seconds')} to {ends.isoformat(' ', 'seconds')}"
        lines.append(
            f"  {_clock(start_s)} to {_clock(end_s)}, {_clock(end_s - start_s)} long, "
            f"confidence {episode.confidence:.2f}{dates}"
        )
    if len(one.episodes) > SHOWN:
        lines.append(f"  and {len(one.episodes) - SHOWN:,} more; --format json lists all")
    quality, within = one.quality, _clock(round(one.duration_s))
    if one.duration_s - one.recorded_s >= 1:
        within = f"{_clock(round(one.recorded_s))} recorded over {within}"
    why = one.why_not_judged if 1 - one.seen_share >= SAID else None
    lost = f"{100 * (1 - one.seen_share):.2f} % of the time not judged"
    lines.append(
        f"  {counted(quality.beats, 'beat')} in {within}: {100 * quality.implausible:.2f} % "
        f"implausible, {lost}{f' ({why})' if why else ''}, "
        f"{counted(quality.gaps, 'gap')}; {one.mode}, {one.weights}"
    )
    return "\n".join(lines) + "\n"


def _with_profile(person: "PersonResult") -> list[str]:
    """Both results, and what there is to know about the profile."""
    which = "used" if person.applied else f"not used: {person.why_not}"
    return [
        f"  profile {which}; with it {_short(person.adapted)}, without it {_short(person.without)}",
        *(f"  note: {one.text}" for one in person.check.notices),
    ]


def _with_edits(edits: "EditsResult | None") -> list[str]:
    """How many marks there are, the result without them, and what could not be learned."""
    if edits is None:
        return ["  no edits by hand"]
    without = edits.without
    burden = f", AF burden {100 * without.af_burden:.1f} %" if without.af_burden is not None else ""
    learned = "; a profile was learned here" if edits.learned else ""
    return [
        f"  {counted(edits.given, 'edit')} by hand; without {_them(edits.given)} "
        f"{without.verdict}{burden}{learned}",
        *(f"  note: {printable(one)}" for one in edits.notices),
    ]


def _them(number: int) -> str:
    return "it" if number == 1 else "them"


def _short(one: "Detection") -> str:
    burden = one.af_burden
    return one.verdict if burden is None else f"{one.verdict} (AF burden {100 * burden:.1f} %)"


def counted(number: int, noun: str) -> str:
    """A number and its noun, in the plural where it must be."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _clock(seconds: int) -> str:
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
