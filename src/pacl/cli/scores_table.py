"""Tables of scores on the screen: one evaluation, or runs side by side."""

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pacl.cli.messages import counted
from pacl.evaluation import FEW, FEWEST_SUBJECTS, Evaluation, Interval
from pacl.printable import printable
from pacl.studies import (
    LAST_OF_DETECTION,
    METRICS,
    Column,
    Comparison,
    Outcome,
    RunScore,
    metrics_of,
    score_of,
)

INTERVALS = (
    "[low, high]: 95 % interval over patients. †: its width depends on fewer than two patients "
    "(effective sample size)."
)
MEANINGLESS = (
    "All windows then have the same embedding: cohesion is always 1, and the geometry has no "
    "meaning."
)


def print_scores(judged: Mapping[str, Outcome]) -> None:
    """One run on one or several sets of windows, one column for each."""
    each = list(judged.values())
    table = _table("", *judged)
    class_names = each[0].measured.class_names
    metrics = metrics_of(class_names)
    who = "patients (with both)" if metrics is METRICS else "subjects (with several classes)"
    table.add_row(
        _text(f"windows ({' / '.join(class_names)})"), *(_windows(one.measured) for one in each)
    )
    table.add_row(who, *(_patients(one.measured) for one in each))
    table.add_section()
    for metric in metrics:
        table.add_row(
            _text(metric.name), *(_escaped(shown(score_of([one], metric))) for one in each)
        )
        if metric.key == LAST_OF_DETECTION:
            table.add_section()
    _console().print(table)
    if any(one.collapsed for one in each):
        print(f"COLLAPSED: the embeddings of this run are a single point. {MEANINGLESS}")
    counts = {name: len(one.predictions.names) for name, one in judged.items()}
    if any(count >= FEWEST_SUBJECTS for count in counts.values()):
        print(INTERVALS)
    for name, count in counts.items():
        if count < FEWEST_SUBJECTS:
            who = f"{name}: {counted(count, 'patient')}"
            print(printable(_too_few(who, "no interval is shown")))


def print_comparison(comparison: Comparison) -> None:
    """Runs side by side; a star marks a run that is better than all others."""
    heads = [f"{column.title}\n{_seeds(column.seeds)}" for column in comparison.columns]
    table = _table(f"on {comparison.on}", *heads)
    for row, metric in enumerate(comparison.metrics):
        table.add_row(
            _text(metric.name), *(_starred(column.scores[row]) for column in comparison.columns)
        )
        if metric.key == LAST_OF_DETECTION:
            table.add_section()
    _console().print(table)
    for line in _about(comparison):
        print(printable(line))


def _about(comparison: Comparison) -> Iterator[str]:
    """Explanation of the marks and of missing intervals."""
    for column in comparison.columns:
        if column.collapsed:
            yield _collapse(column)
    if not comparison.enough:
        who = counted(comparison.patients, "patient")
        yield _too_few(who, "no interval is shown, and no column is marked as best")
        return
    yield INTERVALS
    if len(comparison.columns) < 2:
        return
    if any(cell.best for column in comparison.columns for cell in column.scores):
        yield (
            "*: better than all other columns; the 95 % interval of each paired difference "
            "excludes 0 (not corrected for the number of rows). Where no interval is shown, the "
            "difference is over seeds only, on these patients. A row without a star is "
            "inconclusive, or its measure has no better direction."
        )
    else:
        yield "No column is better than the others: all rows are inconclusive."


def _collapse(column: Column) -> str:
    lost, runs = len(column.collapsed), len(column.runs)
    which = f"{lost} of {runs} runs ({', '.join(column.collapsed)})" if runs > 1 else "the run"
    rest = "" if lost == runs else f" Its geometry is that of the other {runs - lost} runs."
    return f"COLLAPSED: {column.title}, {which}. {MEANINGLESS}{rest}"


def _too_few(who: str, result: str) -> str:
    return f"{who}, too few for an interval, which needs {FEWEST_SUBJECTS} or more; {result}."


def shown(cell: RunScore) -> str:
    """Three digits, the spread over seeds, and the interval; a dash where there is no value."""
    if cell.mean is None:
        return "-"
    spread = "" if cell.deviation is None else f" ± {cell.deviation:.3f}"
    found = cell.interval
    limits = "" if found is None else f" [{found.low:.3f}, {found.high:.3f}]{_few(found)}"
    return f"{cell.mean:.3f}{spread}{limits}"


def _few(interval: Interval) -> str:
    """A mark where the effective sample size is below two patients."""
    return "†" * (interval.effective_subjects is not None and interval.effective_subjects < FEW)


def _starred(cell: RunScore) -> str:
    text = _escaped(shown(cell))
    return f"[bold]{text} *[/]" if cell.best else text


def _escaped(text: str) -> str:
    """Brackets that are not markup."""
    return text.replace("[", r"\[")


def _text(head: str) -> Text:
    """Names of runs and of windows, without markup."""
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
    """Standard output; lines are not wrapped in a file or a pipe."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=10_000)


def _windows(found: Evaluation) -> str:
    return " / ".join(f"{one.windows:,}" for one in found.pooled.classes)


def _patients(found: Evaluation) -> str:
    return f"{len(found.pooled.per_subject)} ({found.pooled.subjects_with_several})"
