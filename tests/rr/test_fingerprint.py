from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pacl.cohort import PooledProtocol
from pacl.records import open_records
from pacl.rr import RRWindowSet, prepare
from pacl.rr.fingerprint import (
    BEATS,
    LAGS,
    LEAST,
    ONE_IN,
    _chosen,
    fingerprints,
    recognised,
)
from pacl.windows import split_units
from support.window_sets import make_set


def prints_of(rr):
    return set(map(int, _chosen(np.asarray(rr))[1]))


def slow(rr):
    """Which stretches compare alike, by looking at each comparison."""
    return {
        tuple(
            int(np.sign(rr[at + beat] - rr[at + beat - lag]))
            for beat in range(max(LAGS), BEATS)
            for lag in LAGS
        )
        for at in range(len(rr) - BEATS + 1)
    }


@given(st.integers(0, 2**32), st.floats(0.01, 50), st.floats(-500, 500))
def test_shift_scale_and_place_make_no_difference(seed, scale, shift):
    rr = np.random.default_rng(seed).integers(300, 1500, 400).astype(float)
    own = prints_of(rr)
    assert prints_of(rr * scale + shift) == own
    before = np.random.default_rng(seed + 1).integers(300, 1500, 57).astype(float)
    assert own <= prints_of(np.concatenate([before, rr, before]))


def test_about_one_in_so_many_is_kept_and_equal_stretches_have_equal_prints():
    rr = np.random.default_rng(0).integers(300, 1500, 40_000).astype(float)
    assert len(prints_of(rr)) == pytest.approx(40_000 / ONE_IN, rel=0.1)
    twice = np.concatenate([rr[:500], rr[:500]])
    assert prints_of(rr[:500]) <= prints_of(twice)


def test_a_print_stands_for_what_an_explicit_comparison_sees():
    rng = np.random.default_rng(3)
    rr = rng.integers(1, 4, 3_000).astype(float)  # few values: many equal stretches by chance
    at, found = _chosen(rr)
    by_pattern = {}
    for place, value in zip(at.tolist(), found.tolist(), strict=True):
        [pattern] = slow(rr[place : place + BEATS])
        assert by_pattern.setdefault(pattern, value) == value
    assert len(set(by_pattern.values())) == len(by_pattern)


def test_too_few_beats_have_none():
    assert prints_of(np.arange(BEATS - 1.0)) == set()
    assert prints_of(np.empty(0)) == set()


def test_records_are_recognised_and_others_are_not():
    windows = make_set(seed=1, patients=6, window_beats=400, stride=100)
    prints = fingerprints(windows)
    seen = np.unique(np.concatenate([prints["record_00"], prints["record_20"]]))
    assert recognised(prints, seen) == ["record_00", "record_20"]
    other = fingerprints(make_set(seed=2, patients=6, window_beats=400, stride=100))
    assert recognised(other, seen) == []
    assert recognised(prints, seen[:0]) == []


def test_only_beats_that_windows_cover_count():
    windows = make_set(seed=1, patients=2, window_beats=400, stride=100, records=1)
    first = windows.table.start == windows.table.start.min()
    one = fingerprints(windows.select(first))["record_00"]
    start = int(windows.table.start.min())
    assert set(map(int, one)) == prints_of(windows.rr_ms[start : start + 400])
    assert len(one) < len(fingerprints(windows)["record_00"])


@pytest.mark.real
def test_nobody_of_afdb_is_taken_for_somebody_else(data, tmp_path):
    prepare(
        open_records(data / "afdb"),
        tmp_path / "windows",
        protocol=PooledProtocol(),
        divide=lambda strata, _: split_units(strata, seed=1),
    )
    windows = RRWindowSet.open(tmp_path / "windows")
    prints = fingerprints(windows)
    names = list(prints)
    for name in names:
        assert recognised({name: prints[name]}, prints[name]) == [name]
        others = np.concatenate([prints[other] for other in names if other != name])
        assert recognised({name: prints[name]}, others) == []
    scaled = replace(windows, rr_ms=(windows.rr_ms - 700) / 41)
    assert recognised(fingerprints(scaled), np.concatenate(list(prints.values()))) == sorted(names)


def test_paced_hearts_are_not_taken_for_each_other():
    def paced(seed, rate):
        generator = np.random.default_rng(seed)
        blips = generator.choice([-4.0, 4.0], 20_000) * (generator.random(20_000) < rate)
        return 1000 + blips

    for rate in (0.0, 0.005, 0.02, 0.05, 0.1):
        one, other = prints_of(paced(1, rate)), prints_of(paced(2, rate))
        assert len(one & other) < LEAST
