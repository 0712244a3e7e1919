"""The encoder and the classifier as scikit-learn estimators."""

from pacl.estimators.classifier import SubjectContrastiveClassifier
from pacl.estimators.encoder import SubjectContrastiveEncoder

__all__ = ["SubjectContrastiveClassifier", "SubjectContrastiveEncoder"]
