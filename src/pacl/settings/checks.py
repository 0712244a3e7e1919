"""Plain values checked against a dataclass of settings: all problems at once, with dotted keys.

A dataclass states what is allowed: the type of each field with its bounds, and a method `problems`
for what fields must agree on. Where the type of a field depends on values, as that of an encoder's
settings on its name, the class has a method `arranged` that says so.
"""

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import Any, TypeVar, get_type_hints

from pacl.errors import PaclError
from pacl.settings.words import Words, from_words
from pacl.stored import MisfitError, fitted, shown

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong, and the keys that lead to it; none if it concerns all."""

    keys: tuple[str, ...]
    reason: str

    def within(self, key: str) -> "Problem":
        """The same with the key of the level above."""
        return Problem((key, *self.keys), self.reason)

    def __str__(self) -> str:
        key = ".".join(self.keys)
        return f"{key}: {self.reason}" if key else self.reason


class SettingsError(PaclError):
    """Settings that are unknown, of the wrong kind, or do not fit together; all at once."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(map(str, self.problems)))


@dataclass(frozen=True, slots=True)
class Arranged:
    """Values as they are checked: under the keys of today, with the types that follow from them."""

    stated: Mapping[str, Any]
    kinds: Mapping[str, Any]
    problems: tuple[Problem, ...] = ()


def settled(kind: type[S], stated: Mapping[str, Any]) -> S:
    """Settings out of plain values, such as those of a file; the rest has its defaults.

    Examples
    --------
    >>> from pacl.settings import SamplerSettings
    >>> settled(SamplerSettings, {"subjects": 4}).windows
    16
    >>> settled(SamplerSettings, {"subject": 4, "windows": 0})
    Traceback (most recent call last):
        ...
    pacl.settings.checks.SettingsError: subject: not known here; there are subjects, windows, ...
    """
    found, problems = _settle(kind, stated)
    if problems or found is None:
        raise SettingsError(problems)
    return found


def check_settings(settings: Any) -> None:
    """Refuse settings that were made with values outside of their bounds."""
    settled(type(settings), {each.name: getattr(settings, each.name) for each in fields(settings)})


def differences(then: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Dotted keys in which two sets of settings differ, each as `key then / now`."""
    old, new = (dict(_flat(one)) for one in (then, now))
    return [
        f"{key} {old.get(key)} / {new.get(key)}"
        for key in {**old, **new}
        if old.get(key) != new.get(key)
    ]


def _flat(values: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for key, value in values.items():
        nested = isinstance(value, Mapping)
        found += _flat(value, f"{prefix}{key}.") if nested else [(prefix + key, value)]
    return found


def _settle(kind: type[S], stated: Mapping[str, Any]) -> tuple[S | None, list[Problem]]:
    kinds = get_type_hints(kind, include_extras=True)
    problems: list[Problem] = []
    if (arrange := getattr(kind, "arranged", None)) is not None:
        arranged: Arranged = arrange(stated)
        stated, kinds = arranged.stated, {**kinds, **arranged.kinds}
        problems += arranged.problems
    known = {each.name: each for each in fields(kind)}  # type: ignore[arg-type]
    problems += [
        Problem((str(key),), f"not known here; there are {', '.join(known)}")
        for key in stated
        if key not in known
    ]
    problems += [
        Problem((name,), "missing")
        for name, each in known.items()
        if name not in stated and each.default is MISSING and each.default_factory is MISSING
    ]
    values: dict[str, Any] = {}
    for key, value in stated.items():
        if key not in known or any(one.keys[:1] == (key,) for one in problems):
            continue
        found, wrong = _value(kinds[key], value)
        values[key] = found
        problems += [one.within(key) for one in wrong]
    if problems:
        return None, problems
    made = kind(**values)
    agree = getattr(made, "problems", None)
    return made, [Problem((), reason) for reason in agree()] if agree else []


def _value(kind: Any, value: Any) -> tuple[Any, list[Problem]]:
    """A value as the type of its field, or what is wrong with it."""
    if isinstance(kind, type) and is_dataclass(kind):
        if is_dataclass(value) and not isinstance(value, type):
            if not isinstance(value, kind):
                return None, [Problem((), f"{type(value).__name__}, expected {kind.__name__}")]
            value = {each.name: getattr(value, each.name) for each in fields(value)}
        if not isinstance(value, Mapping):
            return None, [Problem((), f"{shown(value)}, expected values by name")]
        return _settle(kind, value)
    try:
        return fitted(kind, from_words(kind, value) if isinstance(value, Words) else value), []
    except MisfitError as error:
        return None, [Problem(tuple(map(str, error.keys)), error.what)]
