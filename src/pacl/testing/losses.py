"""What every loss promises."""

from typing import Any, get_args

import torch
from torch import Tensor
from torch.nn.functional import normalize

from pacl.objectives import Objective, Reads
from pacl.registry import Entry
from pacl.settings import LOSSES
from pacl.testing.contract import check, check_entry, entry_of, require

SUBJECTS, EACH, FEATURES, STEPS = 4, 4, 16, 30


class LossContract:
    """Subclass it, and say how to `make` yours.

    A batch has `classes` classes of four subjects, four windows of each.
    """

    classes = 2

    def make(self, seed: int = 0) -> Objective:
        """The loss, for embeddings of 16 features."""
        raise NotImplementedError

    def batch(self, seed: int = 0) -> tuple[Tensor, Tensor, Tensor]:
        """Embeddings on the unit sphere, labels and subjects."""
        windows = SUBJECTS * self.classes * EACH
        drawn = torch.randn(windows, FEATURES, generator=torch.Generator().manual_seed(seed))
        at = torch.arange(windows)
        return normalize(drawn, dim=1), at // EACH % self.classes, at // (EACH * self.classes)

    def test_it_is_an_objective(self) -> None:
        """And says which embedding it reads."""
        made = self.make()
        require(isinstance(made, Objective), f"{type(made).__name__}: a subclass of Objective")
        require(made.reads in get_args(Reads), f"reads {made.reads!r}: one of {get_args(Reads)}")

    def test_a_batch_has_one_finite_loss_and_gradients(self) -> None:
        """For the embeddings, and for its own parameters."""
        loss, (embedded, labels, subjects) = self.make(), self.batch()
        embedded.requires_grad_()
        value = loss(embedded, labels, subjects)
        require(value.shape == () and value.isfinite(), f"a finite scalar, not {value}")
        torch.autograd.backward(value)
        require(embedded.grad is not None, "the embeddings have a gradient")
        assert embedded.grad is not None  # noqa: S101 - for the type checker
        require(embedded.grad.isfinite().all(), "gradients of the embeddings are finite")
        require(embedded.grad.abs().sum() > 0, "gradients of the embeddings are not all 0")
        for name, parameter in loss.named_parameters():
            if parameter.requires_grad and parameter.grad is not None:
                require(parameter.grad.isfinite().all(), f"the gradient of {name} is finite")

    def test_the_order_of_windows_and_the_numbers_of_subjects_do_not_matter(self) -> None:
        """Subjects are only compared."""
        embedded, labels, subjects = self.batch()
        order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(1))
        found = [
            self.make()(embedded, labels, subjects),
            self.make()(embedded[order], labels[order], subjects[order]),
            self.make()(embedded, labels, 7 * subjects + 3),
        ]
        same = all(torch.allclose(found[0], one, rtol=1e-4, atol=1e-5) for one in found[1:])
        require(same, f"equal losses, not {[float(one.detach()) for one in found]}")

    def test_it_can_be_learned_from(self) -> None:
        """The loss falls as embeddings follow its gradient."""
        loss, (embedded, labels, subjects) = self.make(), self.batch()
        free = embedded.clone().requires_grad_()
        values = []
        for _ in range(STEPS):
            value = loss(normalize(free, dim=1), labels, subjects)
            (gradient,) = torch.autograd.grad(value, free)
            with torch.no_grad():
                free -= gradient / gradient.norm().clamp_min(1e-12)
            values.append(float(value.detach()))
        require(min(values[1:]) < values[0], f"a falling loss, not {values[0]} to {values[-1]}")

    def test_the_seed_decides_its_weights(self) -> None:
        """And torch's own random numbers are left alone."""
        before = torch.get_rng_state()
        one, same = self.make(3).state_dict(), self.make(3).state_dict()
        require(torch.equal(torch.get_rng_state(), before), "torch's own generator is not used")
        equal = all(torch.equal(one[name], same[name]) for name in one)
        require(equal, "the same seed, the same weights")

    def test_what_it_reports_is_numbers(self) -> None:
        """After a step, and on any device."""
        loss = self.make()
        loss.after_step()
        numbers = all(isinstance(value, float) for value in loss.report().values())
        require(numbers, f"report gives floats, not {loss.report()}")
        moved = all(parameter.is_meta for parameter in self.make().to("meta").parameters())
        require(moved, "all parameters move to another device")


def check_loss(which: str | Entry[Any], *, classes: int = 2, settings: Any = None) -> None:
    """Check a loss, by its name or its entry.

    Examples
    --------
    >>> check_loss("supcon")
    """
    entry = entry_of(LOSSES, which)
    check_entry(entry)

    class Checked(LossContract):
        def make(self, seed: int = 0) -> Objective:
            generator = torch.Generator().manual_seed(seed)
            made: Objective = entry.make(
                settings,
                projected_features=FEATURES,
                pooled_features=FEATURES,
                classes=classes,
                generator=generator,
            )
            return made

    Checked.classes = classes
    Checked.__name__ = f"loss {entry.name}"
    check(Checked())
