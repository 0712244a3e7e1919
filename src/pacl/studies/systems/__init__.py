"""Comparing systems on windows of any signal, by folds of subjects."""

from pacl.studies.systems.make import all_fits, compare_on_signals

__all__ = ["all_fits", "compare_on_signals"]
