"""What every rival of `pacl rivals` promises: a system that detects AF."""

from functools import cached_property
from typing import Any, get_args

import numpy as np
import torch

from pacl.registry import Entry
from pacl.rivals import REGISTRY, Fitted, Kind, Learn, System
from pacl.rr import RRWindowSet
from pacl.testing.contract import check, check_entry, entry_of, require

CPU = torch.device("cpu")


class RivalContract:
    """Subclass it, and say what your `system` is, and from which windows it learns.

    `known` and `unseen` are windows in ms, of different patients.
    """

    system: System
    known: RRWindowSet
    unseen: RRWindowSet

    @cached_property
    def fitted(self) -> Fitted:
        """Fitted for two epochs, with its first settings."""
        return self.system.fit(Learn(self.known, 1, 2, CPU), self.system.trials[0])

    def test_it_says_what_it_is(self) -> None:
        """A name, a title, a kind, and several settings to try."""
        system = self.system
        require(isinstance(system, System), f"{type(system).__name__}: a System")
        require(system.name and system.title, "a name and a title")
        require(system.kind in get_args(Kind), f"kind {system.kind!r}: one of {get_args(Kind)}")
        tried = {tuple(sorted(trial.items())) for trial in system.trials}
        require(0 < len(tried) == len(system.trials) <= 8, "one to eight different settings")

    def test_every_window_of_a_stranger_has_a_finite_logit(self) -> None:
        """Which does not depend on the windows beside it."""
        found = self.fitted
        require(isinstance(found, Fitted), f"{type(found).__name__}: Fitted")
        logit = found.logit(self.unseen)
        require(logit.shape == (len(self.unseen),), f"a number for each window, not {logit.shape}")
        finite = logit.dtype == np.float64 and np.isfinite(logit).all()
        require(finite, "finite, in double precision")
        some = np.array([5, 2, 9])
        alone = found.logit(self.unseen.select(some))
        require(np.allclose(alone, logit[some], atol=1e-4), "the same for windows by themselves")

    def test_embeddings_are_of_unit_length_or_there_are_none(self) -> None:
        """One for each window."""
        found = self.fitted.embed(self.unseen)
        if found is not None:
            require(len(found) == len(self.unseen), "one for each window")
            require(np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-3), "of unit length")


def check_rival(which: str | Entry[Any], known: RRWindowSet, unseen: RRWindowSet) -> None:
    """Check a rival, by its name or its entry."""
    entry = entry_of(REGISTRY, which)
    check_entry(entry)

    class Checked(RivalContract):
        system = entry.make()

    Checked.known, Checked.unseen = known, unseen
    Checked.__name__ = f"rival {entry.name}"
    check(Checked())
