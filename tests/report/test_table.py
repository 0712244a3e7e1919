"""Tables in four formats: escaped, marked, and nothing made up."""

import csv
import io
import re
import shutil
import subprocess
from html import escape

import pytest

from pacl.report.page import Page, TableBlock
from pacl.report.table import (
    Cell,
    Head,
    Table,
    TableError,
    best_of,
    letter,
    table_csv,
    table_latex,
    table_markdown,
)
from pacl.report.table.table import MISSING
from support.refusals import refused

NO_BREAK = "\N{NO-BREAK SPACE}"
NASTY = r"a_b*c|d<e>&f%g$h#i{j}k\l~m^n[o](p)`q`"


def table_html(one):
    return Page("x", (TableBlock(one),)).to_html()


def table(*rows, heads=("", "x", "y"), **more):
    return Table("Title", "Caption", tuple(Head(head) for head in heads), tuple(rows), **more)


@pytest.mark.parametrize(
    ("values", "better", "expected"),
    [
        ([0.1, 0.3, 0.2], 1, {1}),
        ([0.1, 0.3, 0.2], -1, {0}),
        ([0.1, 0.3, 0.2], 0, set()),
        ([-0.7, 0.2], -1, {0}),
        ([0.97401, 0.97399, 0.9], 1, {0, 1}),
        ([0.0001, -0.0001], 1, {0, 1}),
        ([None, 0.5], 1, set()),
        ([None, 0.5, 0.4, float("nan")], 1, {1}),
        ([], 1, set()),
    ],
)
def test_the_best_is_what_a_reader_of_the_printed_numbers_would_say(values, better, expected):
    assert best_of(values, better) == expected


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        (Cell("words"), "words"),
        (Cell(), MISSING),
        (Cell(mean=float("nan"), sd=0.1), MISSING),
        (Cell(mean=0.98765, sd=0.0034), "0.988 ± 0.003"),
        (Cell(mean=0.98765, sd=float("nan")), "0.988"),
        (Cell(mean=0.2, signed=True), "+0.200"),
        (Cell(mean=-0.717, sd=0.029, signed=True), "-0.717 ± 0.029"),
        (Cell(mean=12345.0, digits=0), "12,345"),
    ],
)
def test_a_cell_is_words_or_a_number_or_a_dash(cell, shown):
    assert cell.shown == shown


def test_notes_are_lettered():
    assert [letter(at) for at in (0, 25, 26, 27, 52)] == ["a", "z", "aa", "ab", "ba"]


def test_a_row_of_another_length_is_refused():
    with refused(TableError, "Title", 1, 2, 3):
        table((Cell(), Cell(), Cell()), (Cell(), Cell()))


def test_a_note_that_is_not_there_is_refused():
    with refused(TableError, "Title", 1):
        table((Cell(), Cell(notes=(1,)), Cell()), notes=("one",))


def test_markdown():
    row = (Cell("AUROC"), Cell(mean=0.9, sd=0.01, best=True, notes=(0,)), Cell())
    assert table_markdown(table(row, notes=("why_not",))).splitlines() == [
        "**Title.** Caption",
        "",
        "|  | x | y |",
        "|---|--:|---|",
        f"| AUROC | **0.900 ± 0.010** <sup>a</sup> | {MISSING} |",
        "",
        r"<sup>a</sup> why\_not",
    ]


def test_markdown_escapes_and_keeps_its_columns():
    made = table_markdown(table((Cell(NASTY), Cell("two\nlines"), Cell("x"))))
    row = made.splitlines()[-1]
    assert len(re.findall(r"(?<!\\)\|", row)) == 4
    assert "two lines" in row
    assert "<e>" not in row.replace(r"\<e\>", "")
    assert "&amp;" in row


def test_latex_escapes():
    made = table_latex(table((Cell(NASTY), Cell("<&>"), Cell("[x]"))))
    assert (
        r"a\_b*c\textbar{}d\textless{}e\textgreater{}\&f\%g\$h\#i\{j\}k\textbackslash{}l"
        r"\textasciitilde{}m\textasciicircum{}n[o](p)" in made
    )
    assert r"\textless{}\&\textgreater{}" in made


def test_latex_rules_groups_and_signs():
    heads = (Head("Metric ↑"), Head("A", "Here"), Head("B", "Here"), Head("A", "Paper"))
    rows = [
        (Cell("[x]"), Cell(mean=-0.5, sd=0.1), Cell(mean=0.25, best=True), Cell(mean=1.0)),
        (Cell("y"), Cell(), Cell(mean=0.5, notes=(0,)), Cell(paper=True)),
    ]
    made = table_latex(Table("T", "", heads, tuple(rows), notes=("50 % of all",), rules=(1,)))
    assert r" & \multicolumn{2}{c}{Here} & \multicolumn{1}{c}{Paper} \\" in made
    assert r"\cmidrule(lr){2-3} \cmidrule(lr){4-4}" in made
    assert r"    {}[x] & $-$0.500 $\pm$ 0.100 & \textbf{0.250} & 1.000 \\" in made
    assert r"    y & -- & 0.500\textsuperscript{a} & -- \\" in made
    assert r"Metric $\uparrow$" in made
    assert made.count(r"\midrule") == 2
    assert r"50 \% of all" in made
    assert len(re.findall(r"\\begin{", made)) == len(re.findall(r"\\end{", made)) == 2
    opened = len(re.findall(r"(?<!\\){", made))
    assert opened == len(re.findall(r"(?<!\\)}", made))


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex")
def test_latex_compiles(tmp_path):
    heads = (Head("Metric ↑"), Head("A_1", "Here"), Head("B", "Here"))
    row = (Cell(NASTY), Cell(mean=-0.5, sd=0.1, best=True, notes=(0,)), Cell())
    shown = Table(
        "T & t",
        NASTY,
        heads,
        (row, row),
        notes=("≥ 1 \N{EN DASH} 2 \N{MULTIPLICATION SIGN} 3",),
        rules=(1,),
    )
    made = table_latex(shown)
    head = r"\documentclass{article}\usepackage{booktabs,graphicx}"
    source = rf"{head}\begin{{document}}{made}\end{{document}}"
    (tmp_path / "table.tex").write_text(source, "utf-8")
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "table.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stdout.decode("utf-8", "replace")[-2000:]


