"""`pacl export`: a trained run, or weights, as a file that anyone can run without torch."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pacl.atomic_write import check_not_input
from pacl.axes import Array, Float32
from pacl.cli.export_beats import export_beats
from pacl.cli.messages import say
from pacl.cli.options import InputPath, Output
from pacl.detect.artifact import Artifact
from pacl.errors import PaclError

if TYPE_CHECKING:
    from pacl.export import Weights
    from pacl.studies import RunFolder

EXAMPLES = 64
TOLERANCE = 1e-5
ENDINGS = (".onnx", ".c")


def export(
    source: str,
    /,
    *,
    output: Output,
    int8: bool = False,
    windows: InputPath | None = None,
    tolerance: float | None = None,
    operating_point: Literal["sensitive", "balanced", "specific"] = "balanced",
) -> None:
    """Write a detector, a run, or weights, as one file: for ONNX Runtime (.onnx), or as C (.c).

    A detector of beats, such as af-beats: C is its network for streams with its decoder, for
    microcontrollers. It takes intervals in ms one by one and decides each beat 60 beats later. ONNX
    is its network for whole recordings.

    Runs and weights of windows. ONNX: input `rr` (window, beat), as the windows are that it was
    trained on; outputs `probability` of AF, `logit` and `pooled`. ONNX Runtime has to say what
    torch says, or nothing is written.

    C: C99 that needs nothing but its mathematical functions. It takes intervals in ms one by one
    and decides as pacl detect - does. Only for encoders trained with --encoder.norm batch (or none)
    and --encoder.view relative.

    Parameters
    ----------
    source
        A run, as pacl train left it; weights (.safetensors) or a folder of a detector, as pacl
        weights wrote them; or the name of bundled weights.
    output
        The file to write, .onnx or .c.
    int8
        Keep the weights of the layers in a byte each: a third or a quarter of the size. In ONNX so
        is what flows between layers; windows have to show how far that reaches, and nothing is
        written if the AUROC on them falls by more than 0.002.
    windows
        For int8 in ONNX: a window set, as pacl prepare wrote it. [default: the run's own]
    tolerance
        For .onnx without int8: the most that any output may differ from torch's; of an output
        beyond 1, which logits may be, as a share of it. [default: 1e-5]
    operating_point
        For a detector of beats as C: how much it takes to call AF.
    """
    if not source:
        raise PaclError("an empty path; name a run, weights, or . for the current folder")
    if output.suffix not in ENDINGS:
        raise PaclError(f"{output}: name a file ending in .onnx or .c with --output")
    if windows is not None and not (int8 and output.suffix == ".onnx"):
        raise PaclError(f"{output}: --windows is for --int8 in .onnx alone; leave it out")
    if tolerance is not None and (int8 or output.suffix == ".c"):
        raise PaclError(f"{output}: --tolerance is for .onnx without --int8 alone; leave it out")
    check_not_input(output, [Path(source), *([windows] if windows else [])], same_ending=False)
    if (detector := _detector(source)) is not None:
        if windows is not None or tolerance is not None:
            raise PaclError(f"{source} is a detector of beats: leave out --windows and --tolerance")
        export_beats(detector, output, int8=int8, point=operating_point)
        return
    if operating_point != "balanced":
        raise PaclError(f"{source}: --operating-point is for detectors of beats; leave it out")
    weights, run = _opened(source)
    if output.suffix == ".c":
        _write_c(weights, source, output, int8=int8)
    elif int8:
        _write_int8(weights, run, windows, output)
    else:
        _write_onnx(weights, run, output, TOLERANCE if tolerance is None else tolerance)


def _detector(source: str) -> Artifact | None:
    """The detector of beats that was named, if it is one."""
    from pacl.detect.artifact import FILE
    from pacl.detect.bundled import FOLDERS, bundled_folder

    path = bundled_folder(source) if source in FOLDERS else Path(source)
    return Artifact.read(path) if (path / FILE).is_file() else None


def _opened(source: str) -> tuple["Weights", "RunFolder | None"]:
    """What was named, and the run that it is, if it is one."""
    from pacl.detect.bundled import BUNDLED, bundled_file
    from pacl.evaluation.calibration import Platt
    from pacl.export import Weights
    from pacl.studies import RunFolder

    path = Path(source)
    if path.is_file():
        return Weights.read(path), None
    if not path.exists():
        if source in BUNDLED:
            return Weights.read(bundled_file(source, "safetensors")), None
        raise PaclError(
            f"{source}: not a run, nor a file; give a folder of pacl train, a .safetensors file "
            f"of pacl weights, or the name of bundled weights: {', '.join(BUNDLED)}"
        )
    run = RunFolder.open(path)
    encoder, origin = run.encoder(), run.origin
    return (
        Weights(
            name=run.title,
            encoder=encoder,
            probe=run.probe(),
            platt=Platt(),
            window_beats=200 if origin is None else origin.window_beats,
            about={"view": encoder.config["view"]},
        ),
        run,
    )


def _write_c(weights: "Weights", source: str, output: Path, *, int8: bool) -> None:
    from pacl.export import ExportError, write_c

    try:
        told = write_c(weights, output, int8=int8)
    except ExportError as error:
        raise PaclError(f"{source} cannot be written as C: {error}") from error
    say(
        f"{output}: {told.parameters:,} parameters, {told.macs:,} multiply-adds a window, "
        f"{told.flash_bytes:,} bytes of weights, {told.ram_bytes:,} bytes of RAM"
    )


def _write_onnx(
    weights: "Weights", run: "RunFolder | None", output: Path, tolerance: float
) -> None:
    from pacl.export import export_onnx

    examples, which = _examples(weights, run)
    parity = export_onnx(
        weights.scorer(),
        output,
        window_beats=weights.window_beats,
        about={"name": weights.name, **weights.about},
        examples=examples,
        tolerance=tolerance,
    )
    off = max(parity.probability, parity.logit, parity.pooled)
    say(
        f"{output}: {output.stat().st_size:,} bytes; on {parity.windows} {which} windows at most "
        f"{off:.1e} from torch (beyond 1, as a share)"
    )


def _write_int8(
    weights: "Weights", run: "RunFolder | None", windows: Path | None, output: Path
) -> None:
    from pacl.export import export_int8
    from pacl.studies.provenance import check_scaling, open_windows

    if windows is not None:
        found = open_windows(windows)[0]
        check_scaling(weights.encoder.config["view"], found, windows)
    elif run is not None and run.origin is not None:
        found = run.origin.open()
    else:
        raise PaclError(
            f"{output}: int8 needs windows to see how far values reach; name a set of pacl prepare "
            "with --windows"
        )
    figures = export_int8(weights, output, found)
    say(
        f"{output}: {figures.int8_bytes:,} bytes instead of {figures.float_bytes:,}; AUROC "
        f"{figures.int8_auroc:.4f} instead of {figures.float_auroc:.4f}"
    )


def _examples(
    weights: "Weights", run: "RunFolder | None"
) -> tuple[Float32[Array, "window beat"], str]:
    """Windows to compare on: the run's own where they are still there, else made-up ones."""
    import numpy as np

    origin = None if run is None else run.origin
    try:
        windows = None if origin is None else origin.open()
    except PaclError:
        windows = None
    if windows is not None:
        rows = np.linspace(0, len(windows) - 1, min(EXAMPLES, len(windows))).astype(np.int64)
        if rows.size >= EXAMPLES:
            return windows.windows(rows), "of its own"
    drawn = np.random.default_rng(0).normal(0, 1, (EXAMPLES, weights.window_beats))
    if weights.encoder.config["view"] == "relative":
        drawn = 800 * np.exp(0.15 * drawn)
    return drawn.astype(np.float32), "made-up"
