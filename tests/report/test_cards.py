"""The card of a model: every figure, where the data is from, and what it is not."""

import re
from dataclasses import replace

import numpy as np
import pytest
import torch

from pacl.detect import bundled_file, bundled_folder
from pacl.detect.artifact import Artifact
from pacl.detect.bundled import KINDS
from pacl.evaluation import Probe
from pacl.evaluation.platt import Platt
from pacl.export.int8 import Int8Figures
from pacl.export.weights import Weights
from pacl.models import Encoder
from pacl.records import CohortManifest
from pacl.report.cards import cohort_source, write_beat_card, write_card
from pacl.studies.weights import CohortFigures, Estimate, MadeWeights
from pacl.studies.weights.measured import LowAurocPatient
from pacl.studies.weights.onnx_variants import Int8Made

OWN = CohortFigures(
    windows=166_295,
    patients=84,
    not_af_h=812.4,
    af_h=1_034.6,
    auroc=Estimate(0.99111, 0.98222, 0.99333),
    auroc_pure=Estimate(0.99444, 0.99055, 0.99666),
    auroc_patient=Estimate(0.97777, 0.96888, 0.98999),
    sensitivity=Estimate(0.9611, 0.9522, 0.9733),
    specificity=Estimate(0.9444, 0.9255, 0.9566),
    false_af_h=Estimate(1.333, 1.044, 1.788),
    false_af_h_others=Estimate(5.111, 3.222, 8.333),
    expected_error=0.0123,
    worst=(LowAurocPatient("p_07", 0.6543, 1_200, 34), LowAurocPatient("11", 0.7654, 9, 4_321)),
)
ELSEWHERE = replace(
    OWN,
    windows=20_001,
    patients=1,
    auroc=Estimate(0.91234),
    auroc_pure=Estimate(0.92345),
    auroc_patient=Estimate(0.93456),
    false_af_h_others=None,
    expected_error=0.045,
    worst=(LowAurocPatient("04015", 0.5, 1, 1),),
)
SHOWN = {
    "patients": ("84", "1"),
    "windows": ("166,295", "20,001"),
    "hours without AF, with AF": ("812, 1,035", "812, 1,035"),
    "AUROC, all windows": ("0.9911 [0.9822, 0.9933]", "0.9123"),
    "AUROC without other rhythms": ("0.9944 [0.9906, 0.9967]", "0.9234"),
    "AUROC within patients, mean": ("0.9778 [0.9689, 0.9900]", "0.9346"),
    "sensitivity (AF time)": ("0.961 [0.952, 0.973]",) * 2,
    "specificity (other time)": ("0.944 [0.925, 0.957]",) * 2,
    "false AF, h in 24 h": ("1.33 [1.04, 1.79]",) * 2,
    "false AF in other rhythms, h in 24 h": ("5.11 [3.22, 8.33]", "no other rhythms"),
    "calibration error": ("0.012", "0.045"),
}


def made(elsewhere=("afdb",), int8_auroc=0.989, **own) -> MadeWeights:
    encoder = Encoder(
        channels=(8,),
        pooled_features=8,
        projected_features=8,
        generator=torch.Generator().manual_seed(0),
    )
    return MadeWeights(
        weights=Weights("af-rr200", encoder, Probe(np.zeros(8), 0.0), Platt(), 200, {}),
        out_of_fold=replace(OWN, **own),
        elsewhere=dict.fromkeys(elsewhere, ELSEWHERE),
        examples=np.zeros((7, 200), dtype=np.float32),
        int8=Int8Made(b"", Int8Figures(4000, 1000, 0.99, int8_auroc)),
    )


def tables(card: str) -> list[list[list[str]]]:
    """Cells of every table, as they read; each has nothing else right above or below it."""
    found = []
    for block in card.split("\n\n"):
        if not block.strip().startswith("|"):
            continue
        rows = []
        for line in block.strip().splitlines():
            assert line.startswith("|")
            assert line.endswith("|")
            cells = re.split(r"(?<!\\)\|", line)[1:-1]
            rows.append([re.sub(r"\\(.)", r"\1", cell.strip()) for cell in cells])
        found.append(rows)
    return found


@pytest.mark.parametrize("elsewhere", [(), ("afdb",), ("afdb", "iridia | one", "*third*")])
def test_tables_are_tables(elsewhere):
    for rows in tables(write_card(made(elsewhere), "ltafdb", {})):
        assert len({len(row) for row in rows}) == 1
        assert all(re.fullmatch(r"-+:?", cell) for cell in rows[1])
        assert len(rows) > 2
    assert len(tables(write_card(made(elsewhere), "ltafdb", {}))) == 3


