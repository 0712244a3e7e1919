"""Heart Rate Measurement, the packet of heart rate straps (Bluetooth characteristic 0x2A37)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pacl.records import FormatError

TICKS_PER_S = 1024
"""Straps count intervals in 1/1024 s."""
WHERE = "heart rate packet"
MOST_BYTES = 512
"""No value of a Bluetooth characteristic is longer."""

_WIDE_RATE, _DETECTED, _HAS_CONTACT, _HAS_ENERGY, _HAS_RR = 0x01, 0x02, 0x04, 0x08, 0x10
_MOST_TICKS = 0xFFFF
_REMEDY = "it is left out; if many are, restart the strap"


@dataclass(frozen=True, slots=True)
class HeartRate:
    """What one packet says.

    ```
    byte  0      1 or 1-2   next 2, if there   pairs to the end, if there
          flags  rate       energy expended    RR intervals, the oldest first
    ```

    Parameters
    ----------
    rate_bpm
        The strap's own average.
    rr_ms
        Intervals since the packet before, the oldest first; often none or several.
    contact
        Whether the strap touches the skin; None where it cannot tell.
    energy_kj
        Energy expended since its last reset, where the strap counts it.
    """

    rate_bpm: int
    rr_ms: tuple[float, ...] = ()
    contact: bool | None = None
    energy_kj: int | None = None


def parse_heart_rate(packet: bytes, where: str = WHERE) -> HeartRate:
    """Read a packet; a `FormatError` if its length does not fit its flags.

    Examples
    --------
    >>> parse_heart_rate(bytes([0x16, 60, 0x00, 0x04]))
    HeartRate(rate_bpm=60, rr_ms=(1000.0,), contact=True, energy_kj=None)
    """
    if not 2 <= len(packet) <= MOST_BYTES:
        raise FormatError(where, f"{len(packet)} bytes, expected 2 to {MOST_BYTES}", _REMEDY)
    flags = packet[0]
    rate_bytes = 2 if flags & _WIDE_RATE else 1
    energy_at = 1 + rate_bytes
    rr_at = energy_at + (2 if flags & _HAS_ENERGY else 0)
    if len(packet) < rr_at:
        raise FormatError(
            where, f"{len(packet)} bytes, its flags promise at least {rr_at}", _REMEDY
        )
    rest = packet[rr_at:]
    if rest and not flags & _HAS_RR:
        raise FormatError(where, f"{len(rest)} bytes more than its flags promise", _REMEDY)
    if len(rest) % 2:
        raise FormatError(where, "half an interval at its end", _REMEDY)
    ticks = [int.from_bytes(rest[at : at + 2], "little") for at in range(0, len(rest), 2)]
    return HeartRate(
        rate_bpm=int.from_bytes(packet[1:energy_at], "little"),
        rr_ms=tuple(1000 * one / TICKS_PER_S for one in ticks),
        contact=bool(flags & _DETECTED) if flags & _HAS_CONTACT else None,
        energy_kj=int.from_bytes(packet[energy_at:rr_at], "little") if rr_at > energy_at else None,
    )


def make_heart_rate(rr_ms: Sequence[float], *, contact: bool | None = True) -> bytes:
    """The packet that a strap would send for intervals; each is rounded to 1/1024 s."""
    ticks = [min(round(one * TICKS_PER_S / 1000), _MOST_TICKS) for one in rr_ms]
    mean_ms = math.fsum(rr_ms) / len(rr_ms) if rr_ms else 0.0
    rate_bpm = round(60_000 / max(mean_ms, 1.0)) if rr_ms else 0
    wide = rate_bpm > 0xFF
    flags = (_WIDE_RATE if wide else 0) | (_HAS_RR if ticks else 0)
    if contact is not None:
        flags |= _HAS_CONTACT | (_DETECTED if contact else 0)
    packed = b"".join(one.to_bytes(2, "little") for one in ticks)
    return bytes([flags]) + rate_bpm.to_bytes(2 if wide else 1, "little") + packed


def rounded_ms(rr_ms: float) -> float:
    """An interval as a strap sends it."""
    return 1000 * round(rr_ms * TICKS_PER_S / 1000) / TICKS_PER_S


def parse_hex(text: str, where: str = WHERE) -> bytes:
    """Bytes written as hexadecimal digits, `16 3c 00 04`, with or without blanks."""
    try:
        return bytes.fromhex(text.replace(":", " "))
    except ValueError:
        raise FormatError(
            where, f"{text[:40]!r} are no bytes", "write two hexadecimal digits for each byte"
        ) from None
