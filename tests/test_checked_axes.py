"""Calls are checked while testing: types always, axes where there are arrays."""

import inspect
from typing import Literal

import numpy as np
import pytest

from pacl.atomic_write import atomic_write
from pacl.axes import Array, Float32
from pacl.detect.episodes import af_episodes
from pacl.evaluation import measure_auroc
from pacl.rr import Cut
from pacl.rr.scale import gather
from pacl.rr.store import ScaleBeats
from support.checked_axes import can_be_checked_quickly, has_axes, with_axes, with_types


def test_a_function_without_arrays_refuses_another_type(tmp_path):
    assert not has_axes(inspect.unwrap(atomic_write))
    with pytest.raises(TypeError, match="content"):
        atomic_write(tmp_path / "file", 3)


def test_a_dataclass_without_arrays_refuses_another_type():
    with pytest.raises(TypeError, match="window_beats"):
        Cut(window_beats="many")


def test_axes_of_one_name_have_one_size():
    assert has_axes(inspect.unwrap(measure_auroc))
    with pytest.raises(TypeError, match="Float"):
        measure_auroc(np.array([0, 1]), np.array([0.1, 0.2, 0.3]))


def test_arrays_are_found_in_what_holds_them():
    from pacl.axes import Array, Float

    def deep(values: "dict[str, list[Float[Array, 'beat']] | None]") -> None: ...
    def plain(values: dict[str, list[int] | None]) -> "str": ...
    def later(values: "NotYet") -> None: ...

    deep.__globals__.update(Array=Array, Float=Float)
    assert [has_axes(one) for one in (deep, plain, later)] == [True, False, True]


def test_a_dataclass_with_arrays_refuses_axes_that_differ():
    assert can_be_checked_quickly(inspect.unwrap(ScaleBeats.__init__))
    with pytest.raises(TypeError, match="stop"):
        ScaleBeats(("a", "b"), start=np.zeros(2, np.int64), stop=np.zeros(3, np.int64))


def test_a_size_that_is_an_argument_is_checked():
    rr_ms, start, ones = np.ones(9, np.float32), np.zeros(1, np.int64), np.ones(1, np.float32)
    assert not can_be_checked_quickly(inspect.unwrap(gather))
    assert gather(rr_ms, start, 4, ones, ones).shape == (1, 4)
    with pytest.raises(TypeError, match="scale_ms"):
        gather(rr_ms, start, 4, ones, np.ones(2, np.float32))


def test_the_axes_of_a_generator_are_its_own():
    assert has_axes(inspect.unwrap(af_episodes))
    assert not can_be_checked_quickly(inspect.unwrap(af_episodes))


def test_the_words_of_a_choice_are_no_annotations():
    def chosen(form: Literal["a", "b"], rr_ms: Float32[Array, "beat"]) -> None: ...
    def word(form: Literal["a", "b"]) -> None: ...

    assert (can_be_checked_quickly(chosen), has_axes(word)) == (True, False)


@pytest.mark.parametrize("check", [with_types, with_axes])
def test_functions_that_are_made_again_are_each_checked(check):
    def adding(more: int, default: int):
        @check
        def added(number: int, *, twice: int = default) -> int:
            """The sum."""
            return number + more + twice

        return added

    first, second = adding(1, 10), adding(2, 20)
    assert second.__code__ is first.__code__, "written again"
    assert [first(1), second(1), first(1, twice=0)] == [12, 23, 2]
    assert second.__doc__ == "The sum."
    for made in (first, second):
        with pytest.raises(TypeError, match="number"):
            made("1")


def test_a_type_that_the_outer_function_chooses_is_its_own():
    def taking(kind: type):
        @with_types
        def taken(value: kind) -> None: ...

        return taken

    taking(int)(1), taking(str)("1")
    with pytest.raises(TypeError, match="value"):
        taking(str)(1)
