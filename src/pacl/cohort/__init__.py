"""Who takes part: episodes, protocols, splits by patient, and the audit of splits."""

from pacl.cohort.all_beats import AllBeatsProtocol, is_flutter
from pacl.cohort.audit import KINDS, Kind, audit_split, two_parts
from pacl.cohort.episodes import Episode, find_episodes
from pacl.cohort.protocol import (
    CohortProtocol,
    EpisodesProtocol,
    Excerpt,
    PooledProtocol,
    Selection,
    Share,
)

__all__ = [
    "KINDS",
    "AllBeatsProtocol",
    "CohortProtocol",
    "Episode",
    "EpisodesProtocol",
    "Excerpt",
    "Kind",
    "PooledProtocol",
    "Selection",
    "Share",
    "audit_split",
    "find_episodes",
    "is_flutter",
    "two_parts",
]
