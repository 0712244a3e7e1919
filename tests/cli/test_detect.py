"""`pacl detect` as a person runs it."""

import csv
import io
import json
import subprocess
import sys
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from pacl.cli.detect_formats import as_text
from support.detections import detection
from support.in_process import pacl
from support.mit import annotation_file

run = partial(pacl, "detect")


def run_alone(*words, text=None):
    """In a process of its own, as a person does."""
    return subprocess.run(
        [sys.executable, "-m", "pacl", "detect", *map(str, words)],
        input=text,
        capture_output=True,
        text=True,
        timeout=120,
    )


def sinus(beats):
    generator = np.random.default_rng(0)
    return 850 * (1 + 0.02 * np.sin(np.arange(beats) * 0.3) + generator.normal(0, 0.012, beats))


def fibrillation(beats):
    generator = np.random.default_rng(1)
    return np.clip(620 * generator.lognormal(0, 0.22, beats), 250, 1900)


@pytest.fixture(scope="module")
def nights(tmp_path_factory):
    """Two nights, one of them with AF, and a file that is no recording."""
    folder = tmp_path_factory.mktemp("nights")
    mixed = np.concatenate([sinus(500), fibrillation(400), sinus(500)])
    for name, rr_ms in {"af": mixed, "calm": sinus(300)}.items():
        (folder / f"{name}.txt").write_text("\n".join(f"{x:.0f}" for x in rr_ms) + "\n")
    (folder / "junk").write_bytes(bytes(range(256)))
    return folder


def test_text(nights):
    done = run_alone(nights / "af.txt")
    assert done.returncode == 0
    assert "af.txt: AF, AF burden" in done.stdout
    assert "confidence" in done.stdout
    assert "look-ahead, af-beats" in done.stdout


def test_start_end_and_length_of_an_episode_agree():
    found = detection([(0.0, 600.0)], [(12.6, 42.4), (100.4, 131.6)])
    found = replace(found, started=datetime(2026, 1, 1, 8))
    for line, expected in zip(
        as_text([found]).splitlines()[1:],
        [
            ("0:00:13 to 0:00:42, 0:00:29 long", "08:00:13 to 2026-01-01 08:00:42"),
            ("0:01:40 to 0:02:12, 0:00:32 long", "08:01:40 to 2026-01-01 08:02:12"),
        ],
        strict=False,
    ):
        assert all(part in line for part in expected)


def test_json_is_an_object_or_a_list(nights):
    one = json.loads(run(nights / "af.txt", "--format", "json").stdout)
    assert 0.15 < one["af_burden"] < 0.35
    assert one["format"] == "pacl detection 1"
    assert one["episodes"][0]["end_s"] > one["episodes"][0]["start_s"]
    assert one["quality"]["not_judged"] == 0
    both = json.loads(run(nights / "af.txt", nights / "calm.txt", "--format", "json").stdout)
    assert [each["verdict"] for each in both] == ["AF", "no AF"]


def test_csv_has_a_row_an_episode_and_one_for_a_calm_night(nights):
    told = run(nights / "af.txt", nights / "calm.txt", "--format", "csv").stdout
    rows = list(csv.DictReader(io.StringIO(told)))
    assert rows[-1]["verdict"] == "no AF"
    assert float(rows[-1]["judged_share"]) == 1.0
    assert rows[-1]["reason"] == ""
    assert rows[-1]["start_s"] == ""
    assert float(rows[0]["end_s"]) > float(rows[0]["start_s"])


@pytest.mark.parametrize("form", ["text", "json", "csv", "html"])
def test_every_format_says_why_one_cannot_tell(tmp_path, form):
    path, out = tmp_path / "short.txt", tmp_path / "out"
    path.write_text("".join(f"{x:.0f}\n" for x in sinus(43)))
    assert run(path, "--format", form, "-o", out).returncode == 0
    said = out.read_text("utf-8")
    assert "cannot tell" in said
    assert "needs 60 plausible beats" in said
    assert "longest run has 43" in said


@pytest.mark.parametrize(("gaps", "told"), [(0, "0 gaps;"), (1, "1 gap;"), (2, "2 gaps;")])
def test_gaps_are_counted_in_plain_english(tmp_path, gaps, told):
    path = tmp_path / "gaps.txt"
    path.write_text("".join(f"{x:.0f}\n" for x in sinus(300)) + "20000\n" * gaps)
    assert told in run(path).stdout


def test_a_page(nights, tmp_path):
    page = tmp_path / "night.html"
    done = run(nights / "af.txt", "--format", "html", "-o", page)
    assert done.returncode == 0, done.stderr
    assert page.read_text("utf-8").startswith("<!")
    assert run(nights / "af.txt", "--format", "html").returncode == 2


