"""The card of a model: every figure, where the data is from, and what it is not."""

import re
from dataclasses import replace

import numpy as np
import pytest
import torch

from pacl.detect import bundled_file
from pacl.detect.bundled import KINDS
from pacl.evaluation import Probe
from pacl.evaluation.calibration import Platt
from pacl.export.int8 import Int8Figures
from pacl.export.weights import Weights
from pacl.models import Encoder
from pacl.report.card import SOURCES, source_of, write_card
from pacl.studies.weights import Figure, MadeWeights, Measured
from pacl.studies.weights.int8_variant import Int8Made
from pacl.studies.weights.measured import WorstPatient

OWN = Measured(
    windows=166_295,
    patients=84,
    not_af_h=812.4,
    af_h=1_034.6,
    auroc=Figure(0.99111, 0.98222, 0.99333),
    auroc_pure=Figure(0.99444, 0.99055, 0.99666),
    auroc_patient=Figure(0.97777, 0.96888, 0.98999),
    sensitivity=Figure(0.9611, 0.9522, 0.9733),
    specificity=Figure(0.9444, 0.9255, 0.9566),
    false_af_h=Figure(1.333, 1.044, 1.788),
    false_af_h_others=Figure(5.111, 3.222, 8.333),
    expected_error=0.0123,
    worst=(WorstPatient("p_07", 0.6543, 1_200, 34), WorstPatient("11", 0.7654, 9, 4_321)),
)
ELSEWHERE = replace(
    OWN,
    windows=20_001,
    patients=1,
    auroc=Figure(0.91234),
    auroc_pure=Figure(0.92345),
    auroc_patient=Figure(0.93456),
    false_af_h_others=None,
    expected_error=0.045,
    worst=(WorstPatient("04015", 0.5, 1, 1),),
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
    "the same in bigeminy and the like": ("5.11 [3.22, 8.33]", "none there"),
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
    for rows in tables(write_card(made(elsewhere), "ltafdb")):
        assert len({len(row) for row in rows}) == 1
        assert all(re.fullmatch(r"-+:?", cell) for cell in rows[1])
        assert len(rows) > 2
    assert len(tables(write_card(made(elsewhere), "ltafdb"))) == 3


def test_every_figure_stands_in_the_column_of_its_cohort():
    _, figures, _ = tables(write_card(made(), "ltafdb"))
    assert figures[0] == ["", "out of fold", "afdb"]
    assert {row[0]: tuple(row[1:]) for row in figures[2:]} == SHOWN


@pytest.mark.parametrize("name", [name for name in Measured.__slots__ if name != "worst"])
def test_no_figure_is_left_out(name):
    """Whatever is measured, changing it changes the card."""
    value = getattr(OWN, name)
    changed = Figure(0.123) if isinstance(value, Figure) else type(value)(value * 2 + 1)
    assert write_card(made(**{name: changed}), "x") != write_card(made(), "x")


def test_who_was_judged_worst():
    *_, worst = tables(write_card(made(), "ltafdb"))
    assert worst[0] == ["cohort", "patient", "AUROC", "windows without AF", "with AF"]
    assert worst[2:] == [
        ["out of fold", "p_07", "0.654", "1,200", "34"],
        ["out of fold", "11", "0.765", "9", "4,321"],
        ["afdb", "04015", "0.500", "1", "1"],
    ]


def test_it_warns_and_says_what_it_cannot_do():
    card = write_card(made(), "ltafdb")
    assert card.startswith("# af-rr200\n\n")
    assert "**Not a medical device.**" in card
    assert card.index("Not a medical device") < card.index("## ")
    assert "physician" in card
    headings = re.findall(r"^## (.*)$", card, re.MULTILINE)
    assert headings[-1] == "What it cannot do"
    assert "flutter" in card


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("ltafdb", "Long-Term AF Database 1.0.0, PhysioNet"),
        ("afdb", "MIT-BIH Atrial Fibrillation Database 1.0.0, PhysioNet"),
    ],
)
def test_known_cohorts_are_told_with_their_licence(name, told):
    card = write_card(made(()), name)
    assert f"- learned from: {SOURCES[name]}\n" in card
    assert told in card
    assert "ODC-By 1.0" in SOURCES[name]
    assert "Goldberger et al." in SOURCES[name]
    assert "- judged on" not in card
    assert source_of(name.upper()) == SOURCES[name]


def test_who_it_was_judged_on():
    card = write_card(made(("afdb", "mine")), "ltafdb")
    assert f"- judged on: {SOURCES['afdb']}\n- judged on: mine\n" in card
    assert source_of("mine") == "mine"


def test_what_it_takes():
    one = made()
    card = write_card(one, "ltafdb")
    parameters = sum(each.numel() for each in one.weights.encoder.parameters())
    assert f"| {parameters:,} parameters;" in card
    assert "(window, 200) float32" in card
    shorter = replace(one, weights=replace(one.weights, window_beats=60, name="short"))
    assert write_card(shorter, "ltafdb").startswith("# short\n")
    assert "in 60 consecutive RR intervals" in write_card(shorter, "ltafdb")


def test_intervals_can_be_read_as_they_are():
    assert "| 0.9911 [0.9822, 0.9933] |" in write_card(made(), "ltafdb")


def test_nobody_has_to_be_worst():
    card = write_card(made((), worst=()), "x")
    assert [len(rows[0]) for rows in tables(card)] == [2, 2, 5]


def test_int8_is_told_and_whether_it_is_worth_it():
    card = write_card(made(), "mine")
    assert "| the same as int8 | 1,000 bytes, AUROC out of fold 0.9890; worth having |" in card
    card = write_card(made(int8_auroc=0.98), "mine")
    assert "AUROC out of fold 0.9800; not worth having |" in card


@pytest.mark.parametrize("name", KINDS)
def test_what_ships_says_what_any_card_says(name):
    """All that does not hang on the weights, word for word."""
    shipped = bundled_file(name, "md").read_text("utf-8")
    card = write_card(made(), "ltafdb")
    fixed = "## What it cannot do"
    steady = re.compile(r"\d+% of variation")
    assert steady.sub("", shipped.split(fixed)[1]) == steady.sub("", card.split(fixed)[1])
    assert "worth having |\n" in shipped
