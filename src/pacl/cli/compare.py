"""`pacl compare`: runs side by side."""

from pathlib import Path
from typing import Literal

from pacl.errors import PaclError


def compare(
    *runs: Path,
    on: str = "test",
    format: Literal["table", "csv", "json"] = "table",  # noqa: A002 - the option's name
) -> None:
    """Put runs side by side; those that differ in their seed alone become mean ± SD.

    Parameters
    ----------
    runs
        Folders of runs that were judged on the same windows.
    on
        Which evaluation: validation, test, or the name of other windows.
    format
        A table for people, or csv or json: a row, or an object, for each metric and column.
    """
    from pacl.studies import RunFolder
    from pacl.studies.compare import compare_runs

    if not runs:
        raise PaclError("name the folders of the runs to compare")
    comparison = compare_runs([RunFolder.open(run) for run in runs], on)
    if format == "table":
        from pacl.cli.scores_table import print_comparison

        print_comparison(comparison)
        return
    rows = [
        {
            "metric": metric.key,
            "column": column.title,
            "runs": len(column.runs),
            "mean": column.cells[at].mean,
            "sd": column.cells[at].deviation,
        }
        for at, metric in enumerate(comparison.metrics)
        for column in comparison.columns
    ]
    if format == "json":
        import json

        print(json.dumps(rows, indent=1))
        return
    import csv
    import sys

    writer = csv.DictWriter(sys.stdout, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
