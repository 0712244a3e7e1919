"""`pacl compare`: a table of several runs."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from pacl.cli.options import InputPath
from pacl.printable import plain_cell

if TYPE_CHECKING:
    from pacl.studies import Column, Metric, RunScore


def compare(
    *runs: Annotated[InputPath, Parameter(required=True)],
    on: str = "test",
    format: Literal["text", "csv", "json"] = "text",  # noqa: A002 - the option's name
) -> None:
    """Compare runs in a table; runs that differ only in their seed become mean ± SD.

    Each number has its 95 % interval over patients. A star marks a column that is better than all
    others, if there are enough patients to show it. Geometry of collapsed runs is left out.

    Parameters
    ----------
    runs
        Folders of runs that were evaluated on the same windows.
    on
        Which evaluation: validation, test, or the name of other windows.
    format
        text is a table; csv and json have one row, or one object, per metric and column.

    Examples
    --------
    $ pacl compare run run-supcon
    $ pacl compare run run-supcon --on validation --format csv
    """
    from pacl.studies import RunFolder, compare_runs

    comparison = compare_runs([RunFolder.open(run) for run in runs], on)
    if format == "text":
        from pacl.cli.scores_table import print_comparison

        print_comparison(comparison)
        return
    rows = [
        _stated(metric, column, column.scores[at])
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
    writer.writerows(row | {"column": plain_cell(row["column"])} for row in rows)


def _stated(metric: "Metric", column: "Column", cell: "RunScore") -> dict[str, Any]:
    """A cell in plain values."""
    interval = cell.interval
    return {
        "metric": metric.key,
        "column": column.title,
        "runs": len(column.runs),
        "collapsed": len(column.collapsed),
        "mean": cell.mean,
        "sd": cell.deviation,
        "low": interval and interval.low,
        "high": interval and interval.high,
        "patients": interval and interval.subjects,
        "best": cell.best,
    }
