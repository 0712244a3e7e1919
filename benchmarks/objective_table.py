"""What a step of the contrastive loss costs: as tables for people, and as JSON for the plot."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import torch


@dataclass(frozen=True)
class Cost:
    """A step of one kind: milliseconds, and MiB beyond what was there before, if it is known."""

    kind: str
    windows: int
    patients: int
    ms: float
    mib: float | None


def table(
    costs: Sequence[Cost], unit: str, kinds: Mapping[str, str], ours: str, digits: int = 0
) -> str:
    """A row a batch; a column a kind in `unit` (ms or mib), then how many times more than ours."""
    kinds = {kind: kinds[kind] for kind in kinds if kind in {cost.kind for cost in costs}}
    peers = [kind for kind in ("dense", "compiled", "peer") if kind in kinds]
    shown = {"ms": "ms", "mib": "MiB"}[unit]
    head = ["windows", "patients", *(f"{name}, {shown}" for name in kinds.values())]
    head += [f"{kinds[kind]} / {kinds[ours]}" for kind in peers]
    rows = [head, ["--:"] * len(head)]
    for windows, patients in dict.fromkeys((cost.windows, cost.patients) for cost in costs):
        found = {
            cost.kind: getattr(cost, unit)
            for cost in costs
            if (cost.windows, cost.patients) == (windows, patients)
        }
        row = [f"{windows:,}", f"{patients}"]
        row += [_number(found.get(kind), digits) for kind in kinds]
        rows.append(row + [_ratio(found.get(kind), found.get(ours)) for kind in peers])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _number(value: float | None, digits: int) -> str:
    if value is None:
        return ""
    return f"{value:,.{digits if value >= 10 else digits + 1}f}"


def _ratio(more: float | None, less: float | None) -> str:
    if not more or not less:
        return ""
    return f"{more / less:,.{0 if more >= 100 * less else 1 if more >= less else 2}f}x"


def write(path: Path, device: str, costs: Sequence[Cost]) -> None:
    """As JSON, which `objective_plot.py` reads."""
    found = {"device": device, "torch": torch.__version__, "costs": [asdict(one) for one in costs]}
    path.write_text(json.dumps(found, indent=1))
