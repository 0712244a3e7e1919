"""The evaluation of the detector as text, on one screen."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, cast

from pacl.cli.messages import counted
from pacl.printable import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from pacl.af import RatioIntervals
    from pacl.detect.scoring import Measure, Quartiles, RhythmEvaluation, RhythmScores
    from pacl.evaluation import Interval

    Intervals = Mapping[Measure, RatioIntervals] | None

LEVEL = 0.95
"""Level of the intervals over patients."""
WORST = 5
UNITS = {"duration": "time", "beat": "beat", "segment": "segment", "episode": "episode"}
"""First words of the measures' names, and the names of the rows."""
SHARES = {"sensitivity": "Se", "specificity": "Sp", "predictivity": "P+"}
LENGTHS = ("below 30 s", "30 s to 2 min", "2 to 5 min", "5 to 30 min", "30 min and longer")
FLUTTER = {"left-out": "left out", "as-af": "counted as AF", "as-not-af": "counted as not AF"}
ENDS = (
    "called minus true, median (quartiles) over found episodes; below 0 is early;\n"
    "one long call over short episodes is early for their onsets, late for offsets"
)


def print_evaluation(
    found: "RhythmEvaluation", scores: "RhythmScores", intervals: "Intervals"
) -> None:
    """Print shares, burden and false alarms, onsets and offsets, lengths, and worst patients."""
    from rich.console import Console

    console = Console(highlight=False, markup=False)
    if not console.is_terminal:  # a file has lines of any length
        console = Console(highlight=False, markup=False, width=10_000)
    hours = [one / 3600 for one in (scores.total.counted_s, scores.total.af_s)]
    print(
        f"{counted(scores.burden_error.patients, 'patient')}, "
        f"{scores.ratios['duration_sensitivity'].patients} with AF; {hours[0]:.1f} h counted, "
        f"{hours[1]:.1f} h AF, {scores.total.called_s / 3600:.1f} h called AF"
    )
    print(
        f"{printable(found.weights)}, {found.operating_point}, {found.mode}; "
        f"atrial flutter {FLUTTER[found.flutter]}"
        + ("; beats without a mark counted as not AF" if found.unmarked == "as-not-af" else "")
    )
    if found.nothing_counted:
        print(f"no time annotated and judged: {printable(', '.join(found.nothing_counted))}")
    print()
    _print_shares(console, scores, intervals)
    print()
    for line in _lines(scores, intervals):
        print(line)
    print()
    _print_ends(console, scores)
    table = _table("AF episodes by length", "episodes", "found", "Se")
    for name, each in zip(LENGTHS, scores.by_length, strict=True):
        table.add_row(name, str(each.episodes), str(each.found), _number(each.sensitivity))
    console.print(table)
    print()
    table = _table("patients with the worst burden", "true %", "called %", "off by")
    for name, one in [each for each in found.worst_first if each[1].counted_s > 0][:WORST]:
        burdens = (100 * (one.true_burden or 0.0), 100 * (one.called_burden or 0.0))
        cells = (*burdens, one.burden_error or 0.0)
        table.add_row(printable(name), *(f"{cell:.2f}" for cell in cells))
    console.print(table)


def _print_shares(console: "Console", scores: "RhythmScores", intervals: "Intervals") -> None:
    """One row for each unit, gross and average."""
    table = _table("by", "", *SHARES.values())
    table.collapse_padding = True  # to fit into 80 columns
    for unit, name in UNITS.items():
        for kind in ("gross", "average"):
            cells = [_cell(scores, intervals, f"{unit}_{share}", kind) for share in SHARES]
            table.add_row(name if kind == "gross" else "", kind, *cells)
    console.print(table)
    if intervals is None:
        print("no intervals over patients: they need pip install 'pacl[train]'")
    else:
        print(f"in brackets: {100 * LEVEL:g} % intervals over patients")


def _lines(scores: "RhythmScores", intervals: "Intervals") -> Iterator[str]:
    """Figures with one line each."""

    def cell(measure: str, digits: int = 3) -> str:
        return _cell(scores, intervals, measure, digits=digits)

    yield f"F1 by beat {cell('beat_f1')}, accuracy by beat {cell('beat_accuracy')}"
    error = scores.burden_error
    yield (
        f"AF burden off by {error.quartiles.median:.2f} points (median; quartiles "
        f"{error.quartiles.lower_quartile:.2f} to {error.quartiles.upper_quartile:.2f}, mean "
        f"{error.mean:.2f})"
    )
    if scores.false_af_h_per_day is not None:
        yield f"{scores.false_af_h_per_day:.2f} h called AF in 24 h without AF"
    number = counted(scores.total.false_episodes, "false alarm")
    alarms = cell("false_alarms_per_day", 2)
    yield f"{number}: {alarms} a day, {cell('false_alarms_per_day_without_af', 2)} a day without AF"
    cpsc = scores.cpsc
    if cpsc.records:
        yield (
            f"CPSC2021 score {cell('cpsc2021_score', 2)}: rhythm {cpsc.rhythm:.2f} + ends "
            f"{cpsc.endpoints:.2f}; {counted(cpsc.records, 'recording')}"
        )


def _print_ends(console: "Console", scores: "RhythmScores") -> None:
    """Errors of onsets and offsets, where there are any."""
    if not any(one.episodes for one in scores.end_errors.values()):
        return
    table = _table("called late by", "seconds (quartiles)", "beats (quartiles)", "episodes")
    for end, one in scores.end_errors.items():
        table.add_row(
            end, _spread(one.seconds, ".1f"), _spread(one.beats, ".0f"), str(one.episodes)
        )
    console.print(table)
    print(ENDS)
    print()


def _spread(one: "Quartiles", form: str) -> str:
    """A median, and the quartiles in round brackets."""
    if one.median is None:
        return "-"
    return f"{one.median:{form}} ({one.lower_quartile:{form}} to {one.upper_quartile:{form}})"


def _cell(
    scores: "RhythmScores",
    intervals: "Intervals",
    measure: str,
    kind: str = "gross",
    digits: int = 3,
) -> str:
    """A measure with its interval; a dash for a measure that does not exist."""
    key = cast("Measure", measure)
    value = getattr(scores.ratios.get(key), kind, None)
    return _number(value, getattr((intervals or {}).get(key), kind, None), digits)


def _number(value: float | None, interval: "Interval | None" = None, digits: int = 3) -> str:
    if value is None:
        return "-"
    if interval is None:
        return f"{value:.{digits}f}"
    return f"{value:.{digits}f} [{interval.low:.{digits}f}, {interval.high:.{digits}f}]"


def _table(*heads: str) -> "Table":
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for at, head in enumerate(heads):
        table.add_column(head, justify="right" if at else "left")
    return table
