"""Writing a detector: its folder holds all that its use needs, and its origin."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from pacl.af.networks import BeatNetwork, write_beat_network
from pacl.atomic_write import atomic_write
from pacl.axes import Array, UInt64
from pacl.detect import (
    DETECTOR_FILE,
    DETECTOR_FORMAT,
    FINGERPRINTS_FILE,
    LOOK_AHEAD_NETWORK,
    OTHER_NETWORKS,
    STREAM_NETWORK,
    Decoder,
    LearnedFrom,
    Mode,
    OperatingPoint,
    PersonPrior,
)
from pacl.export.beats import stream_onnx, whole_onnx
from pacl.rr import beat_prints
from pacl.stored import read_json
from pacl.studies.beats.cohorts import BeatCohort

NEEDED_BEATS = 60
LAG = 30
DOUBT = 1.0
"""Where a logit of the first network is between this and its negative, the others are used too."""
POINTS: dict[OperatingPoint, tuple[float, float]] = {
    "sensitive": (1.0, 5.0),
    "balanced": (0.0, 20.0),
    "specific": (-1.0, 60.0),
}
"""Of each operating point: the shift of the log odds, and the evidence that a run of AF needs."""

PRINTS = 64
"""Most fingerprints per recording."""


@dataclass(frozen=True, eq=False, slots=True)
class Networks:
    """The networks of a detector, and how their logits are calibrated.

    With look-ahead a logit is the mean of several networks with different seeds. A stream has one
    network.
    """

    look_ahead: Sequence[BeatNetwork]
    stream: BeatNetwork
    slopes: Mapping[Mode, float]
    priors: Mapping[Mode, PersonPrior] = field(default_factory=dict)


def decoders_of(slopes: Mapping[Mode, float]) -> dict[Mode, dict[OperatingPoint, Decoder]]:
    """Decoders of each mode and operating point."""
    base = Decoder()
    return {
        mode: {
            point: replace(
                base,
                slope=slope,
                shift=added,
                evidence=evidence,
                lag=LAG if mode == "causal" else None,
            )
            for point, (added, evidence) in POINTS.items()
        }
        for mode, slope in slopes.items()
    }


def write_detector(
    folder: Path,
    name: str,
    networks: Networks,
    learned: Sequence[BeatCohort],
    *,
    measured: Mapping[str, Any] | None = None,
    card: str | None = None,
) -> None:
    """Write a detector; the same one gives the same bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    about = {"name": name}
    first, *others = networks.look_ahead
    atomic_write(folder / f"{LOOK_AHEAD_NETWORK}.onnx", whole_onnx(first, about=about))
    if others:
        atomic_write(folder / f"{OTHER_NETWORKS}.onnx", whole_onnx(*others, about=about))
    atomic_write(folder / f"{STREAM_NETWORK}.onnx", stream_onnx(networks.stream, about=about))
    write_beat_network(networks.stream, folder / f"{STREAM_NETWORK}.safetensors")
    prints = np.unique(np.concatenate([_prints(one) for one in learned]))
    atomic_write(folder / FINGERPRINTS_FILE, prints.astype("<u8").tobytes())
    stated = {
        "format": DETECTOR_FORMAT,
        "name": name,
        "needed_beats": NEEDED_BEATS,
        "networks": len(networks.look_ahead),
        "doubt": DOUBT,
        "decoders": {
            mode: {point: asdict(one) for point, one in points.items()}
            for mode, points in decoders_of(networks.slopes).items()
        },
        "priors": _plain(networks.priors),
        "measured": dict(measured or {}),
        "learned_from": [asdict(learned_from(one)) for one in learned],
    }
    if card is not None:
        atomic_write(folder / "card.md", card.encode())
    atomic_write(folder / DETECTOR_FILE, (json.dumps(stated, indent=1) + "\n").encode())


def add_priors(folder: Path, priors: Mapping[Mode, PersonPrior]) -> None:
    """Add how people differ to a detector, so that it can learn one person."""
    path = folder / DETECTOR_FILE
    stated = {**read_json(path, dict[str, Any]), "priors": _plain(priors)}
    atomic_write(path, (json.dumps(stated, indent=1) + "\n").encode())


def _plain(priors: Mapping[Mode, PersonPrior]) -> dict[str, Any]:
    return {mode: asdict(one) for mode, one in priors.items()}


def learned_from(cohort: BeatCohort) -> LearnedFrom:
    """The description of a cohort."""
    return LearnedFrom(
        cohort.name, cohort.source, cohort.licence, len(cohort.records), cohort.patients
    )


def _prints(cohort: BeatCohort) -> UInt64[Array, "print"]:
    """Fingerprints of a cohort's recordings, the same number of each."""
    found = [np.empty(0, np.uint64)]
    found += [np.sort(beat_prints(one.record.rr_ms))[:PRINTS] for one in cohort.records]
    return np.concatenate(found)
