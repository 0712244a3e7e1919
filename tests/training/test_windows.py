from dataclasses import replace

import numpy as np
import pytest
import torch

from pacl.records import Rhythm
from pacl.rr import RRWindowSet
from pacl.training import LabelledWindows
from support.small_runs import small_windows


@pytest.mark.parametrize("part", [None, "train", "validation"])
def test_batches_are_the_windows_of_the_set(part):
    windows = RRWindowSet.open(small_windows())
    windows = windows.part(part) if part else windows
    labelled = LabelledWindows.of(windows)
    assert len(labelled) == len(windows)
    rows = np.random.default_rng(0).integers(len(windows), size=100)
    batch = labelled.take(torch.from_numpy(rows))
    assert np.array_equal(batch.windows.numpy(), windows.windows(rows))
    assert batch.labels.tolist() == windows.table.rhythm[rows].tolist()
    assert set(batch.labels.tolist()) == {int(Rhythm.SR), int(Rhythm.AF)}
    names = windows.table.patient.names
    mine = [names[code] for code in batch.subjects.tolist()]
    assert mine == windows.table.patient[rows].to_list()


def test_they_say_where_they_are():
    labelled = LabelledWindows.of(RRWindowSet.open(small_windows()))
    assert labelled.device == torch.device("cpu")
    assert labelled.labels.dtype == labelled.subjects.dtype == torch.int64


@pytest.mark.parametrize(
    ("centre_ms", "scale_ms", "expected"), [(0, 1, True), (0, 2, False), (1, 1, False)]
)
def test_they_say_whether_they_are_in_ms(centre_ms, scale_ms, expected):
    windows = RRWindowSet.open(small_windows())
    assert not LabelledWindows.of(windows).tensors.in_ms
    centre, scale = np.zeros(len(windows), np.float32), np.ones(len(windows), np.float32)
    centre[3], scale[5] = centre_ms, scale_ms  # one of another kind is enough
    table = replace(windows.table, centre_ms=centre, scale_ms=scale)
    labelled = LabelledWindows.of(replace(windows, table=table))
    assert labelled.tensors.in_ms is expected
    if expected:
        beats = windows.table.start[7] + np.arange(windows.window_beats)
        batch = labelled.take(torch.tensor([7]))
        assert np.array_equal(batch.windows[0].numpy(), windows.rr_ms[beats])
