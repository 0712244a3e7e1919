"""`pacl export`: a trained run, or weights, as a file that runs without torch."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pacl.atomic_write import check_not_input
from pacl.cli.export_beats import export_beats
from pacl.cli.messages import say
from pacl.cli.options import InputPath, Output
from pacl.errors import PaclError

if TYPE_CHECKING:
    from pacl.cli.export_source import ExportSource
    from pacl.export import Weights

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
    is its network for complete recordings.

    Runs and weights of windows. ONNX: input `rr` (window, beat), scaled as in training; outputs
    `probability` of AF, `logit` and `pooled`. If ONNX Runtime and torch do not agree, nothing is
    written.

    C: C99 with no libraries but libm. It takes intervals in ms one by one and decides as `pacl
    detect -`. Only for encoders trained with --encoder.norm batch (or none) and --encoder.view
    relative.

    Parameters
    ----------
    source
        A run of pacl train; weights (.safetensors) or a detector folder of pacl weights; or the
        name of bundled weights.
    output
        The file to write, .onnx or .c.
    int8
        Store the weights of the layers in one byte each: a third or a quarter of the size. In ONNX
        the values between layers also have one byte; their range is measured on windows. Nothing is
        written if the AUROC on these windows falls by more than 0.002.
    windows
        For int8 in ONNX: a window set of pacl prepare. [default: that of the run]
    tolerance
        For .onnx without int8: the largest difference of any output from torch. For outputs above
        1, such as logits, as a share of the output. [default: 1e-5]
    operating_point
        For a detector of beats as C: sensitive finds more short AF, specific has fewer false
        alarms.

    Examples
    --------
    $ pacl export af-beats -o af_beats.c --operating-point specific
    $ pacl export run -o run.onnx
    $ pacl export run -o run-int8.onnx --int8 --windows windows
    """
    if not source:
        raise PaclError("an empty path; give a run, weights, or . for the current folder")
    if output.suffix not in ENDINGS:
        raise PaclError(f"{output}: give a file that ends in .onnx or .c with --output")
    if windows is not None and not (int8 and output.suffix == ".onnx"):
        raise PaclError(f"{output}: --windows is only for .onnx with --int8; leave it out")
    if tolerance is not None and (int8 or output.suffix == ".c"):
        raise PaclError(f"{output}: --tolerance is only for .onnx without --int8; leave it out")
    check_not_input(output, [Path(source), *([windows] if windows else [])], same_ending=False)
    from pacl.detect import find_artifact

    if (detector := find_artifact(source)) is not None:
        if windows is not None or tolerance is not None:
            raise PaclError(f"{source} is a detector of beats: leave out --windows and --tolerance")
        export_beats(detector, output, int8=int8, point=operating_point)
        return
    if operating_point != "balanced":
        raise PaclError(f"{source}: --operating-point is for detectors of beats; leave it out")
    from pacl.cli.export_source import ExportSource

    opened = ExportSource.open(source)
    if output.suffix == ".c":
        _write_c(opened.weights, source, output, int8=int8)
    elif int8:
        _write_int8(opened, windows, output)
    else:
        _write_onnx(opened, output, TOLERANCE if tolerance is None else tolerance)


def _write_c(weights: "Weights", source: str, output: Path, *, int8: bool) -> None:
    from pacl.export import ExportError, write_c

    try:
        written = write_c(weights, output, int8=int8)
    except ExportError as error:
        raise PaclError(f"{source} cannot be written as C: {error}") from error
    say(
        f"{output}: {written.parameters:,} parameters, {written.macs:,} multiply-adds per window, "
        f"{written.flash_bytes:,} bytes of weights, {written.ram_bytes:,} bytes of RAM"
    )


def _write_onnx(source: "ExportSource", output: Path, tolerance: float) -> None:
    from pacl.export import export_onnx

    weights = source.weights
    examples, which = source.examples()
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
        f"{output}: {output.stat().st_size:,} bytes; on {parity.windows} windows ({which}) at most "
        f"{off:.1e} from torch (above 1, as a share)"
    )


def _write_int8(source: "ExportSource", windows: Path | None, output: Path) -> None:
    from pacl.export import export_int8

    found = source.windows(windows)
    if found is None:
        raise PaclError(
            f"{output}: int8 needs windows to measure the range of values; give a set of pacl "
            "prepare with --windows"
        )
    figures = export_int8(source.weights, output, found)
    say(
        f"{output}: {figures.int8_bytes:,} bytes instead of {figures.float_bytes:,}; AUROC "
        f"{figures.int8_auroc:.4f} instead of {figures.float_auroc:.4f}"
    )
