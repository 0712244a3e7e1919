"""From the folder of a comparison to its report.

```
target/
    report.html, report.md   the page: sentences, tables, figures
    figures/                 all figures as SVG and PNG
    tables/                  all tables as CSV, Markdown and LaTeX
```
"""

import shutil
from pathlib import Path

from pacl.report.page import Block, Heading, Page, TableBlock, Text, save_published
from pacl.report.rivals.difference_drawing import compute_forest, draw_forest
from pacl.report.rivals.label_drawing import draw_label_curves
from pacl.report.rivals.main_tables import differences_table, main_table, seed_table
from pacl.report.rivals.ranks_drawing import draw_ranks
from pacl.report.rivals.sentences import (
    difference_sentences,
    external_sentences,
    label_sentences,
    leak_sentences,
    main_sentences,
    network_sentences,
    rank_sentences,
)
from pacl.report.rivals.system_tables import cost_table, geometry_table
from pacl.report.rivals.tables import (
    external_table,
    label_differences_table,
    labels_table,
    leak_table,
)
from pacl.report.table import Table, save_table
from pacl.report.wording import slug
from pacl.studies.rivals import REFERENCES, RivalsComparison, label_curves, patient_ranks, where


def write_rivals(folder: Path, target: Path) -> Path:
    """Write the report of a comparison of systems, over an older one; gives the HTML page.

    Parameters
    ----------
    folder
        With `results`, `pooled`, `differences` and `inflation` as parquet, and `methods.json`.
    target
        Where to write; the two may be the same.
    """
    report = RivalsComparison.read(folder)
    for made in ("tables", "figures"):  # none of systems that are no longer compared
        shutil.rmtree(target / made, ignore_errors=True)
        (target / made).mkdir(parents=True)
    blocks: list[Block] = []
    for dataset in report.datasets("main"):
        blocks += _main(target, report, dataset)
    for dataset in report.datasets("labels"):
        blocks += _labels(target, report, dataset)
    blocks += _external(target, report)
    for dataset in report.datasets("leak"):
        blocks += _leaks(target, report, dataset)
    for dataset in report.datasets("main"):
        if geometry := geometry_table(report, dataset):
            blocks.append(Heading("Geometry of embeddings"))
            blocks.append(_table(target, f"geometry-{slug(dataset)}", geometry))
        blocks.append(Heading("Cost"))
        blocks.append(_table(target, f"cost-{slug(dataset)}", cost_table(report, dataset)))
    page = Page(
        "Comparison of systems that detect AF",
        tuple(blocks),
        footer="Written by pacl. Research software, not a medical device.",
    )
    return page.write(target)


def _main(target: Path, report: RivalsComparison, dataset: str) -> list[Block]:
    key, ranks = slug(dataset), patient_ranks(report, dataset)
    known = [name for name in REFERENCES if name in report.methods]
    blocks: list[Block] = [
        Heading(f"Unseen patients of the same cohort: {dataset}"),
        *_text(main_sentences(report, dataset)),
        *(one for name in known for one in _text(difference_sentences(report, dataset, name))),
        *_text(network_sentences(report, dataset)),
        _table(target, f"main-{key}", main_table(report, dataset)),
    ]
    for name in REFERENCES:
        if where(report.differences, study="main", dataset=dataset, reference=name):
            title = report.title(name)
            blocks.append(
                save_published(
                    draw_forest(compute_forest(report, dataset, name), report, name),
                    target / "figures",
                    f"differences-{name}-{key}",
                    f"AUROC of each system minus that of {title} on {dataset}, with intervals",
                    f"**AUROC of each system minus that of {title}** on {dataset}, with 95 % "
                    "intervals for other patients and seeds. Colours are corrected for the number "
                    "of systems. A scale that is not linear is stretched around 0.",
                    wide=True,
                )
            )
    blocks += _text(rank_sentences(ranks, report))
    if ranks:
        blocks.append(
            save_published(
                draw_ranks(ranks, report),
                target / "figures",
                f"ranks-{key}",
                f"Average ranks of the systems on {dataset}",
                f"**Average ranks** on {dataset} by the AUROC within each patient. Bars join "
                "systems that do not differ at 5 % (Nemenyi's test).",
                wide=True,
            )
        )
    return blocks + _linked(target, report, dataset)


def _linked(target: Path, report: RivalsComparison, dataset: str) -> list[Block]:
    """Tables that are too long for the page, as links."""
    key, blocks, differences = slug(dataset), [], differences_table(report, dataset)
    if differences.rows:
        save_table(differences, target / "tables", f"differences-{key}")
        link = f"[All differences with their intervals](tables/differences-{key}.md)"
        blocks.append(Text(f"{link}, also within patients."))
    save_table(seed_table(report, dataset), target / "tables", f"seeds-{key}")
    also = ", also on another cohort" * bool(report.datasets("elsewhere"))
    blocks.append(Text(f"[AUROC of all systems by seed](tables/seeds-{key}.md){also}."))
    return list(blocks)


def _labels(target: Path, report: RivalsComparison, dataset: str) -> list[Block]:
    curves, key = label_curves(report, dataset), slug(dataset)
    if not curves.curves:
        return []
    less = label_differences_table(report, dataset)
    return [
        Heading("Few labelled patients"),
        *_text(label_sentences(report, dataset)),
        save_published(
            draw_label_curves(curves, report),
            target / "figures",
            f"labels-{key}",
            f"AUROC on {dataset} by the number of labelled training patients",
            f"**AUROC on {dataset}** by the number of training patients with labels. The distance "
            "from 1 has a logarithmic scale.",
            wide=True,
        ),
        _table(target, f"labels-{key}", labels_table(report, dataset)),
        *([_table(target, f"label-differences-{key}", less)] if less else []),
    ]


def _external(target: Path, report: RivalsComparison) -> list[Block]:
    blocks: list[Block] = []
    for dataset in report.datasets("elsewhere"):
        for condition in report.conditions("elsewhere", dataset):
            table = external_table(report, dataset, condition)
            blocks += _text(external_sentences(report, dataset, condition))
            blocks.append(_table(target, f"elsewhere-{slug(condition)}", table))
    return [Heading("Another cohort"), *blocks] if blocks else []


def _leaks(target: Path, report: RivalsComparison, dataset: str) -> list[Block]:
    table = leak_table(report, dataset)
    if not table.rows:
        return []
    return [
        Heading("The error of a split by windows"),
        *_text(leak_sentences(report, dataset)),
        _table(target, f"leak-{slug(dataset)}", table),
    ]


def _text(sentences: str) -> list[Block]:
    return [Text(sentences)] if sentences else []


def _table(target: Path, name: str, table: Table) -> Block:
    """Write a table and show it."""
    save_table(table, target / "tables", name)
    return TableBlock(table)
