"""Weights in one file: encoder, probe, calibration, and what they are (safetensors)."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import torch

from pacl.evaluation import EvaluationError, Probe
from pacl.evaluation.platt import Platt
from pacl.export.errors import ExportError
from pacl.export.scorer import Scorer
from pacl.export.steady import NEVER, Steady
from pacl.models import Encoder, ModelError
from pacl.whole import write_whole

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
    >>> weights = Weights.read("af-rr200.safetensors")  # doctest: +SKIP
    >>> weights.scorer()(torch.full((1, 200), 800.0)).probability  # doctest: +SKIP
    """

    name: str
    encoder: Encoder
    probe: Probe
    platt: Platt
    window_beats: int
    about: Mapping[str, str]
    steady: Steady = NEVER

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
        write_whole(path, save(tensors, {"pacl": json.dumps(stated, sort_keys=True)}))

    @classmethod
    def read(cls, path: Path | str) -> "Weights":
        """Read what `write` wrote."""
        from safetensors import SafetensorError, safe_open

        path = Path(path)
        try:
            with safe_open(path, "pt") as file:
                stated = json.loads((file.metadata() or {}).get("pacl", "{}"))
                if not isinstance(stated, dict) or stated.get("format") != FORMAT:
                    came = stated.get("format") if isinstance(stated, dict) else stated
                    raise ValueError(f"format {came!r}, expected {FORMAT!r}")
                encoder = Encoder(**stated["encoder"], generator=torch.Generator())
                names = file.keys()
                encoder.load_state_dict({name: file.get_tensor(name) for name in names})
            found = cls(
                name=str(stated["name"]),
                encoder=encoder.eval(),
                probe=Probe.from_dict(stated["probe"]),
                platt=Platt(**stated["platt"]),
                window_beats=int(stated["window_beats"]),
                about=dict(stated["about"]),
                steady=Steady(**stated["steady"]),
            )
            if found.window_beats < 1:
                raise ValueError(f"windows of {found.window_beats} beats")
            found.scorer()  # refuses what does not fit together
        except (
            SafetensorError,
            OSError,
            RuntimeError,
            KeyError,
            TypeError,
            ValueError,
            ModelError,
            EvaluationError,
            ExportError,
        ) as error:
            raise ExportError(
                f"{path}: no weights ({error}); give a file that pacl weights wrote"
            ) from error
        return found
