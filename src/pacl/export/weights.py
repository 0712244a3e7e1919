"""Weights in one file: encoder, probe, calibration, and what they are (safetensors)."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, TypedDict

from pacl.atomic_write import atomic_write
from pacl.evaluation import EvaluationError, Probe
from pacl.evaluation.calibration import Platt
from pacl.export.errors import ExportError
from pacl.export.regularity_ceiling import NEVER, RegularityCeiling
from pacl.export.scorer import Scorer
from pacl.models import Encoder, ModelError
from pacl.models.stored import stored_encoder
from pacl.stored import Between, MisfitError, fitted, read_tensors

FORMAT = "pacl weights 1"


@dataclass(frozen=True, eq=False, slots=True)
class Weights:
    """All that turns windows into probabilities of AF.

    Parameters
    ----------
    name
        What they are called.
    encoder, probe, platt
        Windows to embeddings, embeddings to a logit, the logit calibrated.
    window_beats
        Beats of a window.
    steady
        What is said of windows that hardly vary.
    about
        Whatever else is worth knowing, as plain text: data, licence, version.

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
        """One network of it all."""
        return Scorer(
            self.encoder,
            self.probe,
            slope=self.platt.slope,
            intercept=self.platt.intercept,
            steady=self.steady,
        )

    def write(self, path: Path) -> None:
        """Write the file, whole or not at all; the same weights give the same bytes."""
        from safetensors.torch import save

        tensors = {
            name: value.detach().cpu().contiguous()
            for name, value in self.encoder.state_dict().items()
        }
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
        # One entry: safetensors writes several in an order that changes from call to call.
        atomic_write(path, save(tensors, {"pacl": json.dumps(stated, sort_keys=True)}))

    @classmethod
    def read(cls, path: Path | str) -> "Weights":
        """Read what `write` wrote."""
        path = Path(path)
        stated, tensors = read_tensors(path, _Stated, _no_weights, written_as=FORMAT)
        try:
            found = cls(
                name=stated["name"],
                encoder=stored_encoder(stated["encoder"], tensors),
                probe=Probe.from_dict(stated["probe"]),
                platt=fitted(Platt, stated["platt"]),
                window_beats=stated["window_beats"],
                about=stated["about"],
                steady=fitted(RegularityCeiling, stated["steady"]),
            )
            found.scorer()  # refuses what does not fit together
        except (MisfitError, ModelError, EvaluationError, ExportError) as error:
            raise _no_weights(path, str(error)) from error
        return found


class _Stated(TypedDict):
    """What a file of weights says of them."""

    name: str
    encoder: dict[str, Any]
    probe: dict[str, Any]
    platt: dict[str, float]
    window_beats: Annotated[int, Between(1, 10**6)]
    about: dict[str, str]
    steady: dict[str, float]


def _no_weights(path: Path, what: str) -> ExportError:
    return ExportError(f"{path}: no weights ({what}); give a file that pacl weights wrote")
