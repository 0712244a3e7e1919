"""All systems by name, collected from the modules of this package.

A module of `pacl.rivals` that defines `SYSTEMS`, a tuple, adds these systems to the comparison.
"""

from functools import partial
from importlib import import_module
from pkgutil import iter_modules

from pacl.errors import PaclError
from pacl.registry import Entry, NoSettings, Registry
from pacl.rivals.system import System

ORDER = (
    *("contrastive", "end_to_end", "fine_tuned", "simclr", "clocs", "pclr", "pmq", "byol"),
    *("published_networks", "hrv", "statistics"),
)
"""Modules in the order of the tables; any other module comes after them, by its name."""


def _collected() -> dict[str, System]:
    found = {one.name for one in iter_modules(import_module("pacl.rivals").__path__)} - {"registry"}
    modules = [*ORDER, *sorted(found - set(ORDER))]
    systems: dict[str, System] = {}
    for module in modules:
        for system in getattr(import_module(f"pacl.rivals.{module}"), "SYSTEMS", ()):
            if system.name in systems:
                raise PaclError(
                    f"pacl.rivals.{module}: the name {system.name!r} is taken; give another name"
                )
            systems[system.name] = system
    return systems


def _given(system: System, settings: NoSettings) -> System:
    return system


SYSTEMS: dict[str, System] = _collected()
"""By name, in the order of the tables; the patient-aware system is the first."""

FORMER_NAMES = {
    "proposed": "patient-aware",
    "proposed-andersen": "patient-aware-andersen",
    "proposed-faust": "patient-aware-faust",
}
"""Names in folders that earlier versions wrote."""


def current_name(name: str) -> str:
    """The name of a system today, from that or an earlier name."""
    return FORMER_NAMES.get(name, name)


REGISTRY: Registry[System] = Registry(
    "rival",
    "pacl.rivals",
    {
        system.name: Entry(system.name, partial(_given, system), NoSettings, system.title)
        for system in SYSTEMS.values()
    },
    FORMER_NAMES,
)
"""Also those of other packages. A factory takes its settings and gives a `System`."""


def system_named(name: str) -> System:
    """A system of `REGISTRY`."""
    return SYSTEMS[name] if name in SYSTEMS else REGISTRY.named(name).make()
