import inspect
from dataclasses import replace

import numpy as np
import pytest
import torch

from pacl.models import Encoder
from pacl.rivals.pretraining import LOWEST_LR, Method, Start, pretrain, shuffled_rows
from pacl.rivals.system import Learn
from pacl.rr.tensors import RRWindowTensors
from pacl.training.errors import TrainingError
from pacl.training.loop import Seeds, cosine
from support.refusals import refused
from support.window_sets import make_set

torch.set_num_threads(1)
CPU = torch.device("cpu")


class Noting(Method):
    """Remembers what it is given, and pulls one weight of its own down."""

    def __init__(self, worth=1.0):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(()))
        self.worth, self.seen, self.stepped = worth, [], []

    def rows(self, steps, generator):
        return shuffled_rows(8, 4, steps, generator)

    def loss(self, embedded, views, patients):
        assert embedded.projected.requires_grad
        self.seen.append((views, patients, embedded.pooled.detach()))
        return embedded.projected.sum() * 0 + self.weight * self.worth

    def after_step(self, encoder):
        self.stepped.append(float(self.weight.detach()))


def in_ms(windows):
    nothing = np.zeros(len(windows), np.float32)
    return replace(windows, table=replace(windows.table, centre_ms=nothing, scale_ms=nothing + 1))


def run(method, steps=4, lr=1e-2, seed=0):
    windows = in_ms(make_set(window_beats=64))
    encoder = Encoder(
        channels=(8, 8, 8), view="relative", generator=torch.Generator().manual_seed(seed)
    )
    pretrain(
        encoder,
        method,
        RRWindowTensors.of(windows),
        torch.tensor(windows.table.patient.codes, dtype=torch.int64),
        steps=steps,
        lr=lr,
        batches=np.random.default_rng(seed),
        chance=torch.Generator().manual_seed(seed),
    )
    return encoder, windows


def test_there_is_no_way_in_for_labels():
    assert "labels" not in inspect.signature(pretrain).parameters
    assert not hasattr(RRWindowTensors, "labels")
    assert list(inspect.signature(Method.loss).parameters) == [
        "self",
        "embedded",
        "views",
        "patients",
    ]


def test_a_batch_is_the_windows_and_patients_of_its_rows():
    method = Noting()
    encoder, windows = run(method)
    rows = shuffled_rows(8, 4, 4, np.random.default_rng(0))
    assert len(method.seen) == 4
    for chosen, (views, patients, _) in zip(rows, method.seen, strict=True):
        assert patients.tolist() == windows.table.patient.codes[chosen].tolist()
        assert views.shape == (4, 64)
        assert float(views.min()) >= 200
    assert not encoder.training


def test_the_rate_falls_along_a_cosine_with_each_step():
    method = Noting()
    run(method, steps=4, lr=1e-2)
    # The gradient is always 1, so that each step of Adam is as long as the rate.
    moved = -np.diff([1.0, *method.stepped])
    expected = [cosine(1e-2, LOWEST_LR, step / 4) for step in range(4)]
    np.testing.assert_allclose(moved, expected, rtol=1e-3)


def test_dropout_and_views_come_from_the_generator_alone():
    first, second = Noting(), Noting()
    run(first)
    torch.rand(5)
    run(second)
    for one, other in zip(first.seen, second.seen, strict=True):
        assert all(torch.equal(a, b) for a, b in zip(one, other, strict=True))


def test_a_loss_that_is_no_number_is_told():
    with refused(TrainingError, "nan", "learning rate"):
        run(Noting(worth=float("nan")))


def test_chance_follows_from_the_seed_as_that_of_a_run_does():
    seeds = Seeds.of(5)
    start = Start.of(Learn(in_ms(make_set(window_beats=64)), 5, 1, CPU))
    encoder = Encoder(view="relative", generator=torch.Generator().manual_seed(seeds.weights))
    known, found = encoder.state_dict(), start.encoder.state_dict()
    assert all(torch.equal(known[key], found[key]) for key in known)
    assert start.chance.initial_seed() == seeds.dropout
    assert start.batches.random() == np.random.default_rng(seeds.batches).random()


@pytest.mark.parametrize(
    ("windows", "batch", "steps"), [(10, 4, 5), (8, 4, 4), (3, 4, 2), (9, 9, 1)]
)
def test_no_window_is_twice_in_a_shuffle(windows, batch, steps):
    rows = shuffled_rows(windows, batch, steps, np.random.default_rng(1))
    size = min(batch, windows)
    assert rows.shape == (steps, size)
    assert rows.min() >= 0
    assert rows.max() < windows
    each = windows // size
    for start in range(0, steps, each):
        part = rows[start : start + each].ravel()
        assert len(set(part.tolist())) == part.size


def test_every_window_comes_in_time():
    rows = shuffled_rows(10, 4, 40, np.random.default_rng(1))
    assert set(rows.ravel().tolist()) == set(range(10))
