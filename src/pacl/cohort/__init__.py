"""Who takes part: episodes, protocols, splits by patient, and the audit of splits."""

from pacl.cohort.all_beats import AllBeatsProtocol, is_flutter
from pacl.cohort.audit import KINDS, SEVERITIES, Finding, Kind, audit_split, two_parts
from pacl.cohort.episodes import Episode, find_episodes
from pacl.cohort.protocol import (
    CohortProtocol,
    EpisodesProtocol,
    Excerpt,
    PooledProtocol,
    Selection,
    Share,
)
from pacl.cohort.split import (
    PARTS,
    CohortError,
    Split,
    SplitError,
    Unit,
    fold_split,
    read_split,
    split_units,
)

__all__ = [
    "KINDS",
    "PARTS",
    "SEVERITIES",
    "AllBeatsProtocol",
    "CohortError",
    "CohortProtocol",
    "Episode",
    "EpisodesProtocol",
    "Excerpt",
    "Finding",
    "Kind",
    "PooledProtocol",
    "Selection",
    "Share",
    "Split",
    "SplitError",
    "Unit",
    "audit_split",
    "find_episodes",
    "fold_split",
    "is_flutter",
    "read_split",
    "split_units",
    "two_parts",
]
