"""Count every real recording: the tables of docs/recordings.md."""

import os
from pathlib import Path

from pacl.records import Overview, Rhythm, open_records

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("PACL_DATA", ROOT.parent / "shared" / "data"))
DATABASES = ("ltafdb", "afdb")


def main() -> None:
    """Write one table a database, and one of totals."""
    totals = [
        "| | patients | beats | hours | SR | AF | other | not annotated | AF episodes | gaps |"
        " implausible |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for name in DATABASES:
        reader = open_records(DATA / name)
        rows = [Overview.of(reader.read(record_id)) for record_id in reader.record_ids]
        lines = [
            "| record | beats | hours | SR h | AF h | other h | not annotated h | AF episodes |"
            " gaps | implausible |",
            "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
            *(_line(row) for row in rows),
        ]
        (ROOT / f"docs/data/{name}.md").write_text("\n".join(lines) + "\n")
        hours = sum(row.hours for row in rows)
        shares = [sum(row.rhythm_hours[kind] for row in rows) for kind in Rhythm]
        totals.append(
            f"| {name.upper()} | {len({row.patient_id for row in rows})} "
            f"| {sum(row.beats for row in rows):,} | {hours:,.1f} | "
            + " | ".join(f"{share:,.1f} h ({share / hours:.1%})" for share in shares)
            + f" | {sum(row.af_episodes for row in rows):,} "
            f"| {sum(row.gaps for row in rows)} ({sum(row.gap_s for row in rows):.0f} s) "
            f"| {sum(row.implausible for row in rows):,} |"
        )
    (ROOT / "docs/data/totals.md").write_text("\n".join(totals) + "\n")
    print("\n".join(totals))


def _line(row: Overview) -> str:
    hours = " | ".join(f"{row.rhythm_hours[kind]:.2f}" for kind in Rhythm)
    return (
        f"| {row.record_id} | {row.beats:,} | {row.hours:.2f} | {hours} | {row.af_episodes:,} "
        f"| {row.gaps} | {row.implausible:,} |"
    )


if __name__ == "__main__":
    main()
