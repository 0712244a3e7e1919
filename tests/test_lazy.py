"""`import pacl` is quick: what is heavy is imported when it is used."""

import subprocess
import sys

import pytest

import pacl
from support.refusals import refused

HEAVY = ("torch", "onnxruntime", "numpy", "pydantic", "h5py", "sklearn", "matplotlib")


def test_importing_loads_nothing_heavy():
    code = f"import sys, pacl; print([n for n in {HEAVY!r} if n in sys.modules], dir(pacl))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith("[] ["), done.stdout + done.stderr
    assert "'Encoder'" in done.stdout


def test_the_public_names_are_those_of_their_homes():
    from pacl import Encoder, PairPolicy, SubjectContrastiveLoss, SubjectSampler
    from pacl.models import encoder
    from pacl.objectives import contrastive, pairs
    from pacl.training import sampler

    assert Encoder is encoder.Encoder
    assert PairPolicy is pairs.PairPolicy
    assert SubjectSampler is sampler.SubjectSampler
    assert SubjectContrastiveLoss is contrastive.SubjectContrastiveLoss


@pytest.mark.parametrize("name", pacl.__all__)
def test_every_name_that_is_promised_is_there(name):
    assert getattr(pacl, name).__name__.rpartition(".")[2] == name
    assert name in dir(pacl)


def test_a_name_that_is_not_there_is_an_attribute_error():
    with refused(AttributeError, "'Encodr'"):
        pacl.Encodr  # noqa: B018 - asking is the test
    with refused(ImportError, "Encodr"):
        from pacl import Encodr  # noqa: F401
    assert not hasattr(pacl, "torch")


def test_the_version_is_that_of_the_package():
    from importlib.metadata import version

    assert pacl.__version__ == version("pacl")


def test_the_compiler_of_torch_is_loaded_by_nothing_that_compiles_nothing():
    code = "import sys, pacl.studies; print('torch' in sys.modules, 'torch._dynamo' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "True False\n", done.stderr
