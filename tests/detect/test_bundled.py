"""Where bundled weights are, and weights by name, folder or file; finding them needs no torch."""

import shutil
import subprocess
import sys

import numpy as np
import pytest

from pacl.cli.options import DetectorOptions
from pacl.detect import BUNDLED, DetectError, Detector, bundled_file, bundled_folder, open_judge
from pacl.detect.beat_judge import BeatJudge
from pacl.detect.bundled import KINDS
from pacl.detect.detection import MIN_DURATION_S
from pacl.detect.window_judge import WindowJudge
from pacl.errors import PaclError
from pacl.studies.weights import NAME
from support.refusals import refused
from support.rhythms import fibrillation


def test_the_first_judges_every_beat_and_those_of_the_recipe_stay():
    assert BUNDLED == ("af-beats", "af-rr200", "af-rr200-edge")
    assert NAME in KINDS


def test_the_command_takes_the_same_for_granted():
    options = DetectorOptions()
    assert (options.weights, options.min_duration) == (BUNDLED[0], MIN_DURATION_S)
    assert options.operating_point == Detector().operating_point


@pytest.mark.parametrize(
    ("name", "kind"), [(name, kind) for name, kinds in KINDS.items() for kind in kinds]
)
def test_files_lie_beside_the_code(name, kind):
    path = bundled_file(name, kind)
    assert path.name == f"{name}.{kind}"
    assert path.parent.name == "weights"
    assert (path.parents[1] / "bundled.py").is_file()


@pytest.mark.parametrize("name", ["af-rr300", "", "../weights/af-rr200", "AF-RR200"])
def test_other_names_are_told_those_there_are(name):
    with refused(PaclError, repr(name), "af-rr200, af-rr200-edge"):
        bundled_file(name)
    with refused(PaclError, repr(name), "af-beats"):
        bundled_folder(name)


def test_what_is_not_bundled_is_told():
    with refused(PaclError, "af-rr200-edge", ".onnx", "safetensors, md", "pacl export"):
        bundled_file("af-rr200-edge", "onnx")
    with refused(PaclError, "af-rr200-edge", ".onnx"):
        Detector("af-rr200-edge")


def test_by_name_folder_and_file():
    assert isinstance(open_judge("af-beats"), BeatJudge)
    assert isinstance(open_judge(bundled_folder()), BeatJudge)
    assert isinstance(open_judge(str(bundled_folder())), BeatJudge)
    assert isinstance(open_judge("af-rr200"), WindowJudge)
    assert isinstance(open_judge(bundled_file("af-rr200")), WindowJudge)
    assert [open_judge(name).needed_beats for name in BUNDLED[:2]] == [60, 200]


def test_a_folder_elsewhere_is_the_same_detector(tmp_path):
    shutil.copytree(bundled_folder(), tmp_path / "mine")
    rr_ms = fibrillation(100, np.random.default_rng(0))
    one, other = Detector(tmp_path / "mine").detect(rr_ms), Detector().detect(rr_ms)
    assert one.probability.tolist() == other.probability.tolist()


def test_a_name_is_that_of_bundled_weights_whatever_lies_here(tmp_path, monkeypatch):
    for name in BUNDLED[:2]:
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path)
    assert open_judge("af-beats").artifact.folder == bundled_folder()
    assert open_judge("af-rr200").name == "af-rr200"
    with refused(DetectError, "./af-beats"):
        open_judge("./af-beats")


@pytest.mark.parametrize("name", ["missing", "", ".", "af-beats/detector.json", "\0", "x.onnx"])
def test_nonsense_is_told_what_there_is(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with refused(DetectError, name, "detector.json", ".onnx", "af-beats", "af-rr200"):
        open_judge(name)


def test_weights_of_windows_have_one_operating_point():
    with refused(DetectError, "af-rr200", "balanced", "af-beats"):
        open_judge("af-rr200", "specific")


def test_an_unknown_operating_point_is_told_those_there_are():
    """In a process of its own: here types are checked before the detector can."""
    code = "from pacl.detect import Detector; Detector(operating_point='lenient')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "DetectError" in done.stderr
    assert "lenient" in done.stderr
    assert "sensitive, balanced, specific" in done.stderr


def test_nothing_here_needs_torch():
    heavy = ("torch", "sklearn", "scipy", "pyarrow", "safetensors", "onnx")
    code = (
        "import sys, pacl.detect; pacl.detect.Detector(); "
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


def test_only_weights_that_can_detect_are_offered():
    with refused(DetectError, "af-beats, af-rr200") as caught:
        open_judge("nonsense")
    assert "edge" not in str(caught.value)