def test_every_figure_stands_in_the_column_of_its_cohort():
    _, figures, _ = tables(write_card(made(), "ltafdb", {}))
    assert figures[0] == ["", "out of fold", "afdb"]
    assert {row[0]: tuple(row[1:]) for row in figures[2:]} == SHOWN


@pytest.mark.parametrize("name", [name for name in CohortFigures.__slots__ if name != "worst"])
def test_no_figure_is_left_out(name):
    """Whatever is measured, changing it changes the card."""
    value = getattr(OWN, name)
    changed = Estimate(0.123) if isinstance(value, Estimate) else type(value)(value * 2 + 1)
    assert write_card(made(**{name: changed}), "x", {}) != write_card(made(), "x", {})


def test_the_worst_patients():
    *_, worst = tables(write_card(made(), "ltafdb", {}))
    assert worst[0] == ["cohort", "patient", "AUROC", "windows without AF", "with AF"]
    assert worst[2:] == [
        ["out of fold", "p_07", "0.654", "1,200", "34"],
        ["out of fold", "11", "0.765", "9", "4,321"],
        ["afdb", "04015", "0.500", "1", "1"],
    ]


def test_it_warns_and_ends_with_the_limits():
    card = write_card(made(), "ltafdb", {})
    assert card.startswith("# af-rr200\n\n")
    assert "**Not a medical device.**" in card
    assert card.index("Not a medical device") < card.index("## ")
    assert "physician" in card
    headings = re.findall(r"^## (.*)$", card, re.MULTILINE)
    assert headings[-1] == "Limits"
    assert "flutter" in card


def test_sources_are_those_of_the_manifests(tmp_path):
    known = CohortManifest(tmp_path, tmp_path, source="Ward 3, 2026", licence="CC BY 4.0")
    assert cohort_source("mine", known) == "Ward 3, 2026, CC BY 4.0"
    assert cohort_source("mine", CohortManifest(tmp_path, tmp_path)) == "mine"
    assert cohort_source("mine", None) == "mine"
    card = write_card(made(("afdb", "mine")), "Ward 3", {"afdb": "MIT, ODC-By 1.0"})
    assert "- learned from: Ward 3\n- evaluated on: MIT, ODC-By 1.0\n- evaluated on: mine\n" in card
    assert "- evaluated on: " not in write_card(made(()), "Ward 3", {})


def test_what_it_takes():
    one = made()
    card = write_card(one, "ltafdb", {})
    parameters = sum(each.numel() for each in one.weights.encoder.parameters())
    assert f"| {parameters:,} parameters;" in card
    assert "(window, 200) float32" in card
    shorter = replace(one, weights=replace(one.weights, window_beats=60, name="short"))
    assert write_card(shorter, "ltafdb", {}).startswith("# short\n")
    assert "60 consecutive RR intervals" in write_card(shorter, "ltafdb", {})


def test_intervals_can_be_read_as_they_are():
    assert "| 0.9911 [0.9822, 0.9933] |" in write_card(made(), "ltafdb", {})


def test_a_card_without_worst_patients():
    card = write_card(made((), worst=()), "x", {})
    assert [len(rows[0]) for rows in tables(card)] == [2, 2, 5]


def test_int8_is_recommended_unless_it_is_worse():
    for auroc, words in ((0.989, "; recommended"), (0.98, "; not recommended")):
        card = write_card(made(int8_auroc=auroc), "mine", {})
        (line,) = (line for line in card.splitlines() if line.startswith("| int8"))
        assert "1,000 bytes" in line
        assert f"{auroc:.4f}{words} |" in line


def test_the_card_of_beats_is_the_shipped_one():
    """Written again from the files of the detector, it is the same to the letter."""
    artifact = Artifact.read(bundled_folder())
    shipped = (artifact.folder / "card.md").read_text("utf-8")
    sizes = re.findall(r"([\d,]+) parameters", shipped)
    recipe = re.search(r"\| recipe \| (.*) \|", shipped)[1]
    parameters = {
        mode: int(size.replace(",", ""))
        for mode, size in zip(("look-ahead", "stream"), sizes, strict=True)
    }
    card = write_beat_card(
        artifact.name, artifact.learned_from, artifact.measured, recipe, parameters
    )
    assert card == shipped


@pytest.mark.parametrize("name", KINDS)
def test_what_ships_says_what_any_card_says(name):
    """All that does not hang on the weights, word for word."""
    shipped = bundled_file(name, "md").read_text("utf-8")
    card = write_card(made(), "ltafdb", {})
    fixed = "## Limits"
    share = re.compile(r"\d+% of variation")
    assert share.sub("", shipped.split(fixed)[1]) == share.sub("", card.split(fixed)[1])
    assert "; recommended |\n" in shipped
