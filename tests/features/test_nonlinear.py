"""Entropies and shapes against explicit loops in float64."""

import numpy as np
import pytest

from pacl.features.entropy import (
    ENTROPY_NAMES,
    entropy_features,
    shannon_entropy,
    symbolic_features,
)
from pacl.features.fractal import dfa_alpha1, fractal_features, higuchi, katz
from pacl.features.fragmentation import fragmentation_features
from pacl.features.neighbours import count_neighbours
from pacl.features.poincare import (
    ASYMMETRY_NAMES,
    POINCARE_NAMES,
    asymmetry_features,
    poincare_features,
)


def _neighbours(rr_ms, tolerance_ms, length):
    stretches = [rr_ms[at : at + length] for at in range(rr_ms.size - length + 1)]
    return [
        sum(np.abs(one - other).max() <= tolerance_ms for other in stretches) - 1
        for one in stretches
    ]


@pytest.mark.parametrize("length", [1, 2, 3])
def test_neighbours_are_those_of_a_loop(many, length):
    some = many[:40]
    tolerance_ms = 0.3 * some.std(axis=1)
    short, long = count_neighbours(some, tolerance_ms, length)
    for row, rr_ms in enumerate(some):
        assert short[row].tolist() == _neighbours(rr_ms, tolerance_ms[row], length)
        assert long[row].tolist() == _neighbours(rr_ms, tolerance_ms[row], length + 1)


@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize("tolerance_ms", [0.0, 1e-30, 0.1, 0.3, 300.0, 700.0])
def test_neighbours_at_the_tolerance_are_those_of_a_loop(single, tolerance_ms):
    """Steps of 0.1 ms are not exact in single or double precision; some are the tolerance."""
    rr_ms = 300 + 0.1 * np.random.default_rng(5).integers(0, 9, 40)
    rr_ms[::7] += 300.0
    rr_ms = (rr_ms.astype(np.float32) if single else rr_ms).astype(np.float64)
    steps = np.abs(rr_ms[:, None] - rr_ms).ravel()
    nearest = steps[np.abs(steps - tolerance_ms).argmin()]
    for limit in (tolerance_ms, nearest, np.nextafter(nearest, 0), np.nextafter(nearest, 1e9)):
        short, long = count_neighbours(rr_ms[None], np.array([limit]), 1)
        assert short[0].tolist() == _neighbours(rr_ms, limit, 1)
        assert long[0].tolist() == _neighbours(rr_ms, limit, 2)


@pytest.mark.parametrize("beats", [16, 255, 256, 257, 300])
def test_counts_hold_as_many_neighbours_as_there_are(beats):
    short, long = count_neighbours(np.full((2, beats), 800.0), np.zeros(2), 2)
    assert (short == beats - 2).all()
    assert (long == beats - 3).all()


def test_entropies_are_those_of_a_loop(many):
    some = many[:40]
    found = entropy_features(some)
    for row, rr_ms in enumerate(some):
        n, tolerance_ms = rr_ms.size, 0.2 * rr_ms.std(ddof=1)
        two, three = (np.array(_neighbours(rr_ms, tolerance_ms, m)) for m in (2, 3))
        phi = [np.mean(np.log((count + 1) / count.size)) for count in (two, three)]
        assert found[row, 0] == pytest.approx(abs(phi[0] - phi[1]), abs=1e-12)
        pairs = sum(_neighbours(rr_ms[:-1], tolerance_ms, 2)) / 2
        still = sum(three) / 2
        bound = np.log((n - 2) * (n - 3) / 2)
        expected = np.log(pairs / still) if pairs and still else bound
        assert found[row, 1] == pytest.approx(expected, abs=1e-12)
        share = np.unique(rr_ms, return_counts=True)[1] / n
        assert found[row, 2] == pytest.approx(-(share * np.log2(share)).sum(), abs=1e-12)


def test_no_neighbours_give_the_bound_on_sample_entropy():
    # No beat is within a fifth of the spread of another; then one pair is, but not a beat later.
    apart = np.tile([1.0, -1.0], 3)[None] * np.arange(1, 7) * 100 + 1000
    found = dict(zip(ENTROPY_NAMES, entropy_features(apart)[0], strict=True))
    assert found["SampEn"] == pytest.approx(np.log(4 * 3 / 2))
    assert found["ShanEn"] == pytest.approx(np.log2(6))
    once = np.array([[400.0, 1000.0, 1600.0, 405.0, 1005.0, 2200.0, 2800.0]])
    assert entropy_features(once)[0, 1] == pytest.approx(np.log(5 * 4 / 2))


