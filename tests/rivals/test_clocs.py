import math

import numpy as np
import pytest
import torch
from torch.nn.functional import normalize

from pacl.models.network import EncoderOutput
from pacl.rivals.clocs import Patients
from pacl.training.errors import TrainingError
from support.refusals import refused


def sphere(count, seed=0, features=5):
    generator = torch.Generator().manual_seed(seed)
    return normalize(torch.randn(count, features, generator=generator), dim=1)


def loss(embedded, patients, temperature=0.2):
    method = Patients(np.repeat([0, 1], 20), temperature)
    out = EncoderOutput(embedded, embedded, embedded, embedded)
    return method.loss(out, torch.ones(len(embedded), 64), torch.tensor(patients))


def oracle(embedded, patients, tau):
    """Mean over anchors of the mean over positives of minus the log of their share, with loops."""
    embedded, every = embedded.double(), range(len(embedded))
    total = 0.0
    for i in every:
        below = sum(math.exp(float(embedded[i] @ embedded[k]) / tau) for k in every if k != i)
        mates = [j for j in every if j != i and patients[j] == patients[i]]
        shares = [math.exp(float(embedded[i] @ embedded[j]) / tau) / below for j in mates]
        total -= sum(map(math.log, shares)) / len(mates)
    return total / len(embedded)


def test_two_patients_by_hand():
    embedded = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    expected = math.log(math.e + 2) - 1
    assert float(loss(embedded, [4, 4, 9, 9], 1.0)) == pytest.approx(expected)


@pytest.mark.parametrize("patients", [[0, 0, 0, 1, 1, 1, 2, 2, 2], [0, 1, 0, 1, 1, 1, 2, 2, 1]])
def test_as_an_explicit_loop(patients):
    embedded = sphere(9)
    found = float(loss(embedded, patients))
    assert found == pytest.approx(oracle(embedded, patients, 0.2), rel=1e-5)


def test_only_whose_a_window_is_matters():
    embedded, patients = sphere(9), [0, 0, 0, 1, 1, 1, 2, 2, 2]
    renamed = [{0: 7, 1: 3, 2: 0}[patient] for patient in patients]
    assert float(loss(embedded, patients)) == float(loss(embedded, renamed))


def test_a_batch_has_16_patients_with_16_windows_each():
    patients = np.random.default_rng(0).permutation(np.repeat(np.arange(30), 40))
    rows = Patients(patients, 0.1).rows(5, np.random.default_rng(1))
    assert rows.shape == (5, 256)
    for batch in rows:
        assert len(set(batch.tolist())) == 256
        _, counts = np.unique(patients[batch], return_counts=True)
        assert counts.tolist() == [16] * 16


def test_fewer_patients_give_more_windows_as_far_as_each_has_them():
    patients = np.repeat([0, 1, 2, 3], [100, 40, 50, 5])
    rows = Patients(patients, 0.1).rows(2, np.random.default_rng(1))
    for batch in rows:  # the last has too few for any batch
        found, counts = np.unique(patients[batch], return_counts=True)
        assert found.tolist() == [0, 1, 2]
        assert counts.tolist() == [40] * 3


def test_one_patient_is_refused():
    with refused(TrainingError, "1 of 2 patients", 16):
        Patients(np.repeat([0, 1], [100, 3]), 0.1)
