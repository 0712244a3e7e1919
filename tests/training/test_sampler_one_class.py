"""Subjects of one class, and subjects who take part only so often."""

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from pacl.training.epoch_plan import meet, pool, shuffle
from pacl.training.errors import SamplerError
from pacl.training.sampler import Ineligible, SubjectSampler
from support.refusals import refused
from support.window_sets import make_set


def cohort(counts, seed=0):
    """Labels and subjects of windows, `counts[subject][label]` of each, shuffled."""
    pairs = [
        (label, subject)
        for subject, of_label in enumerate(counts)
        for label, count in enumerate(of_label)
        for _ in range(count)
    ]
    np.random.default_rng(seed).shuffle(pairs)
    labels, subjects = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return labels.astype(np.int8), subjects.astype(np.int32)


def sampler(made, p, n, seed=0, **options):
    generator = np.random.default_rng(seed)
    return SubjectSampler(
        *made, generator=generator, subjects_per_batch=p, windows_per_class=n, **options
    )


def turns_of(of_label, n):
    """How often a subject can give a turn; by hand."""
    if min(of_label) >= n:
        return min(of_label) // n
    return max(of_label) // (n * len(of_label))


@st.composite
def cases(draw):
    """Ragged counts, many of one class alone; P, n, a cap and a seed."""
    classes = draw(st.integers(2, 3))
    some = st.one_of(st.just(0), st.integers(0, 14))
    counts = draw(
        st.lists(st.lists(some, min_size=classes, max_size=classes), min_size=1, max_size=7)
    )
    counts.insert(draw(st.integers(0, len(counts))), [3] * classes)  # somebody has all classes
    n = draw(st.integers(1, 3))
    ready = sum(turns_of(of_label, n) > 0 for of_label in counts)
    p = draw(st.integers(1, min(ready, 4)))
    return counts, p, n, draw(st.one_of(st.none(), st.integers(1, 3))), draw(st.integers(0, 2**32))


def explicit(made, p, n, most_turns, generator):
    """The rule word for word: sets of unused rows, looked through in every step."""
    classes = sorted(set(made[0].tolist()))
    pools = {who: {label: [] for label in classes} for who in sorted(set(made[1].tolist()))}
    for row, (label, subject) in enumerate(zip(*made, strict=True)):
        pools[int(subject)][int(label)].append(row)
    gives, times = {}, Counter()
    for who, of in pools.items():  # decided before anything is used up
        if all(len(rows) >= n for rows in of.values()):
            gives[who] = dict.fromkeys(classes, n)
        else:
            gives[who] = {max(classes, key=lambda label: len(of[label])): n * len(classes)}
    while True:
        able = [
            who
            for who, of in pools.items()
            if all(len(of[label]) >= count for label, count in gives[who].items())
            and (most_turns is None or times[who] < most_turns)
        ]
        if len(able) < p:
            return
        batch = []
        for subject in generator.choice(able, p, replace=False).tolist():
            times[subject] += 1
            for label, count in gives[subject].items():
                rows = pools[subject][label]
                for row in generator.choice(rows, count, replace=False).tolist():
                    rows.remove(row)
                    batch.append(row)
        yield batch


def follows_the_rule(batches, made, counts, p, n, most_turns):
    """Every batch, and the end of the epoch."""
    labels, subjects = made
    classes = len(counts[0])
    met = Counter()
    for batch in batches:
        assert len(batch) == p * classes * n
        rows = np.array(batch).reshape(p, classes * n)
        who = subjects[rows]
        assert (who == who[:, :1]).all()
        assert len(set(who[:, 0].tolist())) == p
        for subject, of in zip(who[:, 0].tolist(), labels[rows].tolist(), strict=True):
            met[subject] += 1
            if min(counts[subject]) >= n:
                assert of == [label for label in range(classes) for _ in range(n)]
            else:
                assert of == [int(np.argmax(counts[subject]))] * (classes * n)
    used = [row for batch in batches for row in batch]
    assert len(used) == len(set(used))
    most = [turns_of(of_label, n) for of_label in counts]
    if most_turns is not None:
        most = [min(turns, most_turns) for turns in most]
    left = [turns - met[subject] for subject, turns in enumerate(most)]
    assert min(left) >= 0
    assert sum(turns > 0 for turns in left) < p  # too few for another batch


