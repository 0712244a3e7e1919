"""What every system of `pacl systems` promises."""

from functools import cached_property
from typing import Any, get_args

import numpy as np
import torch

from pacl.registry import Entry
from pacl.settings import SYSTEMS, ComparisonSettings
from pacl.systems import Fitted, Learn, Reads, System, as_read
from pacl.testing.contract import check, check_entry, entry_of, require
from pacl.windows import WindowSet

CPU = torch.device("cpu")
SMALL = {
    "sampler": {"subjects": 3, "windows": 4},
    "encoder": {"name": "residual", "width": 8, "blocks": [1]},
    "train": {"lr": 3e-3, "epochs": 2, "keep": "last"},
}
"""Settings of a comparison in which a fit takes a moment."""


class SystemContract:
    """Subclass it, and say how to `make` your system; `windows` are of four subjects or more."""

    settings = ComparisonSettings.from_dict(SMALL)

    def make(self) -> System:
        """The system."""
        raise NotImplementedError

    @cached_property
    def windows(self) -> WindowSet:
        """Three classes that differ in their amplitude, of six subjects."""
        random = np.random.default_rng(0)
        label, subject = np.tile(np.repeat([0, 1, 2], 12), 6), np.repeat(np.arange(6), 36)
        x = random.normal(size=(len(label), 4, 32)) * (1 + 2 * label)[:, None, None]
        names = ("low", "middle", "high")
        return WindowSet.from_arrays(x, label, subject, class_names=names)

    def fit(self) -> tuple[Fitted, WindowSet]:
        """A fitted system, and windows of subjects whom it has not seen, as it reads them."""
        system = self.make()
        read = as_read(self.windows, system.reads, self.settings.input)
        new = read.table.subject.codes >= 4
        learn = Learn(read.select(~new), None, self.settings, 1, CPU)
        return system.fit(learn), read.select(new)

    def test_it_says_what_it_is(self) -> None:
        """A title, and what it reads."""
        system = self.make()
        require(isinstance(system, System), f"{type(system).__name__}: a System")
        require(system.title, "a title")
        require(
            system.reads in get_args(Reads), f"reads {system.reads!r}: one of {get_args(Reads)}"
        )

    def test_every_window_of_a_stranger_has_a_probability_of_each_class(self) -> None:
        """Which does not depend on the windows beside it."""
        fitted, unseen = self.fit()
        require(isinstance(fitted, Fitted), f"{type(fitted).__name__}: Fitted")
        found = fitted.probability(unseen)
        shape = (len(unseen), len(unseen.class_names))
        require(found.shape == shape, f"probabilities of shape {shape}, not {found.shape}")
        fine = np.isfinite(found).all() and found.min() >= 0
        require(fine and np.allclose(found.sum(axis=1), 1, atol=1e-5), "that sum up to 1")
        some = np.array([5, 2, 9])
        alone = fitted.probability(unseen.select(some))
        require(np.allclose(alone, found[some], atol=1e-4), "the same for windows by themselves")

    def test_the_same_seed_gives_the_same(self) -> None:
        """On a CPU."""
        (one, unseen), (other, _) = self.fit(), self.fit()
        same = np.array_equal(one.probability(unseen), other.probability(unseen))
        require(same, "the same probabilities of two fits")

    def test_embeddings_are_of_unit_length_or_there_are_none(self) -> None:
        """One for each window."""
        fitted, unseen = self.fit()
        found = fitted.embed(unseen)
        if found is not None:
            require(len(found) == len(unseen), "one for each window")
            require(np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-3), "of unit length")


def check_system(which: str | Entry[Any]) -> None:
    """Check a system, by its name or its entry."""
    entry = entry_of(SYSTEMS, which)
    check_entry(entry)

    class Checked(SystemContract):
        def make(self) -> System:
            made: System = entry.make()
            return made

    Checked.__name__ = f"system {entry.name}"
    check(Checked())
