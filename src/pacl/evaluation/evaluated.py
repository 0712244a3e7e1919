"""Predictions on windows of unseen patients, and every number that follows from them (3, App. C).

```
test/
    predictions.parquet   a row a window, as in the window set, and the probability of AF
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
from pacl.evaluation.errors import EvaluationError
from pacl.evaluation.geometry import Geometry, measure_geometry
from pacl.evaluation.metrics import Detection, measure_detection
from pacl.evaluation.probe import Probe
from pacl.evaluation.uniformity import SphereSpread, measure_spread
from pacl.windows import WindowSetError, WindowTable


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
        import pyarrow as pa
        import pyarrow.parquet as pq

        path = folder / "predictions.parquet"
        try:
            table = WindowTable.read(path)
            column = pq.read_table(path, columns=["probability"]).column("probability")
            probability = column.to_numpy().astype(np.float64)
        except (OSError, KeyError, ValueError, pa.ArrowException, WindowSetError) as error:
            raise EvaluationError(
                f"{path}: no predictions ({error}); evaluate the run again"
            ) from error
        return cls(EmbeddingSet.read(folder, table), probability)


def read_evaluation(folder: Path) -> dict[str, Any]:
    """The numbers of an evaluation as they were written."""
    path = folder / "evaluation.json"
    try:
        found: dict[str, Any] = json.loads(path.read_text("utf-8"))
        found["detection"]["auroc"], found["pooled"]["sr"]["cohesion"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise EvaluationError(f"{path}: no evaluation ({error}); evaluate the run again") from error
    return found
