"""Published and trained methods with one result per beat, all under one protocol."""

from pacl.rivals.beats.boosted import Boosted
from pacl.rivals.beats.lake_moorman import LakeMoorman
from pacl.rivals.beats.lian import Lian
from pacl.rivals.beats.network import OfNetwork
from pacl.rivals.beats.petrenas import Petrenas
from pacl.rivals.beats.rival import BeatRival, BeatRivalError
from pacl.rivals.beats.zhou import Zhou

PUBLISHED: tuple[BeatRival, ...] = (Zhou(), Petrenas(), LakeMoorman(), Lian())
"""As published, with the published thresholds."""

__all__ = [
    "PUBLISHED",
    "BeatRival",
    "BeatRivalError",
    "Boosted",
    "LakeMoorman",
    "Lian",
    "OfNetwork",
    "Petrenas",
    "Zhou",
]
