"""Lists of intervals in JSON, put together to recordings.

An app writes packets of some beats, chunks of a minute, or a whole session as one list. Which it is
is decided once for all lists at the same level of a document, never list by list.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from pacl.records.exports.json_intervals import Found, factor_of
from pacl.records.exports.json_time import on_one_clock
from pacl.records.exports.json_validity import check_some_valid
from pacl.records.exports.packets import Packet, check_clock, place
from pacl.records.exports.recording import Recording, as_date, by_time, join
from pacl.records.record import GAP_MS

_SESSION_BEATS = 30
"""No packet of a strap has as many. The time of a long list is its start, or by the others its end.
"""
_APART_S = 600.0
"""Long lists that follow each other within this time are parts of one recording."""
_GAP_S = GAP_MS / 1000


def recordings_of(found: Sequence[Found], where: str) -> list[Recording]:
    """All recordings in the intervals of a document."""
    if not any(each.values for each in found):
        return []
    factor = factor_of(found, where)
    check_some_valid([each.invalid or (False,) for each in found if each.values], where)
    levels: dict[str, list[Found]] = {}
    for each in found:
        if each.values:
            levels.setdefault(each.level, []).append(each)
        else:  # lost time is that of the list before
            levels.setdefault(next(reversed(levels), ""), []).append(each)
    made: list[Recording | None] = []
    for lists in levels.values():
        sizes = [len(each.values) for each in lists if each.values]
        if sizes and float(np.median(sizes)) >= _SESSION_BEATS:
            made += _sessions([each for each in lists if each.values], factor)
        elif sizes:
            made.append(_stream(lists, factor, where))
    return [one for one in made if one is not None]


def _sessions(lists: Sequence[Found], factor: float) -> list[Recording | None]:
    """A recording of each long list, and of all that follow each other on the clock."""
    packets = [_packet(each, factor, None) for each in lists]
    lasts_s = [one.lasts_s for one in packets]
    begins_s = _begins_s(lists, lasts_s)
    made = []
    first = 0
    for stop in range(1, len(lists) + 1):
        if stop < len(lists) and _follows(begins_s[stop - 1 : stop + 1], lasts_s[stop - 1]):
            continue
        stamped = [
            Packet(one.rr_ms, None if begin is None else begin + last, False, one.invalid)
            for one, begin, last in zip(
                packets[first:stop], begins_s[first:stop], lasts_s[first:stop], strict=True
            )
        ]
        at = lists[first].at
        date = at.date if at else None
        stretches = place(stamped)
        begin = begins_s[first]
        started = as_date(begin, date) if date and begin is not None else date
        made.append(join(stretches, by_time(started), started))
        first = stop
    return made


def _begins_s(lists: Sequence[Found], lasts_s: Sequence[float]) -> list[float | None]:
    """When each list begins; stamps are ends where that fits the lists around them better."""
    if all(each.at is not None and each.at.date is not None for each in lists):
        at_s: list[float | None] = [each.at.seconds if each.at else None for each in lists]
    else:
        at_s, _ = on_one_clock([each.at for each in lists], lasts_s)
    as_start = as_end = 0.0
    for (one, two), (last, next_last) in zip(pairwise(at_s), pairwise(lasts_s), strict=True):
        if one is not None and two is not None:
            as_start += min(abs(two - one - last), _GAP_S)
            as_end += min(abs(two - one - next_last), _GAP_S)
    if as_end < as_start:
        at_s = [None if at is None else at - last for at, last in zip(at_s, lasts_s, strict=True)]
    return at_s


def _follows(begins_s: Sequence[float | None], last_s: float) -> bool:
    one, two = begins_s
    return one is not None and two is not None and -_GAP_S <= two - one - last_s <= _APART_S


def _stream(lists: Sequence[Found], factor: float, where: str) -> Recording | None:
    """Packets in the order of the document are one recording."""
    unplaced = [_packet(each, factor, None) for each in lists]
    at_s, date = on_one_clock([each.at for each in lists], [one.lasts_s for one in unplaced])
    packets = [_packet(each, factor, at) for each, at in zip(lists, at_s, strict=True)]
    check_clock(packets, where)
    stretches = place(packets)
    started = as_date(stretches[0].began_s, date) if stretches and date else None
    return join(stretches, by_time(started), started)


def _packet(each: Found, factor: float, at_s: float | None) -> Packet:
    if not each.values:  # short lost time is one interval without a beat, long a pause
        short = 0 < each.lost_ms <= GAP_MS
        return Packet((each.lost_ms,), None, False, (True,)) if short else Packet((), None, True)
    return Packet([one * factor for one in each.values], at_s, False, each.invalid)
