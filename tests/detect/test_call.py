"""One call from plain intervals to an answer, and a package that stays a package."""

import subprocess
import sys

import numpy as np
import pytest

import pacl
from pacl.detect import DetectError, Detector
from pacl.records import RecordError
from pacl.records.array import record_from_rr
from support.refusals import refused

DETECTOR = Detector()


@pytest.fixture(scope="module")
def rr_ms():
    return np.random.default_rng(0).normal(800.0, 15.0, 700)


@pytest.mark.parametrize("mode", ["look-ahead", "causal"])
@pytest.mark.parametrize(
    "given",
    [
        lambda rr_ms: rr_ms,
        lambda rr_ms: rr_ms.tolist(),
        lambda rr_ms: tuple(rr_ms.tolist()),
        lambda rr_ms: rr_ms / 1000,
        lambda rr_ms: (rr_ms / 1000).tolist(),
        lambda rr_ms: rr_ms.astype(np.float32),
        record_from_rr,
    ],
    ids=["array", "list", "tuple", "seconds", "list of seconds", "float32", "record"],
)
def test_whatever_the_intervals_are_kept_in(rr_ms, given, mode):
    expected = pacl.detect(record_from_rr(rr_ms), mode)
    for found in (pacl.detect(given(rr_ms), mode), DETECTOR.detect(given(rr_ms), mode)):
        assert found.verdict == "no AF"
        np.testing.assert_allclose(found.probability, expected.probability, atol=1e-5)
        np.testing.assert_allclose(found.end_s, expected.end_s, rtol=1e-6)


def test_a_unit_can_be_forced(rr_ms):
    assert pacl.detect(rr_ms, unit="ms").verdict == "no AF"
    with refused(DetectError, "ms"):
        pacl.detect(rr_ms * 1000, unit="s")
    with refused(DetectError, "'s'", "Record"):
        pacl.detect(record_from_rr(rr_ms), unit="s")


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        ([], "one dimension"),
        (800.0, "one dimension"),
        ([[800.0, 790.0]], "shape (1, 2)"),
        ([[800.0], [790.0, 1.0]], "one dimension"),
        ("night.csv", "open_records"),
        (["800", "790"], "numbers"),
        ([800.0, float("nan")], "nan at beat 1"),
        ([800.0, -5.0], "-5.0 at beat 1"),
        ([800.0, float("inf")], "inf at beat 1"),
        ([800.0, 0.0], "beat 1 is 0"),
        ([72.0, 71.0, 73.0], "heart rate"),
        (np.cumsum([0.8] * 20), "beat times"),
        (np.ma.masked_array([800.0, 790.0], [False, True]), "nan at beat 1"),
        ([True, False], "numbers"),
    ],
)
def test_what_cannot_be_intervals_is_refused(bad, told):
    for call in (pacl.detect, DETECTOR.detect):
        with pytest.raises(RecordError) as caught:
            call(bad)
        assert told in str(caught.value)


def test_windows_of_plain_intervals_are_placed(rr_ms):
    placed = Detector("af-rr200").place(rr_ms / 1000)
    assert len(placed.pooled) == (700 - 200) // 50 + 1
    assert Detector().place(rr_ms) is None  # every beat is judged: there are no windows


@pytest.mark.parametrize(
    "code",
    [
        "import pacl; pacl.detect(rr); pacl.detect.Detector; from pacl.detect import Detector",
        "from pacl import detect; detect(rr); detect.Detector().detect(rr); import pacl.detect",
        "import pacl.detect.flutter; import pacl; pacl.detect(rr); pacl.detect.flutter.BEATS",
    ],
)
def test_the_package_is_called_and_imported_in_any_order(code):
    head = "import sys; rr = [800.0, 790.0]; "
    tail = "; print(sys.modules['pacl.detect'].__name__, 'torch' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", head + code + tail], capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "pacl.detect False\n", done.stderr
