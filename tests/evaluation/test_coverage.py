"""The table of coverage: it is what a study finds, and what the documents show."""

import numpy as np
import pytest

from pacl.evaluation.auroc import measure_auroc
from pacl.evaluation.auroc_pairs import count_pairs
from pacl.evaluation.coverage import (
    COVERAGE,
    LEVEL,
    POPULATIONS,
    REPLICATIONS,
    SUBJECTS,
    coverage_of,
    study_coverage,
)
from pacl.evaluation.interval import LIMITS
from pacl.evaluation.intervals import DEFAULT
from support.documented.pages import section

QUANTITIES = ("pooled AUROC", "subject AUROC")


@pytest.mark.parametrize("population", POPULATIONS, ids=lambda one: one.name)
def test_the_truth_is_that_of_many_subjects(population):
    labels, score, who = population.draw(3000, np.random.default_rng(0))
    assert population.truth("pooled AUROC") == pytest.approx(measure_auroc(labels, score), abs=4e-3)
    few = who < 500
    found = count_pairs(labels[few], score[few], who[few])
    assert population.truth("subject AUROC") == pytest.approx(
        found.own[found.both].mean(), abs=5e-3
    )
    target = 0.95 if "0.95" in population.name else 0.99
    assert population.truth("pooled AUROC") == pytest.approx(target, abs=5e-4)
    assert np.mean(~found.both) == pytest.approx(0.12, abs=0.05)
    assert min(found.detected.max(), found.others.max()) > 5 * np.median(
        found.detected
    )  # unequal subjects


def test_subjects_differ_as_the_population_says():
    labels, score, who = POPULATIONS[0].draw(2000, np.random.default_rng(1))
    has = [np.bincount(who[labels == c], minlength=2000) for c in (0, 1)]
    sums = [np.bincount(who[labels == c], score[labels == c], minlength=2000) for c in (0, 1)]
    both = (has[0] > 50) & (has[1] > 50)
    sr, af = (total[both] / windows[both] for total, windows in zip(sums, has, strict=True))
    assert af.mean() - sr.mean() == pytest.approx(4.785, abs=0.12)
    assert sr.std() == pytest.approx(np.hypot(0.7, 0.5), rel=0.08)
    assert af.std() == pytest.approx(np.hypot(0.7, 1.0), rel=0.08)
    assert np.cov(sr, af)[0, 1] == pytest.approx(0.49, abs=0.1)  # the baseline they share


@pytest.mark.parametrize(("at", "subjects"), [(0, 24), (1, 12), (2, 12)])
def test_the_table_is_what_a_short_study_finds(at, subjects):
    replications = 120
    found = study_coverage(
        POPULATIONS[at],
        subjects,
        np.random.default_rng(7),
        replications=replications,
        resamples=300,
    )
    for (quantity, method), covered in found.items():
        kept = COVERAGE[quantity][method][POPULATIONS[at].name][SUBJECTS.index(subjects)]
        error = np.sqrt(max(kept * (1 - kept), 0.02) / replications)
        assert covered.covered == pytest.approx(kept, abs=4 * error), (quantity, method)
    assert len(found) == 2 * len(LIMITS)


def test_the_table_is_whole_and_of_a_fine_enough_study():
    assert 0.5 / np.sqrt(REPLICATIONS) <= 0.01
    for quantity in QUANTITIES:
        for method in LIMITS:
            rows = COVERAGE[quantity][method]
            assert list(rows) == [one.name for one in POPULATIONS]
            assert all(len(row) == len(SUBJECTS) for row in rows.values())


def test_the_default_covers_best():
    for quantity in QUANTITIES:
        for population in (one.name for one in POPULATIONS):
            for at in range(len(SUBJECTS)):
                short = {m: max(LEVEL - COVERAGE[quantity][m][population][at], 0.0) for m in LIMITS}
                assert short[DEFAULT] == min(short.values())


def test_percentiles_are_too_short_where_auroc_is_near_1():
    assert COVERAGE["pooled AUROC"]["percentile"]["AUROC 0.99"][2] < 0.85


def test_the_page_shows_the_table():
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in section("docs/statistics.md", "coverage").splitlines()[2:]
    ]
    shown = {
        (quantity, population, method.strip("`")): tuple(cell.split(" %")[0] for cell in cells)
        for quantity, population, method, *cells in rows
    }
    kept = {
        (quantity, population, method): tuple(f"{100 * share:.1f}" for share in shares)
        for quantity, methods in COVERAGE.items()
        for method, populations in methods.items()
        for population, shares in populations.items()
    }
    assert shown == kept


def test_looked_up():
    least = [
        min(row[at] for row in COVERAGE["pooled AUROC"]["bca"].values())
        for at in range(len(SUBJECTS))
    ]
    assert [coverage_of("pooled AUROC", "bca", 0.95, n) for n in SUBJECTS] == least
    between = coverage_of("pooled AUROC", "bca", 0.95, 17)  # half way from 12 to 24 by ratio
    assert between is not None
    assert between == pytest.approx((least[1] + least[2]) / 2, abs=0.01)
    assert coverage_of("pooled AUROC", "bca", 0.95, 5) is None
    assert coverage_of("pooled AUROC", "bca", 0.95, 490) == least[-1]  # no better than was seen
    assert coverage_of("pooled AUROC", "bca", 0.9, 24) is None
    assert coverage_of("pooled AUROC", "guess", 0.95, 24) is None
    assert coverage_of(None, "bca", 0.95, 24) is None
