"""The stream in C decides when and as `StreamDetector` does, beat by beat."""

import math
import subprocess
from dataclasses import replace

import numpy as np
import pytest

from pacl.detect import (
    LONGEST_MS,
    MOST_DROPPED,
    MOST_LOG_ODDS,
    STRIDE_BEATS,
    DetectError,
    StreamDetector,
    WindowScorer,
)
from pacl.detect.window_judge import WindowJudge
from pacl.evaluation.platt import Platt
from pacl.export import Weights
from support.c_files import SMALL, build, compiled, logits_of, made

CLOSE = 1e-5
BAD = (math.nan, math.inf, -math.inf, -1.0, 2 * LONGEST_MS)


class TorchScorer(WindowScorer):
    """Judges windows in place of bundled weights."""

    def __init__(self, weights: Weights) -> None:
        for name, value in (("window_beats", weights.window_beats), ("weights", weights)):
            object.__setattr__(self, name, value)  # a scorer cannot be changed

    def logit(self, rr_ms: np.ndarray) -> float:
        return float(logits_of(self.weights, rr_ms[None])[0])


def detector(weights: Weights) -> StreamDetector:
    found = StreamDetector("af-rr200")
    found.judge = WindowJudge(TorchScorer(weights))
    found._restart()
    return found


def both(weights: Weights, rr_ms: list[float]) -> list[tuple[int, float]]:
    """Push to both; where they decide, and what."""
    expected, stream = detector(weights), compiled(weights).stream()
    decided = []
    for at, value in enumerate(np.array(rr_ms, dtype=np.float32).tolist()):
        try:
            decisions = expected.push(value)
            status = len(decisions)
        except DetectError:
            decisions, status = (), -1
        found = stream.push(value)
        assert found[0] == status, f"beat {at} of {value} ms"
        if not decisions:
            assert math.isnan(found[1])
        for decision in decisions:
            assert found[1] == pytest.approx(decision.probability, abs=CLOSE), f"beat {at}"
            decided.append((at, found[1]))
    return decided


def rough(seed: int, beats: int = 2500) -> list[float]:
    """All that can come: rhythms, gaps, implausible beats, a device that repeats itself, junk."""
    generator = np.random.default_rng(seed)
    found: list[float] = []
    while len(found) < beats:
        length = int(generator.integers(20, 400))
        base = generator.uniform(350, 1400)
        kind = generator.integers(0, 6)
        if kind == 0:
            found += [float(base)] * length
        elif kind == 1:
            found += generator.choice([100.0, 2500.0, base], length, p=[0.1, 0.1, 0.8]).tolist()
        else:
            spread = generator.choice([0.01, 0.05, 0.25])
            found += (base * np.exp(spread * generator.normal(size=length))).tolist()
        if generator.random() < 0.2:
            found.append(float(generator.choice([10_000.0, 10_001.0, 60_000.0, LONGEST_MS])))
        if generator.random() < 0.3:
            found.append(float(generator.choice(BAD)))
    return found


def test_it_decides_as_the_detector_with_the_default_encoder():
    decided = both(made(), rough(0, 1500))
    assert len(decided) >= 5


@pytest.mark.parametrize("seed", range(8))
def test_it_decides_as_the_detector(seed):
    assert both(made(200, **SMALL), rough(seed))


@pytest.mark.parametrize("beats", [61, 40])
def test_other_windows(beats):
    decided = both(made(beats, **SMALL), rough(3, 1200))
    assert len(decided) > 5
    assert np.ptp([probability for _, probability in decided]) > 0.01


def af(count: int, seed: int = 0) -> list[float]:
    return (800 + 100 * np.random.default_rng(seed).standard_normal(count)).clip(300, 1900).tolist()


def test_every_stride_from_the_first_whole_window_on():
    decided = both(made(200, **SMALL), af(403))
    assert [at for at, _ in decided] == [199 + STRIDE_BEATS * step for step in range(5)]


@pytest.mark.parametrize("value", [200.0, 2000.0, np.nextafter(np.float32(200), 0), 2000.01, 0.0])
def test_the_edges_of_what_is_plausible(value):
    decided = both(made(200, **SMALL), [*af(100), float(value), *af(150, 1)])
    assert decided[0][0] == 199 + (not 200 <= value <= 2000)


@pytest.mark.parametrize(("extra", "judged"), [(0, True), (1, False)])
def test_too_many_left_out(extra, judged):
    most = int(MOST_DROPPED * 200)
    rr_ms = [*[50.0] * 500, *af(120), *[50.0] * (most + extra), *af(80, 1)]
    assert bool(both(made(200, **SMALL), rr_ms)) == judged


