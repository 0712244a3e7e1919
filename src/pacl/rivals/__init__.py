"""Systems that detect AF in windows, all compared under one protocol."""

from pacl.rivals.system import Fitted, Kind, Learn, Probed, Settings, System

__all__ = ["Fitted", "Kind", "Learn", "Probed", "Settings", "System"]
