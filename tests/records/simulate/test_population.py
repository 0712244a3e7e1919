from dataclasses import asdict

import numpy as np
import pytest

from pacl.records import ValueRangeError
from pacl.records.simulate import Physiology, Population, draw_patients
from pacl.records.simulate.draws import LogNormal, LogUniform, Some, Uniform
from support.refusals import refused


@pytest.fixture(scope="module")
def patients() -> list[Physiology]:
    return [patient.physiology for patient in draw_patients(1000, 0, Population())]


def draws(distribution, count: int = 4000) -> np.ndarray:
    generator = np.random.default_rng(0)
    return np.array([distribution.draw(generator) for _ in range(count)])


def test_distributions():
    log_normal = draws(LogNormal(2.0, 0.5, 1.0, 6.0))
    assert np.median(log_normal) == pytest.approx(2, rel=0.05)
    assert np.quantile(log_normal, 0.84) == pytest.approx(2 * np.exp(0.5), rel=0.07)
    assert (log_normal.min(), log_normal.max()) == (1, 6)
    assert np.median(draws(LogUniform(0.01, 100.0))) == pytest.approx(1, rel=0.25)
    assert draws(Uniform(2.0, 4.0)).mean() == pytest.approx(3, rel=0.02)
    some = draws(Some(0.3, Uniform(2.0, 4.0)))
    assert np.mean(some > 0) == pytest.approx(0.3, abs=0.03)


def test_patients_differ_in_every_parameter(patients):
    first, second = (asdict(patient) for patient in patients[:2])
    for part in ("sinus", "fibrillation"):
        assert all(first[part][name] != second[part][name] for name in first[part])


def test_ectopy_is_heavy_tailed(patients):
    atrial = np.array([patient.ectopy.atrial for patient in patients])
    ventricular = np.array([patient.ectopy.ventricular for patient in patients])
    assert np.quantile(atrial, 0.9) > 8 * np.median(atrial)
    assert np.quantile(ventricular, 0.9) > 20 * np.median(ventricular)


def test_fast_in_sinus_rhythm_is_rather_fast_in_af(patients):
    sinus = [np.log(patient.sinus.mean_ms) for patient in patients]
    af = [np.log(patient.fibrillation.mean_ms) for patient in patients]
    assert np.corrcoef(sinus, af)[0, 1] == pytest.approx(0.35, abs=0.1)


def test_few_patients_have_nearly_regular_af(patients):
    spread = [patient.fibrillation.wait + patient.fibrillation.blur / 4 for patient in patients]
    assert 0.003 < np.mean(np.array(spread) < 0.1) < 0.06


def test_no_patients_are_no_cohort():
    with refused(ValueRangeError, "0 patients"):
        draw_patients(0, 0, Population())
