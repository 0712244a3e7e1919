"""Intervals in JSON that their source marks as invalid, by the names that columns of text have."""

from collections.abc import Mapping, Sequence
from typing import Any

from pacl.records.errors import ValueRangeError
from pacl.records.exports.json_text import plain
from pacl.records.text import (
    CONTACT,
    CONTACT_SUPPORTED,
    ERROR_ESTIMATE,
    FLAGS,
    MOST_ERROR_MS,
    TRUE_IS_INVALID,
    TRUE_IS_VALID,
)

_TRUTHS = {
    **dict.fromkeys(("1", "1.0", "true", "t", "yes", "y"), True),
    **dict.fromkeys(("0", "0.0", "false", "f", "no", "n"), False),
}
_LONGEST_KEY = 30


def flags_of(found: Mapping[str, Any]) -> dict[str, Any]:
    """The flags of an object by their plain names, and whether contact is supported."""
    flags = {
        name: value
        for key, value in found.items()
        if len(key) < _LONGEST_KEY and (name := plain(key)) in FLAGS
    }
    supported = [flags.pop(name) for name in CONTACT_SUPPORTED & flags.keys()]
    if any(_truth(one) is False for one in supported):
        flags = {name: value for name, value in flags.items() if name not in CONTACT}
    return flags


def is_invalid(found: Mapping[str, Any]) -> bool:
    """Whether any flag of an object says that its interval is invalid."""
    return any(_marks(name, value) for name, value in flags_of(found).items())


def invalid_in(found: Mapping[str, Any], count: int, where: str) -> list[bool]:
    """Which of an object's `count` intervals its flags mark: all, or those of a list beside them.

    A number such as `artifacts: 3` beside a list counts them and does not say which they are.
    """
    invalid = [False] * count
    for name, value in flags_of(found).items():
        if isinstance(value, list):
            if len(value) not in (0, count):
                raise ValueRangeError(
                    where,
                    f"{len(value):,} values of {name} for {count:,} intervals",
                    "give one flag for each interval, or save the intervals as CSV with a column "
                    "valid",
                )
            invalid = [
                old or _marks(name, one)
                for old, one in zip(invalid, value or [None] * count, strict=True)
            ]
        elif count == 1 or not (name in TRUE_IS_INVALID and _is_count(value)):
            invalid = [True] * count if _marks(name, value) else invalid
    return invalid


def check_some_valid(invalid: Sequence[Sequence[bool]], where: str) -> None:
    """Refuse a file in which each interval is marked."""
    if invalid and all(map(all, invalid)):
        raise ValueRangeError(
            where,
            "all intervals are marked as invalid by their source (contact, valid, artifact, "
            "offline, blocker or errorEstimate)",
            "leave the file out, and wear the sensor more tightly",
        )


def _marks(name: str, value: Any) -> bool:
    """Whether the value of a flag says that an interval is invalid; no value says nothing."""
    if name in ERROR_ESTIMATE:
        return _is_count(value) and value > MOST_ERROR_MS
    if name in TRUE_IS_INVALID:
        return _truth(value) is True
    return name in TRUE_IS_VALID | CONTACT and _truth(value) is False


def _truth(value: Any) -> bool | None:
    return _TRUTHS.get(str(value).lower()) if isinstance(value, str | int | float) else None


def _is_count(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
