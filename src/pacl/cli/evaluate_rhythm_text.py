"""Figures of the detector as a person reads them, on one screen."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pacl.cli.messages import counted
from pacl.printable import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

WORST = 5
UNITS = {"duration": "time", "beat": "beat", "segment": "segment", "episode": "episode"}
"""Beginnings of the names of measures, and what a row is called."""
SHARES = {"sensitivity": "Se", "specificity": "Sp", "predictivity": "P+"}
LENGTHS = ("below 30 s", "30 s to 2 min", "2 to 5 min", "5 to 30 min", "30 min and longer")
FLUTTER = {"left-out": "left out", "as-af": "counted as AF", "as-not-af": "counted as not AF"}


def print_figures(told: Mapping[str, Any]) -> None:
    """Print shares, burden and false alarms, onsets and offsets, lengths, and worst patients."""
    from rich.console import Console

    console = Console(highlight=False, markup=False)
    if not console.is_terminal:  # what is piped into a file is as wide as it is
        console = Console(highlight=False, markup=False, width=10_000)
    print(
        f"{counted(told['patients'], 'patient')}, {told['patients_with_af']} with AF; "
        f"{told['counted_h']:.1f} h counted, {told['true_af_h']:.1f} h AF, "
        f"{told['called_af_h']:.1f} h called AF"
    )
    print(
        f"{printable(told['weights'])}, {told['operating_point']}, {told['mode']}; "
        f"atrial flutter {FLUTTER[told['flutter']]}"
        + ("; beats without a mark counted as not AF" if told["unmarked"] == "as-not-af" else "")
    )
    if told["nothing_counted"]:
        print(f"nothing annotated that was judged: {printable(', '.join(told['nothing_counted']))}")
    print()
    _print_shares(console, told)
    print()
    for line in _lines(told):
        print(line)
    print()
    _print_ends(console, told)
    table = _table("AF episodes by length", "episodes", "found", "Se")
    for name, one in zip(LENGTHS, told["episode_sensitivity_by_length"], strict=True):
        table.add_row(name, str(one["episodes"]), str(one["found"]), _number(one["sensitivity"]))
    console.print(table)
    print()
    table = _table("patients with the worst burden", "true %", "called %", "off by")
    for one in [each for each in told["per_patient"] if each["counted_h"] > 0][:WORST]:
        shares = (100 * one["true_burden"], 100 * one["called_burden"], one["burden_error_points"])
        table.add_row(printable(one["patient"]), *(f"{share:.2f}" for share in shares))
    console.print(table)


def _print_shares(console: "Console", told: Mapping[str, Any]) -> None:
    """One row for each way to count, gross and average."""
    table = _table("by", "", *SHARES.values())
    table.collapse_padding = True  # to fit into 80 columns
    for unit, name in UNITS.items():
        for kind in ("gross", "average"):
            cells = [_cell(told, f"{unit}_{share}", kind) for share in SHARES]
            table.add_row(name if kind == "gross" else "", kind, *cells)
    console.print(table)
    if told["interval_level"] is None:
        print("no intervals over patients: they need pip install 'pacl[train]'")
    else:
        print(f"in brackets: {100 * told['interval_level']:g} % intervals over patients")


def _lines(told: Mapping[str, Any]) -> Iterator[str]:
    """What is said in a line each."""
    yield f"F1 by beat {_cell(told, 'beat_f1')}, accuracy by beat {_cell(told, 'beat_accuracy')}"
    error = told["burden_error_points"]
    low, high = error["lower_quartile"], error["upper_quartile"]
    yield (
        f"AF burden off by {error['median']:.2f} points (median; quartiles {low:.2f} to "
        f"{high:.2f}, mean {error['mean']:.2f})"
    )
    false_h = told["false_af_h_per_day"]
    if false_h is not None:
        yield f"{false_h:.2f} h called AF in 24 h without AF"
    alarms, without = (
        _cell(told, f"false_alarms_per_day{ending}", digits=2) for ending in ("", "_without_af")
    )
    number = counted(told["false_episodes"], "false alarm")
    yield f"{number}: {alarms} a day, {without} a day without AF"
    cpsc = told["cpsc2021"]
    if cpsc["records"]:
        yield (
            f"CPSC2021 score {_cell(told, 'cpsc2021_score', digits=2)}: rhythm {cpsc['rhythm']:.2f}"
            f" + ends {cpsc['endpoints']:.2f}; {counted(cpsc['records'], 'recording')}"
        )


def _print_ends(console: "Console", told: Mapping[str, Any]) -> None:
    """How early or late onsets and offsets are, where any could be seen."""
    ends = {end: told[f"{end}_error"] for end in ("onset", "offset")}
    if not any(one["episodes"] for one in ends.values()):
        return
    table = _table("called late by", "seconds (quartiles)", "beats (quartiles)", "episodes")
    for end, one in ends.items():
        spreads = (_spread(one["seconds"], ".1f"), _spread(one["beats"], ".0f"))
        table.add_row(end, *spreads, str(one["episodes"]))
    console.print(table)
    print()


def _spread(one: Mapping[str, float | None], form: str) -> str:
    """A median, and the quartiles in round brackets."""
    if one["median"] is None:
        return "-"
    low, high = one["lower_quartile"], one["upper_quartile"]
    return f"{one['median']:{form}} ({low:{form}} to {high:{form}})"


def _cell(told: Mapping[str, Any], measure: str, kind: str = "gross", digits: int = 3) -> str:
    one = told["measures"].get(measure)
    return "-" if one is None else _number(one[kind], one[f"{kind}_interval"], digits)


def _number(value: float | None, interval: list[float] | None = None, digits: int = 3) -> str:
    if value is None:
        return "-"
    low, high = interval or (None, None)
    ends = "" if low is None else f" [{low:.{digits}f}, {high:.{digits}f}]"
    return f"{value:.{digits}f}{ends}"


def _table(*heads: str) -> "Table":
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for at, head in enumerate(heads):
        table.add_column(head, justify="right" if at else "left")
    return table
