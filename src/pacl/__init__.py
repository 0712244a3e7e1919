"""Subject-aware representation learning on physiological signals."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pacl import detect as detect
    from pacl.models import Encoder as Encoder
    from pacl.objectives import PairPolicy as PairPolicy
    from pacl.objectives import SubjectContrastiveLoss as SubjectContrastiveLoss
    from pacl.training import PatientSampler as PatientSampler
    from pacl.windows import WindowSet as WindowSet

__version__ = "0.1.0"

_HOMES = {
    "Encoder": "pacl.models",
    "PairPolicy": "pacl.objectives",
    "PatientSampler": "pacl.training",
    "SubjectContrastiveLoss": "pacl.objectives",
    "WindowSet": "pacl.windows",
}
"""Where each public name is, so that it is imported when it is used and not before."""

__all__ = [
    "Encoder",
    "PairPolicy",
    "PatientSampler",
    "SubjectContrastiveLoss",
    "WindowSet",
    "detect",
]


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name == "detect":  # a package: `pacl.detect(rr_ms)` works without another import
        return import_module("pacl.detect")
    if name not in _HOMES:
        raise AttributeError(f"module 'pacl' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
