"""Boosted statistics: they learn, and are the same again."""

import numpy as np
import pytest
import torch

from pacl.rivals.statistics import Statistics
from pacl.rivals.system import Learn
from support.window_sets import make_set


@pytest.mark.parametrize("at", range(len(Statistics().trials)))
def test_learns_what_is_there_and_is_the_same_again(at):
    windows = make_set(window_beats=200, stride=5, patients=12, records=3)
    system = Statistics()
    learn = Learn(windows, 3, steps=1, device=torch.device("cpu"))
    logit = system.fit(learn, system.trials[at]).logit(windows)
    is_af = windows.table.rhythm == 1
    assert logit[is_af].mean() > logit[~is_af].mean()
    np.testing.assert_array_equal(logit, system.fit(learn, system.trials[at]).logit(windows))


def test_has_neither_embeddings_nor_probe():
    windows = make_set(window_beats=200, patients=12)
    system = Statistics()
    fitted = system.fit(Learn(windows, 3, 1, torch.device("cpu")), system.trials[0])
    assert fitted.embed(windows) is None
    assert fitted.probed(windows) is None
    assert (system.name, system.kind) == ("statistics", "features")
