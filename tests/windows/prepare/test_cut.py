from collections import Counter

import numpy as np
import pytest

from pacl.windows import ArrayCut, WindowSetError
from pacl.windows.prepare import cut as module
from pacl.windows.prepare.cut import Cuts, cut_stretch
from support.refusals import refused

CLASSES = np.array([0, 0, 0, 0, 1, 1, 1, 2, -1, -1], dtype=np.int32)


def cut(mixed: str, length: int = 4, stride: int = 1, usable: object = None) -> Cuts:
    every = np.ones(10, dtype=bool)
    parts = list(
        cut_stretch(
            CLASSES,
            every if usable is None else usable,  # type: ignore[arg-type]
            length=length,
            stride=stride,
            mixed=mixed,  # type: ignore[arg-type]
        )
    )
    return Cuts(
        np.concatenate([one.start for one in parts]),
        np.concatenate([one.label for one in parts]),
        sum((one.dropped for one in parts), Counter()),
    )


@pytest.mark.parametrize("at_once", [1, 8, 2**20])
def test_a_window_is_of_one_class(monkeypatch, at_once):
    monkeypatch.setattr(module, "AT_ONCE", at_once)
    found = cut("drop")
    assert (found.start.tolist(), found.label.tolist()) == ([0], [0])
    assert found.dropped == {
        "windows of several classes": 4,
        "windows with a class that is not used": 2,
    }


def test_or_of_the_class_of_most_samples():
    found = cut("majority")
    assert found.start.tolist() == [0, 1, 2, 3, 4, 5]
    assert found.label.tolist() == [0, 0, 0, 1, 1, 1]
    assert found.dropped == {"windows with a class that is not used": 1}


def test_or_has_a_label_for_each_sample():
    found = cut("per-sample", stride=2)
    assert found.start.tolist() == [0, 2, 4]
    assert found.label.tolist() == [CLASSES[at : at + 4].tolist() for at in (0, 2, 4)]


def test_samples_that_a_scale_was_fitted_on_are_in_no_window():
    found = cut("majority", usable=np.arange(10) != 2)
    assert found.start.tolist() == [3, 4, 5]
    assert found.dropped["windows with samples that the scale was fitted on"] == 3


def test_a_short_stretch_has_no_window():
    assert not list(cut_stretch(CLASSES, np.ones(10, bool), length=11, stride=1, mixed="drop"))


def test_lengths_are_in_samples_or_in_seconds():
    assert ArrayCut().in_samples(None) == (200, 100)
    assert ArrayCut(length=7).in_samples(None) == (7, 3)
    assert ArrayCut(length_s=0.5, stride_s=0.1).in_samples(200.0) == (100, 20)
    with refused(WindowSetError, "length_s", "sampling_hz"):
        ArrayCut(length_s=1.0).in_samples(None)
    with refused(WindowSetError, "stride", "stride_s"):
        ArrayCut(stride=1, stride_s=1.0)
    with refused(WindowSetError, "length", "above 0"):
        ArrayCut(length=0)


def test_classes_are_used_by_value_and_named():
    assert list(ArrayCut().class_of(["10", "9", "b", "-1", "a"])) == ["-1", "9", "10", "a", "b"]
    named = ArrayCut(classes=("2=hand", "0", "1=hand"))
    assert named.class_of(["0", "1", "2", "3"]) == {"2": "hand", "0": "0", "1": "hand"}
    with refused(WindowSetError, "class 7", "0, 1"):
        ArrayCut(classes=("7=x",)).class_of(["1", "0"])