def test_pages_of_several_go_into_a_folder(nights, tmp_path):
    done = run(nights / "af.txt", nights / "calm.txt", "--format", "html", "-o", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    names = ["af.html", "calm.html", "index.html"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == names
    assert done.stdout.splitlines()[-1] == str(tmp_path / "out" / "index.html")
    assert '"page":"calm.html"' in (tmp_path / "out" / "index.html").read_text("utf-8")


def test_a_bad_file_among_good_ones_is_named_at_the_end(nights):
    done = run(nights / "junk", nights / "calm.txt")
    assert done.returncode == 2
    assert "calm.txt: no AF" in done.stdout
    assert "junk" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_recording_that_cannot_be_judged_loses_none_of_the_others(nights, tmp_path):
    beats = [(250 * second, "N", "") for second in (1, 2, 3, 4, 90_000)]
    (tmp_path / "long.atr").write_bytes(annotation_file(beats))
    (tmp_path / "long.hea").write_text("long 0 250\n")
    done = run(tmp_path / "long", nights / "calm.txt")
    assert done.returncode == 2
    assert "more than a day" in done.stderr
    assert "calm.txt: no AF" in done.stdout


def test_a_stream_says_what_the_causal_mode_says(nights):
    told = run_alone("-", text=(nights / "af.txt").read_text())
    assert told.returncode == 0, told.stderr
    lines = [line.split("\t") for line in told.stdout.splitlines()]
    assert len(lines) == 1400  # one line for each beat
    assert {line[2] for line in lines} == {"AF", "-"}
    batch = json.loads(run(nights / "af.txt", "--mode", "causal", "--format", "json").stdout)
    called = [float(line[0]) for line in lines if line[2] == "AF"]
    inside = [
        any(one["start_s"] < at <= one["end_s"] for one in batch["episodes"]) for at in called
    ]
    assert all(inside)
    assert len(called) > 300


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("800\nx\n", ["line 2", "'x'"]),
        ("RR\n800\nx\n", ["line 3", "'x'"]),
        ("RR\nms\n800\n", ["line 2", "'ms'"]),
        ("800\n8_00\n", ["line 2", "'8_00'"]),
        ("800\n\x1b[2J\n", ["line 2", r"'\x1b[2J'"]),
        ("800\n\nnan\n", ["line 3", "nan ms"]),
        ("-5\n", ["line 1", "-5.0 ms"]),
        ("\n" + "0.8\n" * 300, ["200 intervals", "200-2000 ms", "--unit s"]),
        ("0.8\n\n" * 300, ["200 intervals", "200-2000 ms", "--unit s"]),
        ("800\n" + "8" * 65_537, ["line 2", "65,536"]),
    ],
)
def test_a_bad_stream(text, facts):
    done = run("-", text=text)
    assert done.returncode == 2
    assert all(fact in done.stderr for fact in facts), done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", ["no intervals"]),
        ("\n \n", ["no intervals"]),
        ("800\n" * 3 + "50\n", ["60 plausible beats", "longest run has 3"]),
        (
            "".join(f"{700 + at}\n" for at in range(50)) + "11000\n" + "800\n" * 43,
            ["60 plausible beats", "longest run has 50"],
        ),
        ("0.8\n" * 50, ["none of 50 intervals lies within 200-2000 ms"]),
        ("800\n" * 300, ["100 % of it: the signal repeats itself"]),
        ("700\n800\n50\n" * 200, ["more than 20 implausible beats for 100 plausible"]),
    ],
)
def test_a_stream_without_a_decision_says_why(text, why):
    done = run("-", text=text)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith("pacl: standard input: cannot tell: ")
    assert all(each in done.stderr for each in why), done.stderr
    done = run("-", "--format", "json", text=text)
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert told["verdict"] == "cannot tell"
    assert all(each in told["reason"] for each in why)


def test_a_stream_as_json_has_an_object_per_decision(nights):
    text = (nights / "af.txt").read_text()
    plain = [line.split("\t") for line in run("-", text=text).stdout.splitlines()]
    done = run("-", "--format", "json", text=text)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [set(one) for one in told] == [{"time_s", "probability", "af"}] * len(plain)
    for one, (time_s, probability, said) in zip(told, plain, strict=True):
        assert one["time_s"] == pytest.approx(float(time_s))
        assert one["probability"] == pytest.approx(float(probability), abs=1e-6)
        assert one["af"] is (said == "AF")


