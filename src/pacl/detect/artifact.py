"""A detector as a folder: networks, decoders, calibration, and its training data.

```
af-beats/
  detector.json            everything but the networks; read here
  look-ahead.onnx          a network for complete recordings, in ONNX Runtime
  look-ahead-others.onnx   the mean of more such networks, used where the first is in doubt
  stream.onnx              a network for streams, ten beats at a time
  stream.safetensors       the same, for training or for export as C
  learned-from.bin         fingerprints of the recordings it was trained on
  card.md                  its purpose and its performance
```
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypedDict

import numpy as np

from pacl.adaptation import AdaptationError
from pacl.axes import Array, UInt64
from pacl.detect.decoder import Decoder
from pacl.detect.judge import Mode, OperatingPoint
from pacl.detect.not_judged import DetectError
from pacl.detect.person import PersonPrior
from pacl.detect.quality import AFTER, GROUP
from pacl.file_bytes import FileError, read_file
from pacl.records import digest
from pacl.stored import Between, MisfitError, build, read_json

DETECTOR_FORMAT = "pacl detector 1"
DETECTOR_FILE = "detector.json"
FINGERPRINTS_FILE = "learned-from.bin"
MOST_BYTES = 2**24
LOOK_AHEAD_NETWORK, OTHER_NETWORKS, STREAM_NETWORK = "look-ahead", "look-ahead-others", "stream"
"""File names of the networks, without their endings."""


@dataclass(frozen=True, slots=True)
class LearnedFrom:
    """A cohort that a detector was trained on: source, licence and size."""

    cohort: str
    source: str
    licence: str
    records: int
    patients: int


@dataclass(frozen=True)
class Artifact:
    """The content of `detector.json`.

    Parameters
    ----------
    decoders
        For each mode and operating point, the rule that turns logits into decisions.
    measured
        For each mode and operating point, the performance on cohorts left out in training.
    needed_beats
        Plausible beats in a row that are needed for a decision.
    networks, doubt
        Number of networks for complete recordings, and the distance from 0 below which a logit of
        the first is in doubt.
    """

    folder: Path
    name: str
    decoders: Mapping[Mode, Mapping[OperatingPoint, Decoder]]
    measured: Mapping[str, Any]
    needed_beats: int
    networks: int
    doubt: float
    learned_from: tuple[LearnedFrom, ...]
    priors: Mapping[Mode, PersonPrior] = field(default_factory=dict)
    """For each mode, how people differ; empty in older folders."""

    @classmethod
    def read(cls, folder: Path) -> "Artifact":
        """Read a folder that `pacl weights` wrote; the networks are not loaded."""
        path = folder / DETECTOR_FILE
        stated = read_json(path, _Stated, no_detector, written_as=DETECTOR_FORMAT)
        networks = [LOOK_AHEAD_NETWORK, STREAM_NETWORK]
        networks += [OTHER_NETWORKS] if stated["networks"] > 1 else []
        for needed in [*(f"{one}.onnx" for one in networks), FINGERPRINTS_FILE]:
            if not (folder / needed).is_file():
                raise no_detector(folder / needed, "there is no such file")
        try:
            decoders = {
                mode: {point: build(Decoder, one) for point, one in points.items()}
                for mode, points in stated["decoders"].items()
            }
            learned_from = tuple(build(LearnedFrom, one) for one in stated["learned_from"])
            return cls(
                folder=folder,
                name=stated["name"],
                decoders=decoders,
                measured=stated["measured"],
                needed_beats=stated["needed_beats"],
                networks=stated["networks"],
                doubt=stated["doubt"],
                learned_from=learned_from,
                priors={
                    mode: build(PersonPrior, one) for mode, one in stated.get("priors", {}).items()
                },
            )
        except (MisfitError, DetectError, AdaptationError) as error:
            raise no_detector(path, str(error)) from error

    def fingerprints(self) -> UInt64[Array, "print"]:
        """Fingerprints of the beats that the detector was trained on."""
        path = self.folder / FINGERPRINTS_FILE
        try:
            content = read_file(path, MOST_BYTES)
        except FileError as error:
            raise no_detector(path, error.what) from error
        if len(content) % 8:
            raise no_detector(path, f"{len(content):,} bytes; fingerprints have 8 bytes each")
        return np.frombuffer(content, "<u8").astype(np.uint64)

    @cached_property
    def networks_digest(self) -> str:
        """SHA-256 of all networks: a profile of a person belongs to them."""
        names = [LOOK_AHEAD_NETWORK, STREAM_NETWORK]
        names += [OTHER_NETWORKS] if self.networks > 1 else []
        return digest((one, (self.folder / f"{one}.onnx").read_bytes()) for one in names)

    def prior(self, mode: Mode) -> PersonPrior:
        """How people differ, for learning one person."""
        try:
            return self.priors[mode]
        except KeyError as error:
            raise DetectError(
                f"{self.folder / DETECTOR_FILE}: these weights cannot learn a person; use "
                "af-beats, or make them again with pacl weights"
            ) from error

    def decoder(self, mode: Mode, point: OperatingPoint) -> Decoder:
        """The rule that turns logits into decisions."""
        try:
            return self.decoders[mode][point]
        except KeyError as error:
            raise DetectError(
                f"{self.folder / DETECTOR_FILE}: no operating point {point!r} for {mode}; expected "
                f"one of {', '.join(self.decoders.get(mode, {}))}"
            ) from error


class _Stated(TypedDict):
    """The content of the file."""

    name: str
    decoders: dict[str, dict[str, dict[str, Any]]]
    measured: dict[str, Any]
    needed_beats: Annotated[int, Between(GROUP + 1, GROUP + AFTER)]
    networks: Annotated[int, Between(1, 100)]
    doubt: Annotated[float, Between(0, 1000)]
    learned_from: list[dict[str, Any]]
    priors: NotRequired[dict[str, dict[str, Any]]]


def no_detector(path: Path, what: str) -> DetectError:
    """The error for a file that is not part of a detector."""
    return DetectError(f"{path}: no detector ({what}); give a folder that pacl weights wrote")
