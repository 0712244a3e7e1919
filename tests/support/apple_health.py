"""Exports of Apple Health: beat series among many other records."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta, timezone
from xml.sax.saxutils import quoteattr

ZONE = timezone(timedelta(hours=2))
DTD = """<!DOCTYPE HealthData [
<!-- HealthKit Export Version: 12 -->
<!ELEMENT HealthData (ExportDate,Me,(Record|Correlation|Workout)*)>
<!ATTLIST HealthData
  locale CDATA #REQUIRED
>
<!ELEMENT HeartRateVariabilityMetadataList (InstantaneousBeatsPerMinute*)>
]>
"""
STEPS = (
    ' <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Watch" unit="count/min" '
    'startDate="2021-08-01 07:00:00 +0200" endDate="2021-08-01 07:00:00 +0200" value="61">\n'
    '  <MetadataEntry key="HKMetadataKeyHeartRateMotionContext" value="1"/>\n </Record>\n'
)


def twelve_hours(at: datetime) -> str:
    return f"{(at.hour + 11) % 12 + 1}:{at:%M:%S}.{at.microsecond // 10_000:02} {at:%p}"


def series(
    start: datetime,
    rr_ms: Sequence[int],
    *,
    source: str = "Watch",
    clock: Callable[[datetime], str] = twelve_hours,
    missing: Sequence[int] = (),
) -> str:
    """A record with beats, the first 1.31 s after `start`; those in `missing` are left out."""
    at = start + timedelta(seconds=1.31)
    lines = [_beat(60, clock(at))]
    for number, rr in enumerate(rr_ms):
        at += timedelta(milliseconds=rr)
        if number not in missing:
            lines.append(_beat(round(60_000 / rr), clock(at)))
    dates = " ".join(
        f'{name}="{one:%Y-%m-%d %H:%M:%S %z}"'
        for name, one in (("startDate", start), ("endDate", at))
    )
    return (
        ' <Record type="HKQuantityTypeIdentifierHeartRateVariabilitySDNN" '
        f'sourceName={quoteattr(source)} unit="ms" {dates} value="47.2">\n'
        '  <MetadataEntry key="HKAlgorithmVersion" value="2"/>\n'
        "  <HeartRateVariabilityMetadataList>\n"
        + "".join(lines)
        + "  </HeartRateVariabilityMetadataList>\n </Record>\n"
    )


def _beat(bpm: int, time: str) -> str:
    return f'   <InstantaneousBeatsPerMinute bpm="{bpm}" time="{time}"/>\n'


def document(parts: Iterable[str], *, dtd: str = DTD) -> bytes:
    inner = "".join(parts)
    text = f'<?xml version="1.0" encoding="UTF-8"?>\n{dtd}<HealthData locale="en_US">\n{inner}'
    return f"{text}</HealthData>\n".encode()
