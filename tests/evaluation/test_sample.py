"""A sample of windows: drawn once, never larger than asked, every subject and class in it."""

from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pacl.evaluation import ProbeScore
from pacl.evaluation.sample import sample_rows, sample_windows
from pacl.models import Encoder
from pacl.rr import RRWindowSet
from pacl.training import LabelledWindows
from pacl.windows import ArrayTensors
from support.small_runs import small_windows


def drawn(labels, subjects, most, seed=0):
    return sample_rows(labels, subjects, most, np.random.default_rng(seed))


def kinds(labels, subjects, rows=slice(None)):
    return Counter(zip(subjects[rows].tolist(), labels[rows].tolist(), strict=True))


@pytest.fixture(scope="module")
def parts():
    windows = RRWindowSet.open(small_windows())
    return [LabelledWindows.of(windows.part(part)) for part in ("train", "validation")]


def signals(windows=3000, subjects=9, seed=0):
    """Windows of two channels whose classes and subjects differ in level."""
    generator = np.random.default_rng(seed)
    who, labels = (generator.integers(0, n, windows) for n in (subjects, 2))
    x = generator.normal(size=(windows, 2, 40)) + (0.4 * labels + 0.1 * who)[:, None, None]
    return LabelledWindows(
        ArrayTensors(torch.from_numpy(x.astype(np.float32))),
        torch.from_numpy(labels),
        torch.from_numpy(who),
    )


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2)), min_size=1, max_size=200),
    st.integers(1, 250),
    st.integers(0, 3),
)
def test_every_kind_has_its_share(pairs, most, seed):
    subjects, labels = np.array(pairs).T
    rows = drawn(labels, subjects, most, seed)
    there, taken = kinds(labels, subjects), kinds(labels, subjects, rows)
    assert (np.diff(rows) > 0).all()
    assert taken.keys() == there.keys()
    assert len(rows) == min(len(labels), max(most, len(there)))
    for kind, count in there.items():
        share = count * min(1.0, most / len(labels))
        assert taken[kind] <= max(1, np.ceil(share))


def test_shares_are_in_proportion():
    counts = {(0, 0): 5000, (0, 1): 2500, (1, 0): 2490, (2, 1): 10}
    subjects, labels = np.repeat(np.array(list(counts)), list(counts.values()), axis=0).T
    taken = kinds(labels, subjects, drawn(labels, subjects, 100))
    assert taken == {(0, 0): 49, (0, 1): 25, (1, 0): 25, (2, 1): 1}
    assert taken.total() == 100


def test_more_subjects_than_windows_asked_for_have_one_of_each_class():
    subjects, labels = np.repeat(np.arange(50), 4), np.tile([0, 0, 1, 1], 50)
    assert set(kinds(labels, subjects, drawn(labels, subjects, 30)).values()) == {1}
    assert len(drawn(labels, subjects, 30)) == 100


def test_it_is_drawn_at_random_and_the_same_each_time(parts):
    labels, subjects = parts[0].labels.numpy(), parts[0].subjects.numpy()
    assert drawn(labels, subjects, 40).tolist() == drawn(labels, subjects, 40).tolist()
    assert drawn(labels, subjects, 40).tolist() != drawn(labels, subjects, 40, 1).tolist()
    first, second = (sample_windows(parts[0], 40) for _ in range(2))
    every = torch.arange(len(first))
    assert torch.equal(first.take(every).windows, second.take(every).windows)


@pytest.mark.parametrize("windows", [signals(200), None])
def test_the_sample_has_the_windows_of_its_rows(parts, windows):
    windows = windows or parts[0]
    sample = sample_windows(windows, 30)
    rows = torch.from_numpy(drawn(windows.labels.numpy(), windows.subjects.numpy(), 30))
    found, expected = sample.take(torch.arange(len(sample))), windows.take(rows)
    assert len(sample) == 30
    for name in ("windows", "labels", "subjects"):
        assert torch.equal(getattr(found, name), getattr(expected, name))


def test_all_windows_where_there_are_no_more(parts):
    train, validation = parts
    assert sample_windows(train, len(train)) is train
    assert sample_windows(train, len(train) - 1) is not train
    for most in (0, len(train), 10**6):
        score = ProbeScore(train, validation, most)
        assert (score.train, score.c) == (train, 1.0)


def test_the_score_of_a_sample_is_near_that_of_all_windows():
    train, validation = signals(6000), signals(3000, seed=1)
    shape = {"channels": (8, 8), "groups": 4, "pooled_features": 8, "in_channels": 2}
    encoder = Encoder(**shape, generator=torch.Generator().manual_seed(0)).eval()
    full = ProbeScore(train, validation)(encoder)
    sampled = ProbeScore(train, validation, 500)
    assert (len(sampled.train), sampled.c) == (500, 12.0)
    assert full > 0.6
    assert sampled(encoder) == pytest.approx(full, abs=0.02)
    assert sampled(encoder) != full


def test_the_penalty_weighs_as_against_all_windows():
    """Of windows that occur twenty times each, one of each gives the same probe."""
    train, validation = signals(40, subjects=1), signals(200, seed=1)
    many = train.only(torch.arange(40).repeat(20))
    shape = {"channels": (8, 8), "groups": 4, "pooled_features": 8, "in_channels": 2}
    encoder = Encoder(**shape, generator=torch.Generator().manual_seed(0)).eval()
    once = ProbeScore(train, validation)
    plain, once.c = once(encoder), 20.0
    assert once(encoder) == ProbeScore(many, validation)(encoder) != plain
