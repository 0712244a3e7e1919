"""A memory of past batches: what it keeps, and a loss that looks at it."""

import copy
import io

import pytest
import torch
from torch.nn.functional import normalize

from objectives.oracle import FORMS, NAMED, Anchors
from pacl.objectives import (
    CrossBatchMemory,
    ObjectiveError,
    Remembered,
    SubjectContrastiveLoss,
    make_objective,
)
from pacl.objectives import contrastive as module
from pacl.objectives.pairs import NO_PAIR
from support.refusals import refused


def some(windows, seed=0, *, classes=2, subjects=3, dtype=torch.float64, features=4):
    generator = torch.Generator().manual_seed(seed)
    embedded = normalize(torch.randn(windows, features, generator=generator).to(dtype), dim=1)
    labels = torch.randint(classes, (windows,), generator=generator)
    return embedded, labels, torch.randint(subjects, (windows,), generator=generator)


def filled(windows, *batches, features=4):
    memory = CrossBatchMemory(windows, features)
    for batch in batches:
        memory.remember(*batch)
    return memory


def made(form="log_sum", *, memory=None, tau=0.2, **more):
    more = {"policy": "subject-aware", "without_positives": "skip"} | more
    return SubjectContrastiveLoss(temperature=tau, form=form, memory=memory, **more).double()


def value_and_slopes(loss, embedded, labels, subjects):
    rows = embedded.clone().requires_grad_()
    value = loss(rows, labels, subjects)
    value.backward()
    return value.detach(), rows.grad, loss.temperature.log_tau.grad


def numbered(*values):
    """Windows that can be told apart, whatever is kept of them."""
    numbers = torch.tensor(values)
    return numbers[:, None].expand(-1, 4).float(), numbers, 100 + numbers


def kept(memory):
    embedded, labels, subjects = memory.remembered()
    assert torch.equal(embedded[:, 0].long(), labels)
    assert torch.equal(subjects, 100 + labels)
    return labels.tolist()


def test_the_oldest_are_overwritten():
    memory = CrossBatchMemory(5, 4)
    assert kept(memory) == []
    memory.remember(*numbered(1, 2))
    assert kept(memory) == [1, 2]
    memory.remember(*numbered(3, 4))
    assert kept(memory) == [1, 2, 3, 4]
    memory.remember(*numbered(5, 6, 7))
    assert sorted(kept(memory)) == [3, 4, 5, 6, 7]
    memory.remember(*numbered(8))
    assert sorted(kept(memory)) == [4, 5, 6, 7, 8]
    memory.remember(*numbered(9, 10, 11, 12, 13))
    assert sorted(kept(memory)) == [9, 10, 11, 12, 13]
    assert int(memory.filled) == 5
    memory.forget()
    assert kept(memory) == []
    memory.remember(*numbered(14))
    assert kept(memory) == [14]


@pytest.mark.parametrize("before", [(), (1,), (1, 2, 3, 4)])
def test_of_a_batch_larger_than_the_memory_the_last_are_kept(before):
    memory = CrossBatchMemory(3, 4)
    if before:
        memory.remember(*numbered(*before))
    memory.remember(*numbered(5, 6, 7, 8, 9))
    assert sorted(kept(memory)) == [7, 8, 9]
    memory.remember(*numbered(10))
    assert sorted(kept(memory)) == [8, 9, 10]


def test_it_may_let_batches_pass_before_it_keeps_the_first():
    memory = CrossBatchMemory(5, 2, begins=2)
    for number in range(4):
        batch = (torch.full((2, 2), float(number)), *torch.full((2, 2), number))
        memory.remember(*batch)
        again = CrossBatchMemory(5, 2, begins=2)
        again.load_state_dict(memory.state_dict())
        memory = again
        assert memory.remembered().subjects.tolist() == [2, 2, 3, 3][: max(0, 2 * number - 2)]
    kinds = memory.kinds(*torch.full((2, 1), 2))
    assert kinds[0, 4] == NO_PAIR
    assert (kinds[0, :4] != NO_PAIR).all()
    memory.forget()
    memory.remember(*batch)
    assert not len(memory.remembered().labels)
    assert str(memory) == "CrossBatchMemory(windows=5, features=2, begins=2)"
    with refused(ObjectiveError, "batch -1"):
        CrossBatchMemory(5, 2, begins=-1)
    with refused(ObjectiveError, "memory_begins 5"):
        make_objective("subject-aware", memory_begins=5)


