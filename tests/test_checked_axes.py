"""Calls are checked while testing: types always, axes where there are arrays."""

import inspect

import numpy as np
import pytest

from pacl.atomic_write import atomic_write
from pacl.evaluation import measure_auroc
from pacl.rr import Cut
from support.checked_axes import has_axes


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
