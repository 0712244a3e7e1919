"""What every live source promises."""

from itertools import islice

from pacl.live import (
    Connected,
    Disconnected,
    Event,
    LeftOut,
    Noted,
    Packet,
    Transport,
    Waiting,
)
from pacl.testing.contract import check, require

MOST_EVENTS = 100_000
"""A source in a test ends before it."""


class TransportContract:
    """Subclass it, and say how to `open` a source that tells two packets or more, and then ends.

    A source that never ends by itself is closed by the last promise only; give it an end here.
    """

    def open(self) -> Transport:
        """A new source each time."""
        raise NotImplementedError

    def test_it_has_a_name_and_says_how_late_packets_may_come(self) -> None:
        """So that they are put in order."""
        transport = self.open()
        require(isinstance(transport, Transport), "name, reorders_s, events and close")
        require(transport.name, "a name for messages")
        require(0 <= transport.reorders_s < 60, f"reorders_s in seconds: {transport.reorders_s}")
        transport.close()

    def test_it_connects_before_its_first_packet(self) -> None:
        """And says so again after it was away."""
        there = False
        for event in self._events():
            if isinstance(event, Connected):
                require(not there, "connected once, and again only after it was away")
                there = True
            elif isinstance(event, Disconnected):
                there = False
            elif isinstance(event, Packet):
                require(there, "connected before the first packet")

    def test_it_tells_known_events_alone(self) -> None:
        """And packets among them."""
        known = (Packet, Connected, Disconnected, LeftOut, Noted, Waiting)
        events = self._events()
        found: list[object] = [*events]
        wrong = [type(event).__name__ for event in found if not isinstance(event, known)]
        require(not wrong, f"events of pacl.live, not {wrong[:3]}")
        require(len(self._packets(events)) >= 2, "two packets or more")

    def test_intervals_are_in_ms_and_not_negative(self) -> None:
        """Whatever came."""
        for packet in self._packets(self._events()):
            for rr_ms in packet.rr_ms:
                require(type(rr_ms) is float, f"an interval is a float, not {rr_ms!r}")
                require(0 <= rr_ms <= 86_400_000, f"an interval in ms: {rr_ms}")

    def test_time_does_not_go_backwards(self) -> None:
        """Unless the source says that it may, or numbers its packets."""
        transport = self.open()
        packets = self._packets(list(islice(transport.events(), MOST_EVENTS)))
        times = [one.at_s for one in packets if one.at_s is not None and one.sequence is None]
        if transport.reorders_s == 0:
            require(times == sorted(times), "times rise")

    def test_it_ends_when_it_is_closed(self) -> None:
        """Also while its events are read; closing twice does no harm."""
        transport = self.open()
        events = transport.events()
        for event in events:
            if isinstance(event, Packet):
                break
        transport.close()
        transport.close()
        left = len(list(islice(events, MOST_EVENTS)))
        require(left < MOST_EVENTS, "it ends")

    def _events(self) -> list[Event]:
        transport = self.open()
        try:
            return list(islice(transport.events(), MOST_EVENTS))
        finally:
            transport.close()

    @staticmethod
    def _packets(events: list[Event]) -> list[Packet]:
        return [event for event in events if isinstance(event, Packet)]


def check_transport(contract: TransportContract) -> None:
    """Check a source of your own: an instance of your subclass."""
    check(contract)