def test_what_is_given_out_is_not_overwritten_later():
    memory = filled(2, numbered(1, 2))
    held = memory.remembered()
    assert isinstance(held, Remembered)
    memory.remember(*numbered(3, 4))
    assert held.labels.tolist() == [1, 2]
    assert held.embedded[:, 0].tolist() == [1, 2]


def test_embeddings_are_kept_without_gradients_in_single_precision():
    memory = CrossBatchMemory(4, 4)
    embedded, labels, subjects = some(3)
    memory.remember(embedded.requires_grad_(), labels, subjects)
    exact = memory.remembered().embedded
    assert exact.dtype == torch.float32
    assert not exact.requires_grad
    assert list(memory.parameters()) == []
    for cast in (memory.double(), memory.half(), memory.to(torch.bfloat16)):
        assert torch.equal(cast.remembered().embedded, exact)
        assert cast.embedded.dtype == torch.float32
    memory.remember(embedded.detach().bfloat16(), labels, subjects)
    assert memory.embedded.dtype == torch.float32


def test_its_contents_are_its_state():
    memory = filled(7, some(4), some(5, 1))
    file = io.BytesIO()
    torch.save(memory.state_dict(), file)
    file.seek(0)
    again = CrossBatchMemory(7, 4)
    again.load_state_dict(torch.load(file, weights_only=True))
    for one in (memory, again):
        one.remember(*some(2, 2))
    for mine, other in zip(memory.remembered(), again.remembered(), strict=True):
        assert torch.equal(mine, other)
    held = {"embedded", "labels", "subjects"}
    assert set(memory.state_dict()) == held | {"filled", "following", "passed"}


@pytest.mark.parametrize(("windows", "features"), [(0, 4), (-1, 4), (3, 0)])
def test_a_memory_of_nothing_is_refused(windows, features):
    with refused(ObjectiveError, f"{windows} windows", f"{features} features"):
        CrossBatchMemory(windows, features)


@pytest.mark.parametrize("check", [True, False])
def test_embeddings_of_another_length_are_refused(check):
    memory = CrossBatchMemory(8, 5)
    with refused(ObjectiveError, "4 features", 5, "Memory(8, 4)"):
        made(memory=memory, check=check)(*some(6))
    with refused(ObjectiveError, "4 features"):
        memory.remember(*some(6))


def test_it_says_how_large_it_is():
    assert "windows=8, features=5" in str(made(memory=CrossBatchMemory(8, 5)))


@pytest.mark.parametrize("tiled", [False, True])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("policy", NAMED)
def test_the_loss_is_that_of_loops_over_the_batch_and_what_is_remembered(policy, form, tiled):
    batch, past = some(7), some(9, 1, subjects=4)
    memory = filled(20, past)
    loss = made(form, policy=policy, memory=memory, tiled=tiled)
    got = value_and_slopes(loss, *batch)
    past = (past[0].float().double(), *past[1:])
    everything = [torch.cat(pair) for pair in zip(batch, past, strict=True)]
    tau = float(loss.temperature().detach())
    expected = Anchors(*everything, NAMED[policy], tau, form, anchors=7)
    assert loss.skipped == expected.lonely
    assert got[0].item() == pytest.approx(expected.mean, rel=1e-12)
    torch.testing.assert_close(got[1], torch.from_numpy(expected.d_embedded[:7]))
    assert got[2].item() == pytest.approx(expected.d_tau * tau, rel=1e-10)  # by log tau


