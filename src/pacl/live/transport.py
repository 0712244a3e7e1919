"""Where beats come from: one small protocol, and what a source tells.

A source is an iterator of events. It never waits long: where nothing came for a moment it yields
`Waiting`, so that whoever listens can refresh a screen, save a file, or stop.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from pacl.live.heart_rate import HeartRate

TICK_S = 0.2
"""A source yields something at least this often."""


@dataclass(frozen=True, slots=True)
class Packet:
    """Intervals that came together, the oldest first.

    Parameters
    ----------
    rr_ms
        The intervals in ms; may be empty.
    at_s
        When the last of them ended, in seconds of the source's clock: the moment of arrival from a
        strap, or the time a line states. None where there is no clock.
    contact
        Whether the sensor touches the skin; None where it cannot tell.
    rate_bpm
        The sensor's own heart rate.
    sequence
        A number that rises by one with each packet, where the source counts.
    usable
        False where the source itself says that the intervals are wrong.
    stated_s
        The time that the row of a table states, where it may be that of the beginning, the end or
        the arrival of the interval; `RowTimes` finds out, and sets `at_s`.
    """

    rr_ms: tuple[float, ...]
    at_s: float | None = None
    contact: bool | None = None
    rate_bpm: int | None = None
    sequence: int | None = None
    usable: bool = True
    stated_s: float | None = None

    @staticmethod
    def of(found: HeartRate, at_s: float | None = None, sequence: int | None = None) -> "Packet":
        """What a strap sent."""
        return Packet(found.rr_ms, at_s, found.contact, found.rate_bpm, sequence)


@dataclass(frozen=True, slots=True)
class Connected:
    """The source is there; comes before its first packet, and again after `Disconnected`."""

    name: str
    battery_percent: int | None = None


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The source is gone, and is waited for."""

    why: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that could not be used: a packet or a line, and why."""

    why: str


@dataclass(frozen=True, slots=True)
class Noted:
    """Something that a person should know, such as that a file was begun anew."""

    text: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """Nothing came for a moment."""


Event = Packet | Connected | Disconnected | LeftOut | Noted | Waiting


@runtime_checkable
class Transport(Protocol):
    """A live source.

    `reorders_s` is by how many seconds packets may come too late: 0 where they come in order, or
    are numbered.
    """

    name: str
    reorders_s: float

    def events(self) -> Iterator[Event]:
        """What happens, until the source ends or is closed; a `PaclError` if it cannot go on."""
        ...

    def close(self) -> None:
        """End it; may be called more than once, also while events are being read."""
        ...
