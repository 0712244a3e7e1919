"""What `pacl export` writes: a run, a file of weights, or bundled weights, with example windows."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pacl.axes import Array, Float32
from pacl.detect import BUNDLED, bundled_file
from pacl.errors import PaclError
from pacl.evaluation import Platt
from pacl.export import Weights
from pacl.models import papers_encoder
from pacl.rr import USUAL_MS, RRWindowSet
from pacl.studies import RunFolder, check_scaling, open_rr_windows

EXAMPLES = 64


@dataclass(frozen=True, eq=False, slots=True)
class ExportSource:
    """Weights, and the run they come from, if any."""

    weights: Weights
    run: RunFolder | None = None

    @classmethod
    def open(cls, source: str) -> "ExportSource":
        """Open a run, a file of weights, or bundled weights by name."""
        path = Path(source)
        if path.is_file():
            return cls(Weights.read(path))
        if not path.exists():
            if source in BUNDLED:
                return cls(Weights.read(bundled_file(source, "safetensors")))
            raise PaclError(
                f"{source}: no such run or file; give a folder of pacl train, a .safetensors file "
                f"of pacl weights, or the name of bundled weights: {', '.join(BUNDLED)}"
            )
        run = RunFolder.open(path)
        encoder, origin = papers_encoder(run.encoder()), run.origin
        weights = Weights(
            name=run.title,
            encoder=encoder,
            probe=run.probe(),
            platt=Platt(),
            window_beats=200 if origin is None else origin.window_beats,
            about={"view": encoder.config["view"]},
        )
        return cls(weights, run)

    def windows(self, path: Path | None) -> RRWindowSet | None:
        """The windows of a path, else those of the run; None where there are neither."""
        if path is not None:
            found, _ = open_rr_windows(path)
            check_scaling(self.weights.encoder.config["view"], found, path)
            return found
        if self.run is None or self.run.origin is None:
            return None
        own = self.run.origin.open()
        if not isinstance(own, RRWindowSet):
            raise PaclError(
                f"{self.run.path}: exports take windows of RR intervals, its are others"
            )
        return own

    def examples(self) -> tuple[Float32[Array, "window beat"], str]:
        """Windows to compare outputs on: those of the run if they still exist, else simulated."""
        try:
            windows = self.windows(None)
        except PaclError:
            windows = None
        if windows is not None:
            rows = np.linspace(0, len(windows) - 1, min(EXAMPLES, len(windows))).astype(np.int64)
            if rows.size >= EXAMPLES:
                return windows.windows(rows), "of the run"
        drawn = np.random.default_rng(0).normal(0, 1, (EXAMPLES, self.weights.window_beats))
        if self.weights.encoder.config["view"] == "relative":
            drawn = USUAL_MS * np.exp(0.15 * drawn)
        return drawn.astype(np.float32), "simulated"
