"""All systems by name. Another one is a file of its own and a line here."""

from pacl.errors import PaclError
from pacl.rivals.andersen import ANDERSEN
from pacl.rivals.byol import BYOL
from pacl.rivals.clocs import CLOCS
from pacl.rivals.contrastive import BCE, PATIENT_AWARE, SUPCON
from pacl.rivals.encoder_end_to_end import END_TO_END
from pacl.rivals.faust import FAUST
from pacl.rivals.fine_tuned import FINE_TUNED
from pacl.rivals.hrv import HRV
from pacl.rivals.on_networks import PATIENT_AWARE_ANDERSEN, PATIENT_AWARE_FAUST
from pacl.rivals.pclr import PCLR
from pacl.rivals.pmq import PMQ
from pacl.rivals.simclr import SIMCLR
from pacl.rivals.statistics import STATISTICS
from pacl.rivals.system import System

SYSTEMS: dict[str, System] = {
    system.name: system
    for system in (
        PATIENT_AWARE,
        SUPCON,
        BCE,
        END_TO_END,
        FINE_TUNED,
        SIMCLR,
        CLOCS,
        PCLR,
        PMQ,
        BYOL,
        ANDERSEN,
        FAUST,
        PATIENT_AWARE_ANDERSEN,
        PATIENT_AWARE_FAUST,
        HRV,
        STATISTICS,
    )
}
"""The system of the paper first."""

FORMER_NAMES = {
    "proposed": "patient-aware",
    "proposed-andersen": "patient-aware-andersen",
    "proposed-faust": "patient-aware-faust",
}
"""Names in folders that earlier versions wrote."""


def current_name(name: str) -> str:
    """The name of a system today, from that or an earlier name."""
    return FORMER_NAMES.get(name, name)


def system_named(name: str) -> System:
    """One of `SYSTEMS`."""
    if name not in SYSTEMS:
        raise PaclError(f"no system {name!r}; there are {', '.join(SYSTEMS)}")
    return SYSTEMS[name]
