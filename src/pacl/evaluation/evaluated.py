"""Predictions on windows of unseen patients, and every number that follows from them (3, App. C).

```
test/
    predictions.parquet   one row per window, as in the window set, and the probability of AF
    pooled.npy            z-hat of each row
    projected.npy         e-hat of each row
    evaluation.json       what was measured; can be measured again from the files above
```
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pacl.axes import Array, Float64
from pacl.evaluation.embed import FILES, EmbeddingSet
from pacl.evaluation.errors import evaluate_again
from pacl.evaluation.geometry import Geometry, measure_geometry
from pacl.evaluation.metrics import Detection, measure_detection
from pacl.evaluation.probe import Probe
from pacl.evaluation.uniformity import SphereSpread, measure_spread
from pacl.stored import as_read, read_json, read_table
from pacl.windows import WindowTable


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
class Evaluated:
    """Embeddings of windows and the probability of AF in each."""

    embeddings: EmbeddingSet
    probability: Float64[Array, "window"]

    @classmethod
    def by(cls, probe: Probe, embeddings: EmbeddingSet) -> "Evaluated":
        """Let a probe judge embeddings."""
        return cls(embeddings, probe.probability(embeddings.pooled))

    def measure(self) -> Evaluation:
        """Measure everything; the same every time."""
        found, who = self.embeddings, self.embeddings.table.patient
        geometry = {
            name: measure_geometry(getattr(found, name), found.labels, who.codes, who.names)
            for name in FILES
        }
        spread = {
            name: measure_spread(
                getattr(found, name), found.labels, who.codes, np.random.default_rng(0), who.names
            )
            for name in FILES
        }
        return Evaluation(
            detection=measure_detection(found.labels, self.probability, who.codes, who.names),
            pooled=geometry["pooled"],
            projected=geometry["projected"],
            pooled_spread=spread["pooled"],
            projected_spread=spread["projected"],
        )

    def write(self, folder: Path) -> Evaluation:
        """Measure, and write everything into an existing, empty folder."""
        measured = self.measure()
        self.embeddings.table.write(folder / "predictions.parquet", probability=self.probability)
        self.embeddings.write(folder)
        (folder / "evaluation.json").write_text(measured.to_json(), "utf-8")
        return measured

    @classmethod
    def read(cls, folder: Path) -> "Evaluated":
        """Read what `write` wrote."""
        path = folder / "predictions.parquet"
        table = WindowTable.read(path, refuse=evaluate_again)
        found = read_table(path, {"probability": np.float64}, evaluate_again, rows=len(table))
        probability = found["probability"].to_numpy()
        if not table.valid or not np.all((probability >= 0) & (probability <= 1)):
            raise evaluate_again(path, "labels or probabilities that are none")
        return cls(EmbeddingSet.read(folder, table), probability)


def read_evaluation(folder: Path) -> dict[str, Any]:
    """The numbers of an evaluation as they were written."""
    found: dict[str, Any] = as_read(
        asdict(read_json(folder / "evaluation.json", Evaluation, evaluate_again))
    )
    return found
