"""What grows, as plain data: a line a quantity, a point a size."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Point:
    """One size: the best time of so many passes, and the peak of memory where it can be had."""

    size: int
    seconds: float
    passes: int
    peak_mib: float | None


@dataclass(frozen=True)
class Line:
    """One quantity on one device."""

    name: str
    device: str
    points: tuple[Point, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, such as JSON holds."""
        return asdict(self)


def markdown(part: str, lines: Sequence[Line]) -> str:
    """A row a size, a column a quantity: seconds, and MiB where they are known."""
    sizes = sorted({point.size for line in lines for point in line.points})
    head = [part, *(f"{line.name}, {line.device}" for line in lines)]
    rows = [head, ["--:"] * len(head)]
    for size in sizes:
        rows.append([f"{size:,}", *(_cell(line, size) for line in lines)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _cell(line: Line, size: int) -> str:
    for point in line.points:
        if point.size == size:
            peak = "" if point.peak_mib is None else f", {point.peak_mib:.0f} MiB"
            return f"{point.seconds:.3g} s{peak}"
    return ""
