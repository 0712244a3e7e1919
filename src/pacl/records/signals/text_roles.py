"""Which column of an ECG in text is what."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from pacl.records.errors import FormatError
from pacl.records.signals.decimals import parse_cell
from pacl.records.signals.leads import choose_leads, is_ecg_name, is_other_name
from pacl.records.signals.text_clock import kind_of
from pacl.records.signals.text_head import EcgHead
from pacl.records.signals.units import millivolts_per

_TIME_WORDS = {"time", "timestamp", "elapsed", "datetime", "date", "clock", "zeit", "uhrzeit"}
_TIME_NAMES = {"t", "s", "sec", "seconds", "ms", "us", "ns"}
_FEWEST_PACKED = 4
_COUNT_NAMES = {"index", "sample", "samples", "n", "nr", "no", "number", "frame", "seq", "id", ""}


@dataclass(frozen=True, slots=True)
class Roles:
    """Columns by position: those of the leads, the times, and a wall clock.

    `names` and `units` are of the leads. Where `is_packed`, all columns together are one lead, and
    each row is a packet: `timestamp,sample0,sample1,...`.
    """

    columns: tuple[int, ...]
    names: tuple[str, ...]
    units: tuple[str, ...]
    time: int | None
    wall: int | None
    is_packed: bool = False


def roles_of(head: EcgHead, column: str | None, lead: str | None, source: str) -> Roles:
    """Find the columns: those asked for, else those whose names and numbers are known.

    Numbers of a device's own clock are preferred to dates, which are when a phone got them.
    """
    if column is not None and lead is not None:
        raise FormatError(source, "both --column and --lead are given", "leave one out")
    dated = [at for at in range(head.width) if kind_of(head.rows[0][at])]
    times = [at for at in range(head.width) if at not in dated and _is_time(head, at)]
    times.sort(key=lambda at: millivolts_per(head.units[at]) is not None)
    counts = {at for at in range(head.width) if is_count(head, at)}
    free = [
        at
        for at in range(head.width)
        if at not in {*dated, *times, *counts} and parse_cell(_point(head.rows[0][at])) is not None
    ]
    packed = _packed(head)
    if packed and column is None and lead is None:
        chosen = packed
    elif column is not None:
        chosen = [_find(head, column, source)]
    else:
        chosen = _leads(head, free, lead, source)
    times = [at for at in times if at not in chosen]
    dated = [at for at in dated if at not in chosen]
    return Roles(
        columns=tuple(chosen),
        names=("ECG",) if chosen is packed else tuple(title_of(head, at) for at in chosen),
        units=tuple(head.units[at] for at in chosen[: 1 if chosen is packed else None]),
        time=times[0] if times else dated[0] if dated else None,
        wall=dated[0] if dated else None,
        is_packed=chosen is packed,
    )


def title_of(head: EcgHead, at: int) -> str:
    """Name of a column; where it has none its number from 1."""
    if head.lead and head.width == 1:
        return head.lead
    return head.names[at] or f"column {at + 1}"


def is_count(head: EcgHead, at: int) -> bool:
    """Whether a column only counts the rows."""
    if head.width == 1 or _plain(head.names[at]) not in _COUNT_NAMES:
        return False
    cells = [row[at] for row in head.rows]
    if len(cells) < 3 or not all(re.fullmatch(r"[0-9]{1,15}", cell) for cell in cells):
        return False
    return {int(b) - int(a) for a, b in pairwise(cells)} == {1}


def _packed(head: EcgHead) -> list[int]:
    """Columns that are samples of one packet, counted on from 0 or 1; none where there are not."""
    found = [
        (int(number[1]), at)
        for at, name in enumerate(head.names)
        if (
            number := re.fullmatch(
                r"(?:samples?|values?)[ _.\[(-]{0,2}([0-9]{1,3})[\])]?", name.lower()
            )
        )
    ]
    counted = [number for number, _ in found]
    enough = len(found) >= _FEWEST_PACKED and counted[0] in (0, 1)
    even = counted == list(range(counted[0], counted[0] + len(found))) if found else False
    return [at for _, at in found] if enough and even else []


def _is_time(head: EcgHead, at: int) -> bool:
    """Whether a column is named as a time, or, without names, the first of several that rises."""
    words = re.findall(r"[^\W\d_]+", head.names[at].lower())
    if _TIME_WORDS & set(words) or (words and set(words) <= _TIME_NAMES):
        return True
    if any(head.names) or at or head.width < 2:
        return False
    values = [parse_cell(_point(row[at])) for row in head.rows]
    known = [value for value in values if value is not None]
    return len(known) == len(values) and known == sorted(known) and known[0] < known[-1]


def _leads(head: EcgHead, free: Sequence[int], lead: str | None, source: str) -> list[int]:
    """Columns that are leads; the only one that is nothing else needs no name."""
    names = [title_of(head, at) for at in range(head.width)]
    if lead is not None:
        return choose_leads(names, _voltages(head), lead, source)
    known = [
        at
        for at in free
        if is_ecg_name(names[at])
        or (millivolts_per(head.units[at]) is not None and not is_other_name(names[at]))
    ]
    found = known or [at for at in free if not is_other_name(names[at])]
    if not known and len(found) != 1:
        listed = ", ".join(repr(name[:24]) for name in names[:20])
        raise FormatError(
            source,
            f"no column, or more than one, could be an ECG among {listed}",
            "choose it with --column, by its name or its number from 1",
        )
    return found


def _voltages(head: EcgHead) -> list[str]:
    """Units of voltage; what a name ends with may also be a word."""
    return [unit if millivolts_per(unit) is not None else "" for unit in head.units]


def _find(head: EcgHead, column: str, source: str) -> int:
    text = column.strip()
    for key in (str.strip, _plain):
        found = [at for at, name in enumerate(head.names) if name and key(name) == key(text)]
        if len(found) == 1:
            return found[0]
    if re.fullmatch(r"[0-9]{1,6}", text) and 1 <= int(text) <= head.width:
        return int(text) - 1
    listed = ", ".join(repr(title_of(head, at)[:24]) for at in range(min(head.width, 20)))
    raise FormatError(
        source,
        f"--column {text[:40]!r} names none or several of the columns {listed}",
        "give one of these names, or a number counting from 1",
    )


def _plain(name: str) -> str:
    """A name without its unit and signs, in small letters."""
    words = re.findall(r"[^\W_]+", re.sub(r"[\[(][^\])]*[\])]\s*$", "", name).lower())
    return "".join(words)


def _point(cell: str) -> str:
    return cell.replace(",", ".")
