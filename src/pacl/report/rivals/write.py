"""From the folder of a comparison to its report.

```
target/
    report.md   one page: sentences, tables, figures
    figures/    every figure as SVG and PNG
    tables/     every table as CSV, Markdown and LaTeX
```
"""

import shutil
from pathlib import Path

from pacl.report.rivals.difference_drawing import compute_forest, draw_forest
from pacl.report.rivals.growing_page import GrowingPage, slug
from pacl.report.rivals.label_drawing import draw_label_curves
from pacl.report.rivals.main_tables import differences_table, main_table
from pacl.report.rivals.ranks_drawing import draw_ranks
from pacl.report.rivals.seed_table import seed_table
from pacl.report.rivals.sentences import (
    told_differences,
    told_elsewhere,
    told_labels,
    told_leak,
    told_main,
    told_networks,
    told_ranks,
)
from pacl.report.rivals.system_tables import cost_table, geometry_table
from pacl.report.rivals.tables import (
    elsewhere_table,
    label_differences_table,
    labels_table,
    leak_table,
)
from pacl.report.table.as_markdown import escape_markdown
from pacl.studies.rivals.comparison import RivalsComparison
from pacl.studies.rivals.rows import REFERENCES, where
from pacl.studies.rivals.scores import label_curves, patient_ranks


def write_rivals(folder: Path, target: Path) -> Path:
    """Write the report of a comparison of systems, over an older one; gives the page.

    Parameters
    ----------
    folder
        With `results`, `pooled`, `differences` and `inflation` as parquet, and `methods.json`.
    target
        Where to write; the two may be the same.
    """
    report = RivalsComparison.read(folder)
    target.mkdir(parents=True, exist_ok=True)
    for made in ("tables", "figures"):  # none of what is no longer compared
        shutil.rmtree(target / made, ignore_errors=True)
        (target / made).mkdir()
    page = GrowingPage(target)
    page.add("# Systems that tell AF, held against each other")
    for dataset in report.datasets("main"):
        _main(page, report, dataset)
    for dataset in report.datasets("labels"):
        if label_curves(report, dataset).curves:
            _labels(page, report, dataset)
    _elsewhere(page, report)
    _leaks(page, report)
    for dataset in report.datasets("main"):
        geometry = geometry_table(report, dataset)
        if geometry:
            page.add("## Geometry of embeddings")
            page.table(f"geometry-{slug(dataset)}", geometry)
        page.add("## Cost")
        page.table(f"cost-{slug(dataset)}", cost_table(report, dataset))
    return page.write()


def _main(page: GrowingPage, report: RivalsComparison, dataset: str) -> None:
    key = slug(dataset)
    page.add(f"## Strangers of the same cohort: {escape_markdown(dataset)}")
    page.say(told_main(report, dataset))
    for reference in REFERENCES:
        if reference in report.methods:
            page.say(told_differences(report, dataset, reference))
    page.say(told_networks(report, dataset))
    page.table(f"main-{key}", main_table(report, dataset))
    for reference in REFERENCES:
        if where(report.differences, study="main", dataset=dataset, reference=reference):
            forest = compute_forest(report, dataset, reference)
            page.figure(
                f"differences-{reference}-{key}",
                draw_forest(forest, report, reference),
                f"AUROC of every system less that of {report.title(reference)} on {dataset}, with "
                "95 % intervals for other patients and seeds. Colours take into account how many "
                "systems are compared; where a scale is not even, it is stretched around 0.",
            )
    ranks = patient_ranks(report, dataset)
    page.say(told_ranks(ranks, report))
    if ranks:
        page.figure(
            f"ranks-{key}",
            draw_ranks(ranks, report),
            f"Average ranks on {dataset} by the AUROC within each patient. Bars join systems that "
            "do not differ at 5 % (Nemenyi's test).",
        )
    _kept(page, report, dataset)


def _kept(page: GrowingPage, report: RivalsComparison, dataset: str) -> None:
    """Tables that would be too long for the page, as links."""
    key = slug(dataset)
    differences = differences_table(report, dataset)
    if differences.rows:
        name = f"differences-{key}"
        page.keep(name, differences)
        page.add(f"[All differences with their limits](tables/{name}.md), also within patients.")
    name = f"seeds-{key}"
    page.keep(name, seed_table(report, dataset))
    also = ", also on another cohort" * bool(report.datasets("elsewhere"))
    page.add(f"[AUROC of every system by seed](tables/{name}.md){also}.")


def _labels(page: GrowingPage, report: RivalsComparison, dataset: str) -> None:
    page.add("## Few labelled patients")
    page.say(told_labels(report, dataset))
    page.figure(
        f"labels-{slug(dataset)}",
        draw_label_curves(label_curves(report, dataset), report),
        f"AUROC on {dataset} by the number of training patients whose labels are known; the "
        "distance from 1 is on a logarithmic scale.",
    )
    page.table(f"labels-{slug(dataset)}", labels_table(report, dataset))
    less = label_differences_table(report, dataset)
    if less:
        page.table(f"label-differences-{slug(dataset)}", less)


def _elsewhere(page: GrowingPage, report: RivalsComparison) -> None:
    places = [
        (dataset, condition)
        for dataset in report.datasets("elsewhere")
        for condition in report.conditions("elsewhere", dataset)
    ]
    if places:
        page.add("## Another cohort")
    for dataset, condition in places:
        page.say(told_elsewhere(report, dataset, condition))
        page.table(f"elsewhere-{slug(condition)}", elsewhere_table(report, dataset, condition))


def _leaks(page: GrowingPage, report: RivalsComparison) -> None:
    for dataset in report.datasets("leak"):
        table = leak_table(report, dataset)
        if table.rows:
            page.add("## What a split by windows hides")
            page.say(told_leak(report, dataset))
            page.table(f"leak-{slug(dataset)}", table)
