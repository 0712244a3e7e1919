"""A map of reference patients: where things lie on it, who is near, and files of it."""

import json

import numpy as np
import pytest

from pacl.detect import DetectError, ReferenceMap
from pacl.errors import PaclError

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
    with pytest.raises(DetectError, match="windows have 2 pooled features, the map was made of 3"):
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
    ("change", "why"),
    [
        ({"format": "pacl map 1", "far": 0.5}, "format 'pacl map 1', expected 'pacl map 2'"),
        ({"axes": [[1, 0, 0], [1, 0, 0]]}, "axes that are not at right angles"),
        ({"axes": [[1, 0, 0]]}, "which do not fit together"),
        ({"origin": [0, 0]}, "which do not fit together"),
        ({"origin": 0}, "origin: 0, expected a list"),
        ({"origin": [0, 0, float("nan")]}, "origin.2: nan is no finite number"),
        ({"origin": [0, 0, "x"]}, "origin.2: 'x', expected a number"),
        ({"af": [1, 0, 1, 0]}, "af.0: 1, expected true or false"),
        ({"af": [True]}, "which do not fit together"),
        ({"centres": [], "af": []}, "which do not fit together"),
        ({"far_af": 0}, "expected distances above 0"),
        ({"far_not_af": [1]}, "far_not_af: a list, expected a number"),
        ({"far_not_af": None}, "far_not_af: None, expected a number"),
    ],
)
def test_a_broken_file_is_told_from_a_map(tmp_path, change, why):
    path = tmp_path / "a.map.json"
    BY_HAND.write(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(DetectError) as caught:
        ReferenceMap.read(path)
    assert str(caught.value).startswith(f"{path}: no map of reference patients (")
    assert why in str(caught.value)
    assert str(caught.value).endswith("; give a file that pacl weights wrote")


@pytest.mark.parametrize("content", [b"", b"[]", b"3", b'{"format": "pacl map 2"}', b"\xff"])
def test_what_is_no_map_at_all(tmp_path, content):
    path = tmp_path / "a.map.json"
    path.write_bytes(content)
    with pytest.raises(DetectError, match="no map of reference patients"):
        ReferenceMap.read(path)
    with pytest.raises(DetectError, match="no map of reference patients"):
        ReferenceMap.read(tmp_path / "none.json")


def test_weights_may_have_none():
    assert ReferenceMap.bundled("af-rr200") is not None
    assert ReferenceMap.bundled("af-rr200-edge") is None
    with pytest.raises(PaclError, match="no bundled weights 'mine'"):
        ReferenceMap.bundled("mine")
