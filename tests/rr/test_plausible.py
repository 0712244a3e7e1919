import numpy as np
import pytest

from pacl.rr.plausible import cleaned, is_implausible, is_kept

RR_MS = np.array([0, 199, 200, 800, 2000, 2001, 10_000, 10_001], dtype=np.int32)


@pytest.mark.parametrize("dtype", [np.int32, np.float32])
def test_bounds_are_plausible_themselves(dtype):
    assert is_implausible(RR_MS.astype(dtype)).tolist() == [
        *(True, True, False, False, False, True, True, True)
    ]
    assert is_implausible(np.array([199.99, 200.0, 2000.0, 2000.1])).tolist() == [
        *(True, False, False, True)
    ]


def test_what_each_policy_keeps():
    assert RR_MS[is_kept(RR_MS, "drop")].tolist() == [200, 800, 2000]
    for policy in ("keep", "interpolate"):
        assert RR_MS[is_kept(RR_MS, policy)].tolist() == RR_MS[:-1].tolist()


def test_only_interpolating_changes_values():
    for policy in ("drop", "keep"):
        assert cleaned(RR_MS, policy).tolist() == RR_MS.tolist()
        assert cleaned(RR_MS, policy).dtype == np.float32


def test_implausible_beats_lie_on_a_line_between_plausible_ones():
    rr_ms = np.array([100, 800, 0, 5000, 1100, 900, 3000], dtype=np.int32)
    assert cleaned(rr_ms, "interpolate").tolist() == [800, 800, 900, 1000, 1100, 900, 900]
    assert rr_ms[0] == 100


def test_nothing_to_go_by():
    rr_ms = np.array([100, 3000], dtype=np.int32)
    assert cleaned(rr_ms, "interpolate").tolist() == [100, 3000]
    assert cleaned(rr_ms[:0], "interpolate").size == 0
