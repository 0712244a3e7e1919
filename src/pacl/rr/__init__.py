"""Windows of consecutive beats, scaled per patient, audited and stored."""

from typing import TYPE_CHECKING

from pacl.rr.audit import RR_FORMAT, audit_folder, audit_windows
from pacl.rr.augmentation import AUGMENTATION, RRAugmentationSettings
from pacl.rr.collect import CutRecord, Unreadable
from pacl.rr.fingerprint import beat_prints, fingerprints, recognised
from pacl.rr.plausible import USUAL_MS, is_implausible
from pacl.rr.prepare import Cut, CutAll, Divide, prepare
from pacl.rr.processed import is_processed, prepare_processed
from pacl.rr.reference import Reference, refer
from pacl.rr.scale import Scale, fit_scale, gather
from pacl.rr.segment import RecordWindows, cut_windows
from pacl.rr.store import CLASS_NAMES, RRWindowSet, ScaleBeats
from pacl.rr.table import RRWindowTable

if TYPE_CHECKING:
    from pacl.rr.tensors import RRWindowTensors

__all__ = [
    "AUGMENTATION",
    "CLASS_NAMES",
    "RR_FORMAT",
    "USUAL_MS",
    "Cut",
    "CutAll",
    "CutRecord",
    "Divide",
    "RRAugmentationSettings",
    "RRWindowSet",
    "RRWindowTable",
    "RRWindowTensors",
    "RecordWindows",
    "Reference",
    "Scale",
    "ScaleBeats",
    "Unreadable",
    "audit_folder",
    "audit_windows",
    "beat_prints",
    "cut_windows",
    "fingerprints",
    "fit_scale",
    "gather",
    "is_implausible",
    "is_processed",
    "prepare",
    "prepare_processed",
    "recognised",
    "refer",
]


def __getattr__(name: str) -> object:
    """Import torch only for `RRWindowTensors`."""
    if name != "RRWindowTensors":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from pacl.rr.tensors import RRWindowTensors

    return RRWindowTensors