@pytest.mark.parametrize("tiled", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_before_anything_is_remembered_it_is_the_loss_of_the_batch(form, tiled):
    batch = some(12)
    with_memory = value_and_slopes(made(form, memory=CrossBatchMemory(9, 4), tiled=tiled), *batch)
    without = value_and_slopes(made(form, tiled=tiled), *batch)
    for got, expected in zip(with_memory, without, strict=True):
        torch.testing.assert_close(got, expected, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("tiled", [False, True])
def test_batches_are_remembered_while_training_after_their_loss(tiled):
    memory = CrossBatchMemory(30, 4)
    loss = made(memory=memory, tiled=tiled)
    one, other = some(12), some(10, 1)
    first = value_and_slopes(loss, *one)[0]
    assert torch.equal(memory.remembered().labels, one[1])
    loss.eval()
    second = loss(*other).detach()
    assert len(memory.remembered().labels) == 12
    assert torch.equal(loss(*other).detach(), second)
    loss.train()
    assert torch.equal(loss(*other).detach(), second)
    assert torch.equal(memory.remembered().subjects, torch.cat([one[2], other[2]]))
    assert first != made(tiled=tiled)(*other)


def test_a_batch_that_is_refused_is_not_remembered():
    memory = CrossBatchMemory(30, 4)
    embedded, labels, subjects = some(6)
    subjects[0] = 99
    with refused(ObjectiveError, "positive"):
        made(memory=memory, without_positives="error")(embedded, labels, subjects)
    assert len(memory.remembered().labels) == 0


@pytest.mark.parametrize("tiled", [False, True])
def test_positives_may_be_in_the_memory_alone(tiled):
    embedded = torch.eye(3, dtype=torch.float64)[[0, 1]]
    labels, subjects = torch.tensor([0, 1]), torch.tensor([4, 4])
    loss = made(memory=CrossBatchMemory(4, 3), without_positives="error", tau=0.5, tiled=tiled)
    with refused(ObjectiveError, "2 of 2 anchors"):
        loss(embedded, labels, subjects)
    loss.memory.remember(embedded, labels, subjects)
    # An older embedding of the same window is its positive; two negatives lie at right angles.
    expected = torch.tensor(2 * torch.e**-2.0).log1p()
    torch.testing.assert_close(loss(embedded, labels, subjects).detach(), expected.double())


@pytest.mark.parametrize("tiled", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_the_order_of_what_is_remembered_does_not_matter(form, tiled):
    batch, past = some(8), some(11, 1)
    mixed = torch.randperm(11, generator=torch.Generator().manual_seed(5))
    memories = filled(11, past), filled(11, tuple(each[mixed] for each in past))
    found = [
        value_and_slopes(made(form, memory=memory, tiled=tiled), *batch) for memory in memories
    ]
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other)


def test_a_step_may_come_after_the_memory_has_moved_on():
    memory = filled(6, some(6, 3))
    for tiled in (False, True):
        loss = made(memory=copy.deepcopy(memory), tiled=tiled)
        values = [loss(some(6, seed)[0].requires_grad_(), *some(6, seed)[1:]) for seed in (0, 1)]
        sum(values).backward()
        assert loss.temperature.log_tau.grad.isfinite()


@pytest.mark.parametrize(
    ("windows", "held", "tiles"),
    [
        (1023, None, False),
        (1024, None, True),
        (1023, 1, False),
        (1000, 49, True),
        (256, 4096, True),
    ],
)
def test_tiles_are_taken_by_the_number_of_pairs(monkeypatch, windows, held, tiles):
    taken = []

    def tiled_losses(*given, **more):
        taken.append(more["memory"])
        return torch.zeros(windows), torch.ones(windows, dtype=torch.bool)

    monkeypatch.setattr(module, "tiled_losses", tiled_losses)
    memory = None if held is None else filled(held, some(3))
    made(memory=memory, policy="supcon")(*some(windows, dtype=torch.float32))
    assert bool(taken) == tiles
    if taken and held:
        assert len(taken[0].labels) == 3


def test_the_named_losses_take_a_memory():
    memory = make_objective("supcon", memory=64, features=16).memory
    assert (memory.windows, memory.features) == (64, 16)
    assert make_objective("supcon").memory is None
    with refused(ObjectiveError, "memory: -1"):
        make_objective("supcon", memory=-1)
    with refused(ObjectiveError, "64 windows", "bce"):
        make_objective("bce", memory=64)


def test_a_loss_without_memory_has_the_state_it_had():
    assert list(make_objective("subject-aware").state_dict()) == ["temperature.log_tau"]
