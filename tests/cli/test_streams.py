"""The command with standard input, output or error closed, full, or no longer read."""

import subprocess
import sys
from pathlib import Path

import pytest

from support.in_process import pacl as in_process

PRINT = "--print-config"


def pacl(redirected, *argv, **more):
    if not redirected:
        return in_process(*argv)
    command = ["sh", "-c", f'"$@" {redirected}', "sh", sys.executable, "-m", "pacl", *argv]
    return subprocess.run(
        [*map(str, command)], capture_output=True, text=True, timeout=120, check=False, **more
    )


@pytest.fixture
def recording(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("".join(f"{800 + at % 7}\n" for at in range(400)))
    return path


def test_closed_output_is_told_in_one_line(recording):
    for argv in (["inspect", recording, "-q"], ["--help"], ["train", "--help"], ["--version"]):
        done = pacl(">&-", *argv)
        assert (done.returncode, done.stdout) == (2, "")
        (line,) = done.stderr.splitlines()
        assert line.startswith("pacl: standard output is closed; ")


def test_what_needs_no_output_works_with_it_closed(tmp_path):
    done = pacl(">&- 2>&- <&-", "simulate", tmp_path / "cohort", "--patients", 1, "-q")
    assert done.returncode == 2  # its summary is lost
    assert (tmp_path / "cohort" / "truth").is_dir()
    assert not pacl(">&-", "paint").stdout


def test_closed_error_keeps_status_and_output(recording, tmp_path):
    done = pacl("2>&-", "inspect", recording)
    assert (done.returncode, done.stderr) == (0, "")
    assert "400" in done.stdout
    done = pacl("2>&-", "inspect", tmp_path / "missing")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")
    done = pacl("2>&-", "paint")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")


def test_closed_input_matters_only_where_it_is_read(recording):
    assert pacl("<&-", "inspect", recording, "-q").returncode == 0
    done = pacl("<&-", "detect", "-")
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("pacl: standard input is closed; ")


def test_everything_closed(recording):
    assert pacl("<&- >&- 2>&-", "inspect", recording).returncode == 2
    assert pacl("<&- >&- 2>&-").returncode == 2


def test_no_file_takes_the_number_of_a_closed_stream(tmp_path):
    """Else what a library writes to standard error would go into it."""
    code = (
        "import os, sys; from pacl.cli.streams import open_streams; open_streams()\n"
        f"print(open({str(tmp_path / 'x')!r}, 'w').fileno() > 2, file=open(sys.argv[1], 'w'))"
    )
    command = ["sh", "-c", '"$@" <&- >&- 2>&-', "sh", sys.executable, "-c", code, tmp_path / "said"]
    subprocess.run([*map(str, command)], check=True, timeout=60)
    assert (tmp_path / "said").read_text() == "True\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_an_output_that_is_full_is_told_once(recording):
    for argv in (["inspect", recording, "-q"], ["detect", recording], ["train", "x", PRINT]):
        done = pacl("> /dev/full", *argv)
        assert done.returncode == 2
        (line,) = done.stderr.splitlines()
        assert line.startswith("pacl: ")
        assert "No space left" in line


@pytest.mark.parametrize("argv", [["inspect", "a.txt", "-q"], ["detect", "a.txt"], ["--help"]])
def test_a_reader_that_has_seen_enough_is_no_error(recording, argv):
    script = '(sleep 0.2; exec "$@") | true; exit ${PIPESTATUS[0]}'
    command = ["bash", "-c", script, "bash", sys.executable, "-m", "pacl", *argv]
    done = subprocess.run(
        command, cwd=recording.parent, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (141, "")


# -------------------------------------------------------------------------- names with controls


@pytest.mark.parametrize("word", ["inspect", "prepare", "evaluate", "simulate", "audit"])
def test_names_do_not_steer_the_terminal(tmp_path, word):
    name = f"{tmp_path}/no\x1b[31mred\nline"
    more = {"prepare": ["-o", tmp_path / "out"], "simulate": ["--patients", 1]}.get(word, [])
    if word == "simulate":  # refuses what is there
        Path(name).write_text("mine")
    done = pacl("", word, name, *more)
    assert done.returncode == 2
    assert "\x1b" not in done.stderr + done.stdout
    (line,) = [line for line in done.stderr.splitlines() if "red" in line]
    assert r"no\x1b[31mred\nline" in line


@pytest.mark.parametrize(
    "argv", [["paint\x1b[31m\nred"], ["inspect", "x", "--no\x1b[31m\nred"], ["--\x1b]0;red\x07"]]
)
def test_words_do_not_steer_the_terminal(argv):
    done = pacl("", *argv)
    assert done.returncode == 2
    assert "\x1b" not in done.stderr + done.stdout
    assert "red" in done.stderr


def test_settings_do_not_steer_the_terminal(tmp_path):
    (tmp_path / "a.toml").write_text('"\\u001b[31mred" = 1\nseed = "no"\n')
    done = pacl("", "prepare", tmp_path, "--config", tmp_path / "a.toml", "-o", tmp_path / "out")
    assert done.returncode == 2
    assert "\x1b" not in done.stderr
    first, second, *_ = done.stderr.splitlines()
    assert first == f"pacl: {tmp_path / 'a.toml'}:"
    assert second.startswith("  ")


def test_names_of_recordings_are_shown_as_they_are_but_harmless(tmp_path):
    for name in ("a\x1b[31m", "[bold]b[nobold]", "c:smile:"):
        (tmp_path / f"{name}.txt").write_text("800\n" * 300)
    (tmp_path / "[red]bad.txt").write_text("x\n")
    done = pacl("", "inspect", tmp_path, "-q")
    assert done.returncode == 2
    assert "\x1b" not in done.stdout + done.stderr
    assert "[bold]b[nobold]" in done.stdout
    assert "c:smile:" in done.stdout
    assert r"a\x1b[31m.txt" in done.stderr
    assert "[red]bad" in done.stderr
