from dataclasses import replace

import numpy as np
import pytest

from pacl.evaluation import EmbeddingSet
from pacl.records import Rhythm
from pacl.report.figures.sphere import compute_spheres, project_globe
from pacl.report.figures.sphere_drawing import draw_spheres, lean
from pacl.report.style import FigureError
from support.refusals import refused
from support.window_sets import make_set


def unit(values):
    return (values / np.linalg.norm(values, axis=1, keepdims=True)).astype(np.float32)


def embeddings(patients=6, features=16, seed=0):
    windows = make_set(patients=patients)
    generator = np.random.default_rng(seed)
    centre = generator.normal(size=(2, features))[windows.table.rhythm]
    found = unit(centre + 0.4 * generator.normal(size=centre.shape))
    return EmbeddingSet(found, found, windows.table)


def test_vectors_of_three_features_keep_everything():
    """A turn, perhaps mirrored: cosines stay as they were."""
    generator = np.random.default_rng(1)
    given, rhythm = unit(generator.normal(size=(50, 3))), np.arange(50) % 2
    globe = project_globe(given, rhythm)
    assert globe.share == pytest.approx(1)
    assert globe.points @ globe.points.T == pytest.approx(given @ given.T, abs=1e-5)


def test_what_is_lost_is_told():
    """Three directions of equal weight, and a fourth that is lighter, by hand."""
    given = np.repeat(np.eye(8, dtype=np.float32)[:4], [3, 3, 3, 1], axis=0)
    globe = project_globe(given, np.zeros(10, dtype=np.int64))
    assert globe.share == pytest.approx(0.9)
    assert globe.kept == pytest.approx([1.0] * 9 + [0.0])
    assert np.linalg.norm(globe.points, axis=1) == pytest.approx(np.ones(10))


def test_the_share_is_that_of_the_singular_values():
    given = embeddings().pooled
    weight = np.linalg.svd(given.astype(np.float64), compute_uv=False) ** 2
    globe = project_globe(given, embeddings().labels)
    assert globe.share == pytest.approx(weight[:3].sum() / weight.sum())


def test_sr_lies_left_and_af_right_on_the_equator():
    found = embeddings()
    globe = project_globe(found.pooled, found.labels)
    sr, af = (globe.points[found.labels == kind].mean(axis=0) for kind in (0, 1))
    sr, af = sr / np.linalg.norm(sr), af / np.linalg.norm(af)
    assert sr[0] == pytest.approx(-af[0])
    assert af[0] > 0
    assert [sr[1], af[1]] == pytest.approx([0, 0], abs=1e-9)
    assert sr[2] == pytest.approx(af[2])
    assert sr[2] >= 0


def test_leaning_keeps_the_globe_round():
    points = np.eye(3)
    assert lean(points) @ lean(points).T == pytest.approx(np.eye(3))
    north = lean(points)[1]
    assert north[1] > 0
    assert north[2] > 0  # towards whoever looks


def test_as_many_windows_of_each_patient_and_rhythm_and_the_same_for_all_losses():
    one, other = embeddings(seed=1), embeddings(seed=2)
    picture = compute_spheres({"bce": one, "supcon": other}, np.random.default_rng(0), per_group=2)
    who = np.array(picture.patient)
    for name in np.unique(who):
        for kind in (Rhythm.SR, Rhythm.AF):
            assert np.sum((who == name) & (picture.rhythm == kind)) == 2
    assert {len(globe.points) for globe in picture.globes.values()} == {24}
    again = compute_spheres({"bce": one}, np.random.default_rng(0), per_group=2)
    assert np.array_equal(again.globes["bce"].points, picture.globes["bce"].points)


def test_those_with_most_windows_of_their_rarer_rhythm_are_coloured():
    found = embeddings(patients=12)
    table = found.table
    counts = {
        name: min(
            int(np.sum(table.patient.is_(name) & (table.rhythm == kind)))
            for kind in (Rhythm.SR, Rhythm.AF)
        )
        for name in table.patient.names
    }
    picture = compute_spheres({"bce": found}, np.random.default_rng(0), coloured=4)
    least = min(counts[name] for name in picture.coloured)
    assert all(counts[name] <= least for name in counts if name not in picture.coloured)
    assert len(picture.coloured) == 4


@pytest.mark.parametrize("patients", [1, 3, 20])
@pytest.mark.parametrize("losses", [1, 3])
def test_any_number_of_patients_and_losses_can_be_drawn(patients, losses):
    given = {f"loss {n}": embeddings(patients, seed=n) for n in range(losses)}
    figure = draw_spheres(compute_spheres(given, np.random.default_rng(0)))
    assert len(figure.axes) == 2 * losses


@pytest.mark.parametrize("features", [1, 2])
def test_few_features_and_one_rhythm_can_be_drawn(features):
    found = embeddings(features=features)
    rows = np.flatnonzero(found.labels == Rhythm.AF)
    alone = EmbeddingSet(found.pooled[rows], found.pooled[rows], found.table[rows])
    picture = compute_spheres({"bce": alone}, np.random.default_rng(0))
    assert np.isfinite(picture.globes["bce"].points).all()
    draw_spheres(picture)


def test_what_cannot_be_drawn_is_named():
    generator = np.random.default_rng(0)
    with refused(FigureError, "embeddings"):
        compute_spheres({}, generator)
    with refused(FigureError, 11, 10):
        compute_spheres({"bce": embeddings()}, generator, coloured=11)
    one = embeddings()
    moved = replace(one.table, start=one.table.start + 1)
    other = EmbeddingSet(one.pooled, one.projected, moved)
    with refused(FigureError, "supcon", "bce"):
        compute_spheres({"bce": one, "supcon": other}, generator)
