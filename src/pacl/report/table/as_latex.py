"""A table in LaTeX: needs booktabs and graphicx, with which a wide one is made to fit."""

import re

from pacl.report.table.table import Cell, Head, Table, letter

SPECIAL = {
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
PATTERN = re.compile("|".join(map(re.escape, SPECIAL)))


def escape_latex(text: str) -> str:
    """Words as they are, on one line. Scripts other than Latin need XeLaTeX or LuaLaTeX."""
    return PATTERN.sub(lambda found: SPECIAL[found.group()], re.sub(r"[ \t\r\n]+", " ", text))


def table_latex(table: Table) -> str:
    """Caption, the table, its notes."""
    about = " ".join(
        part for part in (f"{table.title}." if table.title else "", table.caption) if part
    )
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
    marks = ", ".join(letter(note) for note in part.notes)
    return rf"\textsuperscript{{{marks}}}" if marks else ""
