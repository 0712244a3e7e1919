"""Which beats can be judged: sparse, repeated and inexact signals, at once and from a stream."""

import numpy as np
import pytest

from pacl.detect import Detector, bundled_folder
from pacl.detect.not_judged import Fault
from pacl.detect.quality import AFTER, AROUND, GROUP, group_faults, is_repeating
from support.rhythms import fibrillation, sinus

NEEDED = 60


def mixture(generator):
    """Pieces of any kind after each other, single beats spoilt; no gap."""
    pieces = []
    for _ in range(generator.integers(1, 5)):
        beats = int(generator.integers(1, 160))
        kind = generator.choice(["sinus", "af", "constant", "twice", "thrice", "junk", "coarse"])
        calm = sinus(beats, generator)
        pieces.append(
            {
                "sinus": calm,
                "af": fibrillation(beats, generator),
                "constant": np.full(beats, 800.0),
                "twice": np.repeat(calm, 2),
                "thrice": np.repeat(calm, 3),
                "junk": np.where(generator.random(beats) < 0.5, 2500.0, 100.0),
                "coarse": 20 * np.rint(calm / 20),
            }[kind]
        )
    rr_ms = np.concatenate(pieces)
    rr_ms[generator.random(rr_ms.size) < generator.choice([0, 0.05, 0.2])] = 2500.0
    return rr_ms.astype(np.float32)


def by_hand(rr_ms, first):
    """What is wrong with the group that begins at a beat, read from the rules."""
    known = rr_ms[: first + GROUP + AFTER]
    near = rr_ms[max(first - AROUND, 0) : first + GROUP + AROUND]
    bad = int(((near < 200) | (near > 2000)).sum())
    if ((known >= 200) & (known <= 2000)).sum() < NEEDED:
        return Fault.TOO_FEW
    if bad > 0.2 * (near.size - bad):
        return Fault.SPARSE
    return Fault.REPEATED if is_repeating(known[-200:][None])[0] else Fault.NONE


@pytest.mark.parametrize("seed", range(40))
def test_faults_are_those_of_the_rules(seed):
    rr_ms = mixture(np.random.default_rng(seed))
    found = group_faults(rr_ms, NEEDED).tolist()
    assert found == [by_hand(rr_ms, first) for first in range(0, rr_ms.size, GROUP)]


def test_a_stream_finds_the_same_faults():
    judge = Detector(bundled_folder()).judge
    seen = set()
    for seed in range(8):
        rr_ms = mixture(np.random.default_rng(seed))
        stream = judge.stream()
        steps = [step for rr in rr_ms.tolist() for step in stream.push(rr)] + [*stream.finish()]
        assert [(one.first, one.last) for one in steps] == [(at, at) for at in range(rr_ms.size)]
        heard = np.array([one.fault for one in steps])
        expected = np.repeat(group_faults(rr_ms, NEEDED), GROUP)[: rr_ms.size]
        assert heard.tolist() == expected.tolist()
        assert all(np.isnan(one.log_odds) == (one.fault != Fault.NONE) for one in steps)
        seen |= set(heard.tolist())
    assert seen >= {Fault.NONE, Fault.TOO_FEW, Fault.SPARSE, Fault.REPEATED}


@pytest.mark.parametrize("lost", [0, 11, 12, 30])
def test_a_few_implausible_beats_do_no_harm(lost):
    """Of 70 beats around a group, 11 may be implausible: a fifth of the other 59."""
    rr_ms = sinus(400, np.random.default_rng(0)).astype(np.float32)
    rr_ms[170 : 170 + 2 * lost : 2] = 2500.0
    found = group_faults(rr_ms, NEEDED)
    assert (found == Fault.SPARSE).any() == (lost > 11)
    assert set(found.tolist()) <= {Fault.NONE, Fault.SPARSE}
    assert found[:10].tolist() == [Fault.NONE] * 10


def with_jitter(sd_ms, generator, beats=300):
    """Sinus rhythm of beats that are found at inexact times."""
    times = np.cumsum(sinus(beats + 1, generator)) + generator.normal(0, sd_ms, beats + 1)
    return np.diff(times).astype(np.float32)


def test_inexact_beats_are_not_called_af():
    for sd_ms in (15.0, 30.0):
        for mode in ("look-ahead", "causal"):
            found = Detector().detect(with_jitter(sd_ms, np.random.default_rng(3), 600), mode)
            assert found.verdict == "no AF", (sd_ms, mode)
