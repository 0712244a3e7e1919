"""Settings, each written once: what the library, the command line and files share. No torch."""

from pacl.settings.checks import (
    Arranged,
    Problem,
    SettingsError,
    check_settings,
    settled,
)
from pacl.settings.encoders import (
    ENCODERS,
    RELEASED_PLACES,
    BranchesSettings,
    Norm,
    Place,
    PooledBy,
    ResidualSettings,
    View,
)
from pacl.settings.words import Words, from_words

__all__ = [
    "ENCODERS",
    "RELEASED_PLACES",
    "Arranged",
    "BranchesSettings",
    "Norm",
    "Place",
    "PooledBy",
    "Problem",
    "ResidualSettings",
    "SettingsError",
    "View",
    "Words",
    "check_settings",
    "from_words",
    "settled",
]
