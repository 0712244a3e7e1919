"""The C file of a beat network: what it takes, what it needs, and what is refused."""

import re
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest

import pacl
from pacl.detect.decoder import Decoder
from pacl.export import ExportError
from support.beat_c import ANY, compiled_beats, write_made
from support.beat_networks import SMALL, SMALL_STREAM, made_network
from support.c_files import STRICT, build
from support.refusals import refused

SMALLEST = made_network(**SMALL_STREAM)
WIDE = made_network(**{**SMALL_STREAM, "dilations": (1, 2, 8)})
BUNDLED = made_network(channels=24, widest_ahead=4)


@pytest.mark.parametrize(
    ("network", "lag"),
    [(SMALLEST, 6), (WIDE, 6), (WIDE, 3), (BUNDLED, 6)],
    ids=["small", "wide", "another lag", "as bundled"],
)
@pytest.mark.parametrize("int8", [False, True])
def test_memory_is_what_is_told(network, lag, int8):
    file = compiled_beats(network, int8, replace(ANY, lag=lag))
    assert file.told.ram_bytes == file.library.stream_size()


def test_it_fits_a_microcontroller(tmp_path):
    told = write_made(BUNDLED, tmp_path / "af.c", int8=True, decoder=Decoder())
    assert told.ram_bytes <= 32_768
    assert told.flash_bytes <= 150_000
    assert told.macs == 24 * 25 + 14 * 6 * 24 * 24 + 24
    assert told.parameters == told.macs + 24 + 14 * 2 * 24 + 1  # and the biases
    assert told.flash_bytes == told.macs + 2 * 4 * (told.parameters - told.macs)


def test_the_same_bytes_again(tmp_path):
    for name in ("one", "other"):
        write_made(WIDE, tmp_path / f"{name}.c")
    assert (tmp_path / "one.c").read_bytes() == (tmp_path / "other.c").read_bytes()


def test_it_says_what_it_is(tmp_path):
    told = write_made(WIDE, tmp_path / "af.c")
    text = (tmp_path / "af.c").read_text()
    comment = " ".join(text[: text.index("*/")].replace("\n *", " ").split())
    for part in (
        f"made-up, written by pacl {pacl.__version__}",
        "Not a medical device",
        "data: nobody's heart",
        f"{told.parameters:,} parameters, {told.macs:,} multiply-adds",
        f"{told.flash_bytes:,} bytes of weights",
        f"{told.ram_bytes:,} bytes of RAM",
    ):
        assert part in comment
    assert not re.search(r"/\* @|nan|inff", text)


@pytest.mark.parametrize("int8", [False, True])
def test_it_needs_nothing_else(int8, tmp_path):
    write_made(WIDE, tmp_path / "af.c", int8=int8)
    text = (tmp_path / "af.c").read_text().split("#ifdef PACL_MAIN")[0]
    assert set(re.findall("#include (.*)", text)) <= {"<math.h>", "<stddef.h>", "<stdint.h>"}
    if shutil.which("nm") is None:
        pytest.skip("no nm to list symbols with")
    build(tmp_path, "-fno-pic", "-c", "af.c")
    listed = subprocess.run(["nm", "af.o"], cwd=tmp_path, capture_output=True, text=True).stdout
    kinds = [(line.split()[-2], line.split()[-1].lstrip("_")) for line in listed.splitlines()]
    assert not [name for kind, name in kinds if kind in "bBdDC"]  # nothing that is written to
    needed = {name for kind, name in kinds if kind == "U"}
    functions = {"asinhf", "fmaxf", "fminf", "logf", "lrintf", "tanhf"}
    assert needed <= functions | {"memset", "memcpy", "memmove"}


@pytest.mark.parametrize("int8", [False, True])
def test_it_is_cpp_too(int8, tmp_path):
    if (cpp := shutil.which("c++")) is None:
        pytest.skip("no C++ compiler: looked for c++")
    write_made(WIDE, tmp_path / "af.c", int8=int8)
    command = [cpp, "-x", "c++", *STRICT[1:], "-c", "af.c"]
    assert subprocess.run(command, cwd=tmp_path, timeout=120).returncode == 0


def test_another_prefix_and_declarations_alone(tmp_path):
    write_made(WIDE, tmp_path / "af.c", prefix="heart")
    assert "pacl_af" not in (tmp_path / "af.c").read_text().lower()
    delay = WIDE.ahead + ANY.lag
    (tmp_path / "uses.c").write_text(
        '#define HEART_DECLARE\n#include "af.c"\n'
        "int main(void) { heart_stream s; float p; int af; heart_init(&s);"
        f" return heart_push(&s, 800.0f, &p, &af) + (HEART_DELAY != {delay}); }}\n"
    )
    build(tmp_path, "uses.c", "af.c", "-o", "uses", "-lm")
    assert subprocess.run([tmp_path / "uses"]).returncode == 0


@pytest.mark.parametrize(
    ("network", "arguments", "fact"),
    [
        (WIDE, {"prefix": "1st"}, "prefix '1st'"),
        (WIDE, {"decoder": replace(ANY, lag=None)}, "lag"),
        (WIDE, {"examples": []}, "int8=False"),
        (WIDE, {"examples": [np.empty(0, np.float32)]}, "int8=False"),
        (made_network(**SMALL), {}, "widest_ahead"),
    ],
)
def test_what_cannot_be(network, arguments, fact, tmp_path):
    with refused(ExportError, fact):
        write_made(network, tmp_path / "af.c", **arguments)
    assert not list(tmp_path.iterdir())
