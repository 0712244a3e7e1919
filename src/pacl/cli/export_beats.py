"""`pacl export af-beats -o af.c`: a detector of beats as C, or its ONNX network."""

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from pacl.atomic_write import atomic_write
from pacl.axes import Array, Float32
from pacl.cli.messages import say
from pacl.detect import LOOK_AHEAD_NETWORK, STREAM_NETWORK, Artifact, OperatingPoint
from pacl.errors import PaclError
from pacl.file_bytes import read_file

PATIENTS = 6
MOST_BYTES = 2**28


def export_beats(artifact: Artifact, output: Path, *, int8: bool, point: OperatingPoint) -> None:
    """Write the stream's network and decoder as C, or the network for recordings as ONNX."""
    if point not in get_args(OperatingPoint):
        raise PaclError(
            f"operating point {point!r}; expected {', '.join(get_args(OperatingPoint))}"
        )
    if output.suffix == ".onnx":
        if int8:
            raise PaclError(f"{output}: --int8 of a detector of beats is only for .c; leave it out")
        content = read_file(artifact.folder / f"{LOOK_AHEAD_NETWORK}.onnx", MOST_BYTES)
        atomic_write(output, content)
        say(f"{output}: {len(content):,} bytes; inputs rr_ms and present, output logits")
        return
    from pacl.af.networks import read_beat_network
    from pacl.export.beats import write_beats_c

    written = write_beats_c(
        read_beat_network(artifact.folder / f"{STREAM_NETWORK}.safetensors"),
        output,
        decoder=artifact.decoder("causal", point),
        name=artifact.name,
        about={one.cohort: f"{one.source}, {one.licence}" for one in artifact.learned_from},
        int8=int8,
        examples=list(_examples()) if int8 else (),
    )
    say(
        f"{output}: {written.parameters:,} parameters, {written.macs:,} multiply-adds per beat, "
        f"{written.flash_bytes:,} bytes of weights, {written.ram_bytes:,} bytes of RAM"
    )


def _examples() -> Iterator[Float32[Array, "_"]]:
    """Simulated patients, to measure the range of values."""
    import numpy as np

    from pacl.records.simulate import Population, draw_patients, simulate_patient

    population = Population()
    for patient in draw_patients(PATIENTS, seed=0, population=population):
        simulated = next(iter(simulate_patient(patient, population)))
        record = simulated.record
        for start, stop in record.stretches():
            yield record.rr_ms[start:stop].astype(np.float32)
