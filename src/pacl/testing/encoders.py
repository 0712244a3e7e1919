"""What every encoder promises."""

import json
from typing import Any

import torch
from torch import Tensor

from pacl.errors import PaclError
from pacl.models import Network, make_encoder, stored_encoder
from pacl.registry import Entry
from pacl.settings import ENCODERS
from pacl.testing.contract import check, check_entry, entry_of, require

RTOL, ATOL = 1e-3, 1e-4


class EncoderContract:
    """Subclass it, and say how to `make` yours.

    `channels` and `length` are those of the windows; `unlearned` are parameters that may have no
    gradient.
    """

    channels = 1
    length = 200
    unlearned: tuple[str, ...] = ()

    def make(self, seed: int = 0) -> Network:
        """The encoder, with weights from a seed."""
        raise NotImplementedError

    def windows(self, count: int, seed: int = 0) -> Tensor:
        """Windows as it takes them: (window, channel, time)."""
        generator = torch.Generator().manual_seed(seed)
        return torch.randn(count, self.channels, self.length, generator=generator)

    def test_shapes_and_unit_length(self) -> None:
        """Of z and e, in training and in evaluation."""
        for training in (True, False):
            network = self.make().train(training)
            out = network(self.windows(3))
            lengths = [network.config[f"{name}_features"] for name in ("pooled", "projected")]
            shapes = [tuple(one.shape) for one in out]
            require(shapes == [(3, one) for one in lengths * 2], f"shapes {lengths}, not {shapes}")
            for raw, unit in ((out.pooled_raw, out.pooled), (out.projected_raw, out.projected)):
                of_one = torch.allclose(unit.norm(dim=1), torch.ones(3), atol=1e-5)
                require(of_one, "pooled and projected are of unit length")
                same = torch.allclose(raw / raw.norm(dim=1, keepdim=True), unit, atol=1e-5)
                require(same, "and have the direction of what they are before that")

    def test_one_channel_needs_no_axis(self) -> None:
        """Windows of one channel may be (window, time)."""
        if self.channels == 1:
            network, x = self.make().eval(), self.windows(2)
            require(torch.equal(network(x).pooled, network(x[:, 0]).pooled), "the same embeddings")

    def test_evaluation_is_deterministic(self) -> None:
        """No dropout."""
        network, x = self.make().eval(), self.windows(3)
        require(torch.equal(network(x).projected, network(x).projected), "the same each time")

    def test_a_window_does_not_depend_on_its_neighbours(self) -> None:
        """In evaluation."""
        network, x = self.make().eval(), self.windows(5)
        others = torch.cat([x[:1], self.windows(4, seed=9)])
        found = [network(one).pooled[:1] for one in (x, others, x[:1])]
        alone = all(torch.allclose(found[0], one, rtol=RTOL, atol=ATOL) for one in found[1:])
        require(alone, "a window by itself has the embedding it has among others")

    def test_windows_differ_and_all_of_a_window_is_seen(self) -> None:
        """From its first sample to its last, in each channel."""
        network, x = self.make().eval(), self.windows(1)
        out = network(x).pooled_raw
        for channel in range(self.channels):
            for at in (0, self.length // 2, self.length - 1):
                changed = x.clone()
                changed[0, channel, at] *= 1.5
                far = (network(changed).pooled_raw - out).abs().max()
                require(far > 1e-8, f"sample {at} of channel {channel} changes the embedding")

    def test_masks_that_are_given_are_those_that_are_drawn(self) -> None:
        """Dropout follows the generator, so that a run can be repeated."""
        network, x = self.make().train(), self.windows(4)
        one, same = (
            network.draw_masks(4, self.length, torch.Generator().manual_seed(1)) for _ in range(2)
        )
        before = torch.get_rng_state()
        equal = torch.equal(network(x, one).projected, network(x, same).projected)
        require(equal, "the same masks, the same embeddings")
        require(torch.equal(torch.get_rng_state(), before), "torch's own generator is not used")

    def test_the_generator_decides_the_first_weights(self) -> None:
        """And torch's own random numbers are left alone."""
        before = torch.get_rng_state()
        one, same, other = (self.make(seed).state_dict() for seed in (1, 1, 2))
        require(torch.equal(torch.get_rng_state(), before), "torch's own generator is not used")
        require(all(torch.equal(one[name], same[name]) for name in one), "same seed, same weights")
        differ = any(not torch.equal(one[name], other[name]) for name in one)
        require(differ, "another seed, other weights")

    def test_every_parameter_learns(self) -> None:
        """Gradients are there, finite and not all 0."""
        network = self.make().train()
        torch.autograd.backward(network(self.windows(8)).projected_raw.pow(2).sum())
        for name, parameter in network.named_parameters():
            require(parameter.grad is not None, f"{name} has a gradient")
            assert parameter.grad is not None  # noqa: S101 - for the type checker
            require(parameter.grad.isfinite().all(), f"the gradient of {name} is finite")
            if name not in self.unlearned:
                require(parameter.grad.abs().sum() > 0, f"the gradient of {name} is not 0")

    def test_constant_and_large_windows_have_finite_embeddings(self) -> None:
        """A lead that is off, or a movement."""
        x = self.windows(2)
        for changed in (torch.zeros_like(x), torch.ones_like(x), 1e4 * x):
            require(all(one.isfinite().all() for one in self.make().eval()(changed)), "finite")


class StoredEncoderContract(EncoderContract):
    """And what an encoder promises that is made by its name."""

    def test_its_config_and_weights_make_it_again(self) -> None:
        """As a run keeps them, in JSON and safetensors."""
        network, x = self.make().eval(), self.windows(2)
        require(json.dumps(network.config), "a config that JSON can hold")
        again = stored_encoder(network.config, network.state_dict())
        require(again.config == network.config, f"config {network.config}, not {again.config}")
        require(torch.equal(again(x).pooled, network(x).pooled), "the same embeddings")

    def test_other_channels_are_refused(self) -> None:
        """With an error that says so."""
        x = self.windows(2)
        try:
            self.make().eval()(torch.cat([x, x], dim=1))
        except PaclError:
            return
        require(False, f"windows of {2 * self.channels} channels are refused")


def check_encoder(
    which: str | Entry[Any],
    *,
    channels: int = 3,
    length: int = 64,
    settings: Any = None,
    unlearned: tuple[str, ...] = (),
) -> None:
    """Check an encoder, by its name or its entry.

    Examples
    --------
    >>> check_encoder("residual", channels=2)
    """
    entry = entry_of(ENCODERS, which)
    check_entry(entry)
    usual = entry.settings() if settings is None else settings

    class Checked(StoredEncoderContract):
        def make(self, seed: int = 0) -> Network:
            generator = torch.Generator().manual_seed(seed)
            return make_encoder(usual, in_channels=channels, generator=generator)

    Checked.channels, Checked.length, Checked.unlearned = channels, length, unlearned
    Checked.__name__ = f"encoder {entry.name}"
    check(Checked())
