"""A table as Markdown, as LaTeX and as comma-separated values; on disk it is all three.

LaTeX needs booktabs and graphicx, which scales a wide table to the width of the text.
"""

import csv
import io
import re
from pathlib import Path

from pacl.atomic_write import atomic_write
from pacl.printable import plain_cell
from pacl.report.table.table import Cell, Head, Table, letter

MARKDOWN_SPECIAL = re.compile(r"([\\`*_\[\]<>|~#])")
LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"$\pm$",
    "\N{MULTIPLICATION SIGN}": r"$\times$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "\N{MINUS SIGN}": "$-$",
    "\N{EN DASH}": "--",
    "\N{EM DASH}": "---",
    "\N{NO-BREAK SPACE}": "~",
    "\N{RIGHT SINGLE QUOTATION MARK}": "'",
}
LATEX_PATTERN = re.compile("|".join(map(re.escape, LATEX_SPECIAL)))


def save_table(table: Table, folder: Path, name: str) -> None:
    """Write a table as Markdown, LaTeX and CSV."""
    folder.mkdir(parents=True, exist_ok=True)
    for ending, written in (("md", table_markdown), ("tex", table_latex), ("csv", table_csv)):
        atomic_write(folder / f"{name}.{ending}", written(table).encode())


def escape_markdown(text: str) -> str:
    """Words as they are: nothing in them is markup, and they stay on one line."""
    return MARKDOWN_SPECIAL.sub(r"\\\1", " ".join(text.replace("&", "&amp;").split()))


def table_markdown(table: Table) -> str:
    """Title and caption, the table, its notes."""
    about = [f"**{escape_markdown(table.title)}.**"] if table.title else []
    if table.caption:
        about.append(escape_markdown(table.caption))
    lines = [" ".join(about), ""] if about else []
    heads = [escape_markdown(_full_head(head)) + _sup(head) for head in table.heads]
    lines.append(f"| {' | '.join(heads)} |")
    lines.append("|" + "|".join("--:" if number else "---" for number in table.numeric) + "|")
    for row in table.rows:
        texts = [(escape_markdown(cell.shown), cell) for cell in row]
        cells = [(f"**{text}**" if cell.best else text) + _sup(cell) for text, cell in texts]
        lines.append(f"| {' | '.join(cells)} |")
    for at, note in enumerate(table.notes):
        lines += ["", f"<sup>{letter(at)}</sup> {escape_markdown(note)}"]
    return "\n".join(lines) + "\n"


def _sup(part: Cell | Head) -> str:
    return f" <sup>{_letters(part)}</sup>" if part.notes else ""


def _letters(part: Cell | Head) -> str:
    return ", ".join(map(letter, part.notes))


def _full_head(head: Head) -> str:
    return f"{head.group}: {head.text}" if head.group and head.text else head.group or head.text


def escape_latex(text: str) -> str:
    """Words as they are, on one line. Scripts other than Latin need XeLaTeX or LuaLaTeX."""
    line = re.sub(r"[ \t\r\n]+", " ", text)
    return LATEX_PATTERN.sub(lambda found: LATEX_SPECIAL[found.group()], line)


def table_latex(table: Table) -> str:
    """Caption, the table, its notes."""
    about = " ".join(filter(None, (f"{table.title}." if table.title else "", table.caption)))
    columns = "".join("c" if number else "l" for number in table.numeric)
    lines = [r"\begin{table}[htbp]", r"  \centering"]
    if about:
        lines.append(rf"  \caption{{{escape_latex(about)}}}")
    lines += [
        r"  \small",
        r"  \resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"  \begin{{tabular}}{{{columns}}}",
        r"    \toprule",
        *_group_rows(table),
        _row([_bold(escape_latex(head.text)) + _marks(head) for head in table.heads]),
        r"    \midrule",
    ]
    for at, row in enumerate(table.rows):
        if at and at in table.rules:
            lines.append(r"    \midrule")
        lines.append(_row([_cell(cell) for cell in row]))
    lines += [r"    \bottomrule", r"  \end{tabular}}"]
    for at, note in enumerate(table.notes):
        lines.append(
            rf"  \par\smallskip{{\footnotesize\textsuperscript{{{letter(at)}}} "
            rf"{escape_latex(note)}}}"
        )
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def _group_rows(table: Table) -> list[str]:
    if not table.groups:
        return []
    cells, lines, first = [], [], 1
    for name, span in table.groups:
        cells.append(rf"\multicolumn{{{span}}}{{c}}{{{escape_latex(name)}}}" if name else "")
        if name:
            lines.append(rf"\cmidrule(lr){{{first}-{first + span - 1}}}")
        first += span
    return [_row(cells), "    " + " ".join(lines)]


def _row(cells: list[str]) -> str:
    # A bracket at the head of a row would be read as an argument of the \\ before it.
    first = "{}" + cells[0] if cells[0].startswith(("[", "*")) else cells[0]
    return "    " + " & ".join([first, *cells[1:]]) + r" \\"


def _cell(cell: Cell) -> str:
    if cell.number is None:
        text = escape_latex(cell.shown)
    else:
        sign = cell.shown_number.replace("-", "\N{MINUS SIGN}")
        text = escape_latex(sign + cell.shown_spread)
    return (_bold(text) if cell.best else text) + _marks(cell)


def _bold(text: str) -> str:
    return rf"\textbf{{{text}}}" if text else ""


def _marks(part: Cell | Head) -> str:
    return rf"\textsuperscript{{{_letters(part)}}}" if part.notes else ""


def table_csv(table: Table) -> str:
    """A column of means is followed by one of standard deviations where some cell has one.

    What is not known is empty. Notes and marks are left out.
    """
    columns = range(len(table.heads))
    spread = [any(row[at].spread is not None for row in table.rows) for at in columns]
    heads: list[str] = []
    for at, head in enumerate(table.heads):
        name = plain_cell(_words(_full_head(head)))
        heads += [f"{name} mean", f"{name} sd"] if spread[at] else [name]
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(heads)
    for row in table.rows:
        values: list[str | float | None] = []
        for at, cell in enumerate(row):
            number = cell.number
            values.append(
                plain_cell(_words(cell.text), figures=True) if number is None else _plain(number)
            )
            if spread[at]:
                values.append(cell.spread)
        writer.writerow(values)
    return written.getvalue()


def _words(text: str) -> str:
    """Without the arrow that shows which way is better."""
    return text.removesuffix(" ↑").removesuffix(" ↓")


def _plain(number: float) -> str | float:
    """Counts without a decimal point."""
    return str(int(number)) if float(number).is_integer() else number
