"""Where a run comes from: its windows, and the machine it ran on."""

import hashlib
import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal, TypedDict

import numpy as np
import torch

import pacl
from pacl.axes import Array, UInt64
from pacl.rr import CLASS_NAMES, RRWindowSet
from pacl.studies.errors import RunError
from pacl.window_sets import AnyWindowSet, prints_of
from pacl.window_sets import open_windows as open_set
from pacl.windows import WindowSetError

LEARNED = ("train", "validation")
PACKAGES = ("torch", "numpy", "scikit-learn", "scipy")


class OriginRecord(TypedDict):
    """A recording of a window set, its subject, and the digest of its source, if known."""

    record: str
    patient: str
    part: str
    digest: str


@dataclass(frozen=True, slots=True)
class WindowsOrigin:
    """The window set of a run: its digest and its recordings."""

    path: str
    digest: str
    window_beats: int
    allowed: tuple[str, ...]
    records: tuple[OriginRecord, ...]
    channels: int = 1
    class_names: tuple[str, ...] = CLASS_NAMES
    """Windows of earlier versions are of one channel and of these classes."""

    @classmethod
    def of(cls, path: Path, windows: AnyWindowSet) -> "WindowsOrigin":
        """Describe a window set."""
        table = windows.table
        digests = {
            entry["record"]: entry.get("digest", "")
            for entry in windows.manifest.get("records", [])
        }
        columns = (table.record.to_list(), table.subject.to_list(), table.split.to_list())
        return cls(
            path=str(path.resolve()),
            digest=_digest(windows.manifest),
            window_beats=windows.length,
            allowed=tuple(windows.manifest["allowed"]),
            channels=windows.channels,
            class_names=windows.class_names,
            records=tuple(
                {
                    "record": record,
                    "patient": subject,
                    "part": part,
                    "digest": digests.get(record, ""),
                }
                for record, subject, part in sorted(set(zip(*columns, strict=True)))
            ),
        )

    def open(self) -> AnyWindowSet:
        """Open the same window set again; refuses another in its place."""
        path = Path(self.path)
        windows = open_set(path)
        if WindowsOrigin.of(path, windows).digest != self.digest:
            raise WindowSetError(
                path,
                "not the window set of the run: its files differ",
                "name the windows to use with --windows",
            )
        return windows

    def recognised(self, other: "WindowsOrigin", key: Literal["digest", "patient"]) -> set[str]:
        """Records of another set that share the source, or the patient, of a training record."""
        learned = {entry[key] for entry in self.records if entry["part"] in LEARNED} - {""}
        return {entry["record"] for entry in other.records if entry[key] in learned}


def check_scaling(view: str, windows: AnyWindowSet, path: Path) -> None:
    """Refuse windows in ms for an encoder that takes scaled ones, and the other way round."""
    in_ms = isinstance(windows, RRWindowSet) and windows.in_ms
    if view == "relative" and not in_ms:
        raise RunError(
            path,
            "its windows are scaled, but an encoder with the view relative needs them in ms",
            "prepare them with --protocol all-beats",
        )
    if view != "relative" and in_ms:
        raise RunError(
            path,
            f"its windows are in ms, but an encoder with the view {view} needs them scaled",
            "train with --encoder.view relative, or prepare them with another --protocol",
        )


def seen_beats(*parts: AnyWindowSet) -> UInt64[Array, "print"]:
    """Fingerprints of the beats, or of other samples, of windows."""
    prints = [found for part in parts for found in prints_of(part).values()]
    return np.unique(np.concatenate([np.empty(0, np.uint64), *prints]))


def _digest(manifest: Mapping[str, Any]) -> str:
    """Of the content of a window set."""
    held = {key: manifest.get(key) for key in ("window_beats", "files", "scaled")}
    return hashlib.sha256(json.dumps(held, sort_keys=True).encode()).hexdigest()


def open_windows(path: Path) -> tuple[AnyWindowSet, WindowsOrigin]:
    """Open a window set and describe it."""
    windows = open_set(path)
    return windows, WindowsOrigin.of(path, windows)


def open_rr_windows(path: Path) -> tuple[RRWindowSet, WindowsOrigin]:
    """The same of windows of RR intervals; refuses windows of another signal."""
    windows = RRWindowSet.open(path)
    return windows, WindowsOrigin.of(path, windows)


def digest_of(*parts: RRWindowSet, times: bool = False) -> str:
    """SHA-256 over the content of windows; with `times` also over their times and recordings."""
    digest = hashlib.sha256()
    for part in parts:
        table = part.table
        columns = (table.rhythm, table.start, table.centre_ms, table.scale_ms, part.rr_ms)
        when = (table.record.codes, table.onset_s) if times else ()
        for column in (table.patient.codes, *columns, *when):
            digest.update(np.ascontiguousarray(column).data)
        digest.update(repr((part.window_beats, table.patient.names)).encode())
    return digest.hexdigest()


def environment(device: torch.device) -> dict[str, Any]:
    """Versions, and what the run computes on."""
    found: dict[str, Any] = {"pacl": pacl.__version__, "python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = None
    on = torch.cuda.get_device_name(device) if device.type == "cuda" else platform.machine()
    return found | {
        "platform": platform.platform(),
        "device": str(device),
        "device_name": on,
        "threads": torch.get_num_threads(),
    }


def as_json(value: Any) -> bytes:
    """Readable JSON."""
    return (json.dumps(value, indent=1, allow_nan=False) + "\n").encode()