# ------------------------------------------------------------------------------------ the rule


@given(cases())
def test_the_rule(case):
    counts, p, n, most_turns, seed = case
    made = cohort(counts, seed)
    found = sampler(made, p, n, seed, one_class=True, most_turns=most_turns)
    for epoch in range(2):
        found.set_epoch(epoch)
        batches = [batch.tolist() for batch in found]
        follows_the_rule(batches, made, counts, p, n, most_turns)
        assert len(found) == len(batches) <= found.longest


@given(cases())
def test_the_explicit_rule(case):
    """The oracle is held to the same: what both obey is the rule, not an accident of ours."""
    counts, p, n, most_turns, seed = case
    made = cohort(counts, seed)
    batches = list(explicit(made, p, n, most_turns, np.random.default_rng(seed)))
    follows_the_rule(batches, made, counts, p, n, most_turns)
    found = sampler(made, p, n, seed, one_class=True, most_turns=most_turns)
    assert len(batches) <= found.longest


@given(cases())
def test_who_is_left_out(case):
    counts, p, n, most_turns, seed = case
    found = sampler(cohort(counts, seed), p, n, seed, one_class=True, most_turns=most_turns)
    assert found.ineligible == tuple(
        Ineligible(str(subject), dict(enumerate(of_label)), n)
        for subject, of_label in enumerate(counts)
        if sum(of_label) and not turns_of(of_label, n)
    )


def test_lengths_are_distributed_as_the_explicit_rule_has_them():
    counts, epochs = [[8, 8], [0, 16], [4, 4], [12, 1]], 1500
    made = cohort(counts)
    found = sampler(made, 2, 2, one_class=True, most_turns=3)
    ours, theirs, generator = Counter(), Counter(), np.random.default_rng(1)
    for epoch in range(epochs):
        found.set_epoch(epoch)
        ours[len(found)] += 1
        theirs[len(list(explicit(made, 2, 2, 3, generator)))] += 1
    assert ours.keys() == theirs.keys()
    assert len(ours) > 1
    for length, times in theirs.items():
        apart = 4 * np.sqrt(2 * epochs * (times / epochs) * (1 - times / epochs))
        assert abs(ours[length] - times) < apart


# ---------------------------------------------------------------------------------- one class


def test_who_takes_part():
    counts = [
        [4, 4],  # both
        [0, 8],  # one class, just enough of it
        [0, 7],  # one too few
        [8, 0],
        [3, 9],  # lacks one of the first class: gives eight of the second
        [3, 7],
        [5, 4],
    ]
    made = cohort(counts)
    found = sampler(made, 5, 4, one_class=True)
    assert [one.subject for one in found.ineligible] == ["2", "5"]
    assert set(made[1][found.epoch_rows().ravel()].tolist()) == {0, 1, 3, 4, 6}
    assert [str(one) for one in found.ineligible] == [
        "subject 2: 0 of class 0, the sampler needs 4",
        "subject 5: 3 of class 0, the sampler needs 4",
    ]
    plain = sampler(made, 2, 4)
    assert [one.subject for one in plain.ineligible] == ["1", "2", "3", "4", "5"]


def test_a_subject_of_one_class_gives_as_many_windows_of_it():
    labels, subjects = made = cohort([[6, 6], [0, 12], [3, 30]])
    found = sampler(made, 3, 4, one_class=True)
    (batch,) = found.epoch_rows()
    given = {
        who: labels[batch][subjects[batch] == who].tolist()
        for who in dict.fromkeys(subjects[batch].tolist())
    }
    assert given[0] == [0] * 4 + [1] * 4
    assert given[1] == given[2] == [1] * 8


def test_of_two_pools_as_large_the_first_is_taken():
    labels, subjects = made = cohort([[9, 9, 1], [3, 3, 3]])
    rows = sampler(made, 2, 3, one_class=True).epoch_rows()
    assert set(labels[rows][subjects[rows] == 0].tolist()) == {0}


