"""What the first layer sees: as given, bent, or by the window's own mean."""

import math
import sys
import types

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pacl.models import Encoder
from pacl.models.network import GAIN, SHORTEST, seen
from pacl.models.stacked import pool_stacked, stack_weights

SMALL = {"channels": (8, 8, 8), "pooled_features": 8, "projected_features": 8, "groups": 4}
MS = st.floats(1.0, 5000.0)


def draw_ms(*shape, seed=3):
    generator = torch.Generator().manual_seed(seed)
    return 300 + 1000 * torch.rand(shape, generator=generator, dtype=torch.float64)


def encoders(**shape):
    """One for each view, with the same weights."""
    return {
        view: Encoder(
            **SMALL | shape, view=view, generator=torch.Generator().manual_seed(0)
        ).double()
        for view in ("given", "bent", "relative")
    }


def oracle(view, rr_ms):
    """The same by loops in float64."""
    out = np.empty(rr_ms.shape)
    for row, window in enumerate(rr_ms):
        mean_ms = sum(max(float(one), SHORTEST) for one in window) / len(window)
        for beat, one in enumerate(window.tolist()):
            if view == "given":
                out[row, beat] = one
            elif view == "bent":
                out[row, beat] = math.asinh(one)
            else:
                out[row, beat] = math.asinh(GAIN * math.log(max(one, SHORTEST) / mean_ms))
    return out


# ------------------------------------------------------------------------------------- values


def test_given_is_left_as_it_is():
    x = draw_ms(2, 5)
    assert seen("given", x) is x


def test_bent_by_hand():
    # asinh(x) = ln(x + sqrt(x^2 + 1)); of (e - 1/e)/2 it is 1
    x = torch.tensor([[0.0, (math.e - 1 / math.e) / 2, -(math.e - 1 / math.e) / 2, 0.75]])
    expected = torch.tensor([[0.0, 1.0, -1.0, math.log(2.0)]])  # 0.75 + 1.25 = 2
    torch.testing.assert_close(seen("bent", x), expected)


def test_relative_by_hand():
    # the mean is 800: ln(1200/800) = 0.405465, eight times that 3.243721, its asinh 1.892824;
    # ln(400/800) = -0.693147, then -5.545177, then -2.414109
    x = torch.tensor([[800.0, 1200.0, 400.0], [500.0, 500.0, 500.0]])
    expected = torch.tensor([[0.0, 1.892824, -2.414109], [0.0, 0.0, 0.0]])
    torch.testing.assert_close(seen("relative", x), expected, rtol=1e-5, atol=1e-5)


def test_a_beat_13_percent_longer_is_seen_as_about_1():
    far = torch.full((1, 10_000), 800.0, dtype=torch.float64)
    far[0, 0] *= 1.13
    assert seen("relative", far)[0, 0].item() == pytest.approx(0.86, abs=0.01)
    assert GAIN * math.log(1.13) == pytest.approx(1, abs=0.03)


@pytest.mark.parametrize("view", ["given", "bent", "relative"])
@given(
    values=st.lists(
        st.lists(st.floats(-50.0, 5000.0), min_size=4, max_size=4), min_size=1, max_size=3
    )
)
def test_the_oracle(view, values):
    rr_ms = np.array(values)
    found = seen(view, torch.tensor(rr_ms)).numpy()
    np.testing.assert_allclose(found, oracle(view, rr_ms), rtol=1e-9, atol=1e-9)


@given(st.lists(MS, min_size=2, max_size=12), st.floats(1.0, 50.0))
def test_relative_does_not_know_how_fast_a_heart_is(values, factor):
    x = torch.tensor([values], dtype=torch.float64)
    torch.testing.assert_close(seen("relative", factor * x), seen("relative", x))


def test_relative_knows_how_much_beats_differ():
    mean_ms = 800.0
    apart_ms = torch.tensor([-1.0, 1.0, 0.0, 0.0], dtype=torch.float64)
    spreads = [
        seen("relative", mean_ms + by * apart_ms[None]).std().item() for by in (0.0, 20.0, 80.0)
    ]
    assert spreads[0] == 0
    assert spreads[0] < spreads[1] < spreads[2]