def test_entropy_of_words_by_hand():
    assert shannon_entropy(np.array([[1.0, 2.0, 3.0, 4.0], [1.0, 1.0, 1.0, 2.0]])) == pytest.approx(
        [2.0, -0.75 * np.log2(0.75) - 0.25 * np.log2(0.25)]
    )


def test_fragmentation_by_hand():
    # Steps + + + - + - + - - 0 +: turns after the third, then each, but within - -.
    rr_ms = 800 + np.cumsum([0, 1, 1, 1, -1, 1, -1, 1, -1, -1, 0, 1.0])[None]
    pip, ials, pss, pas = fragmentation_features(rr_ms)[0]
    assert pip == 7 / 12
    assert ials == 7 / 10
    assert pss == 6 / 7
    assert pas == 1 / 2


def test_poincare_by_hand():
    found = dict(zip(POINCARE_NAMES, poincare_features(np.array([[2.0, 4, 2, 6]]))[0], strict=True))
    across, along = np.array([-2, 2, -4]) / np.sqrt(2), np.array([6, 6, 8]) / np.sqrt(2)
    sd1, sd2 = across.std(ddof=1), along.std(ddof=1)
    expected = [sd1, sd2, sd1 / sd2, np.pi * sd1 * sd2, sd2 / sd1, np.log10(16 * sd1 * sd2)]
    assert list(found.values()) == pytest.approx([*expected, 4 * sd2**2 / sd1])


def test_turning_time_around_swaps_slowing_and_speeding(many):
    found, back = (
        dict(zip(ASYMMETRY_NAMES, asymmetry_features(rr_ms).T, strict=True))
        for rr_ms in (many, many[:, ::-1].copy())
    )
    for name in ("C1", "SD1", "C2", "SD2", "C", "SDNN"):
        np.testing.assert_allclose(back[name + "a"], found[name + "d"], atol=1e-9)
    for name in ("GI", "SI", "AI"):
        moved = found[name] > 0
        np.testing.assert_allclose(back[name][moved], 100 - found[name][moved])


def test_families_of_words_add_up(many):
    np.testing.assert_allclose(symbolic_features(many).sum(axis=1), 1)


def test_fluctuations_are_those_of_a_loop(windows):
    found = dfa_alpha1(windows)
    for row, rr_ms in enumerate(windows):
        profile = np.cumsum(rr_ms - rr_ms.mean())
        sizes = []
        for box in range(4, 12):
            variances = []
            for first in range(0, rr_ms.size - box, box // 2):
                part, at = profile[first : first + box], np.arange(box)
                variances.append(np.var(part - np.polyval(np.polyfit(at, part, 1), at)))
            rough = [variance for variance in variances if variance > 1e-8]
            sizes.append(np.sqrt(np.mean(rough)))
        slope = np.polyfit(np.log(np.arange(4, 12)), np.log(sizes), 1)[0]
        assert found[row] == pytest.approx(slope, rel=1e-9)


def test_known_roughness():
    generator = np.random.default_rng(0)
    white = 800 + 20 * generator.standard_normal((200, 400))
    walk = 800 + np.cumsum(generator.standard_normal((200, 400)), axis=1)
    assert dfa_alpha1(white).mean() == pytest.approx(0.5, abs=0.15)
    assert dfa_alpha1(walk).mean() == pytest.approx(1.5, abs=0.15)
    assert higuchi(white).mean() == pytest.approx(2.0, abs=0.05)
    assert higuchi(walk).mean() == pytest.approx(1.5, abs=0.05)
    line = 500.0 + np.arange(50)[None]
    assert higuchi(line) == pytest.approx([1.0])
    assert katz(line) == pytest.approx([1.0])


def test_roughness_that_is_not_defined_is_zero():
    alternating = np.tile([500.0, 900.0], 20)[None]
    assert higuchi(alternating) == [0]
    assert katz(alternating) == [0]
    assert (fractal_features(np.full((1, 40), 800.1)) == 0).all()
