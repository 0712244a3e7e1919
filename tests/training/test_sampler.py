import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import chisquare

from pacl.training.epoch_plan import meet
from pacl.training.errors import SamplerError
from pacl.training.sampler import Ineligible, SubjectSampler
from support.refusals import refused
from support.window_sets import make_set

Cohort = tuple[np.ndarray, np.ndarray]


def cohort(counts: list[list[int]], seed: int | None = 0) -> Cohort:
    """Labels and subjects of windows, `counts[subject][label]` of each, shuffled."""
    pairs = [
        (label, subject)
        for subject, of_label in enumerate(counts)
        for label, count in enumerate(of_label)
        for _ in range(count)
    ]
    order = np.arange(len(pairs))
    if seed is not None:
        np.random.default_rng(seed).shuffle(order)
    labels, subjects = np.array(pairs, dtype=np.int64).reshape(-1, 2)[order].T
    return labels.astype(np.int8), subjects.astype(np.int32)


def sampler(made: Cohort, p: int, n: int, seed: int = 0) -> SubjectSampler:
    generator = np.random.default_rng(seed)
    return SubjectSampler(*made, generator=generator, subjects_per_batch=p, windows_per_class=n)


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[list[int]], int, int, int]:
    """Ragged counts, P, n and a seed, with enough subjects for a batch."""
    classes = draw(st.integers(2, 3))
    count = st.lists(st.integers(0, 11), min_size=classes, max_size=classes)
    counts = draw(st.lists(count, min_size=1, max_size=8))
    n = draw(st.integers(1, 3))
    ready = sum(min(of_label) >= n for of_label in counts)
    assume(ready)
    return counts, draw(st.integers(1, min(ready, 4))), n, draw(st.integers(0, 2**32))


def unused(made: Cohort, used: list[int], counts: list[list[int]]) -> list[list[int]]:
    left = [list(of_label) for of_label in counts]
    for row in used:
        left[made[1][row]][made[0][row]] -= 1
    return left


def explicit(made: Cohort, p: int, n: int, generator: np.random.Generator) -> Iterator[list[int]]:
    """The rule word for word: sets of unused rows, looked through in every step."""
    classes = sorted(set(made[0].tolist()))
    pools: dict[int, dict[int, list[int]]] = {
        subject: {label: [] for label in classes} for subject in sorted(set(made[1].tolist()))
    }
    for row, (label, subject) in enumerate(zip(*made, strict=True)):
        pools[int(subject)][int(label)].append(row)
    while True:
        able = [who for who, of in pools.items() if all(len(rows) >= n for rows in of.values())]
        if len(able) < p:
            return
        batch = []
        for subject in generator.choice(able, p, replace=False):
            for label in classes:
                rows = pools[int(subject)][label]
                for row in generator.choice(rows, n, replace=False).tolist():
                    rows.remove(row)
                    batch.append(row)
        yield batch


def follows_the_rule(
    batches: list[list[int]], made: Cohort, counts: list[list[int]], p: int, n: int
) -> None:
    """Every batch and the end of an epoch are as 2.2 and the released sampler have them."""
    labels, subjects = made
    classes = len(counts[0])
    for batch in batches:
        assert len(batch) == p * classes * n
        of_subject = Counter(zip(subjects[batch].tolist(), labels[batch].tolist(), strict=True))
        assert len(of_subject) == p * classes
        assert set(of_subject.values()) == {n}
        assert len(set(subjects[batch].tolist())) == p
    used = [row for batch in batches for row in batch]
    assert len(used) == len(set(used))
    left = unused(made, used, counts)
    assert min(min(of_label) for of_label in left) >= 0
    assert sum(min(of_label) >= n for of_label in left) < p
    # and no batch before could have been the last
    for step in range(len(batches)):
        before = unused(made, [row for batch in batches[:step] for row in batch], counts)
        assert sum(min(of_label) >= n for of_label in before) >= p


