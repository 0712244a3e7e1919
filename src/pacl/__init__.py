"""Subject-aware representation learning on physiological signals."""

__version__ = "0.1.0"
