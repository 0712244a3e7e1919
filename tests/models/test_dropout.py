"""Dropout masks: their values, their share, and where they come from."""

import math

import pytest
import torch

from pacl.models import RELEASED_PLACES, ModelError
from pacl.models.dropout import (
    LEVELS,
    checked_places,
    random_bits,
    split_masks,
)
from support.refusals import refused

CPU = torch.device("cpu")


def mask(shape, dropout, seed=0, dtype=torch.float32):
    generator = None if seed is None else torch.Generator().manual_seed(seed)
    bits = random_bits(math.prod(shape), generator, CPU)
    return split_masks(bits, {"mix": shape}, dropout, dtype)["mix"]


@pytest.mark.parametrize("dropout", [0.12, 0.5, 0.9])
def test_share_and_mean(dropout):
    drawn = mask((400, 500), dropout)
    values = drawn.unique()
    assert len(values) == 2
    assert values[0] == 0
    assert values[1].item() == pytest.approx(1 / (1 - dropout), rel=1e-4)
    # five standard deviations of 200,000 draws
    share = (drawn == 0).double().mean().item()
    assert share == pytest.approx(dropout, abs=5 * (dropout * (1 - dropout) / 2e5) ** 0.5)
    assert drawn.double().mean().item() == pytest.approx(1, abs=0.04)


def test_nothing_is_dropped_at_zero():
    assert torch.equal(mask((3, 4), 0.0), torch.ones(3, 4))


def test_the_generator_decides():
    assert torch.equal(mask((9, 9), 0.5, 1), mask((9, 9), 0.5, 1))
    assert not torch.equal(mask((9, 9), 0.5, 1), mask((9, 9), 0.5, 2))
    before = torch.get_rng_state()
    mask((9, 9), 0.5)
    assert torch.equal(torch.get_rng_state(), before)


def test_without_a_generator_torchs_own():
    with torch.random.fork_rng():
        torch.manual_seed(5)
        one = mask((9, 9), 0.5, seed=None)
        torch.manual_seed(5)
        same = mask((9, 9), 0.5, seed=None)
    assert torch.equal(one, same)


def test_every_level_is_drawn_as_often():
    bits = random_bits(40 * LEVELS, torch.Generator().manual_seed(0), CPU)
    counts = torch.bincount(bits.long() + LEVELS // 2, minlength=LEVELS)
    # a chi-square with LEVELS - 1 degrees of freedom, within five standard deviations
    chi = ((counts - 40).square() / 40).sum().item()
    assert chi == pytest.approx(LEVELS - 1, abs=5 * (2 * LEVELS) ** 0.5)


def test_the_mean_is_kept_exactly_in_the_long_run():
    every = torch.arange(-LEVELS // 2, LEVELS // 2, dtype=torch.int16)
    for dropout in (0.12, 1e-3, 0.999999):
        kept = split_masks(every, {"mix": (LEVELS,)}, dropout, torch.float64)["mix"]
        assert kept.mean().item() == pytest.approx(1, rel=1e-12)


def test_places_share_the_bits_in_turn_and_runs_lead():
    bits = random_bits(2 * 10, torch.Generator().manual_seed(0), CPU).view(2, 10)
    masks = split_masks(bits, {"mix": (2, 3), "pooled": (4,)}, 0.5, torch.float32)
    assert masks["mix"].shape == (2, 2, 3)
    assert masks["pooled"].shape == (2, 4)
    alone = split_masks(bits[1], {"mix": (2, 3), "pooled": (4,)}, 0.5, torch.float32)
    assert torch.equal(masks["pooled"][1], alone["pooled"])
    assert torch.equal(masks["mix"][1], alone["mix"])


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_precision(dtype):
    drawn = mask((50, 50), 0.5, dtype=dtype)
    assert drawn.dtype == dtype
    assert drawn.unique().tolist() == [0.0, 2.0]


def test_places():
    assert RELEASED_PLACES == ("mix", "scores", "weights", "pooled")
    assert checked_places(["projection", "mix", "mix"]) == ("mix", "projection")
    assert checked_places(()) == ()
    # an iterator can be read only once
    assert checked_places(iter(["pooled", "mix"])) == ("mix", "pooled")
    with refused(ModelError, "branches, z", "mix, scores, weights, pooled, projection"):
        checked_places(["z", "mix", "branches"])
