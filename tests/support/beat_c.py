"""C files of beat networks, compiled once and called from here."""

import atexit
import ctypes
import shutil
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from pacl.af.networks.beat_network import BeatNetwork
from pacl.detect.decoder import Decoder
from pacl.export import CFile
from pacl.export.beats import write_beats_c
from support.beat_networks import beats
from support.c_files import build

AROUND = """
#include "af.c"
size_t stream_size(void) { return sizeof(pacl_af_stream); }
float logit_of(const pacl_af_stream *stream) { return stream->logit; }
"""
SOME = beats(800, seed=9)
CALM = np.full(500, 800.0, np.float32)
ANY = Decoder(slope=1.3, shift=1.4, bridge=4, least_beats=3, evidence=2.0, lag=6)
"""A decoder with which made-up networks find AF, and often change their mind."""


@dataclass(frozen=True)
class CompiledBeats:
    """A C file that can be called."""

    told: CFile
    source: Path
    library: ctypes.CDLL

    def stream(self) -> "BeatStream":
        """A stream that was begun in memory that held something else."""
        size = self.library.stream_size()
        memory = ctypes.create_string_buffer(b"\xa5" * size, size)
        self.library.pacl_af_init(memory)
        return BeatStream(self.library, memory)

    def logits(self, rr_ms: np.ndarray, ahead: int) -> np.ndarray:
        """Of every beat but the last `ahead`."""
        stream, found = self.stream(), []
        for value in rr_ms.tolist():
            stream.push(value)
            found.append(stream.logit)
        return np.array(found, np.float32)[ahead:]


@dataclass(frozen=True)
class BeatStream:
    """A stream in C."""

    library: ctypes.CDLL
    memory: ctypes.Array

    def push(self, rr_ms: float) -> tuple[int, float, int]:
        """Its status, the probability and AF; NaN and -1 where they were not set."""
        found, af = ctypes.c_float(np.nan), ctypes.c_int(-1)
        status = self.library.pacl_af_push(
            self.memory, ctypes.c_float(rr_ms), ctypes.byref(found), ctypes.byref(af)
        )
        return status, found.value, af.value

    @property
    def logit(self) -> float:
        """Of the beat `ahead` beats ago."""
        return self.library.logit_of(self.memory)


@cache
def compiled_beats(
    network: BeatNetwork, int8: bool = False, decoder: Decoder = ANY, calm: bool = False
) -> CompiledBeats:
    """Written, compiled without a warning, and loaded; `calm`: with scales for calm beats alone."""
    folder = Path(tempfile.mkdtemp(prefix="pacl-c-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    examples = [CALM if calm else SOME]
    told = write_made(network, folder / "af.c", int8=int8, decoder=decoder, examples=examples)
    (folder / "around.c").write_text(AROUND)
    build(folder, "-fPIC", "-shared", "around.c", "-o", "af.so", "-lm")
    library = ctypes.CDLL(str(folder / "af.so"))
    library.logit_of.restype = ctypes.c_float
    library.stream_size.restype = ctypes.c_size_t
    return CompiledBeats(told, folder / "af.c", library)


def write_made(network: BeatNetwork, path: Path, **changed: object) -> CFile:
    """Write a file of made-up weights."""
    given = {"decoder": ANY, "name": "made-up", "about": {"data": "nobody's heart"},
             "examples": [SOME], **changed}  # fmt: skip
    return write_beats_c(network, path, **given)
