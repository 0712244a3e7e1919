"""Patients and windows in each part of a cohort."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass

from pacl.records import Rhythm
from pacl.report.table import Cell, Head, Table
from pacl.rr import RRWindowSet

PARTS = ("train", "validation", "test")


@dataclass(frozen=True, slots=True)
class PartCount:
    """What a part of a cohort holds."""

    part: str
    records: int
    patients: int
    with_both: int
    """Patients who have windows of both rhythms."""
    sr_windows: int
    af_windows: int


def count_parts(windows: RRWindowSet) -> tuple[PartCount, ...]:
    """Count a window set: its parts in the order of learning, then others by name."""
    names = windows.table.split.present()
    known = [part for part in PARTS if part in names]
    order = known + [part for part in names if part not in PARTS]
    return tuple(_count(part, windows) for part in order)


def cohort_table(title: str, parts: Sequence[PartCount]) -> Table:
    """One row per part, and their sum where there are several.

    A patient belongs to one part only, so patients can be added up.
    """
    counts = [astuple(one)[1:] for one in parts]
    rows = [_row(one.part, count) for one, count in zip(parts, counts, strict=True)]
    if len(parts) > 1:
        rows.append(_row("all", [sum(column) for column in zip(*counts, strict=True)]))
    heads = ("Part", "Records", "Patients", "Patients with both", "SR windows", "AF windows")
    return Table(
        f"Cohort, {title}",
        "Patients with both have windows of both rhythms. Only they have their own AUROC.",
        tuple(Head(head) for head in heads),
        tuple(rows),
        rules=(len(parts),) if len(parts) > 1 else (),
    )


def _count(part: str, windows: RRWindowSet) -> PartCount:
    table, counted = windows.table, windows.count()[part]
    here = table.split.is_(part)
    have = [
        set(table.patient[here & (table.rhythm == kind)].present())
        for kind in (Rhythm.SR, Rhythm.AF)
    ]
    return PartCount(
        part,
        records=len(table.record[here].present()),
        patients=len(table.patient[here].present()),
        with_both=len(have[0] & have[1]),
        sr_windows=counted["SR"],
        af_windows=counted["AF"],
    )


def _row(part: str, counts: Sequence[int]) -> tuple[Cell, ...]:
    return (Cell(part), *(Cell(mean=float(count), digits=0) for count in counts))
