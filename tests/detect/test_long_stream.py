"""A stream that runs for weeks: what the detector holds does not grow."""

import gc
from collections import Counter, deque
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType

import numpy as np
import pytest

from pacl.detect import StreamDetector
from pacl.detect.quality import LOOKED_AT

EARLY, LATE = 2_500, 9_000
CONTAINERS = (dict, list, tuple, set, frozenset, deque, bytearray, np.ndarray)
SHARED = (type, ModuleType, FunctionType, BuiltinFunctionType, CodeType)
"""Belong to the program, not to the detector."""


def held(owner):
    """How many containers of which kind and length can be reached from an object."""
    seen, waiting, found = {id(owner)}, [owner], Counter()
    while waiting:
        for one in gc.get_referents(waiting.pop()):
            if id(one) in seen or isinstance(one, SHARED):
                continue
            seen.add(id(one))
            waiting.append(one)
            if isinstance(one, CONTAINERS):
                found[type(one).__name__, len(one)] += 1
    return found


@pytest.fixture(scope="module")
def intervals():
    """Sinus rhythm and AF by turns, missed beats, and a gap every 5,000 beats."""
    generator = np.random.default_rng(7)
    sinus = 850 * (1 + 0.02 * np.sin(np.arange(2500) * 0.3) + generator.normal(0, 0.012, 2500))
    af = np.clip(620 * generator.lognormal(0, 0.22, 2500), 250, 1900)
    rr_ms = np.concatenate([sinus, af])
    rr_ms[generator.integers(0, rr_ms.size, 25)] = 2500.0
    rr_ms[2000] = 60_000.0
    return rr_ms.tolist()


def push(stream, intervals, start, stop):
    """Beats from one to another of a recording that never ends; how many decisions they bring."""
    return sum(len(stream.push(intervals[at % len(intervals)] + 0.25)) for at in range(start, stop))


def test_nothing_grows(intervals):
    stream = StreamDetector()
    push(stream, intervals, 0, EARLY)
    early = held(stream)
    assert early["deque", LOOKED_AT] == 1, "the detector's own state is not seen"
    assert push(stream, intervals, EARLY, LATE) == pytest.approx(LATE - EARLY, abs=500)
    assert held(stream) == early


def test_a_long_past_does_not_matter(intervals):
    """After a gap a stream says what a new one would."""
    old, new = StreamDetector(), StreamDetector()
    push(old, intervals, 0, EARLY)
    assert old.push(60_000.0)
    for rr_ms in intervals[2001:2300]:
        one, other = old.push(rr_ms), new.push(rr_ms)
        assert [(each.probability, each.af) for each in one] == [
            (each.probability, each.af) for each in other
        ]
