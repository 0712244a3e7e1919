"""The map that is made of a cohort's embeddings."""

import numpy as np
import pytest

from pacl.detect.learned_map import LEAST_WINDOWS, learn_map


def repeated(points, times=LEAST_WINDOWS):
    return np.repeat(np.array(points, dtype=np.float64), times, axis=0)


def cohort(seed=0, patients=12, windows=40, features=16):
    """Patients of both rhythms, each somewhere of their own, on the sphere."""
    generator = np.random.default_rng(seed)
    patient = np.repeat(np.arange(patients), windows)
    af = np.tile(np.arange(windows) % 2 == 0, patients)
    own = generator.normal(0, 0.5, (patients, features))
    pooled = own[patient] + generator.normal(0, 0.1, (patient.size, features))
    pooled[:, 0] += np.where(af, 2.0, -2.0)
    pooled /= np.linalg.norm(pooled, axis=1, keepdims=True)
    weight = generator.normal(0, 0.3, features)
    weight[0] = 5.0
    return pooled.astype(np.float32), patient, af, weight


def test_by_hand():
    """Three patients; AF is where the first number is above 0.2, and they differ in the third.

    Without AF they lie at -1, with AF at 1; the third patient has no AF. In both rhythms the
    second number is the same for all, so that what differs is the third alone.
    """
    points = [[-1, 0, 0], [1, 5, 0], [-1, 0, 0.3], [1, 5, 0.4], [-1, 0, 0.6]]
    patient = np.repeat([0, 0, 1, 1, 2], LEAST_WINDOWS)
    af = np.repeat([False, True, False, True, False], LEAST_WINDOWS)
    weight = np.array([10.0, 0.0, 0.0])
    found = learn_map(repeated(points), patient, af, weight=weight, bias=-2.0)
    np.testing.assert_allclose(found.axes, [[1, 0, 0], [0, 0, 1]], atol=1e-9)
    np.testing.assert_allclose(found.origin, [0.2, 0.0, 0.26], atol=1e-9)
    np.testing.assert_allclose(found.centres, points)
    assert found.af.tolist() == [False, True, False, True, False]
    at = [[-1.2, -0.26], [0.8, -0.26], [-1.2, 0.04], [0.8, 0.14], [-1.2, 0.34]]
    np.testing.assert_allclose(found.place(found.centres), at, atol=1e-9)
    assert (found.far_not_af, found.far_af) == (0.3, 0.4)  # to the nearest in the same rhythm


def test_far_is_what_most_of_a_rhythm_are_nearer_than():
    pooled, patient, af, weight = cohort(patients=30)
    found = learn_map(pooled, patient, af, weight=weight, bias=0.0)
    for kind, far in ((False, found.far_not_af), (True, found.far_af)):
        own = found.centres[found.af == kind]
        nearest = [
            min(float(np.linalg.norm(a - b)) for at_b, b in enumerate(own) if at_b != at_a)
            for at_a, a in enumerate(own)
        ]
        assert far == pytest.approx(np.quantile(nearest, 0.99), abs=5e-4)


@pytest.mark.parametrize("seed", range(5))
def test_what_holds_of_every_map(seed):
    pooled, patient, af, weight = cohort(seed)
    found = learn_map(pooled, patient, af, weight=weight, bias=0.7)
    np.testing.assert_allclose(found.axes @ found.axes.T, np.eye(2), atol=1e-5)
    np.testing.assert_allclose(found.axes[0], weight / np.linalg.norm(weight), atol=1e-6)
    places = found.place(pooled)
    logit = pooled @ weight + 0.7
    np.testing.assert_allclose(places[:, 0] * np.linalg.norm(weight), logit, atol=1e-4)
    expected = [
        places[(patient == who) & (af == kind)].mean(axis=0)
        for who in range(12)
        for kind in (False, True)
    ]
    np.testing.assert_allclose(found.place(found.centres), expected, atol=1e-3)
    assert found.place(found.centres)[:, 1].mean() == pytest.approx(0.0, abs=1e-3)


def test_no_direction_at_right_angles_tells_patients_of_a_rhythm_apart_better():
    pooled, patient, af, weight = cohort()
    found = learn_map(pooled, patient, af, weight=weight, bias=0.0)
    first, second = found.axes

    def spread(direction):
        along = found.centres @ direction
        return sum(along[found.af == kind].var() * np.sum(found.af == kind) for kind in (0, 1))

    generator = np.random.default_rng(1)
    for _ in range(200):
        other = second + generator.normal(0, 0.3, second.size)
        other -= (other @ first) * first
        assert spread(second) >= spread(other / np.linalg.norm(other)) - 1e-4


def test_windows_may_come_in_any_order():
    pooled, patient, af, weight = cohort()
    order = np.random.default_rng(2).permutation(patient.size)
    one = learn_map(pooled, patient, af, weight=weight, bias=0.0)
    other = learn_map(pooled[order], patient[order], af[order], weight=weight, bias=0.0)
    for name in ("axes", "origin", "centres"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=2e-4)


def test_rhythms_of_few_windows_have_no_place():
    pooled, patient, af, weight = cohort(windows=2 * LEAST_WINDOWS)
    some = np.ones(patient.size, dtype=bool)
    some[np.flatnonzero((patient == 3) & af)[0]] = False
    found = learn_map(pooled[some], patient[some], af[some], weight=weight, bias=0.0)
    assert (found.af.sum(), (~found.af).sum()) == (11, 12)


def test_too_little_is_no_map():
    pooled, patient, af, weight = cohort()
    for rows in (patient < 0, patient == 0, np.arange(patient.size) % 40 < 10):
        assert learn_map(pooled[rows], patient[rows], af[rows], weight=weight, bias=0.0) is None
    for kind in (False, True):  # of that rhythm there is one patient
        rows = (patient == 0) | (af != kind)
        assert learn_map(pooled[rows], patient[rows], af[rows], weight=weight, bias=0.0) is None
    alike = np.ones_like(pooled) / 4
    assert learn_map(alike, patient, af, weight=weight, bias=0.0) is None
