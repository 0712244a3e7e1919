"""A detector as a folder: networks, decoders, calibration, and what it learned from.

```
af-beats/
  detector.json            all but the networks: read here
  look-ahead.onnx          a network for whole recordings, in ONNX Runtime
  look-ahead-others.onnx   the mean of others like it, asked where the first is in doubt
  stream.onnx              a network for streams, ten beats at a time
  stream.safetensors       the same, to learn from or to export as C
  learned-from.bin         fingerprints of the recordings it learned from
  card.md                  what it is for, and how well it does
```
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypedDict

import numpy as np

from pacl.axes import Array, UInt64
from pacl.detect.beat_quality import AFTER, GROUP
from pacl.detect.decoder import Decoder
from pacl.detect.errors import DetectError
from pacl.detect.judge import Mode, OperatingPoint
from pacl.file_bytes import FileError, read_file
from pacl.stored import Between, MisfitError, build, read_json

FORMAT = "pacl detector 1"
FILE = "detector.json"
LEARNED = "learned-from.bin"
MOST_BYTES = 2**24
LOOK_AHEAD, OTHERS, STREAM = "look-ahead", "look-ahead-others", "stream"
"""Names of the networks' files, without their endings."""


@dataclass(frozen=True, slots=True)
class LearnedFrom:
    """A cohort that a detector learned from, whose it is, and how large."""

    cohort: str
    source: str
    licence: str
    records: int
    patients: int


@dataclass(frozen=True, slots=True)
class Artifact:
    """What `detector.json` states.

    Parameters
    ----------
    folder, name
        Where it is, and what it is called.
    decoders
        For each mode and operating point, what turns logits into decisions.
    measured
        For each mode and operating point, figures on cohorts that were left out.
    needed_beats
        Plausible beats in a row that it takes to say anything.
    networks, doubt
        How many networks there are for whole recordings, and how far from 0 a logit of the first is
        doubtful.
    learned_from
        The cohorts.
    """

    folder: Path
    name: str
    decoders: Mapping[Mode, Mapping[OperatingPoint, Decoder]]
    measured: Mapping[str, Any]
    needed_beats: int
    networks: int
    doubt: float
    learned_from: tuple[LearnedFrom, ...]

    @classmethod
    def read(cls, folder: Path) -> "Artifact":
        """Read a folder that `pacl weights` wrote; the networks are only looked for."""
        path = folder / FILE
        stated = read_json(path, _Stated, no_detector, written_as=FORMAT)
        networks = [LOOK_AHEAD, STREAM, *([OTHERS] if stated["networks"] > 1 else [])]
        for needed in [*(f"{one}.onnx" for one in networks), LEARNED]:
            if not (folder / needed).is_file():
                raise no_detector(folder / needed, "there is no such file")
        try:
            return cls(
                folder=folder,
                name=stated["name"],
                decoders={
                    mode: {point: build(Decoder, one) for point, one in points.items()}
                    for mode, points in stated["decoders"].items()
                },
                measured=stated["measured"],
                needed_beats=stated["needed_beats"],
                networks=stated["networks"],
                doubt=stated["doubt"],
                learned_from=tuple(build(LearnedFrom, one) for one in stated["learned_from"]),
            )
        except (MisfitError, DetectError) as error:
            raise no_detector(path, str(error)) from error

    def fingerprints(self) -> UInt64[Array, "print"]:
        """Fingerprints of the beats that the detector learned from."""
        path = self.folder / LEARNED
        try:
            content = read_file(path, MOST_BYTES)
        except FileError as error:
            raise no_detector(path, error.what) from error
        if len(content) % 8:
            raise no_detector(path, f"{len(content):,} bytes are no fingerprints of 8 bytes each")
        return np.frombuffer(content, "<u8").astype(np.uint64)

    def decoder(self, mode: Mode, point: OperatingPoint) -> Decoder:
        """What turns logits into decisions."""
        try:
            return self.decoders[mode][point]
        except KeyError as error:
            raise DetectError(
                f"{self.folder / FILE}: no operating point {point!r} for {mode}; there are "
                f"{', '.join(self.decoders.get(mode, {}))}"
            ) from error


class _Stated(TypedDict):
    """What the file holds."""

    name: str
    decoders: dict[str, dict[str, dict[str, Any]]]
    measured: dict[str, Any]
    needed_beats: Annotated[int, Between(GROUP + 1, GROUP + AFTER)]
    networks: Annotated[int, Between(1, 100)]
    doubt: Annotated[float, Between(0, 1000)]
    learned_from: list[dict[str, Any]]


def no_detector(path: Path, what: str) -> DetectError:
    """That a file is no detector."""
    return DetectError(f"{path}: no detector ({what}); give a folder that pacl weights wrote")
