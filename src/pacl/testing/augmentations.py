"""What every augmentation promises."""

from typing import Any

import torch
from torch import Tensor

from pacl.registry import Entry
from pacl.settings import AUGMENTATIONS
from pacl.testing.contract import check, check_entry, entry_of, require
from pacl.training import Augmentation

CPU = torch.device("cpu")


class AugmentationContract:
    """Subclass it, and say how to `make` yours; `channels` and `length` are those of windows."""

    channels = 1
    length = 100

    def make(self) -> Augmentation:
        """One that changes windows."""
        raise NotImplementedError

    def windows(self, count: int, seed: int = 0) -> Tensor:
        """Windows as it takes them: (window, time), or (window, channel, time) if several."""
        shape = (count, self.length) if self.channels == 1 else (count, self.channels, self.length)
        return torch.randn(shape, generator=torch.Generator().manual_seed(seed))

    def draw(self, count: int, seed: int = 1) -> Tensor:
        """The numbers of a batch."""
        generator = torch.Generator().manual_seed(seed)
        return self.make().draw(count, self.length, generator, CPU, self.channels)

    def test_it_is_an_augmentation(self) -> None:
        """With check, draw and put."""
        require(isinstance(self.make(), Augmentation), "check, draw and put")

    def test_windows_keep_their_shape_and_are_finite(self) -> None:
        """And those given stay as they were."""
        x = self.windows(64)
        kept, changed = x.clone(), self.make().put(x, self.draw(64))
        require(changed.shape == x.shape, f"windows of shape {tuple(x.shape)}")
        require(changed.isfinite().all(), "finite windows")
        require(torch.equal(x, kept), "the windows that were given are not changed")
        require(not torch.equal(changed, x), "some windows are changed")

    def test_all_random_numbers_are_drawn_first(self) -> None:
        """From the generator alone, a row for each window."""
        x, before = self.windows(16), torch.get_rng_state()
        drawn = self.draw(16)
        require(drawn.ndim == 2 and len(drawn) == 16, "a row of numbers for each window")
        require(torch.equal(drawn, self.draw(16)), "the same generator, the same numbers")
        same = torch.equal(self.make().put(x, drawn), self.make().put(x, drawn))
        require(same, "the same numbers, the same windows")
        require(torch.equal(torch.get_rng_state(), before), "torch's own generator is not used")

    def test_runs_are_changed_together_as_they_are_alone(self) -> None:
        """With a leading axis for the run."""
        x, drawn = self.windows(6), self.draw(6)
        other, others = self.windows(6, seed=5), self.draw(6, seed=8)
        both = self.make().put(torch.stack([x, other]), torch.stack([drawn, others]))
        for found, one, numbers in zip(both, (x, other), (drawn, others), strict=True):
            alone = self.make().put(one, numbers)
            require(torch.allclose(found, alone, rtol=1e-5, atol=1e-5), "as alone")

    def test_two_of_the_same_settings_are_equal(self) -> None:
        """So that runs that share a program are known to do the same."""
        require(self.make() == self.make(), "equal")


def check_augmentation(
    which: str | Entry[Any], settings: Any, *, channels: int = 1, length: int = 100
) -> None:
    """Check an augmentation with settings that change windows, by its name or its entry."""
    entry = entry_of(AUGMENTATIONS, which)
    check_entry(entry)

    class Checked(AugmentationContract):
        def make(self) -> Augmentation:
            made: Augmentation = entry.make(settings)
            return made

    Checked.channels, Checked.length = channels, length
    Checked.__name__ = f"augmentation {entry.name}"
    check(Checked())