def steps_between(counts: list[list[int]], p: int, n: int) -> tuple[int, int]:
    """The fewest and the most batches an epoch can have, whatever is drawn."""
    turns = sorted((min(of_label) // n for of_label in counts), reverse=True)
    fewest = -(-sum(turns[p - 1 :]) // p)  # at most p - 1 subjects are left over
    most = max(s for s in range(sum(turns) + 1) if sum(min(t, s) for t in turns) >= p * s)
    return fewest, most


@given(cases())
def test_the_rule(case):
    counts, p, n, seed = case
    made = cohort(counts, seed)
    batches = [batch.tolist() for batch in sampler(made, p, n, seed)]
    follows_the_rule(batches, made, counts, p, n)
    fewest, most = steps_between(counts, p, n)
    assert fewest <= len(batches) <= most


@given(cases())
def test_the_explicit_rule(case):
    """The oracle is held to the same: what both obey is the rule, not an accident of ours."""
    counts, p, n, seed = case
    made = cohort(counts, seed)
    batches = list(explicit(made, p, n, np.random.default_rng(seed)))
    follows_the_rule(batches, made, counts, p, n)
    fewest, most = steps_between(counts, p, n)
    assert fewest <= len(batches) <= most


@given(cases())
def test_length_and_whole_epochs(case):
    counts, p, n, seed = case
    found = sampler(cohort(counts, seed), p, n, seed)
    for epoch in (0, 3):
        found.set_epoch(epoch)
        length = len(found)
        whole = found.epoch_rows()
        batches = list(found)
        assert length == len(found) == len(batches) == len(whole)
        assert whole.shape == (length, p * len(counts[0]) * n)
        assert whole.dtype == np.int64
        assert np.array_equal(whole, np.array(batches))


@given(cases())
def test_who_is_left_out(case):
    counts, p, n, seed = case
    found = sampler(cohort(counts, seed), p, n, seed).ineligible
    assert found == tuple(
        Ineligible(str(subject), dict(enumerate(of_label)), n)
        for subject, of_label in enumerate(counts)
        if min(of_label) < n and sum(of_label)
    )


@given(cases(), st.randoms(use_true_random=False))
def test_rows_in_another_order(case, random):
    """Who meets does not depend on the order of rows; nor do batches, but for the rows' names."""
    counts, p, n, seed = case
    labels, subjects = cohort(counts, seed)
    plain = sampler((labels, subjects), p, n, seed).epoch_rows()
    anyhow = np.array(random.sample(range(labels.size), labels.size))
    moved = sampler((labels[anyhow], subjects[anyhow]), p, n, seed).epoch_rows()
    assert np.array_equal(subjects[plain], subjects[anyhow][moved])
    assert np.array_equal(labels[plain], labels[anyhow][moved])
    # Within a subject and class the order stays, so that the same windows are drawn.
    sorted_rows = np.lexsort((labels, subjects))
    of_sorted = sampler((labels[sorted_rows], subjects[sorted_rows]), p, n, seed).epoch_rows()
    assert np.array_equal(plain, sorted_rows[of_sorted])


def test_layout():
    labels, subjects = cohort([[9, 8], [5, 7], [6, 6]])
    for batch in sampler((labels, subjects), 2, 3):
        assert labels[batch].tolist() == [0, 0, 0, 1, 1, 1] * 2
        assert all(len(set(of)) == 1 for of in subjects[batch].reshape(2, 6).tolist())


def test_subjects_and_classes_may_have_any_numbers():
    labels, subjects = cohort([[4, 5, 6], [6, 5, 4], [5, 5, 5]])
    plain = sampler((labels, subjects), 2, 2).epoch_rows()
    values, codes = np.array([-3, 5, 2**40]), np.array([7, 1000, 2**50])
    found = sampler((values[labels], codes[subjects]), 2, 2).epoch_rows()
    assert np.array_equal(found, plain)


def exact_steps(turns: tuple[int, ...], p: int) -> dict[int, float]:
    """The chance of every number of steps, by trying all draws."""
    able = [subject for subject, left in enumerate(turns) if left]
    if len(able) < p:
        return {0: 1.0}
    draws = list(combinations(able, p))
    chances: Counter[int] = Counter()
    for drawn in draws:
        after = tuple(left - (subject in drawn) for subject, left in enumerate(turns))
        for steps, chance in exact_steps(after, p).items():
            chances[steps + 1] += chance / len(draws)  # type: ignore[assignment]
    return dict(chances)


def test_steps_are_as_likely_as_the_rule_makes_them():
    turns, epochs = (6, 3, 2, 1, 1), 3000
    expected = exact_steps(turns, 2)
    assert len(expected) > 2
    ours = sampler(cohort([[2 * turn, 2 * turn] for turn in turns]), 2, 2)
    lengths: Counter[int] = Counter()
    for epoch in range(epochs):
        ours.set_epoch(epoch)
        lengths[len(ours)] += 1
    assert set(lengths) <= set(expected)
    observed = [lengths[steps] for steps in expected]
    assert chisquare(observed, [epochs * chance for chance in expected.values()]).pvalue > 1e-3


def test_subjects_are_met_equally():
    """In the first step all pairs are equally likely, whatever the number of their windows."""
    generator, pairs = np.random.default_rng(5), list(combinations(range(5), 2))
    turns = np.array([1, 2, 3, 9, 30])
    firsts = [tuple(sorted(meet(turns, 2, generator)[0][0].tolist())) for _ in range(3000)]
    assert chisquare([firsts.count(pair) for pair in pairs]).pvalue > 1e-3


def test_windows_are_drawn_equally():
    """Every window can appear, those beyond the last full turn no less often."""
    made = cohort([[7, 5], [5, 8]])
    found, epochs = sampler(made, 2, 2), 2000
    times: Counter[int] = Counter()
    for epoch in range(epochs):
        found.set_epoch(epoch)
        times.update(found.epoch_rows().ravel().tolist())
    for label, subject, count in ((0, 0, 7), (1, 0, 5), (0, 1, 5), (1, 1, 8)):
        pool = np.flatnonzero((made[0] == label) & (made[1] == subject))
        observed = [times[row] for row in pool.tolist()]
        assert sum(observed) == epochs * 2 * 2  # both have two turns
        assert len(observed) == count
        assert chisquare(observed).pvalue > 1e-3


def test_windows_of_a_batch_are_drawn_equally():
    """All pairs of a pool are equally likely in a first batch."""
    made = cohort([[4, 2]], seed=None)
    found = sampler(made, 1, 2)
    drawn: Counter[tuple[int, ...]] = Counter()
    for epoch in range(2000):
        found.set_epoch(epoch)
        drawn[tuple(sorted(found.epoch_rows()[0, :2].tolist()))] += 1
    assert chisquare([drawn[pair] for pair in combinations(range(4), 2)]).pvalue > 1e-3


def test_epochs():
    made = cohort([[20, 20]] * 5)
    one, other = sampler(made, 3, 4), sampler(made, 3, 4)
    first = one.epoch_rows()
    assert np.array_equal(first, list(one))
    assert np.array_equal(first, list(one))
    one.set_epoch(1)
    assert not np.array_equal(first[:3], one.epoch_rows()[:3])
    list(one)
    one.set_epoch(7)
    other.set_epoch(7)
    assert np.array_equal(one.epoch_rows(), other.epoch_rows())
    one.set_epoch(0)
    assert np.array_equal(first, one.epoch_rows())


def test_the_generator_decides():
    made = cohort([[20, 20]] * 5)
    same = [sampler(made, 3, 4, seed=1).epoch_rows() for _ in range(2)]
    assert np.array_equal(*same)
    assert not np.array_equal(same[0][:3], sampler(made, 3, 4, seed=2).epoch_rows()[:3])
    generator = np.random.default_rng(1)
    one, other = (
        SubjectSampler(*made, generator=generator, subjects_per_batch=3, windows_per_class=4)
        for _ in range(2)
    )
    assert not np.array_equal(one.epoch_rows()[:3], other.epoch_rows()[:3])
    drawn = generator.bit_generator.state
    one.set_epoch(4)
    list(one)
    assert generator.bit_generator.state == drawn


@given(cases(), st.integers(0, 5), st.data())
def test_a_half_done_epoch_goes_on(case, epoch, data):
    counts, p, n, seed = case
    made = cohort(counts, seed)
    one, other = sampler(made, p, n, seed), sampler(made, p, n, seed + 1)
    one.set_epoch(epoch)
    whole = one.epoch_rows()
    done = data.draw(st.integers(0, len(whole)))
    steps = iter(one)
    for at in range(done):
        assert np.array_equal(next(steps), whole[at])
    assert one.position == done
    saved = json.loads(json.dumps(one.state_dict()))
    assert {type(value) for value in saved.values()} == {int}
    other.load_state_dict(saved)
    assert other.state_dict() == saved
    other.set_epoch(epoch)  # as a loop over epochs does
    assert len(other) == len(whole)
    assert np.array_equal(other.epoch_rows(), whole[done:])
    assert np.array_equal(np.array(list(other)).reshape(-1, whole.shape[1]), whole[done:])
    assert other.position == 0
    assert np.array_equal(other.epoch_rows(), whole)
    other.set_epoch(epoch + 1)
    one.set_epoch(epoch + 1)
    assert one.position == 0
    assert np.array_equal(other.epoch_rows(), one.epoch_rows())


def test_batches_may_be_changed():
    found = sampler(cohort([[8, 8]] * 3), 2, 2)
    whole = found.epoch_rows().tolist()
    for batch in found:
        batch[:] = 0
    found.epoch_rows()[:] = 0
    assert found.epoch_rows().tolist() == whole


def test_states_of_other_samplers():
    made = cohort([[20, 20]] * 5)
    found = sampler(made, 3, 4)
    before = found.state_dict()
    for state, *facts in (
        (sampler(made, 2, 4).state_dict(), "subjects_per_batch 2", 3),
        (sampler(made, 3, 5).state_dict(), "windows_per_class 5", 4),
        (sampler(cohort([[20, 20]] * 5, seed=1), 3, 4).state_dict(), "windows "),
        (sampler(cohort([[20, 21]] * 5), 3, 4).state_dict(), "windows "),
        ({**before, "position": 99}, "position 99", "epoch 0"),
        ({**before, "epoch": -1}, "epoch", "-1"),
        ({**before, "base": "1"}, "base", "'1'"),
        ({"epoch": 1}, "base", "None", "state_dict"),
    ):
        with refused(SamplerError, *facts):
            found.load_state_dict(state)
        assert found.state_dict() == before


def test_a_window_set():
    windows = make_set(patients=9, records=3).part("train")
    found = SubjectSampler.of(
        windows, generator=np.random.default_rng(0), subjects_per_batch=2, windows_per_class=4
    )
    table = windows.table
    for batch in found:
        assert table.rhythm[batch].tolist() == ([0] * 4 + [1] * 4) * 2
        assert len(table[batch].subject.present()) == 2
    # Subjects of other parts have names in the table but no windows: they lack nothing.
    left_out = {one.subject for one in found.ineligible}
    used = set(table[found.epoch_rows().ravel()].subject.present())
    assert left_out | used <= set(table.patient.present())
    assert not left_out & used


def test_a_data_loader():
    torch = pytest.importorskip("torch")
    labels, subjects = cohort([[12, 12]] * 4)
    found = sampler((labels, subjects), 2, 3)
    columns = torch.utils.data.TensorDataset(torch.tensor(labels), torch.tensor(subjects))
    loader = torch.utils.data.DataLoader(columns, batch_sampler=found)
    assert len(loader) == len(found)
    for epoch in range(2):
        found.set_epoch(epoch)
        whole = found.epoch_rows()
        for rows, batch in zip(whole, loader, strict=True):
            assert batch[0].tolist() == labels[rows].tolist()
            assert batch[1].tolist() == subjects[rows].tolist()
        assert found.position == 0


def test_subjects_who_lack_windows():
    labels, subjects = cohort([[20, 9], [20, 20], [3, 4], [0, 30], [16, 16]])
    names = ["041", "a", "subject_007", "b", "c"]
    generator = np.random.default_rng(0)
    found = SubjectSampler(labels, subjects, generator=generator, subjects_per_batch=2, names=names)
    assert [str(one) for one in found.ineligible] == [
        "subject 041: 9 of class 1, the sampler needs 16",
        "subject 007: 3 of class 0 and 4 of class 1, the sampler needs 16",
        "subject b: 0 of class 0, the sampler needs 16",
    ]
    assert found.ineligible[0] == Ineligible("041", {0: 20, 1: 9}, 16)
    assert found.ineligible[1].subject == "subject_007"


def test_too_few_subjects():
    with refused(
        SamplerError,
        *(
            "1 of 3 subjects",
            "windows_per_class (--sampler.windows) to 9",
            "subjects_per_batch (--sampler.subjects) to 1",
        ),
        *("subject 1: 9 of class 1", "subject 2: 2 of class 0 and 5 of class 1", 16),
    ):
        sampler(cohort([[20, 20], [20, 9], [2, 5]]), 2, 16)
    sampler(cohort([[20, 20], [20, 9], [2, 5]]), 2, 9)
    sampler(cohort([[20, 20], [20, 9], [2, 5]]), 1, 16)


@pytest.mark.parametrize(
    ("counts", "p", "facts"),
    [
        ([[5, 5]] * 3, 4, (4, "windows_per_class", "subjects_per_batch")),
        ([[9, 1]] * 3, 2, (2, "windows_per_class", "subjects_per_batch")),
        ([[5, 5]] * 3, 3, ("0 of 3 subjects", "windows_per_class (--sampler.windows) to 5\n")),
        ([[8, 8]] * 3, 4, ("3 of 3 subjects", "subjects_per_batch (--sampler.subjects) to 3")),
    ],
)
def test_what_to_change(counts, p, facts):
    with refused(SamplerError, *facts):
        sampler(cohort(counts), p, 8)


def test_an_error_names_ten_subjects():
    with pytest.raises(SamplerError) as caught:
        sampler(cohort([[5, 5]] * 13), 2, 6)
    lines = str(caught.value).splitlines()
    assert len(lines) == 12
    assert lines[10] == "  subject 9: 5 of class 0 and 5 of class 1, the sampler needs 6"
    assert lines[11] == "  and 3 more"


def test_one_class():
    with refused(SamplerError, "class 1"):
        sampler(cohort([[0, 20]] * 3), 2, 4)


def test_one_window_a_class():
    found = sampler(cohort([[3, 4], [2, 2]]), 2, 1)
    assert [len(batch) for batch in found] == [4, 4]


def test_arguments():
    labels, subjects = cohort([[4, 4]] * 3)
    generator = np.random.default_rng(0)
    with refused(SamplerError, "subjects_per_batch", 0, 1):
        sampler((labels, subjects), 0, 2)
    with refused(SamplerError, "windows_per_class", "-1"):
        sampler((labels, subjects), 2, -1)
    with refused(SamplerError, "epoch -1"):
        sampler((labels, subjects), 2, 2).set_epoch(-1)
    with refused(SamplerError, "(0,)"):
        sampler((labels[:0], subjects[:0]), 2, 2)
    row = int(np.argmax(subjects == 2))
    with refused(SamplerError, f"window {row}", "subject 2"):
        SubjectSampler(labels, subjects, generator=generator, names=["a", "b"])
    wrong = subjects.copy()
    wrong[5] = -1
    with refused(SamplerError, "window 5", "subject -1"):
        sampler((labels, wrong), 2, 2)


WITHOUT_AXES = """
import numpy as np
from pacl.training.sampler import SubjectSampler, SamplerError

for labels, subjects in (([0, 1, 1], [0, 0]), ([[0, 1]], [[0, 0]]), ([0.0, 1.0], [0, 0])):
    try:
        SubjectSampler(np.array(labels), np.array(subjects), generator=np.random.default_rng(0))
    except SamplerError as error:
        print(error)
"""


def test_without_checked_axes():
    """What the named axes refuse while testing, the sampler refuses by itself."""
    plain = {key: value for key, value in os.environ.items() if key != "PACL_CHECK_AXES"}
    told = subprocess.run(
        [sys.executable, "-c", WITHOUT_AXES], env=plain, capture_output=True, text=True, check=True
    )
    lines = told.stdout.splitlines()
    facts = (("(3,)", "(2,)"), ("(1, 2)",), ("float64", "int64"))
    assert len(lines) == 3
    assert all(one in line for line, named in zip(lines, facts, strict=True) for one in named)


def test_rhythms_are_called_by_their_names():
    windows = make_set(seed=0, patients=4, records=1)
    needed = 1 + max(np.bincount(windows.table.patient.codes[windows.table.rhythm == 1]))
    with refused(SamplerError, "AF windows", needed):
        SubjectSampler.of(
            windows,
            generator=np.random.default_rng(0),
            subjects_per_batch=1,
            windows_per_class=int(needed),
        )
