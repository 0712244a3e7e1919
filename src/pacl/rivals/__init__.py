"""Systems that tell AF in windows, all under one protocol."""

from pacl.rivals.system import Fitted, Kind, Learn, Probed, Settings, System

__all__ = ["Fitted", "Kind", "Learn", "Probed", "Settings", "System"]
