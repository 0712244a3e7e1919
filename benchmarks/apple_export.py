"""A synthetic export of Apple Health: seconds and memory of ours against `iterparse`.

    python benchmarks/apple_export.py --mb 1000

It writes an export with the mix of a real one, mostly heart rates and steps, into a temporary
folder, and reads it in processes of their own. The peer is `xml.etree.ElementTree.iterparse`, with
each element cleared, which collects the same beat times and does nothing with them. `--parse` has a
comment at its end, so that ours parses all of it. `--zip` packs it first.
"""

import argparse
import tempfile
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
from measure import Cost, cost

from pacl.records.exports import ExportReader

ZONE = timezone(timedelta(hours=2))
HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE HealthData [\n'
    "<!ELEMENT HealthData (ExportDate,Me,(Record|Workout)*)>\n"
    ']>\n<HealthData locale="en_US">\n'
)
DEVICE = (
    'sourceName="Anna\u2019s Apple Watch" sourceVersion="9.1" device="&lt;&lt;HKDevice: '
    "0x2819e9770&gt;, name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,4, "
    'software:9.1&gt;"'
)


def dates(at: datetime, until: datetime) -> str:
    """Attributes with the times of a record."""
    form = "%Y-%m-%d %H:%M:%S %z"
    return (
        f'creationDate="{until.strftime(form)}" startDate="{at.strftime(form)}" '
        f'endDate="{until.strftime(form)}"'
    )


def minute(at: datetime) -> str:
    """Heart rates, steps and energy of some minutes."""
    parts = []
    for second in range(0, 300, 6):
        now = at + timedelta(seconds=second)
        kind = ("HeartRate", "StepCount", "ActiveEnergyBurned", "BasalEnergyBurned")[
            second // 6 % 4
        ]
        head = f' <Record type="HKQuantityTypeIdentifier{kind}" {DEVICE} unit="count/min"'
        parts.append(f'{head} {dates(now, now)} value="{60 + second % 40}"')
        if kind == "HeartRate":
            entry = '<MetadataEntry key="HKMetadataKeyHeartRateMotionContext" value="1"/>'
            parts.append(f">\n  {entry}\n </Record>\n")
        else:
            parts.append("/>\n")
    return "".join(parts)


def series(at: datetime, rr_ms: list[int]) -> str:
    """A value of variability with its beats."""
    beats, now = [], at
    for rr in rr_ms:
        now += timedelta(milliseconds=rr)
        clock = f"{(now.hour + 11) % 12 + 1}:{now:%M:%S}.{now.microsecond // 10_000:02} {now:%p}"
        bpm = round(60_000 / rr)
        beats.append(f'   <InstantaneousBeatsPerMinute bpm="{bpm}" time="{clock}"/>\n')
    inner = "".join(beats)
    return (
        f' <Record type="HKQuantityTypeIdentifierHeartRateVariabilitySDNN" {DEVICE} unit="ms" '
        f'{dates(at, now)} value="47.2">\n  <HeartRateVariabilityMetadataList>\n{inner}'
        "  </HeartRateVariabilityMetadataList>\n </Record>\n"
    )


def write(path: Path, size: int, *, comment: bool) -> None:
    """An export of about `size` bytes; a series for each three hours."""
    rng = np.random.default_rng(0)
    at = datetime(2019, 1, 1, tzinfo=ZONE)
    with path.open("w", encoding="utf-8") as file:
        file.write(HEAD)
        while file.tell() < size:
            for _ in range(36):
                file.write(minute(at))
                at += timedelta(minutes=5)
            file.write(series(at, (10 * rng.integers(70, 95, size=65)).tolist()))
        file.write("<!-- end -->\n" if comment else "")
        file.write("</HealthData>\n")


def ours(path: Path) -> int:
    """Open it and read all recordings."""
    reader = ExportReader(path)
    return sum(len(reader.read(name)) for name in reader.record_ids)


def peer(path: Path) -> int:
    """Collect the beats while the tree is built and cleared."""
    beats: list[tuple[str | None, str | None]] = []
    with path.open("rb") as file:
        walk = ET.iterparse(file, events=("start", "end"))
        _, root = next(walk)
        for event, element in walk:
            if event == "end":
                if element.tag == "InstantaneousBeatsPerMinute":
                    beats.append((element.get("bpm"), element.get("time")))
                elif element.tag == "Record":
                    root.clear()
    return len(beats)


def floor(path: Path) -> int:
    """Read the bytes."""
    size = 0
    with path.open("rb") as file:
        while chunk := file.read(4 * 1024**2):
            size += len(chunk)
    return size


def told(name: str, found: Cost, mb: float) -> str:
    """A line of the table."""
    memory = "no peak kept" if found.extra_mib is None else f"{found.extra_mib:,.0f} MiB"
    return f"| {name} | {found.seconds:.2f} s | {mb / found.seconds:,.0f} MB/s | {memory} |"


def main() -> None:
    """Write, read, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mb", type=float, default=100)
    parser.add_argument(
        "--parse", action="store_true", help="with a comment, so that all is parsed"
    )
    parser.add_argument("--zip", action="store_true", help="packed as the iPhone does it")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "export.xml"
        write(path, round(given.mb * 1e6), comment=given.parse)
        mb = path.stat().st_size / 1e6
        read = path
        if given.zip:
            read = path.with_suffix(".zip")
            with zipfile.ZipFile(read, "w", zipfile.ZIP_DEFLATED) as packed:
                packed.write(path, "apple_health_export/export.xml")
        works: dict[str, tuple[Callable[[Path], Any], Path]] = {
            "ours": (ours, read),
            "iterparse": (peer, path),
            "bytes": (floor, path),
        }
        print(f"{mb:,.0f} MB\n\n| what | time | speed | peak memory |\n|---|--:|--:|--:|")
        found = {name: cost(work, at, repeat=1) for name, (work, at) in works.items()}
        for name, one in found.items():
            print(told(name, one, mb))
        ratio = found["iterparse"].seconds / found["ours"].seconds
        print(f"\niterparse takes {ratio:.1f} times as long")


if __name__ == "__main__":
    main()