def test_relative_is_of_each_window_alone():
    x = draw_ms(5, 40)
    whole = seen("relative", x)
    assert torch.equal(seen("relative", x[2:3]), whole[2:3])
    assert torch.equal(seen("relative", x[:, None]), whole[:, None])  # with a channel
    assert torch.equal(seen("relative", x.expand(2, -1, -1)), whole.expand(2, -1, -1))
    order = torch.randperm(40, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(seen("relative", x[:, order]), whole[:, order])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("short", [0.0, -5.0, 1e-30, 0.999])
def test_intervals_of_nothing_are_taken_for_the_shortest(short, dtype):
    x = torch.tensor([[short, 800.0, 800.0, short], [short] * 4], dtype=dtype, requires_grad=True)
    out = seen("relative", x)
    assert bool(out.isfinite().all())
    same = torch.where(x < SHORTEST, SHORTEST, x)
    assert torch.equal(out, seen("relative", same))
    assert torch.equal(out[1], torch.zeros(4, dtype=dtype))
    out.sum().backward()
    assert bool(x.grad.isfinite().all())


def test_long_pauses_are_drawn_in():
    x = torch.full((1, 50), 800.0)
    x[0, 7] = 1e6
    out = seen("relative", x)
    assert bool(out.isfinite().all())
    assert out.abs().max().item() < 5


# -------------------------------------------------------------------------------- the encoder


@pytest.mark.parametrize("view", ["given", "bent", "relative"])
@pytest.mark.parametrize("norm", ["group", "none"])
def test_an_encoder_sees_what_another_is_given(view, norm):
    made, x = encoders(norm=norm), draw_ms(4, 40)
    assert made[view].config["view"] == view
    expected = made["given"].eval()(seen(view, x))
    for found, value in zip(made[view].eval()(x), expected, strict=True):
        assert torch.equal(found, value)
    if view != "given":
        assert (made[view](x).pooled - made["given"](x).pooled).abs().max() > 1e-3


def test_views_learn_the_same_weights_and_none_of_their_own():
    made = encoders()
    states = [encoder.state_dict() for encoder in made.values()]
    for other in states[1:]:
        assert other.keys() == states[0].keys()
        assert all(torch.equal(other[name], states[0][name]) for name in other)
    assert Encoder(**SMALL).config["view"] == "given"


def test_a_relative_encoder_does_not_know_how_fast_a_heart_is():
    encoder, x = encoders()["relative"].eval(), draw_ms(4, 40)
    torch.testing.assert_close(encoder(1.7 * x).projected, encoder(x).projected)
    assert (encoder(x + 300).projected - encoder(x).projected).abs().max() > 1e-3


def test_masks_are_as_for_windows_given():
    made, x = encoders(dropout=0.3), draw_ms(4, 40)
    masks = made["given"].draw_masks(4, 40, torch.Generator().manual_seed(1))
    expected = made["given"].train()(seen("relative", x), masks).projected
    assert torch.equal(made["relative"].train()(x, masks).projected, expected)


@pytest.mark.parametrize("view", ["given", "bent", "relative"])
def test_kernels_are_given_what_the_encoder_sees_and_only_once(view, monkeypatch):
    """They run on a GPU; here something else stands in for them."""
    x = draw_ms(3, 40)
    encoder = encoders()[view].eval()
    seen_by_kernels = []

    def fused_pool(config, weights, windows):
        seen_by_kernels.append(windows)
        return torch.zeros(1, len(x), 24)

    stub = types.ModuleType("pacl.models.kernels.embed")
    stub.can_fuse, stub.fused_pool = lambda config: True, fused_pool
    monkeypatch.setitem(sys.modules, "pacl.models.kernels.embed", stub)
    from pacl.models.stacked import _attend_fused

    _attend_fused(encoder.config, stack_weights([encoder]), x)
    assert torch.equal(seen_by_kernels[0], seen(view, x)[None])
    assert pool_stacked(encoder.config, stack_weights([encoder]), x).shape == (1, 3, 8)
    assert len(seen_by_kernels) == 1  # not on a CPU
