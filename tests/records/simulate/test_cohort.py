"""A cohort of the size of IRIDIA-AF, against the numbers published of it."""

from collections import Counter
from itertools import islice

import numpy as np
import pytest

from pacl.records import Rhythm
from pacl.records.simulate import Kind, Population, draw_patients, simulate_cohort
from pacl.records.summary import STATISTICS, summarise

PATIENTS = 152


@pytest.fixture(scope="module")
def cohort():
    """Of each record: patient, extremes, share outside, kinds, summaries."""
    rows = []
    for simulated in simulate_cohort(PATIENTS, seed=0):
        rr = simulated.record.rr_ms
        rows.append(
            {
                "patient": simulated.record.patient_id,
                "least": int(rr.min()),
                "most": int(rr.max()),
                "outside": float(np.mean((rr < 250) | (rr > 2500))),
                "kinds": np.bincount(simulated.kind, minlength=len(Kind)),
                "summaries": summarise(simulated.record),
                "beats": rr.size,
            }
        )
    return rows


def per_167(cohort, holds) -> float:
    return 167 / len(cohort) * sum(map(bool, map(holds, cohort)))


def statistics(cohort, rhythm: Rhythm) -> np.ndarray:
    """A row a patient."""
    rows: dict[str, list[list[float]]] = {}
    for record in cohort:
        for summary in record["summaries"]:
            if summary.rhythm is rhythm:
                values = [getattr(summary, name) for name in STATISTICS]
                rows.setdefault(record["patient"], []).append(values)
    return np.array([np.mean(values, axis=0) for values in rows.values()])


def test_some_patients_have_several_records(cohort):
    several = [n for n in Counter(record["patient"] for record in cohort).values() if n > 1]
    assert 6 <= len(several) <= 22
    assert len({record["patient"] for record in cohort}) == PATIENTS


def test_implausible_intervals_are_as_common_as_in_iridia(cohort):
    assert per_167(cohort, lambda r: r["least"] < 200) == pytest.approx(28, abs=10)
    assert per_167(cohort, lambda r: r["least"] == 0) == pytest.approx(12, abs=7)
    assert per_167(cohort, lambda r: r["most"] > 2000) == pytest.approx(118, abs=18)
    assert 40_000 < max(r["most"] for r in cohort) <= 46_860
    assert np.mean([r["outside"] for r in cohort]) == pytest.approx(0.002, abs=0.0015)


def test_length(cohort):
    assert sum(r["beats"] for r in cohort) == pytest.approx(31_149_278 / 167 * len(cohort), rel=0.1)


def test_every_kind_occurs(cohort):
    assert np.all(sum(r["kinds"] for r in cohort) > 0)


# between LTAFDB and IRIDIA-AF, with a margin for the drawing of a cohort
BANDS = {
    Rhythm.SR: {
        "mean_ms": ((850, 950), (130, 200)),
        "sdnn_ms": ((75, 118), (40, 66)),
        "rmssd_ms": ((80, 130), (55, 90)),
        "pnn50": ((0.13, 0.23), (0.12, 0.20)),
    },
    Rhythm.AF: {
        "mean_ms": ((590, 695), (115, 175)),
        "sdnn_ms": ((130, 155), (38, 55)),
        "rmssd_ms": ((175, 210), (55, 75)),
        "pnn50": ((0.65, 0.74), (0.08, 0.16)),
    },
}


@pytest.mark.parametrize("name", STATISTICS)
@pytest.mark.parametrize("rhythm", [Rhythm.SR, Rhythm.AF])
def test_calibration(cohort, rhythm, name):
    values = statistics(cohort, rhythm)[:, STATISTICS.index(name)]
    (low, high), (narrow, wide) = BANDS[rhythm][name]
    assert low < values.mean() < high
    assert narrow < values.std(ddof=1) < wide


def test_it_is_no_toy(cohort):
    """SR of some patients is less regular than AF of others, by every measure of irregularity."""
    sr, af = statistics(cohort, Rhythm.SR), statistics(cohort, Rhythm.AF)
    for name in ("sdnn_ms", "rmssd_ms"):
        column = STATISTICS.index(name)
        assert np.mean(sr[:, column] > np.quantile(af[:, column], 0.1)) > 0.1
        assert np.mean(af[:, column] < np.quantile(sr[:, column], 0.9)) > 0.1
    assert sr[:, -1].max() > np.quantile(af[:, -1], 0.1)
    assert af[:, -1].min() < np.quantile(sr[:, -1], 0.95)


def test_the_first_patients_do_not_depend_on_how_many_follow():
    eight, eighty = (draw_patients(n, 5, Population()) for n in (8, 80))
    assert eighty[:8] == eight
    few = [r.record.digest for r in islice(simulate_cohort(2, seed=5), 2)]
    many = [r.record.digest for r in islice(simulate_cohort(9, seed=5), 2)]
    assert few == many


def test_another_seed_another_cohort():
    first, second = (next(simulate_cohort(1, seed=seed)).record.digest for seed in (0, 1))
    assert first != second
