import math
from itertools import pairwise

import pytest
import torch

from pacl.models import Encoder
from pacl.models.network import EncoderOutput
from pacl.rivals.byol import Prediction, both_ways, follow, make_predictor, rising, slow_copy


def small(seed=0):
    generator = torch.Generator().manual_seed(seed)
    return Encoder(channels=(8, 8, 8), projected_features=8, view="relative", generator=generator)


def method_of(encoder, steps=4):
    generator = torch.Generator().manual_seed(1)
    return Prediction(encoder, 50, steps=steps, momentum=0.99, generator=generator)


def some(count=12, seed=0, features=5):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(count, features, generator=generator, dtype=torch.float64)


def oracle(predicted, found):
    half, total = len(found) // 2, 0.0
    for k in range(half):
        for i, j in ((k, k + half), (k + half, k)):
            length = float(predicted[i].norm() * found[j].norm())
            total += 2 - 2 * float(predicted[i] @ found[j]) / length
    return total / half


def test_by_hand():
    predicted = torch.tensor([[3.0, 0.0], [1.0, 1.0]])
    found = torch.tensor([[0.0, 2.0], [5.0, 0.0]])
    # from view 1: cosine of (3, 0) and (5, 0); from view 2: of (1, 1) and (0, 2)
    assert float(both_ways(predicted, found)) == pytest.approx(0 + 2 - 2 / math.sqrt(2))


def test_as_an_explicit_loop():
    assert float(both_ways(some(), some(seed=1))) == pytest.approx(oracle(some(), some(seed=1)))


def test_length_does_not_matter_and_the_loss_is_from_0_to_8():
    found = some(seed=1)
    torch.testing.assert_close(both_ways(some() * 7, found * 0.1), both_ways(some(), found))
    other = found.roll(6, dims=0)
    assert float(both_ways(other, found)) == pytest.approx(0, abs=1e-9)
    assert float(both_ways(-other, found)) == pytest.approx(8)


def test_momentum_rises_along_a_half_cosine_to_1():
    assert rising(0.99, 0.0) == pytest.approx(0.99)
    assert rising(0.99, 0.5) == pytest.approx(0.995)
    assert rising(0.99, 1.0) == 1.0


def test_the_copy_follows_by_its_momentum_and_has_no_gradient():
    encoder, target = small(0), small(1)
    slow = slow_copy(encoder)
    before = {name: value.clone() for name, value in slow.named_parameters()}
    follow(slow, target, 0.9)
    for name, value in slow.named_parameters():
        assert not value.requires_grad
        torch.testing.assert_close(value, 0.9 * before[name] + 0.1 * target.get_parameter(name))
    assert all(value.requires_grad for value in encoder.parameters())


def test_the_method_foretells_what_the_copy_makes_of_the_other_view():
    encoder = small().train()
    method = method_of(encoder).train()
    views = 600 + 400 * torch.rand((6, 64), generator=torch.Generator().manual_seed(2))
    out = encoder(views, {})
    found = method.loss(out, views, torch.zeros(3, dtype=torch.int64))
    predicted = method.predictor(out.projected_raw).detach().double()
    kept = slow_copy(encoder).eval()(views).projected_raw.double()
    assert float(found.detach()) == pytest.approx(oracle(predicted, kept), rel=1e-4)
    found.backward()
    assert all(value.grad is None for value in method.slow.parameters())
    assert all(value.grad is not None for value in method.predictor.parameters())
    assert all(value.grad is not None for value in encoder.parameters())


def test_each_step_moves_the_copy_less():
    encoder = small()
    method = method_of(encoder, steps=2)
    with torch.no_grad():
        for value in encoder.parameters():
            value += 1.0
    name = "project_out.bias"
    at = [method.slow.get_parameter(name).clone()]
    for _ in range(3):
        method.after_step(encoder)
        at.append(method.slow.get_parameter(name).clone())
    gap = encoder.get_parameter(name).detach()
    shares = [float(((b - a) / (gap - a)).mean()) for a, b in pairwise(at)]
    assert shares == pytest.approx([0.01, 0.005, 0.0], rel=1e-3, abs=1e-6)


def test_a_predictor_follows_from_its_generator_and_leaves_torchs_alone():
    state = torch.get_rng_state()
    one, other = (make_predictor(8, torch.Generator().manual_seed(3)) for _ in range(2))
    assert torch.equal(state, torch.get_rng_state())
    for a, b in zip(one.parameters(), other.parameters(), strict=True):
        assert torch.equal(a, b)
    kinds = [type(layer).__name__ for layer in one]
    assert kinds == ["Linear", "BatchNorm1d", "ReLU", "Linear"]


def test_patients_do_not_matter():
    encoder = small()
    method = method_of(encoder)
    out = EncoderOutput(*(torch.rand(6, 8) for _ in range(4)))
    views = torch.full((6, 64), 800.0)
    first, second = (method.loss(out, views, torch.tensor(who)) for who in ([0, 0, 0], [0, 1, 2]))
    assert torch.equal(first, second)
