"""Tau: where it begins, its floor, and the gradient that passes it."""

import math

import pytest
import torch

from pacl.objectives import ObjectiveError, SubjectContrastiveLoss, Temperature
from support.refusals import refused


def at(tau: float, floor: float = 0.01) -> Temperature:
    """A temperature whose parameter was moved, as an optimiser moves it."""
    temperature = Temperature(1.0, floor=floor).double()
    with torch.no_grad():
        temperature.log_tau.fill_(math.log(tau))
    return temperature


@pytest.mark.parametrize("initial", [0.01, 0.05, 0.07, 1.0, 20.0])
def test_begins_where_it_is_told(initial):
    assert Temperature(initial)().item() == pytest.approx(initial, rel=1e-6)


def test_the_papers_defaults():
    assert Temperature()().item() == pytest.approx(0.05, rel=1e-6)
    assert SubjectContrastiveLoss().temperature.log_tau.requires_grad


@pytest.mark.parametrize("tau", [1e-30, 1e-6, 0.0099, 0.01, 0.0101, 0.05, 3.0])
def test_never_below_the_floor(tau):
    assert at(tau)().item() == pytest.approx(max(tau, 0.01), rel=1e-9)


@pytest.mark.parametrize("tau", [1e-6, 0.0099, 0.01, 0.0101, 0.05, 3.0])
def test_gradient_passes_everywhere(tau):
    # d tau / d log tau = tau, and at the floor that of the floor
    temperature = at(tau)
    temperature().backward()
    assert float(temperature.log_tau.grad) == pytest.approx(max(tau, 0.01), rel=1e-9)


def test_project_brings_the_parameter_back_and_leaves_the_rest():
    low, high = at(1e-6), at(0.3)
    low.project()
    high.project()
    assert low.log_tau.item() == pytest.approx(math.log(0.01))
    assert high.log_tau.item() == pytest.approx(math.log(0.3))
    assert low.log_tau.requires_grad


def test_tau_can_rise_again_from_the_floor():
    temperature = Temperature(0.01)
    optimiser = torch.optim.SGD(temperature.parameters(), lr=10.0)
    for _ in range(5):
        optimiser.zero_grad()
        (temperature() * 10).backward()
        optimiser.step()
        temperature.project()
    assert temperature().item() == pytest.approx(0.01, rel=1e-5)
    optimiser.zero_grad()
    (-temperature()).backward()
    optimiser.step()
    assert temperature().item() > 0.0105


def test_fixed():
    temperature = Temperature(0.07, learnable=False)
    assert not temperature().requires_grad
    assert "log_tau" in temperature.state_dict()


def test_state_travels():
    other = Temperature(0.5)
    other.load_state_dict(Temperature(0.07).state_dict())
    assert other().item() == pytest.approx(0.07, rel=1e-6)


@pytest.mark.parametrize(
    ("initial", "floor"),
    [
        (0.0, 0.01),
        (-1.0, 0.01),
        (0.05, 0.0),
        (0.05, -0.1),
        (0.005, 0.01),
        (math.nan, 0.01),
        (0.05, math.nan),
        (math.inf, 0.01),
    ],
)
def test_refused(initial, floor):
    with refused(ObjectiveError, f"temperature {initial:g}", f"floor of {floor:g}"):
        Temperature(initial, floor=floor)


def test_print_tells_tau():
    before = torch.is_warn_always_enabled()
    torch.set_warn_always(True)  # otherwise torch warns of float(parameter) only once
    try:
        assert "tau=0.07, floor=0.02" in repr(Temperature(0.07, floor=0.02))
    finally:
        torch.set_warn_always(before)
