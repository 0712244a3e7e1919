"""Predictions: the score of each window, and all numbers that follow (3, App. C).

An evaluation of a run is a folder:

```
test/
    predictions.parquet   one row per window, as in the window set, and the probability of AF
    pooled.npy            z-hat of each row
    projected.npy         e-hat of each row
    evaluation.json       what was measured; can be measured again from the files above
```
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from pacl.axes import Array, Bool, Float64, Int64
from pacl.evaluation.auroc_pairs import AurocPairs, count_pairs
from pacl.evaluation.calibration import Platt
from pacl.evaluation.embed import FILES, EmbeddingSet
from pacl.evaluation.errors import EvaluationError, evaluate_again
from pacl.evaluation.geometry import Geometry, measure_geometry
from pacl.evaluation.metrics import Detection, measure_detection
from pacl.evaluation.probe import Probe
from pacl.evaluation.uniformity import SphereSpread, measure_spread
from pacl.rr import RRWindowTable
from pacl.stored import MisfitError, fitted, read_json, read_table
from pacl.windows import Names

Scale = Literal["probability", "logit"]
ROWS = ("labels", "score", "subject", "models", "seconds", "pure", "row")
"""Fields with one value per window."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """How well AF is detected, and how embeddings lie: z-hat (`pooled`), e-hat (`projected`)."""

    detection: Detection
    pooled: Geometry
    projected: Geometry
    pooled_spread: SphereSpread
    projected_spread: SphereSpread

    def to_json(self) -> str:
        """All of it; what has no value is null."""
        return json.dumps(asdict(self), indent=1, allow_nan=False) + "\n"


@dataclass(frozen=True, eq=False, slots=True)
class Predictions:
    """One value per window.

    Parameters
    ----------
    labels
        1 for AF, 0 for its absence.
    score
        The probability of AF or its logit, by `scale`.
    subject
        Whose window it is.
    models
        Number of the model that gave the score; scores of several models have no common scale.
    seconds
        The time a window stands for. Windows overlap, so this is less than its duration.
    pure
        Whether all its beats are in one rhythm: no bigeminy and the like.
    row
        Its row in the window set.
    embedded
        Embeddings of the windows.
    """

    labels: Int64[Array, "window"]
    score: Float64[Array, "window"]
    subject: Names
    scale: Scale = "probability"
    models: Int64[Array, "window"] | None = None
    seconds: Float64[Array, "window"] | None = None
    pure: Bool[Array, "window"] | None = None
    row: Int64[Array, "window"] | None = None
    embedded: EmbeddingSet | None = None

    def __len__(self) -> int:
        return int(self.labels.size)

    @classmethod
    def by_probe(cls, probe: Probe, embeddings: EmbeddingSet) -> "Predictions":
        """Probabilities that a probe gives to embeddings."""
        return cls.embedded_with(probe.probability(embeddings.pooled), embeddings)

    @classmethod
    def embedded_with(
        cls, probability: Float64[Array, "window"], embeddings: EmbeddingSet
    ) -> "Predictions":
        """Probabilities beside the embeddings they belong to."""
        return cls(embeddings.labels, probability, embeddings.table.subject, embedded=embeddings)

    @classmethod
    def concat(cls, parts: Sequence["Predictions"]) -> "Predictions":
        """Several folds, one after the other; optional columns that all of them have are kept."""
        names = parts[0].subject.names
        if any(part.subject.names != names for part in parts):
            names = tuple(sorted({name for part in parts for name in part.subject.names}))
        found: dict[str, Any] = {"subject": _subjects(parts, names), "scale": parts[0].scale}
        for column in (name for name in ROWS if name != "subject"):
            values = [getattr(part, column) for part in parts]
            if all(value is not None for value in values):
                found[column] = np.concatenate(values)
        return cls(**found, embedded=parts[0].embedded if len(parts) == 1 else None)

    def by_name(self) -> "Predictions":
        """Subjects numbered in the order of their names; names without windows left out."""
        return replace(self, subject=_subjects([self], self.subject.present()))

    def select(self, rows: Array) -> "Predictions":
        """Some of the windows, by mask or by number, without embeddings."""
        kept: dict[str, Any] = {name: getattr(self, name) for name in ROWS}
        kept = {name: value if value is None else value[rows] for name, value in kept.items()}
        return Predictions(**kept, scale=self.scale)

    def in_order(self) -> "Predictions":
        """In the order of the rows of the window set, where these are known."""
        return self if self.row is None else self.select(np.argsort(self.row, kind="stable"))

    def calibrated(self, platt: Platt) -> "Predictions":
        """The same with calibrated logits."""
        return replace(self, score=platt.logit(self.logit))

    @property
    def logit(self) -> Float64[Array, "window"]:
        """Logit of AF; refuses predictions that were given as probabilities."""
        if self.scale != "logit":
            raise EvaluationError("predictions hold probabilities; logits were expected")
        return self.score

    @property
    def probability(self) -> Float64[Array, "window"]:
        """Probability of AF."""
        if self.scale == "probability":
            return self.score
        found: Float64[Array, "window"] = 0.5 * (1.0 + np.tanh(0.5 * self.score))
        return found

    @property
    def subjects(self) -> Int64[Array, "window"]:
        """Number of each window's subject."""
        return self.subject.codes.astype(np.int64)

    @property
    def names(self) -> tuple[str, ...]:
        """Name of each subject by number."""
        return self.subject.names

    @property
    def pairs(self) -> AurocPairs:
        """Pairs of windows that one model scored, counted by subject."""
        return count_pairs(self.labels, self.score, self.subjects, self.names, self.models)

    @property
    def embeddings(self) -> EmbeddingSet:
        """Embeddings; refuses predictions without them."""
        if self.embedded is None:
            raise EvaluationError("these predictions have no embeddings")
        return self.embedded

    def measure(self) -> Evaluation:
        """Measure everything; deterministic."""
        codes, names = self.subject.codes, self.subject.names
        found: dict[str, Any] = {}
        for space in FILES:
            embedded = getattr(self.embeddings, space)
            found[space] = measure_geometry(embedded, self.labels, codes, names)
            found[f"{space}_spread"] = measure_spread(
                embedded, self.labels, codes, np.random.default_rng(0), names
            )
        detection = measure_detection(self.labels, self.probability, codes, names)
        return Evaluation(detection=detection, **found)

    def write(self, folder: Path) -> Evaluation:
        """Measure, and write everything into an existing, empty folder."""
        measured = self.measure()
        self.embeddings.table.write(folder / "predictions.parquet", probability=self.probability)
        self.embeddings.write(folder)
        (folder / "evaluation.json").write_text(measured.to_json(), "utf-8")
        return measured

    @classmethod
    def read(cls, folder: Path) -> "Predictions":
        """Read what `write` wrote."""
        path = folder / "predictions.parquet"
        table = RRWindowTable.read(path, refuse=evaluate_again)
        found = read_table(path, {"probability": np.float64}, evaluate_again, rows=len(table))
        probability = found["probability"].to_numpy()
        if not table.valid or not np.all((probability >= 0) & (probability <= 1)):
            raise evaluate_again(path, "labels or probabilities out of range")
        return cls.embedded_with(probability, EmbeddingSet.read(folder, table))


def _subjects(parts: Sequence[Predictions], names: tuple[str, ...]) -> Names:
    """Subjects of several parts, numbered by their place in `names`."""
    at = {name: code for code, name in enumerate(names)}
    codes = [
        np.array([at.get(name, -1) for name in part.subject.names], np.int32)[part.subject.codes]
        for part in parts
    ]
    return Names(np.concatenate(codes), names)


def read_evaluation(folder: Path) -> Evaluation:
    """The numbers of an evaluation as they were written."""
    path = folder / "evaluation.json"
    stated = read_json(path, dict[str, Any], evaluate_again)
    try:
        found: Evaluation = fitted(Evaluation, _renamed(stated))
    except MisfitError as error:
        raise evaluate_again(path, str(error)) from error
    return found


def _renamed(stated: Any) -> Any:
    """What an earlier version wrote, with the keys of this one."""
    if isinstance(stated, dict):
        return {key.replace("patient", "subject"): _renamed(value) for key, value in stated.items()}
    return [_renamed(value) for value in stated] if isinstance(stated, list) else stated
