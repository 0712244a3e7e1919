"""A map of reference patients: coordinates, neighbours, files, and the windows of a recording."""

import json

import numpy as np
import pytest

from pacl.detect import DetectError, Detector, ReferenceMap
from pacl.detect.bundled import KINDS, bundled_map
from pacl.errors import PaclError
from pacl.records import Record, Rhythm, Span
from support.refusals import refused

BY_HAND = ReferenceMap(
    axes=np.array([[0.6, 0.8, 0.0], [0.0, 0.0, 1.0]]),
    origin=np.array([0.5, 0.0, 0.25]),
    centres=np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 1.0]]),
    af=np.array([False, True, False, True]),
    far_not_af=0.5,
    far_af=0.75,
)


def test_places_by_hand():
    """(1, 0, 0) is (0.5, 0, -0.25) from the origin: 0.3 along one axis, -0.25 along the other."""
    found = BY_HAND.place(np.array([[1.0, 0.0, 0.0], [0.5, 0.0, 0.25]]))
    np.testing.assert_allclose(found, [[0.3, -0.25], [0.0, 0.0]])


def test_the_place_of_a_mean_is_the_mean_of_the_places():
    windows = np.random.default_rng(0).normal(size=(50, 3)).astype(np.float32)
    mean = windows.mean(axis=0, dtype=np.float64)
    np.testing.assert_allclose(
        BY_HAND.place(mean[None])[0], BY_HAND.place(windows).mean(axis=0), atol=1e-7
    )


def test_the_nearest_are_nearest_in_the_whole_space():
    point = np.array([0.0, 0.9, 0.2])
    distances = [float(np.sqrt(((one - point) ** 2).sum())) for one in BY_HAND.centres]
    np.testing.assert_allclose(BY_HAND.distances(point), distances)
    assert BY_HAND.nearest(point, 3).tolist() == [1, 3, 2]
    assert BY_HAND.nearest(point, 10).tolist() == [1, 3, 2, 0]


def test_far_is_told_by_the_rhythm_alone():
    """(0, 1.7, 0) is 0.7 from AF; (0, 0, 1.6) is 0.6 from the nearest without AF."""
    assert not BY_HAND.is_far(np.array([0.0, 1.7, 0.0]), af=True)
    assert BY_HAND.is_far(np.array([0.0, 1.7, 0.0]), af=False)
    assert BY_HAND.is_far(np.array([0.0, 0.0, 1.6]), af=False)
    assert BY_HAND.is_far(np.array([0.0, 0.0, 1.6]), af=True)
    assert not BY_HAND.is_far(np.array([0.0, 0.0, 1.4]), af=False)


def test_windows_of_other_weights_are_refused():
    with refused(DetectError, 2, 3):
        BY_HAND.place(np.zeros((4, 2)))


def test_there_and_back(tmp_path):
    BY_HAND.write(tmp_path / "a.map.json")
    found = ReferenceMap.read(tmp_path / "a.map.json")
    for name in ("axes", "origin", "centres", "af"):
        assert np.array_equal(getattr(found, name), getattr(BY_HAND, name))
        assert getattr(found, name).dtype == getattr(BY_HAND, name).dtype
    assert (found.far_not_af, found.far_af) == (0.5, 0.75)
    found.write(tmp_path / "b.map.json")
    assert (tmp_path / "a.map.json").read_bytes() == (tmp_path / "b.map.json").read_bytes()