@pytest.mark.parametrize("first", ["RR", "\ufeffRR-interval [ms]", "\n# ms"])
def test_a_header_of_a_stream_is_passed_over_with_a_note(nights, first):
    text = (nights / "calm.txt").read_text()
    done = run("-", text=f"{first}\n{text}")
    assert done.returncode == 0
    assert "header" in done.stderr
    assert done.stdout == run("-", text=text).stdout


def test_a_byte_order_mark_is_no_header(nights):
    text = (nights / "calm.txt").read_text()
    done = run("-", text=f"\ufeff{text}")
    assert (done.stderr, done.stdout) == ("", run("-", text=text).stdout)


def test_a_line_of_the_longest_length_is_taken():
    text = "".join(f"{rr_ms:.0f}\n" for rr_ms in sinus(250))
    done = run("-", text="0" * 65_533 + "800\n" + text)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 251


def test_an_endless_line_is_not_read_to_its_end():
    code = (
        "import resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))\n"
        "sys.argv = ['pacl', 'detect', '-']\n"
        "from pacl.cli import main\n"
        "main()\n"
    )
    with Path("/dev/zero").open("rb") as endless:
        done = subprocess.run(
            [sys.executable, "-c", code], stdin=endless, capture_output=True, text=True, timeout=60
        )
    assert done.returncode == 2
    assert "line 1" in done.stderr
    assert "65,536" in done.stderr


@pytest.mark.parametrize("form", ["html", "json"])
def test_a_folder_is_no_place_for_one_file(nights, tmp_path, form):
    done = run(nights / "calm.txt", "--format", form, "-o", ".", cwd=tmp_path)
    assert done.returncode == 2
    assert "folder" in done.stderr
    assert "Traceback" not in done.stderr


def test_nothing_to_look_at(nights, tmp_path):
    assert run().returncode == 2
    assert str(tmp_path / "no") in run(tmp_path / "no").stderr
    assert "--format text or json" in run("-", "--format", "csv").stderr
    for empty in (["", nights / "af.txt"], [nights / "af.txt", ""]):
        done = run(*empty)
        assert (done.returncode, done.stdout) == (2, "")
        assert "empty" in done.stderr


def test_no_torch_is_needed(nights):
    code = (
        "import sys\n"
        "for name in ('torch', 'scipy', 'sklearn', 'pyarrow', 'safetensors', 'matplotlib'):\n"
        "    sys.modules[name] = None\n"
        f"sys.argv = ['pacl', 'detect', {str(nights / 'af.txt')!r}]\n"
        "from pacl.cli import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "AF burden" in done.stdout


def test_a_stream_may_be_in_seconds(nights):
    ms = (nights / "af.txt").read_text().split()
    seconds = "".join(f"{float(one) / 1000:.4f}\n" for one in ms)
    in_ms, in_s = run("-", text="\n".join(ms)), run("-", "--unit", "s", text=seconds)
    assert in_ms.stdout
    assert [one.split("\t")[2] for one in in_s.stdout.splitlines()] == [
        one.split("\t")[2] for one in in_ms.stdout.splitlines()
    ]


def test_a_stream_refuses_what_is_for_files():
    done = run("-", "--column", "rr", text="800\n")
    assert done.returncode == 2
    assert "--unit" in done.stderr


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        (["--weights", "/no/such/place"], ["/no/such/place", "af-beats"]),
        (["--weights", ""], ["detector.json", "af-beats"]),
        (["--operating-point", "lenient"], ["lenient", "sensitive", "specific"]),
        (["--operating-point", "specific", "--weights", "af-rr200"], ["balanced", "af-beats"]),
        (["--min-duration", "-1"], ["-1", "min_duration_s"]),
        (["--min-duration", "nan"], ["nan", "min_duration_s"]),
        (["--min-duration", "long"], ["long"]),
    ],
)
def test_options_of_the_detector_are_checked(nights, words, facts):
    done = run(nights / "calm.txt", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    assert all(fact in done.stderr for fact in facts), done.stderr


def test_other_weights_and_another_shortest_duration(nights):
    assert "look-ahead, af-rr200" in run(nights / "af.txt", "--weights", "af-rr200").stdout
    done = run(nights / "af.txt", "--min-duration", 3600)
    assert "af.txt: possible AF, AF burden " in done.stdout
    assert ": the longest episode lasts" in done.stdout
    assert "confidence" in done.stdout  # the episode is listed


def test_a_stream_has_no_verdict_and_no_shortest_duration():
    done = run("-", "--min-duration", 60, text="800\n")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--min-duration" in done.stderr
