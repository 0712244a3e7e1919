"""C files of made-up weights, compiled once and called from here."""

import atexit
import ctypes
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch

from pacl.evaluation import Probe
from pacl.evaluation.platt import Platt
from pacl.export import CFile, RegularityCeiling, Weights, write_c
from pacl.models import Encoder

STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O2")
AROUND = """
#include "af.c"
size_t stream_size(void) { return sizeof(pacl_af_stream); }
"""
SMALL = {"channels": (4, 6), "pooled_features": 5, "projected_features": 4}


def windows_ms(count: int, beats: int = 200, seed: int = 0) -> np.ndarray:
    """Regular, breathing, AF-like and extreme windows, and some that hardly vary."""
    generator = np.random.default_rng(seed)
    base, share = generator.uniform(300, 1500, (count, 1)), generator.uniform(0.02, 0.4, (count, 1))
    kinds = [
        base * np.exp(0.02 * generator.normal(size=(count, beats))),
        base * (1 + share * np.sin(np.arange(beats) * (0.2 + share))),
        base * np.exp(share * generator.normal(size=(count, beats))),
        generator.uniform(200, 2000, (count, beats)),
        generator.choice([200.0, 2000.0], (count, beats)),
        base + generator.normal(0, 3, (count, beats)),
        base * (1 + share * np.where(np.arange(beats) % 2, -1, 1)),
    ]
    chosen = np.stack([kinds[at % len(kinds)][at] for at in range(count)])
    return np.clip(chosen, 200, 2000).astype(np.float32)


@cache
def made(beats: int = 200, **config: object) -> Weights:
    """Weights whose batch norms have seen windows, and whose probe is not shy."""
    config = {"norm": "batch", "view": "relative", **config}
    encoder = Encoder(**config, generator=torch.Generator().manual_seed(3))
    generator = np.random.default_rng(4)
    with torch.no_grad():
        for seed in range(12 if config["norm"] == "batch" else 0):
            encoder.train()(torch.from_numpy(windows_ms(32, beats, seed)), {})
        for name, one in encoder.named_parameters():
            if one.ndim == 1:  # biases, and what norms begin with: neither 1 nor 0
                one += torch.from_numpy(generator.normal(0, 0.2, one.shape)).float()
                assert name.endswith(("weight", "bias"))
    return Weights(
        name="made-up",
        encoder=encoder.eval(),
        probe=Probe(9 * generator.normal(size=encoder.config["pooled_features"]), 0.3),
        platt=Platt(0.8, -0.4),
        window_beats=beats,
        about={"data": "nobody's heart", "licence": "none", "plan": "{}"},
        steady=RegularityCeiling(0.03, -1.5),
    )


def logits_of(weights: Weights, rr_ms: np.ndarray) -> np.ndarray:
    """What torch says."""
    with torch.no_grad():
        return weights.scorer()(torch.from_numpy(rr_ms)).logit.numpy()


@dataclass(frozen=True)
class Compiled:
    """A C file that can be called."""

    told: CFile
    source: Path
    library: ctypes.CDLL

    def logits(self, rr_ms: np.ndarray) -> np.ndarray:
        """Window by window, in the same working memory."""
        work = self.memory()
        return np.array([self.library.pacl_af_logit(work, pointer(row)) for row in rr_ms])

    def memory(self) -> ctypes.Array:
        """A stream that was not begun: what is in it means nothing."""
        size = self.library.stream_size()
        return ctypes.create_string_buffer(b"\xa5" * size, size)

    def stream(self) -> "Stream":
        """A stream that was."""
        memory = self.memory()
        self.library.pacl_af_init(memory)
        return Stream(self.library, memory)


@dataclass(frozen=True)
class Stream:
    """A stream in C."""

    library: ctypes.CDLL
    memory: ctypes.Array

    def push(self, rr_ms: float) -> tuple[int, float]:
        """Its status, and the probability; NaN where it was not set."""
        found = ctypes.c_float(np.nan)
        status = self.library.pacl_af_push(self.memory, ctypes.c_float(rr_ms), ctypes.byref(found))
        return status, found.value


def pointer(row: np.ndarray) -> object:
    return row.ctypes.data_as(ctypes.POINTER(ctypes.c_float))


@cache
def compiler() -> str:
    """A C compiler; the test is skipped where there is none."""
    found = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if found is None:
        pytest.skip("no C compiler: looked for cc, gcc and clang")
    return found


@cache
def compiled(weights: Weights, int8: bool = False) -> Compiled:
    """Written, compiled without a warning, and loaded."""
    folder = Path(tempfile.mkdtemp(prefix="pacl-c-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    told = write_c(weights, folder / "af.c", int8=int8)
    (folder / "around.c").write_text(AROUND)
    build(folder, "-fPIC", "-shared", "around.c", "-o", "af.so", "-lm")
    library = ctypes.CDLL(str(folder / "af.so"))
    library.pacl_af_logit.restype = ctypes.c_float
    library.stream_size.restype = ctypes.c_size_t
    return Compiled(told, folder / "af.c", library)


def build(folder: Path, *arguments: str) -> None:
    """Compile; a warning is an error."""
    command = [compiler(), *STRICT, *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
