"""The stream in C: it decides as the decoder in Python does with its logits, gap by gap."""

import math
import subprocess
from dataclasses import replace

import numpy as np
import pytest

from pacl.detect.decoder import Decoder
from pacl.detect.detection import LONGEST_MS
from pacl.records import GAP_MS
from support.beat_c import ANY, BeatStream, compiled_beats
from support.beat_networks import SMALL_STREAM, beats, made_network
from support.c_files import build

NETWORK = made_network(**{**SMALL_STREAM, "dilations": (1, 2, 8)})
BAD = (math.nan, math.inf, -math.inf, -1.0, 2 * LONGEST_MS)
DECODERS = {
    "any": ANY,
    "at once": replace(ANY, lag=0),
    "no bridges": replace(ANY, bridge=1),
    "lag below the bridge": replace(ANY, bridge=9, lag=3),
    "long": Decoder(slope=1.3, shift=1.4, evidence=4.0),
}


def rough(seed: int, count: int = 1500) -> list[float]:
    """Rhythms, gaps, intervals at the edges and numbers that are no intervals."""
    generator = np.random.default_rng(seed)
    found = beats(count, seed).tolist()
    for at in generator.integers(0, count, 12):
        found.insert(int(at), float(generator.choice([0.0, 150.0, GAP_MS, GAP_MS + 1, LONGEST_MS])))
        found.insert(int(at), float(generator.choice(BAD)))
    return found


def decided(stream: BeatStream, rr_ms: list[float], decoder: Decoder) -> list[bool]:
    """Push to C, and its logits to the decoder in Python; both decide the same beats alike."""
    state, heard, found = decoder.begin(), 0, []
    for at, value in enumerate(np.array(rr_ms, np.float32).tolist()):
        status, probability, af = stream.push(value)
        expected = None
        if not 0 <= value <= LONGEST_MS:
            assert status == -1, f"beat {at} of {value} ms"
            continue
        if value > GAP_MS:
            state, heard = decoder.begin(), 0
        else:
            heard += 1
            if heard > NETWORK.ahead:
                expected = state.push(decoder.slope * stream.logit + decoder.shift)
        assert status == (expected is not None), f"beat {at} of {value} ms"
        if expected is None:
            assert (math.isnan(probability), af) == (True, -1)
        else:
            assert bool(af) == expected.af, f"beat {at}"
            assert probability == pytest.approx(expected.probability, abs=1e-6)
            found.append(expected.af)
    return found


@pytest.mark.parametrize("decoder", DECODERS.values(), ids=DECODERS)
@pytest.mark.parametrize("int8", [False, True])
def test_it_decides_as_the_decoder_does_with_its_logits(decoder, int8):
    found = decided(compiled_beats(NETWORK, int8, decoder).stream(), rough(int8), decoder)
    assert 0.02 < np.mean(found) < 0.98
    assert len(found) > 500


def test_a_beat_is_decided_when_the_network_and_the_decoder_have_heard_enough():
    stream = compiled_beats(NETWORK).stream()
    said = [stream.push(value)[0] for value in beats(40).tolist()]
    assert said.index(1) == NETWORK.ahead + ANY.lag
    assert set(said[said.index(1) :]) == {1}


@pytest.mark.parametrize("int8", [False, True])
def test_after_a_gap_everything_before_is_absent(int8):
    file = compiled_beats(NETWORK, int8)
    stream, fresh, after = file.stream(), file.stream(), beats(100, seed=3).tolist()
    for value in beats(200).tolist():
        stream.push(value)
    assert stream.push(GAP_MS + 1)[0] == 0
    for value in after:
        assert str(stream.push(value)) == str(fresh.push(value))  # nan is nan
        assert stream.logit == fresh.logit


def test_a_pause_of_ten_seconds_is_no_gap():
    stream = compiled_beats(NETWORK).stream()
    for value in beats(100).tolist():
        stream.push(value)
    assert stream.push(GAP_MS)[0] == 1


def test_what_is_no_interval_changes_nothing():
    stream = compiled_beats(NETWORK).stream()
    for value in beats(120).tolist():
        stream.push(value)
    before = stream.memory.raw
    for value in BAD:
        assert stream.push(value)[0] == -1
        assert stream.memory.raw == before


def test_streams_do_not_know_of_each_other():
    file, first, second = compiled_beats(NETWORK), rough(4, 300), rough(5, 300)
    alone = [[stream.push(value) for value in rr_ms]
             for stream, rr_ms in ((file.stream(), first), (file.stream(), second))]  # fmt: skip
    one, other = file.stream(), file.stream()
    together = [(one.push(a), other.push(b)) for a, b in zip(first, second, strict=False)]
    for number, expected in enumerate(alone):
        found = [pair[number] for pair in together]
        assert str(found) == str(expected[: len(found)])


# ------------------------------------------------------------------------------------ its own main


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("main")
    build(folder, "-DPACL_MAIN", str(compiled_beats(NETWORK).source), "-o", "af", "-lm")
    return folder / "af"


def said_of(program, text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program], input=text, capture_output=True, text=True, timeout=60)


def test_one_line_per_decided_beat(program):
    rr_ms = [round(value, 2) for value in beats(100).tolist()]
    said = said_of(program, "".join(f" {value}\r\n\n" for value in rr_ms))
    assert (said.returncode, said.stderr) == (0, "")
    stream = compiled_beats(NETWORK).stream()
    expected = [push for value in rr_ms if (push := stream.push(value))[0] == 1]
    found = [line.split() for line in said.stdout.splitlines()]
    assert [int(number) for number, _, _ in found] == list(range(1, 101 - NETWORK.ahead - ANY.lag))
    assert [int(af) for *_, af in found] == [af for *_, af in expected]
    assert [float(one) for _, one, _ in found] == pytest.approx(
        [p for _, p, _ in expected], abs=1e-6
    )


def test_a_line_that_is_no_interval(program):
    said = said_of(program, "800\n\n-5\n800\n")
    assert (said.returncode, said.stdout) == (1, "")
    assert "line 3" in said.stderr
