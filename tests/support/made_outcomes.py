"""Outcomes of runs that were never trained: numbers as a test wants them, in real run folders."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np

from pacl.evaluation import Evaluation, Predictions
from pacl.studies import Plan, RunFolder
from pacl.studies.folder import EVALUATION_FILES, FORMAT
from pacl.studies.outcomes import Outcome, Outcomes
from pacl.windows import Names

KEYS = {
    "detection.auroc": 0.9,
    "detection.auroc_subject_mean": 0.91,
    "detection.auroc_worst_tenth": 0.7,
    "detection.accuracy": 0.9,
    **{f"detection.classes.{at}.{key}": 0.9 for at in (0, 1) for key in ("precision", "f1")},
    "detection.classes.0.recall": 0.88,
    "detection.classes.1.recall": 0.93,
    "detection.classes.0.windows": 1200,
    "detection.classes.1.windows": 1300,
}
SPACE = {
    "centroid_similarity": -0.25,
    "centroid_distance": 1.1,
    "compactness": 1.5,
    "subject_compactness": 2.5,
    **{
        f"classes.{at}.{key}": 0.8
        for at in (0, 1)
        for key in ("cohesion", "global_cohesion", "subject_spread")
    },
}
Values = Mapping[str, float | None]


def measured(values: Values) -> dict[str, Any]:
    """An evaluation with some numbers changed, by dotted key."""
    flat: dict[str, float | None] = dict(KEYS)
    for space in ("pooled", "projected"):
        flat |= {f"{space}.{key}": value for key, value in SPACE.items()}
        flat |= {f"{space}_spread.classes.{at}.spread_ratio": 1.5 for at in (0, 1)}
    found: dict[str, Any] = {"class_names": ["SR", "AF"]}
    for key, value in (flat | dict(values)).items():
        *path, last = key.split(".")
        inner: Any = found
        for part in path:
            inner = inner[int(part)] if part.isdigit() else inner.setdefault(part, _empty(part))
        inner[last] = value
    for row in found["pooled"].get("per_subject", ()):
        for key in ("cohesion", "spread"):
            row[key] = [row.pop(f"{rhythm}_{key}", None) for rhythm in ("sr", "af")]
    completed: dict[str, Any] = _completed(Evaluation, found)
    return completed


def _empty(part: str) -> Any:
    return [{}, {}] if part == "classes" else {}


def _completed(kind: Any, value: Any) -> Any:
    """What an evaluation states, with some number or text wherever it states nothing."""
    if is_dataclass(kind):
        stated = value or {}
        hints = get_type_hints(kind)
        return stated | {
            name: stated[name]
            if name in stated and not is_dataclass(one) and get_origin(one) is not tuple
            else _completed(one, stated.get(name))
            for name, one in hints.items()
        }
    if get_origin(kind) is tuple and not is_dataclass(get_args(kind)[0]):
        return list(value or ())
    if get_origin(kind) is tuple:
        return [_completed(get_args(kind)[0], row) for row in value or ()]
    plain = (get_args(kind) or (kind,))[0]
    return {float: 0.5, int: 1, str: "made", bool: True}[plain]


def predicted(labels: Any, probability: Any, who: Any, names: Sequence[str]) -> Predictions:
    """Probabilities of windows, by the number of each one's patient."""
    subject = Names(np.asarray(who, np.int32), tuple(names))
    return Predictions(labels, probability, subject, class_names=("SR", "AF"))


def made_run(
    path: Path, loss: str, seed: int, values: Values, *, collapsed: bool = False
) -> RunFolder:
    """A run folder with two epochs, the second of which was kept."""
    (path / "test").mkdir(parents=True)
    plan = Plan(loss=loss, seed=seed).to_dict()
    (path / "config.json").write_text(json.dumps({"format": FORMAT, "plan": plan}))
    for name in EVALUATION_FILES:
        (path / "test" / name).write_bytes(b"")
    (path / "test" / "evaluation.json").write_text(json.dumps(measured(values)))
    epoch = {"loss": 1.0, "lr": 0.1, "windows": 8, "seconds": 1.0, "score_seconds": 1.0}
    spread = 1e-9 if collapsed else 0.5
    epochs = [
        {**epoch, "epoch": at, "score": 0.9 + at / 100, "best": at == 2}
        | {"pooled_spread": spread, "projected_spread": spread, "extra": {}}
        for at in (1, 2, 3)
    ]
    (path / "metrics.jsonl").write_text("".join(json.dumps(one) + "\n" for one in epochs))
    return RunFolder.open(path)


def made_outcomes(
    folder: Path,
    values: Mapping[str, Sequence[Values]],
    *,
    collapsed: Sequence[tuple[str, int]] = (),
    title: str = "made patients",
) -> Outcomes:
    """Outcomes by loss, a mapping of changed numbers for each seed (1, 2, ...)."""
    each = []
    for loss, seeds in values.items():
        for seed, changed in enumerate(seeds, start=1):
            lost = (loss, seed) in collapsed
            run = made_run(folder / f"{loss}-{seed}", loss, seed, changed, collapsed=lost)
            each.append(Outcome(loss, seed, (run,), "test"))
    return Outcomes(title, "test", tuple(each))
