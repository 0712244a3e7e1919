import numpy as np
import pytest
import torch

from pacl.evaluation import fit_probe
from pacl.systems import SYSTEMS, Learn, as_read
from pacl.testing import check_system
from support.signals import ring_of_sensors, settings

CPU = torch.device("cpu")


def parts(windows, reads, unseen=("subject-4", "subject-5")):
    read = as_read(windows, reads, settings().input)
    new = np.isin(read.table.subject.to_list(), unseen)
    return read.select(~new), read.select(new)


@pytest.mark.parametrize("name", SYSTEMS.built_in)
def test_contract(name):
    check_system(name)


@pytest.mark.parametrize("name", SYSTEMS.built_in)
def test_classes_of_new_subjects_are_told_apart(name):
    system = SYSTEMS.named(name).make()
    known, unseen = parts(ring_of_sensors(), system.reads)
    logs = []
    fitted = system.fit(Learn(known, None, settings(), 1, CPU, logs.append))
    right = fitted.probability(unseen).argmax(axis=1) == unseen.table.labels
    assert right.mean() > 0.5
    assert (fitted.embed(unseen) is None) == (system.reads == "features") == (not logs)


def test_networks_differ_in_the_loss_alone():
    """The same initial weights: what one step of none would give is the same."""
    plans = [settings().plan(name, 3) for name in ("subject-aware", "supcon", "cross-entropy")]
    assert len({str({**plan.to_dict(), "loss": ""}) for plan in plans}) == 1


def test_classes_count_equally_whatever_their_share():
    windows = ring_of_sensors(subjects=4, windows=12)
    rare = (windows.table.labels != 2) | (np.arange(len(windows)) % 3 == 0)
    system = SYSTEMS.named("supcon").make()
    fitted = system.fit(Learn(windows.select(rare), None, settings(), 1, CPU))
    pooled = fitted.embed(windows)
    shares = np.bincount(windows.table.labels[rare]) / rare.sum()
    probe = fit_probe(pooled[rare], windows.table.labels[rare])
    weighed = probe.probability(pooled) / shares
    assert fitted.probability(windows) == pytest.approx(
        weighed / weighed.sum(axis=1, keepdims=True), abs=1e-6
    )