@pytest.mark.parametrize(
    ("change", "facts"),
    [
        ({"format": "pacl map 1", "far": 0.5}, ["pacl map 1", "pacl map 2"]),
        ({"axes": [[1, 0, 0], [1, 0, 0]]}, ["axes"]),
        ({"axes": [[1, 0, 0]]}, ["axes", "(1, 3)"]),
        ({"origin": [0, 0]}, ["origin", "(2,)"]),
        ({"origin": 0}, ["origin"]),
        ({"origin": [0, 0, float("nan")]}, ["origin.2", "nan"]),
        ({"origin": [0, 0, "x"]}, ["origin.2", "'x'"]),
        ({"af": [1, 0, 1, 0]}, ["af.0", 1]),
        ({"af": [True]}, ["af", "(1,)"]),
        ({"centres": [], "af": []}, ["centres", "(0,)"]),
        ({"far_af": 0}, ["far_af", 0]),
        ({"far_not_af": [1]}, ["far_not_af", "list"]),
        ({"far_not_af": None}, ["far_not_af", "None"]),
    ],
)
def test_a_broken_file_is_refused(tmp_path, change, facts):
    path = tmp_path / "a.map.json"
    BY_HAND.write(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with refused(DetectError, path, *facts, "pacl weights"):
        ReferenceMap.read(path)


@pytest.mark.parametrize("content", [b"", b"[]", b"3", b'{"format": "pacl map 2"}', b"\xff"])
def test_what_is_no_map_at_all(tmp_path, content):
    path = tmp_path / "a.map.json"
    path.write_bytes(content)
    with refused(DetectError, path):
        ReferenceMap.read(path)
    with refused(DetectError, tmp_path / "none.json"):
        ReferenceMap.read(tmp_path / "none.json")


def test_weights_may_have_none():
    assert bundled_map("af-rr200") is not None
    assert bundled_map("af-rr200-edge") is None
    with refused(PaclError, "mine"):
        bundled_map("mine")


def record_of(rr_ms):
    rr_ms = np.asarray(rr_ms, dtype=np.float32)
    spans = (Span(0, rr_ms.size, Rhythm.UNKNOWN),)
    return Record("p", "r", rr_ms, np.array([0]), np.array([0.0]), spans, "0", "made up")


def sinus(beats, seed=0):
    generator = np.random.default_rng(seed)
    return 850 * (1 + 0.02 * np.sin(np.arange(beats) * 0.3) + generator.normal(0, 0.012, beats))


def fibrillation(beats, seed=1):
    generator = np.random.default_rng(seed)
    return np.clip(620 * generator.lognormal(0, 0.22, beats), 250, 1900)


@pytest.fixture(scope="module", params=[name for name in KINDS if "map.json" in KINDS[name]])
def detector(request):
    return Detector(request.param)


@pytest.mark.parametrize(("make", "af"), [(sinus, False), (fibrillation, True)])
def test_a_rhythm_lies_among_patients_of_its_kind(detector, make, af):
    placed = detector.place(record_of(make(3000)))
    middle = placed.pooled.mean(axis=0)
    near = placed.reference.nearest(middle, 10)
    assert placed.reference.af[near].tolist() == [af] * 10
    assert not placed.reference.is_far(middle, af=af)
    assert (placed.reference.place(middle[None])[0, 0] > 0) == af


def test_a_device_that_repeats_a_pattern_is_far_from_all(detector):
    beats = np.where(np.arange(3000) % 4 < 2, 400, 1600)
    placed = detector.place(record_of(beats + np.random.default_rng(0).normal(0, 3, 3000)))
    for af in (False, True):
        assert placed.reference.is_far(placed.pooled.mean(axis=0), af=af)


@pytest.mark.parametrize("share", [0.04, 0.045, 0.05])
def test_white_noise_is_called_af_and_far_from_all_af(detector, share):
    noise = np.random.default_rng(0).standard_normal(1500)
    record = record_of(800 * (1 + share * noise))
    assert "AF" in detector.detect(record).verdict.removeprefix("no AF")
    placed = detector.place(record)
    assert placed.reference.is_far(placed.pooled.mean(axis=0), af=True)


def test_the_windows_are_those_that_are_judged(detector):
    """A gap after 500 beats, an implausible beat, and too few beats at the end."""
    rr_ms = np.concatenate([sinus(500), [20_000.0], sinus(230), [50.0], sinus(69), [20_000.0]])
    rr_ms = np.concatenate([rr_ms, sinus(150)])
    placed = detector.place(record_of(rr_ms))
    assert placed.first.tolist() == [0, 50, 100, 150, 200, 250, 300, 501, 551]
    assert placed.last.tolist() == [199, 249, 299, 349, 399, 449, 499, 700, 751]
    assert placed.pooled.shape == (9, placed.reference.origin.size)
    np.testing.assert_allclose(np.linalg.norm(placed.pooled, axis=1), 1.0, atol=1e-5)


@pytest.mark.parametrize("rr_ms", [[800.0], np.full(500, 800.0)])
def test_where_nothing_is_fit_nothing_is_placed(detector, rr_ms):
    placed = detector.place(record_of(rr_ms))
    assert len(placed.first) == len(placed.last) == len(placed.pooled) == 0
    assert placed.reference.place(placed.pooled).shape == (0, 2)
