import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn.functional import normalize

from pacl.models.network import EncoderOutput
from pacl.rivals.pclr import FarPairs, far_places
from pacl.training.errors import TrainingError
from support.refusals import refused
from support.window_sets import make_set, names


def sphere(count, seed=0, features=5):
    generator = torch.Generator().manual_seed(seed)
    return normalize(torch.randn(count, features, generator=generator), dim=1)


def table_of(patients, records=None, seed=0):
    """Rows of these patients and recordings, an hour apart, in mixed order."""
    records = patients if records is None else records
    table = make_set(patients=12, records=4).table[np.arange(len(patients))]
    table = replace(
        table,
        patient=names([str(one) for one in patients]),
        record=names([f"{one}-{other}" for one, other in zip(patients, records, strict=True)]),
        onset_s=3600.0 * np.arange(len(patients)),
    )
    return table[np.random.default_rng(seed).permutation(len(patients))]


def pairs_of(method, steps=40):
    rows = method.rows(steps, np.random.default_rng(1))
    return [(batch[:128], batch[128:]) for batch in rows]


def oracle(embedded, patients, tau):
    """Each against its mate and against all of other patients, with loops."""
    embedded, count, total = embedded.double(), len(embedded), 0.0
    for i in range(count):
        mate = (i + count // 2) % count
        near = math.exp(float(embedded[i] @ embedded[mate]) / tau)
        far = sum(
            math.exp(float(embedded[i] @ embedded[k]) / tau)
            for k in range(count)
            if patients[k] != patients[i]
        )
        total -= math.log(near / (near + far))
    return total / count


def loss(embedded, patients, temperature=0.2):
    method = FarPairs(table_of([0, 0, 1, 1]), temperature)
    out = EncoderOutput(embedded, embedded, embedded, embedded)
    return float(method.loss(out, torch.ones(len(embedded), 64), torch.tensor(patients)))


def test_two_patients_by_hand():
    embedded = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    assert loss(embedded, [4, 9, 4, 9], 1.0) == pytest.approx(math.log(math.e + 2) - 1)


@pytest.mark.parametrize("patients", [[0, 1, 2, 3], [0, 1, 1, 0], [0, 1, 2, 1]])
def test_as_an_explicit_loop(patients):
    embedded = sphere(8)
    assert loss(embedded, patients * 2) == pytest.approx(
        oracle(embedded, patients * 2, 0.2), rel=1e-5
    )


def test_pairs_of_one_patient_do_nothing_to_each_other():
    near, far = sphere(8), sphere(8)
    far[[1, 5]] = far[[0, 4]]  # pair 1 moves onto pair 0
    out = [loss(x, [0, 0, 1, 2, 0, 0, 1, 2]) for x in (near, far)]
    alone = [oracle(x, [0, 0, 1, 2, 0, 0, 1, 2], 0.2) for x in (near, far)]
    assert out == pytest.approx(alone, rel=1e-5)


def test_with_one_recording_pairs_are_a_quarter_apart():
    table = table_of(np.repeat([0, 1, 2], [21, 8, 2]).tolist())
    hour, whose = table.onset_s / 3600, table.patient.codes
    count = np.bincount(whose)[whose]
    for first, second in pairs_of(FarPairs(table, 0.1)):
        assert (whose[first] == whose[second]).all()
        assert (np.abs(hour[first] - hour[second]) >= count[first] / 4).all()


def test_with_several_recordings_pairs_are_of_two():
    table = table_of([0] * 9 + [1] * 9, [0] * 5 + [1] * 1 + [2] * 3 + [0] * 9)
    whose, record = table.patient.codes, table.record.codes
    several = table.patient.names.index("0")
    seen = set()
    for first, second in pairs_of(FarPairs(table, 0.1)):
        mine = whose[first] == several
        assert (whose[first] == whose[second]).all()
        assert (record[first] != record[second])[mine].all()
        seen |= set(zip(first[mine].tolist(), second[mine].tolist(), strict=True))
    assert len(seen) == 2 * (5 * 1 + 5 * 3 + 1 * 3)  # every pair of two recordings comes


def test_far_places_by_hand():
    patient, alone = np.array([[10], [8]]), np.array([[10], [8]])
    found = [far_places(patient, alone, np.array([11]), np.array([d]))[0] for d in (0.0, 0.5, 0.99)]
    assert found == [13, 15, 17]
    recording = np.array([[12], [3]])
    found = [far_places(patient, recording, np.array([13]), np.array([d]))[0] for d in (0.0, 0.99)]
    assert found == [15, 11]


def test_each_patient_is_in_a_batch_once_before_any_is_twice():
    table = table_of(np.repeat(np.arange(30), 2).tolist())
    for first, _ in pairs_of(FarPairs(table, 0.1), 3):
        counts = np.bincount(table.patient.codes[first], minlength=30)
        assert set(counts.tolist()) == {4, 5}  # 128 pairs of 30 patients


def test_who_has_one_window_is_in_no_batch():
    table = table_of([0, 0, 1, 1, 2])
    alone = table.patient.names.index("2")
    for first, second in pairs_of(FarPairs(table, 0.1), 3):
        assert alone not in table.patient.codes[np.concatenate([first, second])]
    with refused(TrainingError, "1 of 3 patients"):
        FarPairs(table_of([0, 0, 1, 2]), 0.1)
