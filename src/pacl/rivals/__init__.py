"""Systems that detect AF in windows, all compared under one protocol."""

from pacl.rivals.batches import LEAST_WINDOWS
from pacl.rivals.registry import FORMER_NAMES, REGISTRY, SYSTEMS, current_name, system_named
from pacl.rivals.system import Fitted, Kind, Learn, Probed, Settings, System

__all__ = [
    "FORMER_NAMES",
    "LEAST_WINDOWS",
    "REGISTRY",
    "SYSTEMS",
    "Fitted",
    "Kind",
    "Learn",
    "Probed",
    "Settings",
    "System",
    "current_name",
    "system_named",
]
