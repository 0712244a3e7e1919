"""All numbers of an evaluation, and `evaluation.json`, which holds them (3, App. C)."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pacl.evaluation.classes import named_classes
from pacl.evaluation.errors import EvaluationError, evaluate_again
from pacl.evaluation.former import in_this_form
from pacl.evaluation.geometry import Geometry
from pacl.evaluation.metrics import Detection
from pacl.evaluation.uniformity import SphereSpread
from pacl.stored import MisfitError, fitted, read_json


@dataclass(frozen=True, slots=True)
class Evaluation:
    """How well classes are detected, and how z-hat (`pooled`) and e-hat (`projected`) lie."""

    class_names: tuple[str, ...]
    detection: Detection
    pooled: Geometry
    projected: Geometry
    pooled_spread: SphereSpread
    projected_spread: SphereSpread

    def to_json(self) -> str:
        """All of it; what has no value is null."""
        return json.dumps(asdict(self), indent=1, allow_nan=False) + "\n"


def read_evaluation(folder: Path) -> Evaluation:
    """The numbers of an evaluation as they were written, by this or an earlier version."""
    path = folder / "evaluation.json"
    stated = read_json(path, dict[str, Any], evaluate_again)
    try:
        found: Evaluation = fitted(Evaluation, in_this_form(stated))
    except MisfitError as error:
        raise evaluate_again(path, str(error)) from error
    return found


def read_class_names(folder: Path) -> tuple[str, ...]:
    """The names of the classes of an evaluation."""
    path = folder / "evaluation.json"
    stated = read_json(path, dict[str, Any], evaluate_again)
    try:
        names: tuple[str, ...] = fitted(tuple[str, ...], in_this_form(stated)["class_names"])
        return named_classes(len(names), names)
    except (MisfitError, EvaluationError) as error:
        raise evaluate_again(path, str(error)) from error
