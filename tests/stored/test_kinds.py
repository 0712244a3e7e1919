"""Types as schemas: each kind of value, and the dotted key of what is wrong."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest

from pacl.stored import Between, MisfitError, build, fitted


@dataclass(frozen=True)
class Inner:
    """A part."""

    sizes: tuple[int, ...]
    rate: float = 0.5


@dataclass(frozen=True)
class Outer:
    """A whole."""

    name: str
    inner: Inner
    way: Literal["up", "down"] = "up"
    limit: int | None = None


class Open(TypedDict):
    """What is used of something larger."""

    count: Annotated[int, Between(1, 9)]
    rows: NotRequired[list[dict[str, str]]]


def test_a_dataclass_is_built_with_its_parts():
    stated = {"name": "a", "inner": {"sizes": [1, 2], "rate": 1}, "limit": 3}
    assert fitted(Outer, stated) == Outer("a", Inner((1, 2), 1.0), "up", 3)
    assert fitted(Sequence[int], [1]) == [1]
    assert fitted(tuple[int, str], [1, "a"]) == (1, "a")


def test_a_typed_dict_leaves_all_as_it_came():
    stated = {"count": 3, "more": {"a": None}}
    assert fitted(Open, stated) is stated


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        (int, True, "True, expected a whole number"),
        (int, 1.0, "1.0, expected a whole number"),
        (float, "1", "'1', expected a number"),
        (bool, 1, "1, expected true or false"),
        (str, None, "None, expected a text"),
        (Literal["a", 1], True, "True, expected 'a', 1"),
        (list[int], {"a": 1}, "values by name, expected a list"),
        (dict[str, int], [1], "a list, expected values by name"),
        (tuple[int, int], [1], "1 values, expected 2"),
        (int | None, "x", "'x', expected a whole number"),
        (Outer, {"name": "a"}, "inner missing"),
        (Outer, {"name": "a", "inner": {"sizes": [1, "x"]}}, "inner.sizes.1: 'x', expected a"),
        (Outer, {"name": "a", "inner": {"sizes": []}, "new": 1}, "new: not known here"),
        (Outer, {"name": "a", "inner": 3}, "inner: 3, expected values by name"),
        (Open, {}, "count missing"),
        (Open, {"count": 10}, "count: 10, expected 1 to 9"),
        (Open, {"count": 1, "rows": [{"a": "b"}, {"a": 1}]}, "rows.1.a: 1, expected a text"),
        (str | None, 10**60, "expected a text"),
    ],
)
def test_what_does_not_fit_is_named_by_its_key(kind, value, message):
    with pytest.raises(MisfitError) as caught:
        fitted(kind, value)
    assert message in str(caught.value)


def test_arguments_of_a_function_are_checked_too():
    def make(size: int, names: Sequence[str] = (), *, seed: Any = None) -> tuple[Any, ...]:
        return size, names, seed

    assert build(make, {"size": 3}, seed="s") == (3, (), "s")
    for wrong in ({}, {"size": "3"}, {"size": 3, "seed": 1}, {"size": 3, "names": "ab"}):
        with pytest.raises(MisfitError):
            build(make, wrong, seed="s")


def test_a_whole_number_that_no_float_can_hold_is_refused():
    with pytest.raises(MisfitError, match="too large"):
        fitted(float, 10**400)
