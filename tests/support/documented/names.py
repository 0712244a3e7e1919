"""What the Python blocks of a page take as given, and what takes the place of costly work."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from pacl.settings import Plan
from support import small_runs


def names_of(page: str) -> dict[str, Any]:
    """The names that the first block of a page finds."""
    return {"__name__": "__main__", **GIVEN.get(page, dict)()}


def shorten_training(patched: pytest.MonkeyPatch) -> None:
    """Let blocks that train do so with small networks, for one epoch, on this machine."""
    from pacl.studies import systems, tuning

    tune, compare = tuning.tune, systems.compare_on_signals

    def short_plan(**given: Any) -> Plan:
        return replace(small_runs.plan(epochs=1), **given)

    def short_search(*given: Any, **named: Any) -> Any:
        return tune(*given, **named | {"trials": 2, "device": "cpu"})

    def parsed(*given: Any, **named: Any) -> None:
        inspect.signature(compare).bind(*given, **named)

    patched.setattr("pacl.studies.Plan", short_plan)
    patched.setattr(tuning, "tune", short_search)
    patched.setattr(systems, "compare_on_signals", parsed)


def _of_the_readme() -> dict[str, Any]:
    random = np.random.default_rng(0)
    people = np.repeat(np.arange(5), 8)
    embedded = torch.nn.functional.normalize(torch.randn(16, 8)).requires_grad_()
    return {
        "X": random.normal(size=(people.size, 1, 16)).astype(np.float32),
        "y": np.tile([0, 1], people.size // 2),
        "people": people,
        "embedded": embedded,
        "labels": torch.arange(16) % 2,
        "subjects": torch.arange(16) // 4,
    }


GIVEN: dict[str, Callable[[], dict[str, Any]]] = {"README.md": _of_the_readme}
"""Names by page; a page that can make its own needs none."""