def test_all_windows_of_one_class_are_drawn_equally():
    made = cohort([[0, 11], [4, 4]])
    found, epochs, times = sampler(made, 2, 2, one_class=True), 1500, Counter()
    for epoch in range(epochs):
        found.set_epoch(epoch)
        times.update(found.epoch_rows().ravel().tolist())
    observed = [times[row] for row in np.flatnonzero(made[1] == 0).tolist()]
    assert sum(observed) == epochs * 2 * 4  # two turns of four
    assert chisquare(observed).pvalue > 1e-3


def test_too_few_subjects_are_told():
    made = cohort([[0, 7], [8, 8], [0, 8]])
    with refused(
        SamplerError,
        *("2 of 3 subjects", "--sampler.subjects) to 2", "subject 0: 0 of class 0", 4),
    ):
        sampler(made, 3, 4, one_class=True)


def test_a_cohort_of_one_class_is_still_refused():
    with refused(SamplerError, "class 1"):
        sampler(cohort([[0, 20]] * 3), 2, 4, one_class=True)


# -------------------------------------------------------------------------------- how often


@pytest.mark.parametrize("one_class", [False, True])
@pytest.mark.parametrize("most", [1, 2, 5])
def test_nobody_is_met_more_often(most, one_class):
    made = cohort([[40, 40], [4, 4], [8, 60], [6, 6], [20, 20]])
    found = sampler(made, 2, 2, one_class=one_class, most_turns=most)
    for epoch in range(20):
        found.set_epoch(epoch)
        met = Counter(made[1][found.epoch_rows().reshape(-1, 4)][:, 0].tolist())
        assert max(met.values()) <= most
        assert len(found) <= found.longest
    assert found.longest == sum(min(most, turns) for turns in (20, 2, 4, 3, 10)) // 2


def test_all_windows_of_a_subject_who_takes_part_seldom_are_used_in_time():
    made = cohort([[40, 30], [4, 4], [0, 44]])
    found, times = sampler(made, 3, 2, one_class=True, most_turns=2), Counter()
    for epoch in range(600):
        found.set_epoch(epoch)
        rows = found.epoch_rows().ravel().tolist()
        assert len(rows) == 2 * 3 * 4
        times.update(rows)
    for subject, label in ((0, 0), (0, 1), (2, 1)):
        windows = np.flatnonzero((made[1] == subject) & (made[0] == label))
        observed = [times[row] for row in windows.tolist()]
        assert min(observed) > 0
        assert chisquare(observed).pvalue > 1e-3


def test_a_cap_nobody_reaches_changes_nothing():
    made = cohort([[9, 8], [5, 7], [6, 6]])
    plain, capped = sampler(made, 2, 2), sampler(made, 2, 2, most_turns=4)
    assert capped.longest == plain.longest
    for epoch in range(3):
        plain.set_epoch(epoch)
        capped.set_epoch(epoch)
        assert np.array_equal(plain.epoch_rows(), capped.epoch_rows())


def test_a_cap_below_one_is_refused():
    for most in (0, -2):
        with refused(SamplerError, "most_turns", most):
            sampler(cohort([[4, 4]] * 3), 2, 2, most_turns=most)


def test_whatever_is_drawn_no_epoch_is_longer_than_the_longest():
    made = cohort([[12, 12], [2, 2], [0, 16], [3, 3]])
    for options in ({}, {"one_class": True}, {"most_turns": 2}):
        found = sampler(made, 2, 1, **options)
        lengths = []
        for epoch in range(300):
            found.set_epoch(epoch)
            lengths.append(len(found))
        assert max(lengths) <= found.longest
    even = sampler(cohort([[6, 6]] * 4), 2, 2, most_turns=2)
    assert max(len(even) for even.epoch in range(50)) == even.longest == 4


# ---------------------------------------------------------------------------------- defaults


