"""Count every real recording: the tables of docs/recordings.md."""

from places import DATA, need
from sections import write_section

from pacl.records import Overview, Rhythm, open_records

DATABASES = ("ltafdb", "afdb")


def main() -> None:
    """Write one table a database, and one of totals."""
    need(*DATABASES)
    totals = []
    for name in DATABASES:
        reader = open_records(DATA / name)
        rows = [Overview.of(reader.read(record_id)) for record_id in reader.record_ids]
        lines = [
            "| record | beats | hours | SR h | AF h | other h | not annotated h | AF runs |"
            " gaps | implausible |",
            "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
            *(_line(row) for row in rows),
        ]
        write_section("docs/recordings.md", name, "\n".join(lines))
        totals.append({"": name.upper(), **_totals(rows)})
    table = [f"| {key} | " + " | ".join(total[key] for total in totals) + " |" for key in totals[0]]
    table.insert(1, "|---|" + "--:|" * len(totals))
    write_section("docs/recordings.md", "totals", "\n".join(table))
    print("\n".join(table))


def _totals(rows: list[Overview]) -> dict[str, str]:
    hours = sum(row.hours for row in rows)
    names = {"sinus rhythm": 0, "AF": 1, "other rhythms": 2, "not annotated": 3}
    shares = {
        name: sum(row.rhythm_hours[Rhythm(kind)] for row in rows) for name, kind in names.items()
    }
    return {
        "patients": f"{len({row.patient_id for row in rows})}",
        "beats": f"{sum(row.beats for row in rows):,}",
        "hours": f"{hours:,.1f}",
        **{name: f"{share:,.1f} h ({share / hours:.1%})" for name, share in shares.items()},
        "AF runs": f"{sum(row.af_episodes for row in rows):,}",
        "gaps": f"{sum(row.gaps for row in rows)} ({sum(row.gap_s for row in rows):.0f} s)",
        "implausible beats": f"{sum(row.implausible for row in rows):,}",
    }


def _line(row: Overview) -> str:
    hours = " | ".join(f"{row.rhythm_hours[kind]:.2f}" for kind in Rhythm)
    return (
        f"| {row.record_id} | {row.beats:,} | {row.hours:.2f} | {hours} | {row.af_episodes:,} "
        f"| {row.gaps} | {row.implausible:,} |"
    )


if __name__ == "__main__":
    main()
