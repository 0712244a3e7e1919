import math

import pytest
import torch
from torch import nn

from pacl.objectives import Temperature
from pacl.training import cosine, make_adamw


@pytest.mark.parametrize(
    ("done", "rate"),
    [(0.0, 8.0), (1 / 3, 6.5), (0.5, 5.0), (2 / 3, 3.5), (1.0, 2.0), (1.5, 2.0)],
)
def test_the_rate_follows_a_half_cosine(done, rate):
    assert cosine(8.0, 2.0, done) == pytest.approx(rate, rel=1e-12)


def test_the_rate_is_that_of_torch_epoch_by_epoch():
    optimiser = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=6.8e-3)
    peer = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, T_max=20, eta_min=1e-6)
    for epoch in range(20):
        found = cosine(6.8e-3, 1e-6, epoch / 20)
        assert found == pytest.approx(optimiser.param_groups[0]["lr"], rel=1e-9)
        optimiser.step()
        peer.step()


def test_tau_is_learned_without_decay_and_weights_with():
    layer, tau = nn.Linear(2, 1), Temperature(0.05)
    optimiser = make_adamw(layer, tau, lr=0.1, weight_decay=0.5)
    decay = {
        id(parameter): group["weight_decay"]
        for group in optimiser.param_groups
        for parameter in group["params"]
    }
    assert decay == {id(layer.weight): 0.5, id(layer.bias): 0.5, id(tau.log_tau): 0.0}
    before = [parameter.detach().clone() for parameter in (layer.weight, layer.bias, tau.log_tau)]
    for parameter in (*layer.parameters(), tau.log_tau):
        parameter.grad = torch.zeros_like(parameter)
    optimiser.step()
    assert torch.allclose(layer.weight, before[0] * (1 - 0.1 * 0.5))
    assert torch.allclose(layer.bias, before[1] * (1 - 0.1 * 0.5))
    assert tau.log_tau.item() == before[2].item() == pytest.approx(math.log(0.05), rel=1e-6)


def test_what_is_frozen_is_not_optimised():
    layer, tau = nn.Linear(2, 1), Temperature(0.05, learnable=False)
    optimiser = make_adamw(layer, tau, lr=0.1, weight_decay=0.5)
    optimised = [id(p) for group in optimiser.param_groups for p in group["params"]]
    assert optimised == [id(layer.weight), id(layer.bias)]
    assert all(group["params"] for group in optimiser.param_groups)
