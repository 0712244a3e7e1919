"""Prepare the real cohorts and count them: the table of docs/windows.md."""

import tempfile
from pathlib import Path

from places import DATA, need
from sections import write_section

from pacl.cohort import PooledProtocol
from pacl.records import Rhythm, open_records
from pacl.rr import RRWindowSet, prepare
from pacl.windows import split_units


def main() -> None:
    """Write the table, a column a database."""
    need("ltafdb", "afdb")
    found = [_counts(name) for name in ("ltafdb", "afdb")]
    lines = [f"| {key} | " + " | ".join(column[key] for column in found) + " |" for key in found[0]]
    lines.insert(1, "|---|" + "--:|" * len(found))
    write_section("docs/windows.md", "cohorts", "\n".join(lines))
    print("\n".join(lines))


def _counts(name: str) -> dict[str, str]:
    with tempfile.TemporaryDirectory() as folder:
        made = prepare(
            open_records(DATA / name),
            Path(folder) / "windows",
            protocol=PooledProtocol(),
            divide=lambda strata, _: split_units(strata, seed=1),
        )
        windows = RRWindowSet.open(made.path)
        table, manifest = windows.table, windows.manifest
        having = [
            set(table.patient[table.rhythm == kind].present()) for kind in (Rhythm.SR, Rhythm.AF)
        ]
        counts = windows.count()
        parts = {
            part: f"{len(windows.part(part).table.patient.present())} patients, "
            f"{counts[part]['SR']:,} SR and {counts[part]['AF']:,} AF"
            for part in ("train", "validation", "test")
        }
        return {
            "": name.upper(),
            "patients": f"{made.patients}",
            "with both rhythms": f"{len(set.intersection(*having))}",
            "windows, SR": f"{sum(count['SR'] for count in counts.values()):,}",
            "windows, AF": f"{sum(count['AF'] for count in counts.values()):,}",
            **parts,
            **{f"beats: {kind}": f"{count:,}" for kind, count in manifest["beats"].items()},
            "left out": "; ".join(f"{count} {why}" for why, count in manifest["dropped"].items()),
        }


if __name__ == "__main__":
    main()
