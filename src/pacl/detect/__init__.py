"""Detecting AF with weights that come along; nothing here needs torch."""

from pacl.detect.bundled import BUNDLED, bundled_file

__all__ = ["BUNDLED", "bundled_file"]
