"""`pacl export`: a trained run as a file that anyone can run without torch."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from pacl.axes import Array, Float32
from pacl.errors import PaclError

if TYPE_CHECKING:
    from pacl.studies import RunFolder

EXAMPLES = 64


def export(
    run: Path,
    /,
    *,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    tolerance: float = 1e-5,
) -> None:
    """Write encoder and probe of a run as one ONNX file.

    Input `rr` (window, beat), as the run's windows are; outputs `probability` of AF, `logit` and
    `pooled`. ONNX Runtime has to say what torch says, or nothing is written. The weights that come
    along, calibrated and for anybody, are made by pacl weights.

    Parameters
    ----------
    run
        A run, as pacl train left it.
    output
        The file to write, .onnx.
    tolerance
        The most that any output may differ from torch's.
    """
    if output is None or output.suffix != ".onnx":
        raise PaclError("name the file to write with --output, ending in .onnx")
    from pacl.export import Scorer, export_onnx
    from pacl.studies import RunFolder

    opened = RunFolder.open(run)
    encoder, probe = opened.encoder(), opened.probe()
    examples, which = _examples(opened)
    parity = export_onnx(
        Scorer(encoder, probe),
        output,
        window_beats=examples.shape[1],
        about={"name": opened.title, "view": encoder.config["view"]},
        examples=examples,
        tolerance=tolerance,
    )
    off = max(parity.probability, parity.logit, parity.pooled)
    print(
        f"{output}: {output.stat().st_size:,} bytes; on {parity.windows} {which} windows at most "
        f"{off:.1e} from torch"
    )


def _examples(run: "RunFolder") -> tuple[Float32[Array, "window beat"], str]:
    """Windows to compare on: the run's own where they are still there, else made-up ones."""
    import numpy as np

    origin = run.origin
    try:
        windows = None if origin is None else origin.open()
    except PaclError:
        windows = None
    if windows is not None:
        rows = np.linspace(0, len(windows) - 1, min(EXAMPLES, len(windows))).astype(np.int64)
        if rows.size >= EXAMPLES:
            return windows.windows(rows), "of its own"
    beats = 200 if origin is None else origin.window_beats
    drawn = np.random.default_rng(0).normal(0, 1, (EXAMPLES, beats))
    if run.encoder().config["view"] == "relative":
        drawn = 800 * np.exp(0.15 * drawn)
    return drawn.astype(np.float32), "made-up"