def as_before(made, p, n, seed, epoch):
    """An epoch of subjects with both classes, as it was planned before there were others."""
    base = int(np.random.default_rng(seed).integers(2**53))
    generator = np.random.default_rng(np.random.SeedSequence(base, spawn_key=(epoch,)))
    pools = pool(*made)
    pools = pools.of(np.all(pools.counts >= n, axis=1))
    met, turn = meet(pools.counts.min(axis=1) // n, p, generator)
    begins = (np.cumsum(pools.counts) - pools.counts.ravel()).reshape(pools.counts.shape)
    taken = (begins[met] + turn[..., None] * n)[..., None] + np.arange(n)
    return shuffle(pools, generator)[taken.reshape(len(met), -1)]


@given(cases(), st.integers(0, 3))
def test_without_either_batches_are_as_they_were(case, epoch):
    counts, p, n, _, seed = case
    counts = counts + [[n + 1] * len(counts[0])] * p
    made = cohort(counts, seed)
    found = sampler(made, p, n, seed)
    found.set_epoch(epoch)
    assert np.array_equal(found.epoch_rows(), as_before(made, p, n, seed, epoch))
    assert found.longest == sum(min(of_label) // n for of_label in counts) // p


@given(cases())
def test_where_all_have_both_classes_one_class_changes_nothing(case):
    counts, p, n, most_turns, seed = case
    counts = [[count + n for count in of_label] for of_label in counts]
    made = cohort(counts, seed)
    plain = sampler(made, p, n, seed, most_turns=most_turns)
    other = sampler(made, p, n, seed, one_class=True, most_turns=most_turns)
    assert np.array_equal(plain.epoch_rows(), other.epoch_rows())


# -------------------------------------------------------------------------------- going on


@given(cases(), st.integers(0, 5), st.data())
def test_a_half_done_epoch_goes_on(case, epoch, data):
    counts, p, n, most_turns, seed = case
    made, options = cohort(counts, seed), {"one_class": True, "most_turns": most_turns}
    one, other = (sampler(made, p, n, at, **options) for at in (seed, seed + 1))
    one.set_epoch(epoch)
    whole = one.epoch_rows()
    done = data.draw(st.integers(0, len(whole)))
    steps = iter(one)
    for at in range(done):
        assert np.array_equal(next(steps), whole[at])
    saved = json.loads(json.dumps(one.state_dict()))
    assert {type(value) for value in saved.values()} == {int}
    other.load_state_dict(saved)
    assert other.state_dict() == saved
    assert len(other) == len(whole)
    assert np.array_equal(other.epoch_rows(), whole[done:])


def test_states_of_samplers_with_other_settings_are_refused():
    made = cohort([[20, 20]] * 5)
    found = sampler(made, 3, 4, most_turns=2)
    before = found.state_dict()
    for other, *facts in (
        ({"most_turns": 3}, "most_turns 3", 2),
        ({}, "most_turns 0", 2),
        ({"one_class": True, "most_turns": 2}, "one_class 1", 0),
    ):
        with refused(SamplerError, *facts):
            found.load_state_dict(sampler(made, 3, 4, **other).state_dict())
        assert found.state_dict() == before
    one = sampler(made, 3, 4, one_class=True)
    with refused(SamplerError, "one_class 0", 1):
        one.load_state_dict(sampler(made, 3, 4).state_dict())


def test_a_window_set():
    windows = make_set(patients=9, records=3).part("train")
    options = {"subjects_per_batch": 2, "windows_per_class": 4, "one_class": True, "most_turns": 2}
    found = SubjectSampler.of(windows, generator=np.random.default_rng(0), **options)
    assert (found.one_class, found.most_turns) == (True, 2)
    first = windows.table.patient.is_(windows.table.patient.present()[0])
    alone = windows.select(~(first & (windows.table.rhythm == 0)))
    lacking = SubjectSampler.of(
        alone, generator=np.random.default_rng(0), **options | {"windows_per_class": 1}
    )
    assert lacking.ineligible == ()
    kinds = alone.table.rhythm[lacking.epoch_rows().reshape(-1, 2)]
    assert {tuple(pair) for pair in kinds.tolist()} == {(0, 1), (1, 1)}
