"""Weights in one safetensors file: encoder, probe, calibration and metadata."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, TypedDict

from pacl.evaluation import EvaluationError, Platt, Probe
from pacl.export.errors import ExportError
from pacl.export.regularity_ceiling import NEVER, RegularityCeiling
from pacl.export.scorer import Scorer
from pacl.models import Encoder, ModelError, papers_encoder, stored_encoder
from pacl.stored import Between, MisfitError, fitted, read_tensors, write_tensors

FORMAT = "pacl weights 1"


@dataclass(frozen=True, eq=False, slots=True)
class Weights:
    """From windows to probabilities of AF: encoder, probe, calibration.

    `steady` is a ceiling for very regular windows; `about` are further facts as plain text: data,
    licence, version.

    Examples
    --------
    >>> import torch
    >>> from pacl.detect import bundled_file
    >>> weights = Weights.read(bundled_file("af-rr200", "safetensors"))
    >>> weights.scorer()(torch.full((1, 200), 800.0)).probability
    tensor([0.0007])
    """

    name: str
    encoder: Encoder
    probe: Probe
    platt: Platt
    window_beats: int
    about: Mapping[str, str]
    steady: RegularityCeiling = NEVER

    def scorer(self) -> Scorer:
        """All parts as one network."""
        return Scorer(
            self.encoder,
            self.probe,
            slope=self.platt.slope,
            intercept=self.platt.intercept,
            steady=self.steady,
        )

    def write(self, path: Path) -> None:
        """Write the file atomically; the same weights give the same bytes."""
        stated = {
            "format": FORMAT,
            "name": self.name,
            "encoder": self.encoder.config,
            "probe": self.probe.to_dict(),
            "platt": asdict(self.platt),
            "window_beats": self.window_beats,
            "steady": asdict(self.steady),
            "about": dict(self.about),
        }
        write_tensors(path, self.encoder.state_dict(), stated)

    @classmethod
    def read(cls, path: Path | str) -> "Weights":
        """Read what `write` wrote."""
        path = Path(path)
        stated, tensors = read_tensors(path, _Stated, _no_weights, written_as=FORMAT)
        try:
            found = cls(
                name=stated["name"],
                encoder=papers_encoder(stored_encoder(stated["encoder"], tensors)),
                probe=Probe.from_dict(stated["probe"]),
                platt=fitted(Platt, stated["platt"]),
                window_beats=stated["window_beats"],
                about=stated["about"],
                steady=fitted(RegularityCeiling, stated["steady"]),
            )
            found.scorer()  # raises an error if the parts do not fit together
        except (MisfitError, ModelError, EvaluationError, ExportError) as error:
            raise _no_weights(path, str(error)) from error
        return found


class _Stated(TypedDict):
    """Metadata of a file of weights."""

    name: str
    encoder: dict[str, Any]
    probe: dict[str, Any]
    platt: dict[str, float]
    window_beats: Annotated[int, Between(1, 10**6)]
    about: dict[str, str]
    steady: dict[str, float]


def _no_weights(path: Path, what: str) -> ExportError:
    return ExportError(f"{path}: no weights ({what}); give a file that pacl weights wrote")
