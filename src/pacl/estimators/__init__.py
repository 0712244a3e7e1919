"""The encoder and the classifier as scikit-learn estimators, and one that adapts to a subject."""

from pacl.estimators.adaptive import AdaptiveClassifier
from pacl.estimators.baseline import SubjectBaseline
from pacl.estimators.classifier import SubjectContrastiveClassifier
from pacl.estimators.encoder import SubjectContrastiveEncoder

__all__ = [
    "AdaptiveClassifier",
    "SubjectBaseline",
    "SubjectContrastiveClassifier",
    "SubjectContrastiveEncoder",
]
