"""Stacked AdamW is torch's own, run by run, whenever each rests."""

import pytest
import torch

from pacl.training.stacked_adamw import StackedAdamW

STEPS = 60
SHAPES = {"weight": (4, 3, 2), "bias": (4,), "one": (1,), "log_tau": ()}
DECAYS = (0.0, 0.1, 8.8e-4, 0.5)
RUNS = len(DECAYS)


def draw(*shape, seed):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def start(dtype=torch.float64):
    return {
        name: draw(RUNS, *shape, seed=at).to(dtype)
        for at, (name, shape) in enumerate(SHAPES.items())
    }


def stacked(weights):
    like = next(iter(weights.values()))
    return StackedAdamW(weights, torch.tensor(DECAYS, dtype=like.dtype))


def rate(run, step):
    return 10.0 ** -(run + 1) / (1 + step / 10)


def moves(run, step):
    """Run 0 always, run 1 rests at first, run 2 now and then, run 3 from the middle on."""
    return (True, step >= 5, step % 3 != 1, step < STEPS // 2)[run]


def gradient(name, step):
    scale = 10.0 ** (step % 5 - 3)
    return scale * draw(RUNS, *SHAPES[name], seed=1000 + 10 * step + list(SHAPES).index(name))


def advance(optimiser, step):
    optimiser.clear()
    total = sum(
        (value * gradient(name, step).to(value.dtype)).sum()
        for name, value in optimiser.weights.items()
    )
    total.backward()
    optimiser.step(
        torch.tensor([rate(run, step) for run in range(RUNS)], dtype=torch.float64),
        torch.tensor([moves(run, step) for run in range(RUNS)]),
    )


class Alone:
    """One run with torch's AdamW; single numbers do not decay."""

    def __init__(self, run, weights):
        self.run = run
        self.weights = {
            name: torch.nn.Parameter(value[run].clone()) for name, value in weights.items()
        }
        groups = [
            {"params": [p for p in self.weights.values() if p.ndim], "weight_decay": DECAYS[run]},
            {"params": [p for p in self.weights.values() if not p.ndim], "weight_decay": 0.0},
        ]
        self.optimiser = torch.optim.AdamW(groups)

    def advance(self, step):
        if not moves(self.run, step):
            return
        for group in self.optimiser.param_groups:
            group["lr"] = rate(self.run, step)
        for name, parameter in self.weights.items():
            parameter.grad = gradient(name, step)[self.run].to(parameter.dtype)
        self.optimiser.step()

    def moment(self, which):
        return {name: self.optimiser.state[p][which] for name, p in self.weights.items()}


@pytest.mark.parametrize(("dtype", "within"), [(torch.float64, 1e-12), (torch.float32, 1e-5)])
def test_each_run_is_torchs_own_at_every_step(dtype, within):
    weights = start(dtype)
    optimiser, alone = stacked(weights), [Alone(run, weights) for run in range(RUNS)]
    for step in range(STEPS):
        advance(optimiser, step)
        for one in alone:
            one.advance(step)
            state = optimiser.state(one.run)
            for name, parameter in one.weights.items():
                assert torch.allclose(state["weight"][name], parameter, rtol=within, atol=within)
    taken = [sum(moves(run, step) for step in range(STEPS)) for run in range(RUNS)]
    assert optimiser.steps.tolist() == taken
    assert len(set(taken)) == RUNS
    for one in alone:
        for which in ("exp_avg", "exp_avg_sq"):
            for name, expected in one.moment(which).items():
                found = optimiser.state(one.run)[which][name]
                assert found.shape == expected.shape
                assert torch.allclose(found, expected, rtol=within, atol=within)


def test_a_resting_run_keeps_every_bit():
    optimiser = stacked(start())
    for step in range(STEPS // 2):
        advance(optimiser, step)
    before = optimiser.state(3)
    for step in range(STEPS // 2, STEPS):
        advance(optimiser, step)
    after = optimiser.state(3)
    for part, values in before.items():
        for name, value in values.items():
            assert torch.equal(after[part][name], value)
    assert not torch.equal(optimiser.matrix[0], stacked(start()).matrix[0])


def test_a_weight_that_no_loss_reaches_does_not_stop_the_others():
    weights = start()
    optimiser = stacked(weights)
    optimiser.weights["weight"].sum().backward()
    optimiser.step(
        torch.full((RUNS,), 0.1, dtype=torch.float64), torch.ones(RUNS, dtype=torch.bool)
    )
    assert torch.equal(optimiser.weights["log_tau"], weights["log_tau"])
    assert float((optimiser.weights["weight"] - weights["weight"]).detach().abs().min()) > 0.01


def test_single_numbers_do_not_decay_and_all_else_does():
    weights = start()
    optimiser = stacked(weights)
    sum((value * 0).sum() for value in optimiser.weights.values()).backward()
    optimiser.step(
        torch.full((RUNS,), 0.1, dtype=torch.float64), torch.ones(RUNS, dtype=torch.bool)
    )
    for name, value in optimiser.weights.items():
        for run, decay in enumerate(DECAYS):
            share = 1 - 0.1 * decay if SHAPES[name] else 1.0
            assert torch.allclose(value[run], weights[name][run] * share, rtol=1e-14, atol=0)


def test_what_no_loss_of_a_run_reaches_is_left_alone_as_torch_leaves_it():
    weights = start()
    idle = torch.tensor([False, True, False, True])
    optimiser = StackedAdamW(weights, torch.full((RUNS,), 0.1).double(), {"weight": idle})
    sum((value * 0).sum() for value in optimiser.weights.values()).backward()
    optimiser.step(torch.full((RUNS,), 0.1).double(), torch.ones(RUNS, dtype=torch.bool))
    for run in range(RUNS):
        left = torch.equal(optimiser.weights["weight"][run], weights["weight"][run])
        assert left == bool(idle[run])
        assert not torch.equal(optimiser.weights["bias"][run], weights["bias"][run])


def test_a_state_put_into_another_row_goes_on_to_the_bit():
    whole = stacked(start())
    for step in range(20):
        advance(whole, step)
    other = stacked(start())
    other.matrix.fill_(3.0)
    for run in range(RUNS):
        other.load(run, whole.state(run), int(whole.steps[run]))
    for step in range(20, STEPS):
        advance(whole, step)
        advance(other, step)
    for part in ("matrix", "first", "second", "steps"):
        assert torch.equal(getattr(other, part), getattr(whole, part))


def test_what_a_state_lacks_begins_at_zero():
    optimiser = stacked(start())
    advance(optimiser, 7)
    state = optimiser.state(0)
    del state["exp_avg"]["bias"]
    optimiser.load(0, state, 1)
    assert float(optimiser.state(0)["exp_avg"]["bias"].abs().max()) == 0
    assert float(optimiser.state(0)["exp_avg"]["weight"].abs().min()) > 0


def test_weights_are_views_of_the_matrix_and_states_are_copies():
    weights = start()
    optimiser = stacked(weights)
    optimiser.matrix.zero_()
    assert all(float(value.detach().abs().max()) == 0 for value in optimiser.weights.values())
    assert float(weights["weight"].abs().max()) > 0
    optimiser.state(0)["weight"]["bias"].fill_(1.0)
    assert float(optimiser.matrix.abs().max()) == 0
    assert {name: tuple(v.shape[1:]) for name, v in optimiser.weights.items()} == SHAPES
