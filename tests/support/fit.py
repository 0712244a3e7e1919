"""FIT files, written byte by byte after the protocol: a header, messages, a checksum."""

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

FILE_ID, SESSION, RECORD, EVENT, ACTIVITY, HRV = 0, 18, 20, 21, 34, 78
BEAT_INTERVALS, RAW_BBI = 290, 372
STARTED = 1_000_000_000
"""Seconds since 1989-12-31: 2021-09-08 01:46:40 UTC."""

_KINDS = {"enum": (0, "B"), "u8": (2, "B"), "u16": (0x84, "H"), "u32": (0x86, "I")}
_TABLE = [0] * 256
for _byte in range(256):
    _value = _byte
    for _ in range(8):
        _value = (_value >> 1) ^ (0xA001 if _value & 1 else 0)
    _TABLE[_byte] = _value


def crc(content: bytes) -> int:
    value = 0
    for byte in content:
        value = (value >> 8) ^ _TABLE[(value ^ byte) & 0xFF]
    return value


@dataclass
class FitWriter:
    """Messages of one file; each is written with its own definition."""

    body: bytearray = field(default_factory=bytearray)
    _last: tuple = ()

    def message(self, number: int, fields: Sequence[tuple[int, str, int | Sequence[int]]]) -> None:
        rows = []
        values = b""
        for at, kind, value in fields:
            code, letter = _KINDS[kind]
            several = [value] if isinstance(value, int) else list(value)
            packed = struct.pack(f"<{len(several)}{letter}", *several)
            rows.append((at, len(packed), code))
            values += packed
        layout = (number, tuple(rows))
        if layout != self._last:
            self.body += struct.pack("<BBBHB", 0x40, 0, 0, number, len(rows))
            for row in rows:
                self.body += bytes(row)
            self._last = layout
        self.body += b"\0" + values

    def file_id(self, at: int = STARTED) -> None:
        self.message(FILE_ID, [(0, "enum", 4), (1, "u16", 1), (4, "u32", at)])

    def record(self, at: int, heart_rate: int = 70) -> None:
        self.message(RECORD, [(253, "u32", at), (3, "u8", heart_rate)])

    def timer(self, at: int, kind: int) -> None:
        """`kind` 0 starts, 4 stops."""
        self.message(EVENT, [(253, "u32", at), (0, "enum", 0), (1, "enum", kind)])

    def hrv(self, rr_ms: Sequence[int]) -> None:
        full = [*rr_ms, *[0xFFFF] * (5 - len(rr_ms))]
        self.message(HRV, [(0, "u16", full)])

    def activity(self, at: int, local: int) -> None:
        self.message(ACTIVITY, [(253, "u32", at), (5, "u32", local)])

    def content(self) -> bytes:
        head = struct.pack("<BBHI4s", 14, 0x20, 2100, len(self.body), b".FIT")
        head += struct.pack("<H", crc(head))
        whole = head + bytes(self.body)
        return whole + struct.pack("<H", crc(whole))


def activity(rr_ms: Iterable[int], *, at: int = STARTED, zone_s: int | None = 7200) -> bytes:
    """An activity that records each second and writes intervals as they come."""
    writer = FitWriter()
    writer.file_id(at)
    writer.timer(at, 0)
    beats(writer, rr_ms, at)
    if zone_s is not None:
        writer.activity(at + 60, at + 60 + zone_s)
    return writer.content()


def beats(writer: FitWriter, rr_ms: Iterable[int], at: int) -> int:
    """Write intervals from `at` on, with a record each second; the second after the last."""
    passed, second, waiting = 0, 0, []
    for rr in rr_ms:
        while passed + rr > (second + 1) * 1000:
            if waiting:
                writer.hrv(waiting)
                waiting = []
            second += 1
            writer.record(at + second)
        passed += rr
        waiting.append(rr)
    if waiting:
        writer.hrv(waiting)
    writer.record(at + second + 1)
    return at + second + 1
