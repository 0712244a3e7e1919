"""Where `pacl detect` writes to: the format by the ending, and never over an input."""

import json
from pathlib import Path

import numpy as np
import pytest

from pacl.atomic_write import TargetError
from pacl.cli.detect import detect
from pacl.cli.detect_output import chosen_format
from pacl.errors import PaclError
from pacl.records import ReadOptions
from support.mit import annotation_file
from support.refusals import refused

CALM = "".join(f"{rr_ms:.0f}\n" for rr_ms in np.random.default_rng(0).normal(850, 15, 300))


@pytest.fixture
def calm(tmp_path):
    (tmp_path / "calm.txt").write_text(CALM)
    return tmp_path / "calm.txt"


@pytest.mark.parametrize(
    ("ending", "begins"),
    [
        ("txt", b"/"),
        ("json", b"{"),
        ("csv", b"file,"),
        ("html", b"<!"),
        ("HTML", b"<!"),
    ],
)
def test_the_ending_says_the_format(calm, tmp_path, ending, begins):
    out = tmp_path / f"out.{ending}".rstrip(".")
    detect(calm, output=out)
    assert out.read_bytes().startswith(begins)


def test_a_format_that_contradicts_the_ending_is_an_error(calm, tmp_path):
    with refused(PaclError, "out.html", "--format", "json"):
        detect(calm, format="json", output=tmp_path / "out.html")
    assert not (tmp_path / "out.html").exists()
    assert chosen_format("json", Path("out.json")) == "json"
    assert chosen_format("html", Path("pages")) == "html"
    assert chosen_format(None, None) == "text"
    assert chosen_format(None, Path("out.log")) == "text"
    assert chosen_format(None, Path("results")) == "tables"


def test_several_pages_need_a_folder(calm, tmp_path):
    with refused(PaclError, "--output", "out.html"):
        detect(calm, calm, output=tmp_path / "out.html")
    with refused(TargetError, tmp_path / "calm"):
        detect(calm, calm, format="html", output=calm.rename(tmp_path / "calm"))


@pytest.fixture
def judged(monkeypatch):
    """Fail if anything is judged."""

    def refuse(*_):
        raise AssertionError("judged")

    monkeypatch.setattr("pacl.detect.Detector.__init__", refuse)


def check_refused(output, *paths, **options):
    before = output.read_bytes()
    with refused(TargetError, "input"):
        detect(*paths, output=output, **options)
    assert output.read_bytes() == before


def test_an_input_is_not_overwritten(calm, tmp_path, judged):
    check_refused(calm, calm)
    check_refused(calm, tmp_path)
    (tmp_path / "link.txt").symlink_to(calm)
    check_refused(tmp_path / "link.txt", calm)
    check_refused(calm, tmp_path / "link.txt")


@pytest.mark.parametrize("named", ["a", "a.atr", "a.hea"])
@pytest.mark.parametrize("file", ["a.atr", "a.hea", "a.own"])
def test_nor_any_file_of_a_wfdb_record(tmp_path, judged, named, file):
    (tmp_path / "a.atr").write_bytes(annotation_file([(100, "N", "")]))
    (tmp_path / "a.own").write_bytes(annotation_file([(100, "N", "")]))
    (tmp_path / "a.hea").write_text("a 0 250\n")
    check_refused(tmp_path / file, tmp_path / named, read=ReadOptions(beats="own"))


def test_nor_the_table_of_patients(calm, tmp_path, judged):
    table = tmp_path / "patients.csv"
    table.write_text("record_id,patient_id\ncalm,a\n")
    check_refused(table, calm, read=ReadOptions(patients=table))


def test_what_was_written_before_is_replaced(calm, tmp_path):
    out = tmp_path / "out.json"
    for _ in range(2):
        detect(calm, output=out)
    assert json.loads(out.read_text())["record"] == "calm"
