"""Whether a text is an ECG rather than RR intervals."""

from collections.abc import Sequence

import numpy as np

from pacl.axes import Array, Float64
from pacl.records.content import HEAD_BYTES
from pacl.records.errors import RecordError
from pacl.records.signals.decimals import parse_cell
from pacl.records.signals.leads import is_ecg_name, is_other_name
from pacl.records.signals.text_clock import kind_of
from pacl.records.signals.text_head import EcgHead, read_ecg_head
from pacl.records.signals.text_roles import roles_of
from pacl.records.signals.text_times import in_seconds, pace_of
from pacl.records.signals.units import millivolts_per
from pacl.records.text import names_beats

_FEWEST_ROWS = 20
_NEGATIVE_SHARE = 0.1
_RR = ((0.2, 3.0), (200.0, 3000.0))
_SURE_NAMES = ("ecg", "ekg", "voltage")


def looks_like_ecg_text(head: bytes) -> bool:
    """Whether a file that begins with these bytes is an ECG in text.

    Give 65,536 bytes, or the whole file. A column must be named as an ECG or have a unit of
    voltage. Without such a name, rows must follow each other at the rate of an ECG and not be in
    the range of intervals; or many numbers must be negative, which intervals never are. Positive
    numbers without times and names may be intervals: they are not taken for an ECG.
    """
    try:
        found = read_ecg_head(head[:HEAD_BYTES], "")
        if found.lead or any(_is_sure(found, at) for at in range(found.width)):
            return not _has_intervals(found)
        return not _has_intervals(found) and (_two_leads(found) or _by_numbers(found))
    except (RecordError, ValueError):
        return False


def _is_sure(head: EcgHead, at: int) -> bool:
    name = head.names[at].lower()
    if millivolts_per(head.units[at]) is not None:
        return head.units[at] != "v" and not is_other_name(head.names[at])
    return any(word in name for word in _SURE_NAMES) and not is_other_name(head.names[at])


def _has_intervals(head: EcgHead) -> bool:
    """Whether a column is named like intervals, or like the times of beats."""
    if names_beats(filter(None, head.names)):
        return True
    plain = ["".join(filter(str.isalpha, name.lower())) for name in head.names]
    return any(
        name.startswith(("rr", "nn", "ibi", "ppi")) or "interval" in name for name in plain if name
    )


def _two_leads(head: EcgHead) -> bool:
    """Whether two columns have the names of leads: one alone may be a word such as `I`."""
    return sum(map(is_ecg_name, filter(None, head.names))) >= 2


def _by_numbers(head: EcgHead) -> bool:
    roles = roles_of(head, None, None, "")
    values = _column(head, roles.columns[0])
    if values.size < _FEWEST_ROWS or len(roles.names) > 1:
        return False
    if roles.is_packed:
        return True
    size = np.abs(values)
    if any(low <= size.min() and size.max() <= high for low, high in _RR):
        return False
    if head.width == 1:
        return bool(np.mean(values < 0) >= _NEGATIVE_SHARE)
    if roles.time is None:
        return False
    cells = [row[roles.time] for row in head.rows]
    if any(map(kind_of, cells)):
        return False
    at_s = in_seconds(_column(head, roles.time), head.units[roles.time], None)
    return at_s is not None and pace_of(at_s, None, "", "").fs_hz >= 50


def _column(head: EcgHead, at: int) -> Float64[Array, "row"]:
    cells: Sequence[str] = [row[at].replace(",", ".") for row in head.rows]
    found = [parse_cell(cell) for cell in cells]
    return np.array([value for value in found if value is not None], np.float64)
