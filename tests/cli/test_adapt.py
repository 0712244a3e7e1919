"""`pacl adapt` and `pacl detect --person` as a person runs them."""

import json
from datetime import datetime
from functools import partial

import numpy as np
import pytest

from pacl.adaptation import Correction
from pacl.cli.detect_formats import as_text
from pacl.cli.spans import parse_span
from pacl.detect import Detector
from pacl.errors import PaclError
from support.in_process import pacl
from support.persons import night, with_evidence
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
    done = adapt(nights / "one.txt", "-o", path, "--sinus", "0:01-0:16")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert 14.5 < float(done.stdout.split("me.json: ")[1].split(" min of known")[0]) <= 15.0
    assert "71 beats a minute" in done.stdout
    assert "population" in done.stdout
    return path


def test_from_a_night_to_a_profile_to_the_next_night(nights, profile):
    done = detect(nights / "two.txt", "--person", profile)
    assert done.returncode == 0, done.stderr
    assert "profile used; with it AF" in done.stdout
    found = json.loads(detect(nights / "two.txt", "--person", profile, "--format", "json").stdout)
    plain = json.loads(detect(nights / "two.txt", "--format", "json").stdout)
    assert found["person"]["applied"]
    for words, name in (("with it", "with_profile"), ("without it", "without_profile")):
        burden = 100 * found["person"][name]["af_burden"]
        assert f"{words} AF (AF burden {burden:.1f} %)" in done.stdout
    assert found["person"]["without_profile"]["af_burden"] == plain["af_burden"]
    assert "person" not in plain


def test_each_result_has_its_own_words():
    wrong = with_evidence(corrections=(Correction(False, 3.0),) * 5)
    found = Detector(person=wrong).detect(night(3, 400, 300))
    adapted, without = found.person.adapted.af_burden, found.person.without.af_burden
    assert adapted < without
    text = as_text([found])
    assert f"with it AF (AF burden {100 * adapted:.1f} %)" in text
    assert f"without it AF (AF burden {100 * without:.1f} %)" in text


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
    assert adapt(nights / "two.txt", "-o", path, "--af", "0:22-0:24").returncode == 0
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
    assert "holds nothing that can be used" in done.stdout


def test_too_little_is_said(nights, tmp_path):
    path = tmp_path / "me.json"
    done = adapt(nights / "one.txt", "-o", path, "--sinus", "0:01-0:03")
    assert done.returncode == 0
    assert "too little" in done.stderr
    assert "not used: it holds too little" in detect(nights / "two.txt", "--person", path).stdout
    done = adapt(nights / "two.txt", "-o", path, "--sinus", "0:01-0:06")
    assert "from 12 minutes on" in done.stdout  # enough for recordings, not for streams
    assert "profile used" in detect(nights / "one.txt", "--person", path).stdout


def test_marked_af_is_said(nights, tmp_path):
    done = adapt(nights / "always.txt", "-o", tmp_path / "me.json", "--sinus", "0:01-0:11")
    assert done.returncode == 0
    assert "looks like AF" in done.stderr
    done = detect(nights / "two.txt", "--person", tmp_path / "me.json")
    assert "profile not used: what was marked as sinus rhythm looks like AF" in done.stdout
    done = detect("-", "--person", tmp_path / "me.json", text=(nights / "two.txt").read_text())
    assert "The profile is not used" in done.stderr


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
    assert ">The profile of this person<" in page.read_text()
    assert "With and without the profile" in page.read_text()
    plain = tmp_path / "plain.html"
    assert detect(nights / "two.txt", "-o", plain).returncode == 0
    assert ">The profile of this person<" not in plain.read_text()


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


def test_an_input_is_never_replaced(nights, profile):
    recording = nights / "beats.json"
    recording.write_bytes((nights / "one.txt").read_bytes())
    done = adapt(recording, "-o", recording)
    assert done.returncode == 2
    assert "it is the input" in done.stderr
    assert recording.read_bytes() == (nights / "one.txt").read_bytes()
    recording.unlink()
    before = profile.read_bytes()
    done = detect(nights / "two.txt", "--person", profile, "-o", profile)
    assert done.returncode == 2
    assert profile.read_bytes() == before


def test_what_is_no_profile_is_not_replaced_either(nights, tmp_path):
    other = tmp_path / "other.json"
    other.write_text('{"important": 1}')
    assert adapt(nights / "one.txt", "-o", other, "--start-over").returncode == 2
    assert other.read_text() == '{"important": 1}'


def test_one_row_says_both(nights, profile):
    rows = detect(nights / "two.txt", "--person", profile, "--format", "csv").stdout.splitlines()
    assert rows[0].endswith("profile,verdict_without,af_burden_without")
    assert ",used,AF," in rows[1]
    plain = detect(nights / "two.txt", "--format", "csv").stdout.splitlines()
    assert rows[1].endswith(plain[1].split(",")[3])


def test_a_profile_for_several_recordings_is_said(nights, profile):
    done = detect(nights / "one.txt", nights / "two.txt", "--person", profile)
    assert done.returncode == 0
    assert "one person" in done.stderr


def test_a_stream_cannot_be_marked(tmp_path):
    done = adapt("-", "-o", tmp_path / "me.json")
    assert done.returncode == 2
    assert "file" in done.stderr


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
HOURS = 3600.0


@pytest.mark.parametrize(
    ("text", "started", "expected"),
    [
        ("1:00-2:00", None, (3600, 7200)),
        ("01:00-02:00", NIGHT, (9000, 12_600)),
        ("01:00\N{EN DASH}02:00", NIGHT, (9000, 12_600)),
        ("22:30-22:31:30", NIGHT, (0, 90)),
        ("22:29-22:31", NIGHT, (-60, 60)),
        ("23:00-01:00", NIGHT, (1800, 9000)),
        ("90s-120.5s", NIGHT, (90, 120.5)),
        ("+30:00-+31:00", NIGHT, (108_000, 111_600)),
        ("30:00-31:00", None, (108_000, 111_600)),
    ],
)
def test_spans(text, started, expected):
    assert parse_span(text, started, 8 * HOURS, "--af") == expected


@pytest.mark.parametrize(
    "text",
    ["", "1:00", "1-2", "25:00-26:00", "1:75-2:00", "1:00-2:00-3:00", "+1:00-2:00", "1:00-90s"],
)
def test_spans_that_are_none(text):
    with refused(PaclError, "--af", text):
        parse_span(text, NIGHT, 8 * HOURS, "--af")


def test_a_time_of_day_that_occurs_twice():
    assert parse_span("22:40-22:50", NIGHT, 24 * HOURS, "--af") == (600, 1200)
    with refused(PaclError, "--af", "more than once", "+0:10"):
        parse_span("22:40-22:50", NIGHT, 35 * HOURS, "--af")


def test_a_swapped_mark_is_outside_the_recording(tmp_path):
    beats = tmp_path / "2026-04-01 22-30-00.txt"
    generator = np.random.default_rng(0)
    beats.write_text("\n".join(f"{x:.0f}" for x in sinus(3000, generator)) + "\n")
    done = adapt(beats, "-o", tmp_path / "me.json", "--sinus", "22:50-22:40")
    assert done.returncode == 2
    assert "not in the recording" in done.stderr
    assert adapt(beats, "-o", tmp_path / "me.json", "--sinus", "22:40-22:50").returncode == 0
