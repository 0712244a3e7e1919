"""From the folder of a comparison of systems to its report.

```
target/
    report.html, report.md   the page: sentences, tables, figures
    figures/                 all figures as SVG and PNG
    tables/                  all tables as CSV, Markdown and LaTeX
```
"""

import shutil
from pathlib import Path

from pacl.report.page import Block, Details, Heading, Note, Page, TableBlock, Text, save_published
from pacl.report.systems.confusion_drawing import draw_confusions
from pacl.report.systems.forest_drawing import compute_forest, draw_forest
from pacl.report.systems.sentences import about_input, about_study, what_holds
from pacl.report.systems.sphere_drawing import draw_systems_spheres
from pacl.report.systems.tables import (
    confusion_table,
    cost_table,
    differences_table,
    geometry_table,
    main_table,
    subject_table,
    worst_table,
)
from pacl.report.table import Table, save_table
from pacl.report.wording import listed
from pacl.studies.systems import SystemsStudy, pictured


def write_systems(folder: Path, target: Path, title: str = "") -> Path:
    """Write the report of a finished comparison, over an older one; gives the HTML page.

    Parameters
    ----------
    folder
        Of the study.
    target
        Where to write.
    title
        What was studied; by default the name of the folder.
    """
    study = SystemsStudy.read(folder)
    for made in ("tables", "figures"):  # none of systems that are no longer compared
        shutil.rmtree(target / made, ignore_errors=True)
        (target / made).mkdir(parents=True)
    given = about_input(study)
    blocks: list[Block] = [
        Heading("What holds"),
        Text(what_holds(study)),
        *([Note(given, "What the systems were given")] if given else []),
        Heading("Scores"),
        _table(target, "scores", main_table(study)),
        *_differences(target, study),
        *_classes(target, study),
        *_embeddings(target, study),
        Heading("Subjects"),
        _table(target, "worst", worst_table(study, study.systems[0].name)),
        Details("All subjects", (_table(target, "subjects", subject_table(study)),)),
        Heading("Cost"),
        _table(target, "cost", cost_table(study)),
    ]
    names = listed([one.title for one in study.systems])
    page = Page(
        f"Systems compared: {title or folder.resolve().name}",
        tuple(blocks),
        lead=f"{names}. {about_study(study)}",
        footer="Written by pacl. Research software, not a medical device.",
    )
    return page.write(target)


def _differences(target: Path, study: SystemsStudy) -> list[Block]:
    if len(study.systems) < 2 or not study.references:
        return []
    blocks: list[Block] = [Heading("Differences")]
    for reference in study.references:
        name = study.system(reference).title
        blocks.append(
            save_published(
                draw_forest(compute_forest(study, reference), study, reference),
                target / "figures",
                f"differences-{reference}",
                f"Scores of each system less those of {name}, with intervals",
                f"**Each system less {name}**, on the same subjects and seeds, with 95 % "
                "intervals. Colours are corrected for the number of systems.",
                wide=True,
            )
        )
    blocks.append(_table(target, "differences", differences_table(study)))
    return blocks


def _classes(target: Path, study: SystemsStudy) -> list[Block]:
    tables: list[Block] = [
        _table(target, f"confusion-{one.name}", confusion_table(study, one.name))
        for one in study.systems
    ]
    return [
        Heading("Classes"),
        save_published(
            draw_confusions(study),
            target / "figures",
            "confusion",
            "What windows of each class were taken for, by system",
            "**Confusion**: per cent of the windows of each class (row) that were taken for each "
            "class (column), over all subjects and seeds.",
            wide=True,
        ),
        Details("As tables", tuple(tables)),
    ]


def _embeddings(target: Path, study: SystemsStudy) -> list[Block]:
    table, shown = geometry_table(study), pictured(study)
    blocks: list[Block] = []
    if shown:
        blocks.append(
            save_published(
                draw_systems_spheres(study, shown),
                target / "figures",
                "sphere",
                "Embeddings on a globe for each network, by class",
                "**On the sphere**, first fold and seed: windows of each subject and class, "
                "projected to the three directions that keep most of their length. Above, "
                "subjects that the network learned from; below, subjects it never saw.",
                wide=True,
            )
        )
    if table:
        blocks.append(_table(target, "geometry", table))
    return [Heading("Embeddings"), *blocks] if blocks else []


def _table(target: Path, name: str, table: Table) -> TableBlock:
    """Write a table and show it."""
    save_table(table, target / "tables", name)
    return TableBlock(table)