def test_more_are_left_out_than_can_be_counted():
    stream, more = compiled(made(40, **SMALL)).stream(), 2**16 + 3  # which is 3 in two bytes
    said = [stream.push(value)[0] for value in [*af(20), *[1.0] * more, *af(20, 1)]]
    assert set(said) == {0}
    assert both(made(40, **SMALL), [*[1.0] * 300, *af(40)])


def test_equal_beats_are_not_judged_and_make_it_forget():
    decided = both(made(200, **SMALL), [*af(400), *[800.0] * 300, *af(300, 1)])
    assert max(at for at, _ in decided) >= 600
    assert not [at for at, _ in decided if 599 <= at < 700]


def test_nothing_is_ever_certain():
    weights = replace(made(40, **SMALL), platt=Platt(500.0, 0.0))
    assert both(weights, af(140))
    stream = compiled(weights).stream()
    for value in af(40):
        stream.push(value)
    assert abs(np.frombuffer(stream.memory, np.float32)[-1]) == MOST_LOG_ODDS  # the log odds


def test_what_is_no_interval_changes_nothing():
    stream = compiled(made(200, **SMALL)).stream()
    for value in af(120):
        stream.push(value)
    before = stream.memory.raw
    for value in BAD:
        assert stream.push(value)[0] == -1
        assert stream.memory.raw == before


def test_streams_do_not_know_of_each_other():
    file = compiled(made(200, **SMALL))
    first, second = rough(4, 1200), rough(5, 1200)
    alone = [[stream.push(value) for value in rr_ms]
             for stream, rr_ms in ((file.stream(), first), (file.stream(), second))]  # fmt: skip
    one, other = file.stream(), file.stream()
    together = [(one.push(a), other.push(b)) for a, b in zip(first, second, strict=False)]
    for number, expected in enumerate(alone):
        found = [pair[number] for pair in together]
        assert str(found) == str(expected[: len(found)])  # nan is nan


def test_begun_anew_it_has_forgotten():
    file = compiled(made(200, **SMALL))
    stream, fresh = file.stream(), file.stream()
    for value in rough(6, 700):
        stream.push(value)
    file.library.pacl_af_init(stream.memory)
    assert str([stream.push(v) for v in af(400)]) == str([fresh.push(v) for v in af(400)])


# ----------------------------------------------------------------------------------- its own main


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder, file = tmp_path_factory.mktemp("main"), compiled(made(200, **SMALL))
    build(folder, "-DPACL_MAIN", str(file.source), "-o", "af", "-lm")
    return folder / "af"


def said_of(program, text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program], input=text, capture_output=True, text=True, timeout=60)


def test_blanks_around_an_interval(program):
    rr_ms = [f" \t{value:.2f} \r\n" for value in af(200)]
    said = said_of(program, " \n".join(rr_ms).rstrip())  # the last line has no end
    assert (said.returncode, said.stderr) == (0, "")
    assert len(said.stdout.splitlines()) == 1


def test_a_line_a_decision(program):
    rr_ms = [round(value, 2) for value in af(500)]
    said = said_of(program, "".join(f"{value}\n" for value in rr_ms) + "\n")
    assert (said.returncode, said.stderr) == (0, "")
    stream = detector(made(200, **SMALL))
    expected = [one for value in rr_ms for one in stream.push(value)]
    found = [tuple(map(float, line.split())) for line in said.stdout.splitlines()]
    assert len(found) == len(expected) == 7
    for (time_s, probability), one in zip(found, expected, strict=True):
        assert time_s == pytest.approx(one.time_s, abs=6e-4)
        assert probability == pytest.approx(one.probability, abs=CLOSE)


@pytest.mark.parametrize(
    "word",
    ["eight", "nan", "-5", "1e9", "800,700", "800 700", "800x", "inf", "1e300", "0" * 300 + "800"],
)
def test_a_line_that_is_no_interval(program, word):
    said = said_of(program, f"800\n\n{word}\n800\n")
    assert (said.returncode, said.stdout) == (1, "")
    assert said.stderr == "line 3: give an interval in ms, from 0 to a day\n"


@pytest.mark.parametrize("times", [2, 3, 4, 5, 8, 10])
def test_beats_that_are_sent_again_are_not_judged(times):
    random = np.random.default_rng(0)
    heard = random.normal(800, 40, 400).round()
    sent = [*heard.tolist(), *np.repeat(heard, times).tolist(), *heard.tolist()]
    weights = made(**SMALL)
    decided = [at for at, _ in both(weights, sent)]
    window = weights.window_beats
    again = range(400 + window, 400 + times * 400)
    assert decided
    assert not [at for at in decided if at in again]
