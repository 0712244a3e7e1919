"""Predictions: the score of each window, and all numbers that follow (3, App. C).

An evaluation of a run is a folder:

```
test/
    predictions.parquet   one row per window, as in the window set, and its probability: that of
                          the second of two classes, else one of each class (probability_0, ...)
    pooled.npy            z-hat of each row
    projected.npy         e-hat of each row
    evaluation.json       names of classes, and what was measured from the files above
```
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from pacl.axes import Array, Bool, Float64, Int64
from pacl.evaluation.auroc_pairs import AurocPairs, count_pairs
from pacl.evaluation.class_pairs import MacroPairs, count_class_pairs
from pacl.evaluation.classes import named_classes, of_two
from pacl.evaluation.embed import FILES, EmbeddingSet
from pacl.evaluation.errors import EvaluationError, evaluate_again
from pacl.evaluation.geometry import measure_geometry
from pacl.evaluation.measured import Evaluation, read_class_names
from pacl.evaluation.metrics import Detection, measure_detection
from pacl.evaluation.platt import Platt
from pacl.evaluation.probe import Probe, probability_of
from pacl.evaluation.rows import StoredRows
from pacl.evaluation.uniformity import measure_spread
from pacl.stored import read_table
from pacl.windows import Names

Scale = Literal["probability", "logit"]
ROWS = ("labels", "score", "subject", "models", "seconds", "pure", "row")
"""Fields with one value per window."""
PROBABILITY = "probability"


@dataclass(frozen=True, eq=False, slots=True)
class Predictions:
    """One value per window.

    Parameters
    ----------
    labels
        Number of each window's class.
    score
        The probability or its logit, by `scale`: of the second of two classes, or one for each of
        more than two.
    subject
        Whose window it is.
    models
        Number of the model that gave the score; scores of several models have no common scale.
    seconds
        The time a window stands for. Windows overlap, so this is less than its duration.
    pure
        Whether it is of one kind throughout.
    row
        Its row in the window set.
    embedded
        Embeddings of the windows.
    class_names
        Name of each class; its number by default.
    """

    labels: Int64[Array, "window"]
    score: Float64[Array, "window *class"]
    subject: Names
    scale: Scale = "probability"
    models: Int64[Array, "window"] | None = None
    seconds: Float64[Array, "window"] | None = None
    pure: Bool[Array, "window"] | None = None
    row: Int64[Array, "window"] | None = None
    embedded: EmbeddingSet | None = None
    class_names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.class_names is not None:
            named_classes(self.classes, self.class_names)

    def __len__(self) -> int:
        return int(self.labels.size)

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return 2 if self.score.ndim == 1 else int(self.score.shape[1])

    @classmethod
    def by_probe(cls, probe: Probe, embeddings: EmbeddingSet) -> "Predictions":
        """Probabilities that a probe gives to embeddings."""
        return cls.embedded_with(probe.probability(embeddings.pooled), embeddings)

    @classmethod
    def embedded_with(
        cls, probability: Float64[Array, "window *class"], embeddings: EmbeddingSet
    ) -> "Predictions":
        """Probabilities beside the embeddings they belong to."""
        return cls(
            embeddings.labels,
            of_two(probability),
            embeddings.table.subject,
            embedded=embeddings,
            class_names=embeddings.class_names,
        )

    @classmethod
    def concat(cls, parts: Sequence["Predictions"]) -> "Predictions":
        """Several folds, one after the other; optional columns that all of them have are kept."""
        names = parts[0].subject.names
        if any(part.subject.names != names for part in parts):
            names = tuple(sorted({name for part in parts for name in part.subject.names}))
        first = parts[0]
        found: dict[str, Any] = {"subject": _subjects(parts, names), "scale": first.scale}
        found["class_names"] = first.class_names
        if other := [part for part in parts if part.class_names != first.class_names]:
            raise EvaluationError(
                f"predictions of the classes {first.class_names} and of {other[0].class_names}; "
                "join those of the same classes"
            )
        for column in (name for name in ROWS if name != "subject"):
            values = [getattr(part, column) for part in parts]
            if all(value is not None for value in values):
                found[column] = np.concatenate(values)
        return cls(**found, embedded=first.embedded if len(parts) == 1 else None)

    def by_name(self) -> "Predictions":
        """Subjects numbered in the order of their names; names without windows left out."""
        return replace(self, subject=_subjects([self], self.subject.present()))

    def select(self, rows: Array) -> "Predictions":
        """Some of the windows, by mask or by number, without embeddings."""
        kept: dict[str, Any] = {name: getattr(self, name) for name in ROWS}
        kept = {name: value if value is None else value[rows] for name, value in kept.items()}
        return Predictions(**kept, scale=self.scale, class_names=self.class_names)

    def in_order(self) -> "Predictions":
        """In the order of the rows of the window set, where these are known."""
        return self if self.row is None else self.select(np.argsort(self.row, kind="stable"))

    def calibrated(self, platt: Platt) -> "Predictions":
        """The same with calibrated logits."""
        self._of_two()
        return replace(self, score=platt.logit(self.logit))

    @property
    def logit(self) -> Float64[Array, "window *class"]:
        """Logit of the second of two classes, else of each class; refuses probabilities."""
        if self.scale != "logit":
            raise EvaluationError("predictions hold probabilities; logits were expected")
        return self.score

    @property
    def probability(self) -> Float64[Array, "window *class"]:
        """Probability of the second of two classes, else of each class."""
        if self.scale == "probability":
            return self.score
        if self.score.ndim == 2:
            return probability_of(self.score)
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
        """Pairs of windows of two classes that one model scored, counted by subject."""
        return count_pairs(self.labels, self._of_two(), self.subjects, self.names, self.models)

    @property
    def class_pairs(self) -> AurocPairs | MacroPairs:
        """The same for any number of classes."""
        score = self.score if self.score.ndim == 1 else self.probability
        return count_class_pairs(
            self.labels, score, self.subjects, self.names, self.models, self.class_names
        )

    def _of_two(self) -> Float64[Array, "window"]:
        if self.score.ndim != 1:
            raise EvaluationError(f"predictions of {self.classes} classes, expected two")
        return self.score

    @property
    def embeddings(self) -> EmbeddingSet:
        """Embeddings; refuses predictions without them."""
        if self.embedded is None:
            raise EvaluationError("these predictions have no embeddings")
        return self.embedded

    def measure(self) -> Evaluation:
        """Measure everything; deterministic."""
        codes, names = self.subject.codes, self.subject.names
        known = named_classes(self.classes, self.class_names)
        found: dict[str, Any] = {}
        for space in FILES:
            embedded = getattr(self.embeddings, space)
            found[space] = measure_geometry(embedded, self.labels, codes, names, class_names=known)
            found[f"{space}_spread"] = measure_spread(
                embedded,
                self.labels,
                codes,
                np.random.default_rng(0),
                names,
                class_names=known,
            )
        return Evaluation(class_names=known, detection=self.detected(), **found)

    def detected(self) -> Detection:
        """How well classes are detected, without the embeddings."""
        return measure_detection(
            self.labels,
            self.probability,
            self.subject.codes,
            self.subject.names,
            class_names=self.class_names,
        )

    def write(self, folder: Path) -> Evaluation:
        """Measure, and write everything into an existing, empty folder."""
        measured = self.measure()
        found = self.probability
        columns = {PROBABILITY: found}
        if found.ndim == 2:
            columns = {f"{PROBABILITY}_{at}": found[:, at] for at in range(self.classes)}
        self.embeddings.table.write(folder / "predictions.parquet", **columns)
        self.embeddings.write(folder)
        (folder / "evaluation.json").write_text(measured.to_json(), "utf-8")
        return measured

    @classmethod
    def read(cls, folder: Path) -> "Predictions":
        """Read what `write` wrote, also what earlier versions did."""
        path = folder / "predictions.parquet"
        names = read_class_names(folder)
        count = len(names)
        columns = [PROBABILITY] if count == 2 else [f"{PROBABILITY}_{at}" for at in range(count)]
        table = StoredRows.read(path, beside=[PROBABILITY])
        found = read_table(path, dict.fromkeys(columns, np.float64), evaluate_again)
        each = [found[name].to_numpy() for name in columns]
        probability = each[0] if count == 2 else np.stack(each, axis=1)
        if (table.labels >= count).any() or not np.all((probability >= 0) & (probability <= 1)):
            raise evaluate_again(path, "labels or probabilities out of range")
        return cls.embedded_with(probability, EmbeddingSet.read(folder, table, names))


def _subjects(parts: Sequence[Predictions], names: tuple[str, ...]) -> Names:
    """Subjects of several parts, numbered by their place in `names`."""
    at = {name: code for code, name in enumerate(names)}
    codes = [
        np.array([at.get(name, -1) for name in part.subject.names], np.int32)[part.subject.codes]
        for part in parts
    ]
    return Names(np.concatenate(codes), names)
