"""Live sources: a strap, a file that is being written, or standard input."""

from pacl.live.ble import StrapTransport, choose_strap, find_straps
from pacl.live.ble_radio import BleakRadio, Strap
from pacl.live.continuity import Beat, Continuity
from pacl.live.errors import LiveError
from pacl.live.follow import FollowTransport
from pacl.live.heart_rate import HeartRate, make_heart_rate, parse_heart_rate, rounded_ms
from pacl.live.journal import Journal
from pacl.live.lines import LineParser, LineSplitter
from pacl.live.made_packets import packets_of
from pacl.live.ndjson import parse_message
from pacl.live.order import InOrder
from pacl.live.replay import Entry, ReplayTransport, write_packets
from pacl.live.session import Session, State, Told
from pacl.live.standard_input import StreamTransport
from pacl.live.transport import (
    Connected,
    Disconnected,
    Event,
    LeftOut,
    Noted,
    Packet,
    Transport,
    Waiting,
)

__all__ = [
    "Beat",
    "BleakRadio",
    "Connected",
    "Continuity",
    "Disconnected",
    "Entry",
    "Event",
    "FollowTransport",
    "HeartRate",
    "InOrder",
    "Journal",
    "LeftOut",
    "LineParser",
    "LineSplitter",
    "LiveError",
    "Noted",
    "Packet",
    "ReplayTransport",
    "Session",
    "State",
    "Strap",
    "StrapTransport",
    "StreamTransport",
    "Told",
    "Transport",
    "Waiting",
    "choose_strap",
    "find_straps",
    "make_heart_rate",
    "packets_of",
    "parse_heart_rate",
    "parse_message",
    "rounded_ms",
    "write_packets",
]