def test_csv_has_numbers_in_full_and_deviations_by_themselves():
    heads = (Head("Metric"), Head("A", "Here"), Head("Runs"), Head("of"))
    rows = (
        (Cell('say "hi", x ↑'), Cell(mean=0.123456789, sd=0.01), Cell(mean=5.0), Cell("ten")),
        (Cell("y"), Cell(mean=float("nan")), Cell(), Cell()),
    )
    read = list(csv.reader(io.StringIO(table_csv(Table("T", "", heads, rows)))))
    assert read == [
        ["Metric", "Here: A mean", "Here: A sd", "Runs", "of"],
        ['say "hi", x', "0.123456789", "0.01", "5", "ten"],
        ["y", "", "", "", ""],
    ]


def test_html_escapes_marks_and_groups():
    heads = (Head(""), Head("A<b>", "Here"), Head("B", "Here"), Head("A", "Paper"))
    row = (
        Cell("x ↑"),
        Cell(mean=-0.5, sd=0.1, best=True, notes=(0,)),
        Cell("<script>"),
        Cell(mean=1.0, best=True, paper=True),
    )
    made = table_html(Table('T"<', "C&", heads, (row, row), notes=("a < b",), rules=(1,)))
    assert "<td><script>" not in made
    assert ">&lt;script&gt;<" in made
    assert "<b>" not in made
    assert 'aria-label="T&#34;&lt;"' in made
    assert '<th colspan="2" scope="colgroup" class="group"><span>Here</span></th>' in made
    assert '<th scope="row">x\N{NO-BREAK SPACE}↑</th>' in made
    assert (
        '<td class="number best" data-value="-0.5"><strong>\N{MINUS SIGN}0.500</strong>'
        '<span class="sd"> ± 0.100</span><sup>a</sup></td>' in made
    )
    assert (
        '<td class="number start best paper" data-value="1.0"><strong>1.000</strong></td>' in made
    )
    assert made.count('<tr class="rule">') == 1
    assert "<li><sup>a</sup> a &lt; b</li>" in made


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        (Cell("words"), None),
        (Cell(), None),
        (Cell(mean=float("nan")), None),
        (Cell(mean=-0.25, sort_by=3.0), -0.25),
        (Cell("2 h 06 min", sort_by=7560.0), 7560.0),
        (Cell(sort_by=float("nan")), None),
    ],
)
def test_a_cell_has_the_number_that_a_page_sorts_by(cell, value):
    assert cell.sort_value == value


def test_numbers_that_are_not_plain_are_written_for_the_browser():
    made = table_html(table((Cell("x"), Cell(mean=1e-7), Cell(mean=float("inf")))))
    assert 'data-value="1e-07"' in made
    assert 'data-value="Infinity"' in made


@pytest.mark.parametrize(
    ("rows", "rules", "sortable", "sorts"),
    [
        (3, (), True, True),
        (3, (), False, False),
        (2, (), True, False),
        (0, (), True, False),
        (4, (2,), True, False),
        (4, (1,), True, True),
        (6, (3, 3, 6), True, True),
    ],
)
def test_a_page_offers_to_sort_where_it_is_of_use(rows, rules, sortable, sorts):
    row = (Cell("a"), Cell(mean=1.0), Cell("b"))
    made = table(*[row] * rows, rules=rules, sortable=sortable)
    assert made.sorts == sorts
    assert ("<table data-sortable>" in table_html(made)) == sorts
    assert table_markdown(made) == table_markdown(table(*[row] * rows, rules=rules))


@pytest.mark.parametrize(
    "words",
    [
        *("?_open", "✗_fails so", "what? a", "AUROC_↑", "31_%", "p <_0.001, q", "a < b"),
        *("0.1_to_0.2", "-0.10_to_+0.20", "1 too 2", "up to 3", "-0.1 [-0.2,_+0.3], p 0.3", "1, 2"),
    ],
)
def test_what_belongs_together_stays_on_one_line(words):
    made = table_html(table((Cell("x"), Cell(words.replace("_", " ")), Cell())))
    assert f"<td>{escape(words).replace('_', NO_BREAK)}</td>" in made


def test_a_table_without_rows_is_a_table():
    empty = table()
    assert table_markdown(empty).count("\n") == 4
    assert table_csv(empty) == ",x,y\n"
    assert "<tbody>" in table_html(empty)
    assert r"\bottomrule" in table_latex(empty)


def test_csv_names_are_no_formulas_and_numbers_stay_numbers():
    made = table((Cell("=1+1"), Cell(mean=-0.5), Cell("+x")), heads=("", "@x", "y"))
    read = list(csv.reader(io.StringIO(table_csv(made))))
    assert read == [["", "'@x", "y"], ["'=1+1", "-0.5", "'+x"]]
