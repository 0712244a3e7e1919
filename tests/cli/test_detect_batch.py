"""`pacl detect` of several recordings: odd ones are named, the others are done and written."""

import csv
import io
import json
import os
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from support.in_process import pacl
from support.mit import annotation_file

run = partial(pacl, "detect")


def sinus(beats):
    generator = np.random.default_rng(0)
    return 850 * (1 + 0.02 * np.sin(np.arange(beats) * 0.3) + generator.normal(0, 0.012, beats))


CALM = "".join(f"{rr_ms:.0f}\n" for rr_ms in sinus(300))


@pytest.fixture
def calm(tmp_path):
    (tmp_path / "calm.txt").write_text(CALM)
    return tmp_path / "calm.txt"


def wfdb(stem, header):
    at = np.cumsum(sinus(300) / 4).astype(int).tolist()
    path = Path(os.fsdecode(os.fsencode(stem) + b".atr"))
    path.write_bytes(annotation_file([(sample, "N", "") for sample in at]))
    Path(os.fsdecode(os.fsencode(stem) + b".hea")).write_text(header)


def late(folder):
    wfdb(folder / "late", "late 0 250 0 23:59:00 31/12/9999\n")
    return folder / "late"


def not_utf8(folder):
    path = Path(os.fsdecode(os.fsencode(folder / "odd") + b"\xff.txt"))
    path.write_text(CALM)
    return path


def dots(folder):
    (folder / "..atr").write_bytes(b"\0\0")
    return folder / "..atr"


def missing(folder):
    return folder / "missing"


ODD = {late: "late", not_utf8: r"odd\udcff", dots: "..atr", missing: "missing"}


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("ending", ["", "out.txt", "out.json", "out.csv"])
def test_an_odd_recording_is_named_and_the_others_are_done(calm, tmp_path, odd, ending):
    out = tmp_path / "made" / ending
    done = run(odd(tmp_path), calm, *(["-o", out] if ending else []))
    assert done.returncode == 2
    assert ODD[odd] in done.stderr
    told = out.read_text() if ending else done.stdout
    assert told.count("no AF") == 1
    if ending == "out.json":
        assert [one["record"] for one in json.loads(told)] == ["calm"]


@pytest.mark.parametrize("odd", ODD)
def test_and_their_pages_are_written(calm, tmp_path, odd):
    done = run(odd(tmp_path), calm, "--format", "html", "-o", tmp_path / "pages")
    assert done.returncode == 2
    assert ODD[odd] in done.stderr
    pages = sorted(path.name for path in (tmp_path / "pages").iterdir())
    assert pages == ["calm.html", "index.html"]


def test_a_page_that_cannot_be_written_loses_no_other(calm, tmp_path):
    (tmp_path / "other.txt").write_text(CALM)
    (tmp_path / "pages" / "calm.html").mkdir(parents=True)
    done = run(calm, tmp_path / "other.txt", "--format", "html", "-o", tmp_path / "pages")
    assert done.returncode == 2
    assert "calm.html" in done.stderr
    assert (tmp_path / "pages" / "other.html").is_file()


def test_of_two_with_one_name_the_first_has_the_page(calm, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "calm.txt").write_text(CALM)
    done = run(calm, tmp_path / "sub" / "calm.txt", "--format", "html", "-o", tmp_path / "pages")
    assert done.returncode == 2
    assert str(tmp_path / "sub" / "calm.txt") in done.stderr
    assert (tmp_path / "pages" / "calm.html").is_file()


def test_the_shape_depends_on_what_was_asked(calm, tmp_path):
    """One path to one recording: an object. Several paths, or a folder: a list, whatever fails."""
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "calm.txt").write_text(CALM)
    told = {
        name: json.loads(run(*paths, "--format", "json").stdout or "null")
        for name, paths in {
            "recording": [calm],
            "folder of one": [tmp_path / "one"],
            "one of two": [calm, missing(tmp_path)],
            "none of two": [missing(tmp_path), tmp_path / "gone"],
            "none of one": [missing(tmp_path)],
        }.items()
    }
    assert told["recording"]["record"] == "calm"
    assert [len(told[name]) for name in ("folder of one", "one of two", "none of two")] == [1, 1, 0]
    assert told["none of one"] is None


