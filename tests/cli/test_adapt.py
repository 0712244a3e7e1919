"""`pacl adapt` and `pacl detect --person` as a person runs them."""

import json
from datetime import datetime
from functools import partial

import numpy as np
import pytest

from pacl.cli.spans import parse_span
from pacl.errors import PaclError
from support.in_process import pacl
from support.refusals import refused
from support.rhythms import fibrillation, sinus

adapt, detect = partial(pacl, "adapt"), partial(pacl, "detect")


@pytest.fixture(scope="module")
def nights(tmp_path_factory):
    """Two nights of one person with AF from 0:21 on, and one of permanent AF."""
    folder = tmp_path_factory.mktemp("nights")
    for seed, name in enumerate(("one", "two", "always")):
        generator = np.random.default_rng(seed)
        calm = fibrillation if name == "always" else sinus
        parts = [calm(1500, generator), fibrillation(600, generator), calm(900, generator)]
        rr_ms = np.concatenate(parts)
        (folder / f"{name}.txt").write_text("\n".join(f"{x:.0f}" for x in rr_ms) + "\n")
    return folder


@pytest.fixture(scope="module")
def profile(nights):
    path = nights / "me.json"
    done = adapt(nights / "one.txt", "-o", path, "--sinus", "0:01-0:11")
    assert done.returncode == 0, done.stderr
    assert "9.8 min of known sinus rhythm" in done.stdout
    assert "71 beats a minute" in done.stdout
    assert "population" in done.stdout
    return path


def test_from_a_night_to_a_profile_to_the_next_night(nights, profile):
    done = detect(nights / "two.txt", "--person", profile)
    assert done.returncode == 0, done.stderr
    assert "profile used; with it AF" in done.stdout
    assert "without it AF" in done.stdout
    found = json.loads(detect(nights / "two.txt", "--person", profile, "--format", "json").stdout)
    plain = json.loads(detect(nights / "two.txt", "--format", "json").stdout)
    assert found["person"]["applied"]
    assert found["person"]["without_profile"]["af_burden"] == plain["af_burden"]
    assert "person" not in plain


def test_switched_off(nights, profile):
    done = detect(nights / "two.txt", "--person", profile, "--compare-only")
    assert "profile not used: switched off" in done.stdout
    done = detect(nights / "two.txt", "--compare-only")
    assert done.returncode == 2
    assert "--person" in done.stderr


def test_a_profile_is_continued_and_a_recording_counts_once(nights, profile, tmp_path):
    path = tmp_path / "me.json"
    path.write_bytes(profile.read_bytes())
    assert adapt(nights / "two.txt", "-o", path, "--not-af", "60s-120s").returncode == 0
    stated = json.loads(path.read_text())
    assert len(stated["recordings"]) == 2
    assert stated["evidence"]["causal"]["corrections"][0]["target"] is False
    before = path.read_bytes()
    done = adapt(nights / "two.txt", "-o", path)
    assert done.returncode == 2
    assert "already" in done.stderr
    assert path.read_bytes() == before
    assert adapt(nights / "two.txt", "-o", path, "--start-over").returncode == 0
    assert len(json.loads(path.read_text())["recordings"]) == 1


def test_several_nights_without_labels(nights, tmp_path):
    path = tmp_path / "me.json"
    done = adapt(nights / "one.txt", nights / "two.txt", "-o", path)
    assert done.returncode == 0, done.stderr
    assert "from 2 recordings" in done.stdout
    done = adapt(nights / "one.txt", nights / "two.txt", "-o", path, "--sinus", "0:01-0:05")
    assert done.returncode == 2
    assert "one recording at a time" in done.stderr


def test_a_profile_is_of_one_person(tmp_path):
    pacl("simulate", tmp_path / "cohort", "--patients", "2", "--quiet")
    done = adapt(tmp_path / "cohort", "-o", tmp_path / "me.json")
    assert done.returncode == 2
    assert "2 patients" in done.stderr
    assert not (tmp_path / "me.json").exists()


def test_permanent_af_is_said(nights, tmp_path):
    path = tmp_path / "always.json"
    done = adapt(nights / "always.txt", "-o", path)
    assert done.returncode == 0
    assert "permanent AF" in done.stderr
    done = detect(nights / "two.txt", "--person", path)
    assert "nothing learned" in done.stdout


def test_marked_af_is_said(nights, tmp_path):
    done = adapt(nights / "always.txt", "-o", tmp_path / "me.json", "--sinus", "0:01-0:11")
    assert done.returncode == 0
    assert "looks much like AF" in done.stderr
    done = detect(nights / "two.txt", "--person", tmp_path / "me.json")
    assert "learned in AF" in done.stdout


def test_a_stream_of_a_person(nights, profile):
    beats = (nights / "two.txt").read_text()
    one = detect("-", "--person", profile, text=beats)
    other = detect("-", text=beats)
    assert one.returncode == 0, one.stderr
    assert one.stdout != other.stdout
    assert len(one.stdout.splitlines()) == len(other.stdout.splitlines())


def test_the_page_shows_person_and_population(nights, profile, tmp_path):
    page = tmp_path / "two.html"
    assert detect(nights / "two.txt", "--person", profile, "-o", page).returncode == 0
    assert "This person" in page.read_text()
    assert "With and without the profile" in page.read_text()
    plain = tmp_path / "plain.html"
    assert detect(nights / "two.txt", "-o", plain).returncode == 0
    assert "This person" not in plain.read_text()


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        (["--sinus", "soon"], ("--sinus", "soon", "01:00-02:00")),
        (["--sinus", "9:00-9:30"], ("9:00:00", "not in the recording")),
        (["-o", "me.txt"], (".json",)),
        (["--weights", "af-rr200"], ("af-rr200", "af-beats")),
    ],
)
def test_what_cannot_be_done(nights, tmp_path, words, facts):
    output = [] if "-o" in words else ["-o", tmp_path / "me.json"]
    done = adapt(nights / "one.txt", *output, *words)
    assert done.returncode == 2
    assert all(fact in done.stderr for fact in facts), done.stderr
    assert not (tmp_path / "me.json").exists()


def test_an_input_is_never_replaced(nights):
    before = (nights / "one.txt").read_bytes()
    done = adapt(nights / "one.txt", "-o", nights / "one.txt")
    assert done.returncode == 2
    assert (nights / "one.txt").read_bytes() == before


def test_what_is_no_profile_is_refused(nights, tmp_path):
    spoilt = tmp_path / "me.json"
    spoilt.write_text('{"format": "pacl detection 1"}')
    for done in (
        detect(nights / "two.txt", "--person", spoilt),
        adapt(nights / "one.txt", "-o", spoilt),
    ):
        assert done.returncode == 2
        assert "pacl person 1" in done.stderr
    assert spoilt.read_text() == '{"format": "pacl detection 1"}'


NIGHT = datetime(2026, 4, 1, 22, 30)


@pytest.mark.parametrize(
    ("text", "started", "expected"),
    [
        ("1:00-2:00", None, (3600, 7200)),
        ("01:00-02:00", NIGHT, (9000, 12_600)),
        ("22:30-22:31:30", NIGHT, (0, 90)),
        ("23:00-01:00", NIGHT, (1800, 9000)),
        ("22:00-23:00", NIGHT, (84_600, 88_200)),
        ("90s-120.5s", NIGHT, (90, 120.5)),
        ("+30:00-+31:00", NIGHT, (108_000, 111_600)),
        ("30:00-31:00", None, (108_000, 111_600)),
    ],
)
def test_spans(text, started, expected):
    assert parse_span(text, started, "--af") == expected


@pytest.mark.parametrize("text", ["", "1:00", "1-2", "25:00-26:00", "1:75-2:00", "1:00-2:00-3:00"])
def test_spans_that_are_none(text):
    with refused(PaclError, "--af", text):
        parse_span(text, NIGHT, "--af")
