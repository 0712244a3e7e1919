"""What was found in recordings, as text to read."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pacl.printable import printable

if TYPE_CHECKING:
    from pacl.detect import Detection

SHOWN = 20


def as_text(found: Sequence["Detection"]) -> str:
    """One paragraph per recording."""
    return "\n".join(_told(one) for one in found)


def _told(one: "Detection") -> str:
    lines = [f"{printable(one.source)}: {one.verdict}"]
    if one.verdict != "cannot tell":
        lines[0] += (
            f", AF burden {100 * (one.af_burden or 0.0):.1f} % of {_clock(one.judged_s)} judged, "
            f"{_count(len(one.episodes), 'episode')}"
        )
    if one.reason is not None:
        lines[0] += f": {one.reason}"
    if one.learned_from:
        lines.append(f"  {printable(one.weights)} learned from this very recording")
    for episode, stated in list(zip(one.episodes, one.to_dict()["episodes"], strict=True))[:SHOWN]:
        at = f"  {stated['start']} to {stated['end']}" if "start" in stated else ""
        lines.append(
            f"  {_clock(episode.start_s)} to {_clock(episode.end_s)}, "
            f"{_clock(episode.duration_s)} long, confidence {episode.confidence:.2f}{at}"
        )
    if len(one.episodes) > SHOWN:
        lines.append(f"  and {len(one.episodes) - SHOWN:,} more; --format json has all of them")
    quality, within = one.quality, _clock(one.duration_s)
    if one.duration_s - one.recorded_s >= 1:
        within = f"{_clock(one.recorded_s)} recorded over {within}"
    lines.append(
        f"  {_count(quality.beats, 'beat')} in {within}: {100 * quality.implausible:.2f} % "
        f"implausible, {100 * quality.not_judged:.2f} % not judged, {_count(quality.gaps, 'gap')}; "
        f"{one.mode}, {one.weights}"
    )
    return "\n".join(lines) + "\n"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _clock(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"
