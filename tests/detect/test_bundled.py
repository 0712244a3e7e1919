"""Where the weights that come along are; finding them needs no torch."""

import subprocess
import sys

import pytest

from pacl.detect import BUNDLED, bundled_file
from pacl.detect.bundled import KINDS
from pacl.errors import PaclError
from pacl.studies.weights import NAME


def test_the_first_is_what_the_recipe_makes():
    assert BUNDLED[0] == NAME == "af-rr200"
    assert len(set(BUNDLED)) == len(BUNDLED)


@pytest.mark.parametrize(
    ("name", "kind"), [(name, kind) for name, kinds in KINDS.items() for kind in kinds]
)
def test_files_lie_beside_the_code(name, kind):
    path = bundled_file(name, kind)
    assert path.name == f"{name}.{kind}"
    assert path.parent.name == "weights"
    assert (path.parents[1] / "bundled.py").is_file()


def test_without_a_name_it_is_the_first_to_run_anywhere():
    assert bundled_file() == bundled_file(BUNDLED[0], "onnx")


@pytest.mark.parametrize("name", ["af-rr300", "", "../weights/af-rr200", "AF-RR200"])
def test_other_names_are_told_those_there_are(name):
    with pytest.raises(PaclError) as caught:
        bundled_file(name)
    assert str(caught.value) == f"no bundled weights {name!r}; there are af-rr200, af-rr200-edge"


def test_what_does_not_come_along_is_told():
    with pytest.raises(PaclError, match=r"af-rr200-edge comes without .onnx, with safetensors, md"):
        bundled_file("af-rr200-edge", "onnx")


def test_nothing_here_needs_torch():
    heavy = ("torch", "sklearn", "scipy", "pyarrow", "safetensors", "onnx")
    code = (
        "import sys, pacl.detect; pacl.detect.bundled_file(); "
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr
