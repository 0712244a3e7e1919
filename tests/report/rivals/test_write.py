"""The whole report of a comparison: its files, an older one replaced, and what cannot be read."""

import csv
import re

import pytest

from pacl.report.rivals import write_rivals
from pacl.report.rivals.label_drawing import spread_apart
from support.made_rivals import write_made_rivals

SOME = ("patient-aware", "bce", "simclr", "statistics")


def test_a_page_with_all_tables_and_figures(tmp_path):
    made = write_made_rivals(tmp_path / "made", SOME)
    target = tmp_path / "report"
    (target / "figures").mkdir(parents=True)
    (target / "figures" / "old.png").touch()
    assert write_rivals(made, target) == target / "report.html"
    text = (target / "report.md").read_text("utf-8")
    assert {path.name for path in (target / "figures").iterdir()} == {
        f"{name}-ltafdb.{ending}"
        for name in ("differences-patient-aware", "differences-statistics", "ranks", "labels")
        for ending in ("png", "svg")
    }
    for name in (
        "main",
        "differences",
        "labels",
        "label-differences",
        "leak",
        "geometry",
        "cost",
        "seeds",
    ):
        written = (target / "tables" / f"{name}-ltafdb.csv").read_text("utf-8")
        assert len(list(csv.reader(written.splitlines()))) > 3
    assert (target / "tables" / "elsewhere-afdb-to-ltafdb.csv").exists()
    for linked in (
        *("figures/labels-ltafdb.svg", "tables/differences-ltafdb.md"),
        "tables/seeds-ltafdb.md",
    ):
        assert f"({linked})" in text
    assert "nan" not in text
    html = (target / "report.html").read_text("utf-8")
    assert html.count("<img ") == 4
    assert len(re.findall("<table[ >]", html)) == len(re.findall(r"^\|---", text, re.MULTILINE))


def test_networks_that_the_objective_was_tried_on_have_a_sentence(tmp_path):
    made = write_made_rivals(tmp_path, ("patient-aware", "faust", "patient-aware-faust"))
    text = write_rivals(made, tmp_path).with_suffix(".md").read_text("utf-8")
    assert "Faust et al., BiLSTM +0.0006" in text
    found = {path.name for path in (tmp_path / "figures").glob("differences-*.svg")}
    assert found == {"differences-patient-aware-ltafdb.svg"}


@pytest.mark.parametrize("name", ["patient-aware", "statistics"])
def test_a_reference_alone_is_not_held_against_itself(tmp_path, name):
    made = write_made_rivals(tmp_path, (name,))
    text = write_rivals(made, tmp_path).with_suffix(".md").read_text("utf-8")
    assert "AUROC less" not in text
    assert "tables/differences" not in text
    assert not (tmp_path / "tables" / "differences-ltafdb.md").exists()


def test_one_system_and_one_seed_alone_have_a_report(tmp_path):
    made = write_made_rivals(tmp_path, ("hrv",), seeds=(1,))
    text = write_rivals(made, tmp_path).with_suffix(".md").read_text("utf-8")
    assert "HRV + classifier" in text
    assert not list((tmp_path / "figures").glob("ranks-*"))


def test_names_are_moved_apart_and_stay_inside():
    assert spread_apart([0.0, 0.5, 0.5], 0.25, 0.0, 1.0) == [0.0, 0.375, 0.625]
    found = spread_apart([0.95, 0.99, 1.0, 1.0], 0.2, 0.0, 1.0)
    assert found == pytest.approx([0.4, 0.6, 0.8, 1.0])
    assert spread_apart([], 0.2, 0.0, 1.0) == []
