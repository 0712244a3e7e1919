"""A table in Markdown."""

import re

from pacl.report.table.table import Cell, Head, Table, letter

SPECIAL = re.compile(r"([\\`*_\[\]<>|~#])")


def escape_markdown(text: str) -> str:
    """Words as they are: nothing in them is markup, and they stay on one line."""
    return SPECIAL.sub(r"\\\1", " ".join(text.replace("&", "&amp;").split()))


def table_markdown(table: Table) -> str:
    """Title and caption, the table, its notes."""
    about = [f"**{escape_markdown(table.title)}.**"] if table.title else []
    if table.caption:
        about.append(escape_markdown(table.caption))
    lines = [" ".join(about), ""] if about else []
    lines.append(_line([_head(head) for head in table.heads]))
    lines.append("|" + "|".join("--:" if number else "---" for number in table.numeric) + "|")
    lines += [_line([_cell(cell) for cell in row]) for row in table.rows]
    for at, note in enumerate(table.notes):
        lines += ["", f"<sup>{letter(at)}</sup> {escape_markdown(note)}"]
    return "\n".join(lines) + "\n"


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _head(head: Head) -> str:
    text = ": ".join(part for part in (head.group, head.text) if part)
    return escape_markdown(text) + _marks(head)


def _cell(cell: Cell) -> str:
    text = escape_markdown(cell.shown)
    return (f"**{text}**" if cell.best else text) + _marks(cell)


def _marks(part: Cell | Head) -> str:
    marks = ", ".join(letter(note) for note in part.notes)
    return f" <sup>{marks}</sup>" if marks else ""
