"""A table in HTML."""

import re
from html import escape
from itertools import pairwise

from pacl.report.table.cell import Cell, Head, letter
from pacl.report.table.table import Table


def table_html(table: Table) -> str:
    """A figure: title and caption, the table in a box that scrolls by itself, notes."""
    about = f"<strong>{escape(table.title)}.</strong> " if table.title else ""
    lines = ['<figure class="table">']
    if about or table.caption:
        lines.append(f"<figcaption>{about}{escape(table.caption)}</figcaption>")
    label = escape(table.title or "Table", quote=True)
    lines += [
        f'<div class="scroll" role="region" aria-label="{label}" tabindex="0">',
        "<table>",
        "<thead>",
        *_group_row(table),
        "<tr>" + "".join(_heads(table)) + "</tr>",
        "</thead>",
        "<tbody>",
    ]
    for at, row in enumerate(table.rows):
        opening = '<tr class="rule">' if at in table.rules else "<tr>"
        lines.append(opening + "".join(_cells(table, row)) + "</tr>")
    lines += ["</tbody>", "</table>", "</div>"]
    if table.notes:
        notes = (
            f"<li><sup>{letter(at)}</sup> {escape(note)}</li>"
            for at, note in enumerate(table.notes)
        )
        lines.append('<ul class="notes">' + "".join(notes) + "</ul>")
    return "\n".join([*lines, "</figure>"])


def _group_row(table: Table) -> list[str]:
    cells = [
        f'<th colspan="{span}" scope="colgroup" class="group"><span>{escape(name)}</span></th>'
        if name
        else "<td></td>"
        for name, span in table.groups
    ]
    return ["<tr>" + "".join(cells) + "</tr>"] if cells else []


def _heads(table: Table) -> list[str]:
    starts = _starts(table)
    found = []
    for at, (head, number) in enumerate(zip(table.heads, table.numeric, strict=True)):
        kinds = ["number"] * number + ["start"] * (at in starts)
        text = _words(head.text) + _marks(head)
        # A column without a name holds what rows are about; an empty head would be read aloud.
        found.append(
            f'<th scope="col"{_class(kinds)}>{text}</th>'
            if head.text
            else f"<td{_class(kinds)}></td>"
        )
    return found


def _cells(table: Table, row: tuple[Cell, ...]) -> list[str]:
    starts = _starts(table)
    found = []
    for at, (cell, number) in enumerate(zip(row, table.numeric, strict=True)):
        kinds = ["number"] * number + ["start"] * (at in starts)
        kinds += ["best"] * cell.best + ["paper"] * cell.paper
        text = _words(cell.shown_number)
        if cell.number is not None:
            text = text.replace("-", "\N{MINUS SIGN}")
        if cell.best:
            text = f"<strong>{text}</strong>"
        if cell.shown_spread:
            text += f'<span class="sd">{escape(cell.shown_spread)}</span>'
        opening = '<th scope="row"' if at == 0 else "<td"
        closing = "</th>" if at == 0 else "</td>"
        found.append(f"{opening}{_class(kinds)}>{text}{_marks(cell)}{closing}")
    return found


def _words(text: str) -> str:
    """Escaped; an arrow or a per cent sign stays beside the word before it."""
    return re.sub(" (?=[↑↓%])", "\N{NO-BREAK SPACE}", escape(text))


def _starts(table: Table) -> set[int]:
    """Columns in which another group begins; the first column has a line of its own."""
    groups = [head.group for head in table.heads]
    return {
        at for at, (left, right) in enumerate(pairwise(groups), start=1) if left != right and left
    }


def _class(kinds: list[str]) -> str:
    return f' class="{" ".join(kinds)}"' if kinds else ""


def _marks(part: Cell | Head) -> str:
    marks = ", ".join(letter(note) for note in part.notes)
    return f"<sup>{marks}</sup>" if marks else ""
