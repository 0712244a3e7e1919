"""Subject-aware representation learning on physiological signals."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pacl import detect as detect
    from pacl.detect import adapt as adapt
    from pacl.estimators import AdaptiveClassifier as AdaptiveClassifier
    from pacl.estimators import SubjectBaseline as SubjectBaseline
    from pacl.estimators import SubjectContrastiveClassifier as SubjectContrastiveClassifier
    from pacl.estimators import SubjectContrastiveEncoder as SubjectContrastiveEncoder
    from pacl.models import Encoder as Encoder
    from pacl.objectives import PairPolicy as PairPolicy
    from pacl.objectives import SubjectContrastiveLoss as SubjectContrastiveLoss
    from pacl.rr import RRWindowSet as RRWindowSet
    from pacl.training import SubjectSampler as SubjectSampler
    from pacl.window_sets import open_windows as open_windows
    from pacl.windows import WindowSet as WindowSet

__version__ = "1.0.0"

_HOMES = {
    "adapt": "pacl.detect",
    "AdaptiveClassifier": "pacl.estimators",
    "Encoder": "pacl.models",
    "PairPolicy": "pacl.objectives",
    "SubjectSampler": "pacl.training",
    "SubjectBaseline": "pacl.estimators",
    "SubjectContrastiveClassifier": "pacl.estimators",
    "SubjectContrastiveEncoder": "pacl.estimators",
    "SubjectContrastiveLoss": "pacl.objectives",
    "RRWindowSet": "pacl.rr",
    "WindowSet": "pacl.windows",
    "open_windows": "pacl.window_sets",
}
"""Where each public name is, so that it is imported when it is used and not before."""

__all__ = [
    "AdaptiveClassifier",
    "Encoder",
    "PairPolicy",
    "RRWindowSet",
    "SubjectBaseline",
    "SubjectContrastiveClassifier",
    "SubjectContrastiveEncoder",
    "SubjectContrastiveLoss",
    "SubjectSampler",
    "WindowSet",
    "adapt",
    "detect",
    "open_windows",
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
