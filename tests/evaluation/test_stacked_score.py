"""Many encoders judged at once get the scores they would get one by one."""

from dataclasses import replace
from functools import cache

import pytest
import torch

from pacl.evaluation import ProbeScore, stacked_probe
from pacl.evaluation.stacked_probe import StackedProbeScore
from pacl.models import Encoder
from pacl.models.stacked import stack_weights
from pacl.rr import RRWindowSet
from pacl.training import LabelledWindows
from support.small_runs import small_windows


@cache
def score(split):
    windows = RRWindowSet.open(small_windows(split=split))
    return ProbeScore(*(LabelledWindows.of(windows.part(p)) for p in ("train", "validation")))


def encoders(runs, dtype=torch.float32, **shape):
    shape = {"channels": (8, 8), "groups": 4, "pooled_features": 6} | shape
    return [
        Encoder(**shape, generator=torch.Generator().manual_seed(seed)).to(dtype).eval()
        for seed in range(runs)
    ]


def check_equal(folds, runs=None, **shape):
    runs = list(range(len(folds))) if runs is None else runs
    made = encoders(len(runs), **shape)
    scores = [score(split) for split in folds]
    found = StackedProbeScore(scores)(made[0].config, stack_weights(made), runs)
    assert found == [scores[run](encoder) for run, encoder in zip(runs, made, strict=True)]
    assert len(set(found)) > min(1, len(runs) - 1)
    return found


@pytest.mark.parametrize(
    "shape", [{}, {"pooled_by": "mix", "pooled_features": 8}, {"norm": "none"}]
)
def test_scores_are_those_of_each_alone(shape):
    check_equal([1, 1, 1], **shape)


def test_each_is_judged_on_its_own_windows():
    check_equal([1, 2, 1, 2, 2])


def test_rows_are_the_runs_that_they_are_said_to_be():
    check_equal([1, 2, 1, 2], runs=[3, 0, 1])
    check_equal([2, 1], runs=[1])


def test_the_same_training_windows_with_other_validation_windows_are_told_apart():
    one, other = score(1), score(2)
    mixed = ProbeScore(one.train, other.validation)
    made = encoders(2)
    found = StackedProbeScore([one, mixed])(made[0].config, stack_weights(made), [0, 1])
    assert found == [one(made[0]), mixed(made[1])]


def test_samples_are_scored_as_alone_each_with_its_own():
    whole = score(1)
    few, more = (ProbeScore(whole.train, whole.validation, most) for most in (30, 60))
    assert (len(few.train), len(more.train)) == (30, 60)
    scores, made = [few, whole, more, few], encoders(4)
    found = StackedProbeScore(scores)(made[0].config, stack_weights(made), range(4))
    assert found == [one(encoder) for one, encoder in zip(scores, made, strict=True)]


@pytest.mark.parametrize("runs_at_once", [0, 1, 2])
def test_little_memory_changes_nothing(monkeypatch, runs_at_once):
    expected = check_equal([1, 2, 1, 1, 1])
    places = runs_at_once * len(score(1).train) * 6
    monkeypatch.setattr(stacked_probe, "PLACES", places)
    seen = []
    aurocs = stacked_probe._aurocs

    def noting(own, config, weights):
        seen.append((own, len(weights["mix.0.bias"])))
        return aurocs(own, config, weights)

    monkeypatch.setattr(stacked_probe, "_aurocs", noting)
    assert check_equal([1, 2, 1, 1, 1]) == expected
    assert max(count for _, count in seen) == max(1, runs_at_once)
    assert sum(count for _, count in seen) == 5


@pytest.mark.parametrize("batch", [1000, 64])
def test_windows_are_embedded_in_pieces(monkeypatch, batch):
    monkeypatch.setattr(stacked_probe, "BATCH", batch)
    check_equal([1, 2])


def test_double_precision_is_kept():
    made = encoders(2, torch.float64)
    tensors = score(1).train.tensors
    pooled = stacked_probe._embed(made[0].config, stack_weights(made), tensors)
    assert pooled.dtype == torch.float64
    for run, encoder in enumerate(made):
        every = tensors.take(torch.arange(len(tensors))).double()
        assert torch.allclose(pooled[run], encoder(every).pooled, rtol=0, atol=1e-12)


def of_three_classes(own):
    """The same windows in three classes."""
    return ProbeScore(
        *(replace(part, labels=torch.arange(len(part)) % 3) for part in (own.train, own.validation))
    )


def test_encoders_of_three_classes_are_judged_one_by_one():
    scores = [of_three_classes(score(split)) for split in (1, 2)]
    made = encoders(2)
    found = StackedProbeScore(scores)(made[0].config, stack_weights(made), [0, 1])
    expected = [one(encoder) for one, encoder in zip(scores, made, strict=True)]
    assert found == pytest.approx(expected, abs=1e-3)  # windows are embedded in another order
