"""Tables of scores on the screen: one evaluation, or runs side by side."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pacl.cli.printable import printable
from pacl.studies.compare import METRICS, Cell, Comparison, value_of


def print_scores(judged: Mapping[str, Mapping[str, Any]]) -> None:
    """One run on one or several sets of windows, a column each."""
    table = _table("", *judged)
    table.add_row("windows (SR / AF)", *(_windows(one) for one in judged.values()))
    table.add_row("patients (with both)", *(_patients(one) for one in judged.values()))
    table.add_section()
    for metric in METRICS:
        values = (value_of(one, metric.key) for one in judged.values())
        table.add_row(metric.name, *(shown(Cell(value, None)) for value in values))
        if metric.key == "detection.calibration.expected_error":
            table.add_section()
    _console().print(table)


def print_comparison(comparison: Comparison) -> None:
    """Runs side by side, the best of each row marked."""
    heads = [f"{column.title}\n{_seeds(column.seeds)}" for column in comparison.columns]
    table = _table(f"on {comparison.on}", *heads)
    for row, metric in enumerate(comparison.metrics):
        best = comparison.best(row)
        table.add_row(
            metric.name,
            *(
                f"[bold]{shown(column.cells[row])} *[/]" if at in best else shown(column.cells[row])
                for at, column in enumerate(comparison.columns)
            ),
        )
        if metric.key == "detection.calibration.expected_error":
            table.add_section()
    _console().print(table)


def shown(cell: Cell) -> str:
    """Three digits, and the spread over seeds; a dash where there is no value."""
    if cell.mean is None:
        return "-"
    spread = "" if cell.deviation is None else f" ± {cell.deviation:.3f}"
    return f"{cell.mean:.3f}{spread}"


def _text(head: str) -> Text:
    """Names of runs and of windows, which are no markup."""
    return Text("\n".join(map(printable, head.split("\n"))))


def _seeds(seeds: Sequence[int]) -> str:
    if not seeds:
        return "imported"
    return f"seed{'s' if len(seeds) > 1 else ''} {', '.join(map(str, seeds))}"


def _table(first: str, *heads: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(_text(first))
    for head in heads:
        table.add_column(_text(head), justify="right")
    return table


def _console() -> Console:
    """Standard output, never wrapped: what is piped into a file is as wide as it is."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=10_000)


def _windows(judged: Mapping[str, Any]) -> str:
    pooled = judged["pooled"]
    return f"{pooled['sr']['windows']:,} / {pooled['af']['windows']:,}"


def _patients(judged: Mapping[str, Any]) -> str:
    return f"{len(judged['pooled']['per_patient'])} ({judged['pooled']['patients_with_both']})"
