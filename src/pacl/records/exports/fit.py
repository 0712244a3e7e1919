"""FIT files of Garmin, Suunto, Coros, Polar and Wahoo: beat intervals in `hrv` messages."""

import re
import struct
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from io import BytesIO
from typing import Any

from pacl.records.errors import FormatError, RecordError, ValueRangeError
from pacl.records.exports.packets import Packet, check_clock, place
from pacl.records.exports.recording import Contents, Recording, by_time, join
from pacl.records.exports.source import Source

MAX_BYTES = 64 * 1024**2
"""A day with a record each second has some 10 MB."""

MAX_MESSAGES = 2_000_000

_EPOCH_S = datetime(1989, 12, 31, tzinfo=UTC).timestamp()
_LONGEST_ZONE_S = 15 * 3600
_BEATS = ("hrv", "beat_intervals", "raw_bbi")  # the first that a file has is read
_READ = {*_BEATS, "record", "event", "activity", "file_id", "session"}
_TIMER, _START, _STOPS = 0, 0, (1, 4, 8, 9)
_INTERVAL_BITS, _GAP_BIT = 0x3FFF, 0x8000
_DEFINES_BEATS = re.compile(
    rb"[\x40-\x6f].(?:\x00(?:\x4e\x00|\x22\x01|\x74\x01)|\x01(?:\x00\x4e|\x01\x22|\x01\x74))",
    re.DOTALL,
)
"""A definition of message 78, 290 or 372, in either byte order: without one, there are no beats."""
_HOW = (
    "switch on the recording of beats before the next activity and wear a chest strap: Garmin: "
    "Settings > System > Data Recording > Log HRV; Suunto and Coros: record with a strap, then "
    "export the FIT file; Polar: download your data from account.polar.com instead, as JSON"
)


@dataclass(slots=True)
class _Activity:
    """What one FIT file of a chain has told so far."""

    packets: dict[str, list[Packet]] = field(default_factory=lambda: {one: [] for one in _BEATS})
    messages: Counter[str] = field(default_factory=Counter)
    heart_rates: int = 0
    created_s: float | None = None
    zone: timezone | None = None
    _waiting: list[float] = field(default_factory=list)
    _stopped: bool = False
    _paused: bool = False

    def add(self, name: str, message: Any) -> None:
        """Take notice of one message."""
        self.messages[name] += 1
        if name not in _READ:
            return
        values = {one.name: one.raw_value for one in message.fields if _is_own(one)}
        at_s = _seconds(values.get("timestamp"))
        if name == "hrv":
            self._waiting += [_ms(one) for one in _all(values.get("time")) if one is not None]
        elif name == "beat_intervals":
            rr_ms = [_ms(one) for one in _all(values.get("time")) if one is not None]
            self.packets[name].append(Packet(rr_ms, _with_ms(at_s, values)))
        elif name == "raw_bbi":
            at_s = _with_ms(at_s, values)
            for one in _all(values.get("data")):
                if isinstance(one, int):
                    rr_ms = [float(one & _INTERVAL_BITS)]
                    self.packets[name].append(Packet(rr_ms, None, bool(one & _GAP_BIT)))
            self.packets[name].append(Packet((), at_s))
        elif name == "record":
            self.heart_rates += isinstance(values.get("heart_rate"), int)
            self._stamp(at_s)
        elif name == "event":
            self._stamp(at_s)
            self._heed_timer(values.get("event"), values.get("event_type"))
        elif name == "activity":
            self._learn_zone(at_s, _seconds(values.get("local_timestamp")))
        elif name in ("file_id", "session") and self.created_s is None:
            self.created_s = _seconds(values.get("time_created", values.get("start_time")))

    def finish(self) -> None:
        self._stamp(None)

    def _stamp(self, at_s: float | None) -> None:
        """Intervals since the last stamp came before this one."""
        if self._waiting:
            self.packets["hrv"].append(Packet(self._waiting, at_s, self._paused))
            self._waiting, self._paused = [], False

    def _heed_timer(self, event: Any, kind: Any) -> None:
        """Beats are missing where the timer starts again; some devices write on after a stop."""
        if event == _TIMER and kind in _STOPS:
            self._stopped = True
        elif event == _TIMER and kind == _START and self._stopped:
            self._stopped, self._paused = False, True

    def _learn_zone(self, at_s: float | None, local_s: float | None) -> None:
        if at_s is not None and local_s is not None:
            quarters = round((local_s - at_s) / 900)
            if abs(quarters * 900) <= _LONGEST_ZONE_S:
                self.zone = timezone(timedelta(minutes=15 * quarters))


