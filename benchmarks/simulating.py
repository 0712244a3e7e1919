"""Simulating patients, beside a plain Python loop and beside drawing one number a beat."""

import tempfile
from pathlib import Path
from random import Random

import numpy as np
from measure import Cost, Row, cost

PATIENTS = 24


def in_memory() -> int:
    """Simulate a cohort on one core, keep nothing; how many beats it had."""
    from pacl.records.simulate import simulate_cohort

    return sum(len(simulated.record) for simulated in simulate_cohort(PATIENTS))


def on_disk() -> None:
    """Simulate a cohort on one core and write it."""
    from pacl.records.simulate import write_cohort

    with tempfile.TemporaryDirectory() as folder:
        write_cohort(Path(folder) / "cohort", PATIENTS, threads=1)


def beat_by_beat(beats: int) -> None:
    """The peer: the formula of AF alone, a beat at a time. Less work than ours does."""
    draw = Random(0)
    for _ in range(beats):
        pathway = 0.2 if draw.random() < 0.4 else 0.0
        share = 0.72 + pathway + 0.1 * draw.random() + draw.expovariate(1 / 0.15)
        5 * round(600 * share / 5)


def one_number_a_beat(beats: int) -> None:
    """The floor: a normal number for each beat."""
    generator = np.random.Generator(np.random.SFC64(0))
    for _ in range(0, beats, 100_000):
        generator.standard_normal(100_000, dtype=np.float32)


def rows() -> list[Row]:
    """Measure with and without writing."""
    beats = in_memory()
    peer, floor = cost(beat_by_beat, beats, repeat=1), cost(one_number_a_beat, beats)

    def row(what: str, ours: Cost) -> Row:
        amount = (
            f"{beats / 1e6:.1f} million beats, {beats / ours.seconds / 1e6:.1f} million a second"
        )
        return Row(what, amount, ours, "a loop, AF only", peer, "one normal a beat", floor)

    return [row("simulate", cost(in_memory)), row("simulate and write", cost(on_disk))]
