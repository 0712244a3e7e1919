"""Plain values as settings: all problems at once, with their keys."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import pytest

from pacl.settings import (
    NoAugmentation,
    Plan,
    ResidualSettings,
    SamplerSettings,
    SettingsError,
    Words,
    check_settings,
    restated,
    settled,
)
from pacl.stored import Between, Odd, Several
from support.refusals import refused


@dataclass(frozen=True)
class Inner:
    size: Annotated[int, Between(1, 9), Odd()] = 3
    many: Annotated[tuple[int, ...], Several(1, 2)] = (1,)

    def problems(self) -> Iterator[str]:
        if self.size in self.many:
            yield f"size {self.size} is one of many"


@dataclass(frozen=True)
class Outer:
    needed: str
    inner: Inner = Inner()
    share: Annotated[float, Between(0, 1, without_high=True)] = 0.5
    kind: Literal["a", "b"] = "a"
    file: Path | None = None


def keys(stated, kind=Outer, **more) -> dict[str, str]:
    with pytest.raises(SettingsError) as caught:
        settled(kind, stated, **more)
    return {".".join(one.keys): one.reason for one in caught.value.problems}


def test_values_get_their_types_and_the_rest_its_defaults():
    found = settled(Outer, {"needed": "x", "inner": {"many": [5, 7]}, "share": 0, "file": "a/b"})
    assert found == Outer("x", Inner(many=(5, 7)), 0.0, "a", Path("a/b"))
    assert settled(Outer, {"needed": "x", "inner": Inner(5)}).inner.size == 5


def test_all_problems_are_told_at_once_each_with_its_key():
    wrong = {
        "inner": {"size": 4, "many": [], "colour": 1},
        "share": 1.0,
        "kind": "c",
        "file": 3,
        "more": 1,
    }
    assert keys(wrong).keys() == {
        *("needed", "inner.size", "inner.many", "inner.colour", "share", "kind", "file", "more")
    }


def test_what_does_not_fit_together_is_told_by_its_section():
    assert keys({"needed": "x", "inner": {"size": 1}}) == {"inner": "size 1 is one of many"}


@pytest.mark.parametrize("value", [float("nan"), 1.0, -0.1, True, "0.5", None])
def test_numbers_outside_are_refused(value):
    assert keys({"needed": "x", "share": value}).keys() == {"share"}


def test_without_bounds_types_alone_are_checked():
    stated = {"needed": "x", "share": 7.0, "inner": {"size": 4, "many": [4]}}
    assert settled(Outer, stated, bounds=False).share == 7.0
    assert keys({"needed": "x", "share": "much"}, bounds=False).keys() == {"share"}


def test_settings_that_were_made_can_be_checked():
    check_settings(Plan())
    check_settings(Plan(encoder=ResidualSettings(width=16)))
    with refused(SettingsError, "sampler.subjects", "0"):
        check_settings(Plan(sampler=SamplerSettings(subjects=0)))
    with refused(SettingsError, "encoder.kernel", "4"):
        check_settings(Plan(encoder=ResidualSettings(kernel=4)))
    with refused(SettingsError, "sampler.windows 1"):
        check_settings(Plan(sampler=SamplerSettings(windows=1)))


@pytest.mark.parametrize("name", ["objective", "encoder", "augmentation", "sampler"])
@pytest.mark.parametrize("value", [3, "x", [1], None, NoAugmentation])
def test_a_section_of_another_kind_is_refused_by_its_key(name, value):
    assert keys({name: value}, Plan).keys() == {name}


def test_words_become_what_is_expected():
    words = {"needed": Words(("x",)), "share": Words(("0.25",)), "inner": {"size": Words(("5",))}}
    words["inner"]["many"] = Words(("1", "2"))
    assert settled(Outer, words) == Outer("x", Inner(5, (1, 2)), 0.25)
    wrong = {
        "needed": Words(("x", "y")),
        "share": Words(("much",)),
        "kind": Words(("c",)),
        "inner": {"size": Words(("4",)), "many": Words(("1", "b"))},
    }
    assert keys(wrong).keys() == {"needed", "share", "kind", "inner.size", "inner.many.1"}


@dataclass(frozen=True)
class Words2:
    maybe: int | None = 3
    on: bool = False
    two: tuple[int, str] = (1, "a")


def test_words_of_other_types():
    given = {"maybe": Words(("none",)), "on": Words(("yes",)), "two": Words(("4", "b"))}
    assert settled(Words2, given) == Words2(None, True, (4, "b"))
    assert settled(Words2, {"maybe": Words(("4",))}).maybe == 4
    wrong = {"maybe": Words(("x",)), "on": Words(("perhaps",)), "two": Words(("1",))}
    assert keys(wrong, Words2).keys() == {"maybe", "on", "two"}


def test_former_keys_give_way_to_those_of_today():
    both = {"sampler": {"patients": 3, "subjects": 5}, "train": {"breath": 0.5, "faults": 0.0}}
    found = restated(both)
    assert found["sampler"] == {"subjects": 5}
    assert found["augmentation"] == {
        "name": "rr",
        "respiratory_arrhythmia": 0.5,
        "faults": 0.0,
    }
    assert both["sampler"] == {"patients": 3, "subjects": 5}
    assert restated({"sampler": 3}) == {"sampler": 3}
    assert restated(3) == 3
