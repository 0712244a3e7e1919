"""Settings by their dotted keys: put into a plan and a cut, and taken out again."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from pacl.studies.plan import Plan
from pacl.windows import Cut

WINDOW = "window."


def apply_settings(plan: Plan, cut: Cut, settings: Mapping[str, Any]) -> tuple[Plan, Cut]:
    """A plan and a cut with other values in some places."""
    stated = plan.to_dict()
    for key, value in settings.items():
        if not key.startswith(WINDOW):
            part, name = key.split(".")
            stated[part][name] = value
    of_cut = {k.removeprefix(WINDOW): v for k, v in settings.items() if k.startswith(WINDOW)}
    return Plan.from_dict(stated), replace(cut, **of_cut)


def flat_settings(plan: Plan, cut: Cut) -> dict[str, Any]:
    """Every setting of both by its dotted key."""
    stated = {**plan.to_dict(), "window": asdict(cut)}
    found: dict[str, Any] = {}
    for part, value in stated.items():
        inner = value if isinstance(value, dict) else None
        found |= {part: value} if inner is None else {f"{part}.{k}": v for k, v in inner.items()}
    return found