class FitExport:
    """FIT: activities with beat-to-beat intervals."""

    name = "fit"
    summary = "FIT activities of Garmin, Suunto, Coros, Polar and Wahoo (hrv messages)"
    endings = (".fit",)

    def recognises(self, head: bytes, name: str) -> bool:
        """By the mark in its header."""
        return len(head) >= 12 and head[0] in (12, 14) and head[8:12] == b".FIT"

    def is_single(self, source: Source) -> bool:
        """Whether nothing is chained to it by the header's length, and it defines such messages."""
        head = source.head()
        if len(head) < 12:
            return False
        (body,) = struct.unpack("<I", head[4:8])
        is_alone = head[0] + body + 2 == source.size
        return bool(is_alone and _DEFINES_BEATS.search(source.read(MAX_BYTES)))

    def read(self, source: Source) -> Contents:
        """Each activity of the file with its intervals."""
        content = source.read(MAX_BYTES)
        activities = list(_activities(content, source.where))
        made = [_recording(one, source.where) for one in activities]
        found = [one for one in made if one is not None]
        if not found:
            raise _without_beats(activities, source.where)
        left_out = {
            f"activity {number} of {source.name}": "no beat-to-beat intervals"
            for number, one in enumerate(made, 1)
            if one is None
        }
        return Contents(tuple(found), left_out)


def _recording(activity: _Activity, where: str) -> Recording | None:
    packets: list[Packet] = next((found for one in _BEATS if (found := activity.packets[one])), [])
    check_clock(packets, where)
    stretches = place(packets)
    if not stretches:
        return None
    on_clock = any(packet.at_s is not None for packet in packets)
    began_s = stretches[0].began_s if on_clock else activity.created_s
    started = None
    if began_s is not None:
        started = datetime.fromtimestamp(began_s, UTC).astimezone(activity.zone or UTC)
    return join(stretches, by_time(started), started)


def _activities(content: bytes, where: str) -> Iterator[_Activity]:
    """Read the messages of each chained file; whatever the decoder stumbles over is a refusal."""
    import fitdecode

    activity = _Activity()
    messages = 0
    try:
        with (
            warnings.catch_warnings(),
            fitdecode.FitReader(
                BytesIO(content),
                processor=None,
                check_crc=fitdecode.CrcCheck.RAISE,
                error_handling=fitdecode.ErrorHandling.IGNORE,
            ) as frames,
        ):
            warnings.simplefilter("ignore")
            for frame in frames:
                if frame.frame_type == fitdecode.FIT_FRAME_DATA:
                    messages += 1
                    if messages > MAX_MESSAGES:
                        raise FormatError(
                            where,
                            f"more than {MAX_MESSAGES:,} messages",
                            "check that it is the right file",
                        )
                    activity.add(frame.name, frame)
                elif frame.frame_type == fitdecode.FIT_FRAME_CRC:
                    activity.finish()
                    yield activity
                    activity = _Activity()
    except RecordError:
        raise
    except fitdecode.FitCRCError as error:
        raise _damaged(where, f"its checksum is wrong ({error})") from error
    except Exception as error:  # the decoder has no promise about damaged files
        raise _damaged(where, f"it cannot be decoded ({type(error).__name__}: {error})") from error


def _is_own(field_data: Any) -> bool:
    """Whether a field is one of the message, or the time in its header, and not derived."""
    return field_data.field_def is not None or field_data.name == "timestamp"


def _damaged(where: str, what: str) -> FormatError:
    return FormatError(
        where, what[:200], "export or copy it from the watch again; this copy is damaged"
    )


def _without_beats(activities: Iterable[_Activity], where: str) -> ValueRangeError:
    messages: Counter[str] = Counter()
    rates = 0
    for one in activities:
        messages += one.messages
        rates += one.heart_rates
    has = f"{rates:,} heart rates, which are averages" if rates else "no heart rate either"
    kinds = ", ".join(name for name, _ in messages.most_common(4)) or "nothing"
    return ValueRangeError(
        where, f"a FIT file without beat-to-beat intervals; it has {kinds}; {has}", _HOW
    )


def _all(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _ms(value: Any) -> float:
    """An interval; what is no number ends a stretch."""
    return float(value) if isinstance(value, int | float) else float("nan")


def _seconds(stamp: Any) -> float | None:
    """Seconds since 1970; stamps below 2**28 count from when a device was switched on."""
    return _EPOCH_S + stamp if isinstance(stamp, int) and 0x10000000 <= stamp < 2**32 else None


def _with_ms(at_s: float | None, values: dict[str, Any]) -> float | None:
    more = values.get("timestamp_ms")
    return at_s + more / 1000 if at_s is not None and isinstance(more, int) else at_s
