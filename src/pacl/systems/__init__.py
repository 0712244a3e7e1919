"""Systems that learn classes of windows of any signal, by one interface; see `SYSTEMS`."""

from pacl.settings import SYSTEMS
from pacl.systems.feature_systems import BoostingSystem, LdaSystem, boosting, lda
from pacl.systems.features import FEATURES, time_domain_features
from pacl.systems.inputs import as_read, log_envelope
from pacl.systems.networks import NetworkSystem, cross_entropy, subject_aware, supcon
from pacl.systems.placement import Placement, placed
from pacl.systems.system import Fitted, Learn, Reads, System

__all__ = [
    "FEATURES",
    "SYSTEMS",
    "BoostingSystem",
    "Fitted",
    "LdaSystem",
    "Learn",
    "NetworkSystem",
    "Placement",
    "Reads",
    "System",
    "as_read",
    "boosting",
    "cross_entropy",
    "lda",
    "log_envelope",
    "placed",
    "subject_aware",
    "supcon",
    "time_domain_features",
]
