import copy

import numpy as np
import pytest
import torch

from pacl.evaluation import EmbeddingSet, EvaluationError, embed
from pacl.models import Encoder
from pacl.rr import RRWindowSet
from support.mutate import damaged
from support.refusals import refused
from support.small_runs import small_windows


@pytest.fixture(scope="module")
def windows():
    return RRWindowSet.open(small_windows())


@pytest.fixture
def encoder():
    generator = torch.Generator().manual_seed(0)
    return Encoder(channels=(8, 8, 8), pooled_features=6, projected_features=5, generator=generator)


def test_every_window_is_embedded_in_the_order_of_its_row(encoder, windows):
    made = embed(encoder.train(), windows)
    assert len(made) == len(windows)
    assert made.table is windows.table
    assert made.labels.tolist() == windows.table.rhythm.tolist()
    assert made.pooled.shape == (len(windows), 6)
    assert made.projected.shape == (len(windows), 5)
    with torch.no_grad():
        out = encoder.eval()(torch.from_numpy(windows.windows()))
    assert np.allclose(made.pooled, out.pooled.numpy(), atol=1e-6)
    assert np.allclose(made.projected, out.projected.numpy(), atol=1e-6)
    assert np.allclose(np.linalg.norm(made.pooled, axis=1), 1, atol=1e-5)
    backwards = embed(encoder, windows.select(np.arange(len(windows))[::-1].copy()))
    assert np.allclose(backwards.pooled, made.pooled[::-1], atol=1e-6)


@pytest.mark.parametrize("batch", [1, 7, 100, 10_000])
def test_the_batch_size_makes_no_difference(encoder, windows, batch):
    some = windows.select(np.arange(0, len(windows), 9))
    told = []
    made = embed(encoder, some, batch=batch, track=lambda *state: told.append(state))
    whole = embed(encoder, some)
    assert np.allclose(made.pooled, whole.pooled, atol=1e-6)
    assert np.allclose(made.projected, whole.projected, atol=1e-6)
    assert told[-1] == (len(some), len(some))
    assert [done for done, _ in told] == [
        min(first + batch, len(some)) for first in range(0, len(some), batch)
    ]


def test_nothing_is_dropped_learned_or_drawn(encoder, windows):
    before = copy.deepcopy(encoder.state_dict())
    state = torch.get_rng_state()
    once, again = embed(encoder.train(), windows), embed(encoder.train(), windows)
    assert np.array_equal(once.pooled, again.pooled)
    assert torch.equal(torch.get_rng_state(), state)
    assert all(torch.equal(encoder.state_dict()[key], before[key]) for key in before)
    assert not encoder.training
    assert all(parameter.grad is None for parameter in encoder.parameters())


def test_embeddings_come_back_to_the_bit(encoder, windows, tmp_path):
    made = embed(encoder, windows)
    made.write(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pooled.npy", "projected.npy"]
    found = EmbeddingSet.read(tmp_path, windows.table)
    assert np.array_equal(found.pooled, made.pooled)
    assert np.array_equal(found.projected, made.projected)


def archive(path):
    with path.open("wb") as file:
        np.savez(file, a=np.zeros(4))


@pytest.mark.parametrize("name", ["pooled", "projected"])
@pytest.mark.parametrize(
    ("change", "facts"),
    [
        (lambda path: path.unlink(), ()),
        (lambda path: path.write_bytes(b""), ()),
        (lambda path: path.write_bytes(b"PK\x03\x04 no archive"), ()),
        (
            lambda path: np.save(path, np.zeros((3, 2), np.float32)),
            ("(3, 2)", "(4, any)"),
        ),
        (lambda path: np.save(path, np.zeros(4, np.float32)), ("(4,)", "(4, any)")),
        (lambda path: np.save(path, np.zeros((4, 2))), ("float64", "float32")),
        (archive, ()),
    ],
)
def test_embeddings_that_are_missing_or_of_others_are_refused(
    encoder, windows, tmp_path, name, change, facts
):
    some = windows.select(np.arange(4))
    embed(encoder, some).write(tmp_path)
    change(tmp_path / f"{name}.npy")
    with refused(EvaluationError, *facts) as caught:
        EmbeddingSet.read(tmp_path, some.table)
    assert str(caught.value).startswith(f"{tmp_path / name}.npy: ")


def test_damage_never_surprises(encoder, windows, tmp_path):
    some = windows.select(np.arange(4))
    embed(encoder, some).write(tmp_path)
    path = tmp_path / "pooled.npy"
    refused = 0
    for content in damaged(path.read_bytes(), 200, seed=0):
        path.write_bytes(content)
        try:
            EmbeddingSet.read(tmp_path, some.table)
        except EvaluationError:
            refused += 1
    assert 50 < refused < 200
