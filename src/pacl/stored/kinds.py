"""Whether plain values, such as those of JSON, are of the expected type.

A type states what is expected, once, where the values are used:

- `bool`, `int`, `float`, `str`, `Path`, `None`, `Literal`, `Any`, and unions of these;
- `list[X]`, `tuple[X, ...]`, `Sequence[X]`, `dict[str, X]`;
- a dataclass: all its fields, no others; what has a default may be missing;
- a `TypedDict`: the fields it names; other fields are left as they are;
- `Annotated[float, Between(0, 1)]`: a range; `Annotated[tuple[int, ...], Several(1, 16)]`: a
  number of values. Other annotations are for others.
"""

import inspect
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from functools import lru_cache
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

PLAIN = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
SHOWN = 60
"""Characters of a wrong value that a message repeats."""


class MisfitError(ValueError):
    """A value of another type than expected, and the keys that lead to it."""

    def __init__(self, what: str, *keys: str | int) -> None:
        super().__init__(what)
        self.what, self.keys = what, keys

    def __str__(self) -> str:
        key = ".".join(map(str, self.keys))
        return f"{key}: {self.what}" if key else self.what

    def within(self, key: str | int) -> "MisfitError":
        """The same error with the key of the level above."""
        return MisfitError(self.what, key, *self.keys)


@dataclass(frozen=True, slots=True)
class Between:
    """A range of numbers, both ends included unless they are left out."""

    low: int | float
    high: int | float
    without_low: bool = False
    without_high: bool = False

    def check(self, value: Any) -> None:
        """Refuse a number outside."""
        above = self.low < value if self.without_low else self.low <= value
        below = value < self.high if self.without_high else value <= self.high
        if not (above and below):
            raise MisfitError(f"{value}, expected {self}")

    def __str__(self) -> str:
        low = f"above {self.low:g}" if self.without_low else f"{self.low:g}"
        return f"{low} to {'below ' if self.without_high else ''}{self.high:g}"


@dataclass(frozen=True, slots=True)
class Odd:
    """An odd number, such as the size of a kernel with a middle."""

    def check(self, value: Any) -> None:
        """Refuse an even number."""
        if value % 2 == 0:
            raise MisfitError(f"{value}, expected an odd number")


@dataclass(frozen=True, slots=True)
class Several:
    """How many values a list may have."""

    least: int
    most: int

    def check(self, value: Any) -> None:
        """Refuse another number of values."""
        if not self.least <= len(value) <= self.most:
            raise MisfitError(f"{len(value)} values, expected {self.least} to {self.most}")


def fitted(kind: Any, value: Any) -> Any:
    """A value as the expected type; lists become tuples where these are expected.

    Examples
    --------
    >>> fitted(tuple[int, ...], [3, 5])
    (3, 5)
    """
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is Any:
        return value
    if kind in PLAIN:
        return _plain(kind, value)
    if kind is Path:
        return _path(value)
    if origin is NotRequired:
        return fitted(arguments[0], value)
    if origin is Annotated:
        found = fitted(arguments[0], value)
        for limits in arguments[1:]:
            if isinstance(limits, Between | Odd | Several):
                limits.check(found)
        return found
    if origin is Literal:
        if any(value == one and type(value) is type(one) for one in arguments):
            return value
        raise MisfitError(f"{shown(value)}, expected {', '.join(map(repr, arguments))}")
    if origin in (Union, types.UnionType):
        return _one_of(arguments, value)
    if origin in (list, tuple, Sequence):
        return _listed(origin, arguments, value)
    if not isinstance(value, Mapping):
        raise MisfitError(f"{shown(value)}, expected values by name")
    if isinstance(kind, type) and is_dataclass(kind):
        return build(kind, value)
    if is_typeddict(kind):
        _named(value, get_type_hints(kind, include_extras=True), kind.__required_keys__)
        return value
    return {key: _within(key, arguments[1], inner) for key, inner in value.items()}


def build(make: Callable[..., Any], stated: Mapping[str, Any], **more: Any) -> Any:
    """Call something with stated arguments, after each is checked against its type.

    Raises `MisfitError` for unknown or missing arguments and for wrong types. `more` are further
    arguments.
    """
    taken = _taken(make)
    if unknown := [key for key in stated if key not in taken.known or key in more]:
        raise MisfitError("not known here, it may be of a later version", unknown[0])
    return make(**_named(stated, taken.kinds, taken.needed.difference(more)), **more)


@dataclass(frozen=True, slots=True)
class _Taken:
    """Arguments: all names, those without a default, and their types."""

    known: frozenset[str]
    needed: frozenset[str]
    kinds: Mapping[str, Any]


@lru_cache(maxsize=256)  # reading a signature takes longer than checking the values
def _taken(make: Callable[..., Any]) -> _Taken:
    stated = inspect.signature(make).parameters
    return _Taken(
        frozenset(stated),
        frozenset(name for name, one in stated.items() if one.default is one.empty),
        get_type_hints(
            make.__init__ if isinstance(make, type) else make,  # type: ignore[misc]
            include_extras=True,
        ),
    )


def shown(value: Any) -> str:
    """A value in a message, cut short."""
    if isinstance(value, Mapping | list):
        return "values by name" if isinstance(value, Mapping) else "a list"
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."


def _named(
    values: Mapping[str, Any], kinds: Mapping[str, Any], needed: frozenset[str]
) -> dict[str, Any]:
    if missing := [key for key in kinds if key in needed and key not in values]:
        raise MisfitError(f"{', '.join(missing)} missing")
    return {key: _within(key, kinds[key], values[key]) for key in kinds if key in values}


def _within(key: str | int, kind: Any, value: Any) -> Any:
    try:
        return fitted(kind, value)
    except MisfitError as error:
        raise error.within(key) from None


def _plain(kind: type, value: Any) -> Any:
    if kind is float and type(value) is int:
        try:
            return float(value)
        except OverflowError:
            raise MisfitError(
                f"{shown(value)} is too large; expected a number below 1e308"
            ) from None
    if type(value) is not kind:  # true is a whole number to Python, and not to us
        raise MisfitError(f"{shown(value)}, expected {PLAIN[kind]}")
    return value


def _path(value: Any) -> Path:
    if not isinstance(value, str | Path) or not str(value):
        raise MisfitError(f"{shown(value)}, expected a path")
    return Path(value)


def _one_of(kinds: Sequence[Any], value: Any) -> Any:
    if value is None and type(None) in kinds:
        return None
    wrong: MisfitError | None = None
    for kind in kinds:
        if kind is type(None):
            continue
        try:
            return fitted(kind, value)
        except MisfitError as error:
            wrong = wrong or error
    raise wrong or MisfitError(f"{shown(value)}, expected nothing")


def _listed(origin: type, kinds: Sequence[Any], value: Any) -> Any:
    if not isinstance(value, list | tuple):
        raise MisfitError(f"{shown(value)}, expected a list")
    each = [kinds[0]] * len(value) if len(kinds) == 1 or kinds[-1] is ... else list(kinds)
    if len(each) != len(value):
        raise MisfitError(f"{len(value)} values, expected {len(each)}")
    found = [_within(at, *both) for at, both in enumerate(zip(each, value, strict=True))]
    return tuple(found) if origin is tuple else found