def test_a_folder_of_one_recording_becomes_a_folder_of_one_page(calm, tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "calm.txt").write_text(CALM)
    assert run(tmp_path / "one", "--format", "html", "-o", tmp_path / "pages").returncode == 0
    assert (tmp_path / "pages" / "calm.html").is_file()


def test_names_are_no_formulas_in_csv(tmp_path):
    names = ["=1+1", "+1", "-1", "@a", "plain"]
    for name in names:
        (tmp_path / f"{name}.txt").write_text(CALM)
    done = run(".", "--format", "csv", cwd=tmp_path)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    expected = {f"'{name}" for name in names[:-1]} | {"plain"}
    assert {row["record"] for row in rows} == expected
    assert {row["judged_share"] for row in rows} == {"1.000000"}
    files = {row["file"] for row in rows}
    assert {"'=1+1.txt", "plain.txt"} <= files


def test_names_of_files_do_not_steer_the_terminal(tmp_path):
    path = tmp_path / "a\x1b[2J\nb.txt"
    path.write_text(CALM)
    done = run(path)
    assert "\x1b" not in done.stdout + done.stderr
    assert "[2J\nb" not in done.stdout + done.stderr
    assert "[2J\\n" in done.stdout + done.stderr


@pytest.mark.parametrize("form", ["text", "csv", "json"])
def test_names_of_patients_do_not_steer_the_terminal(tmp_path, form):
    (tmp_path / "x.csv").write_text(patients().replace("bb,", "b\x1b[2J,"))
    done = run(tmp_path / "x.csv", "--format", form)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert "x/b" in done.stdout or "(b" in done.stdout


def patients():
    """Two hearts in one file, one after the other."""
    rows = [f"{who},{rr_ms:.0f}\n" for who in ("a", "bb") for rr_ms in sinus(300)]
    return "patient_id,rr_ms\n" + "".join(rows)


def test_every_patient_of_a_file_is_in_the_answer(tmp_path):
    path = tmp_path / "two.csv"
    path.write_text(patients())
    done = run(path, "--format", "json")
    assert [one["record"] for one in json.loads(done.stdout)] == ["two/a", "two/bb"]
    done = run(path, "--format", "html", "-o", tmp_path / "pages")
    assert done.returncode == 0, done.stderr
    pages = (tmp_path / "pages").rglob("*.html")
    assert sorted(one.relative_to(tmp_path / "pages").as_posix() for one in pages) == [
        "index.html",
        "two/a.html",
        "two/bb.html",
    ]


def test_no_page_replaces_a_recording(tmp_path, calm):
    (tmp_path / "in").mkdir()
    night = calm.rename(tmp_path / "in" / "a.txt")
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "a.html").symlink_to(night)
    done = run(tmp_path / "in", "--format", "html", "-o", tmp_path / "pages")
    assert done.returncode == 2
    assert "a.html" in done.stderr
    assert night.read_text() == CALM


def test_a_start_is_of_one_recording(tmp_path, calm):
    (tmp_path / "b.txt").write_text(CALM)
    done = run(calm, tmp_path / "b.txt", "--start", "2026-01-01T00:00:00")
    assert done.returncode == 2
    assert "--start" in done.stderr


def test_the_index_lists_every_recording_and_why_one_has_no_page(calm, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    calm.rename(folder / "calm.txt")
    (folder / "slow.txt").write_text("0.1\n" * 400)
    done = run(folder, "--format", "html", "-o", tmp_path / "pages")
    assert done.returncode == 2
    index = (tmp_path / "pages" / "index.html").read_text("utf-8")
    rows = json.loads(
        index.partition('<script type="application/json"')[2].split(">", 1)[1].split("<")[0]
    )
    assert {(one["name"], one["status"]) for one in rows} == {("calm", "ready"), ("slow", "failed")}
    assert "slow.txt" in next(one["error"] for one in rows if one["name"] == "slow")


def test_a_recording_called_index_does_not_replace_the_index(calm, tmp_path):
    (tmp_path / "index.rr").write_text(CALM)
    done = run(tmp_path / "index.rr", calm, "--format", "html", "-o", tmp_path / "pages")
    assert done.returncode == 2
    assert "the index" in done.stderr
    assert (tmp_path / "pages" / "calm.html").is_file()
    assert "application/json" in (tmp_path / "pages" / "index.html").read_text("utf-8")
