"""The command as a person meets it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.in_process import pacl
from support.mit import annotation_file

LOADED = """
import sys
sys.argv = {argv!r}
from pacl.cli import main
try:
    main()
except SystemExit as end:
    assert end.code in (None, 0), end.code
print([name for name in {names!r} if name in sys.modules])
"""


def alone(*argv):
    """In a process of its own, as a person runs it."""
    return subprocess.run(
        [sys.executable, "-m", "pacl", *map(str, argv)], capture_output=True, text=True, timeout=120
    )


@pytest.fixture
def nights(tmp_path):
    for name in ("a", "b"):
        beats = [(1000 * second, "N", "") for second in range(1, 400)]
        marks = [(500, "+", "(N"), (250_500, "+", "(AFIB")]
        (tmp_path / f"{name}.atr").write_bytes(annotation_file(sorted(beats + marks), fs=1000))
    return tmp_path


@pytest.mark.parametrize("argv", [["pacl", "--help"], ["pacl", "--version"], ["pacl"]])
def test_help_loads_nothing_heavy(argv):
    heavy = ["torch", "numpy", "h5py", "matplotlib", "pydantic", "onnxruntime", "pooch"]
    code = LOADED.format(argv=argv, names=heavy)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[-1] == "[]", done.stdout + done.stderr


def test_help_names_every_command():
    out = alone("--help").stdout
    for command in ("inspect", "simulate", "download"):
        assert command in out


@pytest.mark.parametrize("command", ["inspect", "simulate", "download"])
def test_every_command_explains_itself(command):
    done = pacl(command, "--help")
    assert done.returncode == 0
    assert "--quiet" in done.stdout
    assert done.stderr == ""


def test_inspect_counts_a_folder(nights):
    done = alone("inspect", nights)
    assert done.returncode == 0
    lines = [line.split() for line in done.stdout.splitlines() if line.strip()]
    assert lines[2] == ["a", "398", "0.1", "0.1", "0.0", "1", "0", "0"]
    assert lines[-1][:3] == ["2", "records", "796"]
    assert "reading: 2/2" in done.stderr


def test_quiet_shows_no_progress(nights):
    assert pacl("inspect", nights, "--quiet").stderr == ""


def test_inspect_names_what_it_does_not_read(nights):
    (nights / "walk.fit").write_bytes(b".FIT")
    (nights / "below").mkdir()
    (nights / "below" / "c.txt").write_text("800\n810\n")
    done = pacl("inspect", nights)
    assert done.returncode == 0
    assert "below/c" in done.stdout
    assert [line for line in done.stderr.splitlines() if "left out" in line] == [
        "pacl: left out: walk.fit (.fit files are not read here)"
    ]


def test_inspect_draws_one_recording(nights):
    picture = nights / "new" / "a.png"
    done = pacl("inspect", nights / "a", "-o", picture)
    assert done.returncode == 0, done.stderr
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["inspect", "{}", "-o", "x.png"], "2 recordings, a picture shows one; choose it with"),
        (["inspect", "{}", "--record", "c"], "no record 'c'; choose one of a, b"),
        (["inspect", "{}/nothing"], "no such file or folder; check the path"),
        (["inspect", "{}", "--column", "rr"], "--column does not apply to wfdb recordings"),
        (
            ["inspect", "{}/a", "-o", "{}/x.bmp"],
            "cannot draw .bmp; name the picture .png, .svg, .pdf",
        ),
        (["inspect", "{}/a", "-o", "{}/a.atr/x.png"], "cannot be written (File exists)"),
        (["inspect", "{}", "--colour"], "Unknown option: --colour"),
        (["paint"], 'Unknown command "paint"'),
        (["download", "mitdb", "{}"], "mitdb"),
        (["simulate", "{}/new", "--patients", "0"], "patients"),
    ],
)
def test_a_mistake_is_told_in_plain_words_with_status_2(nights, argv, message):
    done = pacl(*(word.format(nights) for word in argv))
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "command",
    [
        "prepare",
        "train",
        "tune",
        "weights",
        "reproduce",
        "rivals",
        "export",
        "embed",
        "import-checkpoint",
    ],
)
def test_an_output_that_is_required_is_marked_and_named(command):
    said = pacl(command, "--help")
    usage, *lines = said.stdout.splitlines()
    assert f"pacl {command} --output PATH" in usage
    at = next(at for at, line in enumerate(lines) if "--output -o PATH" in line)
    assert lines[at].startswith("│ *")
    assert "[required]" in "".join(lines[at : at + 2])
    said = pacl(command, "x")
    assert said.returncode == 2
    (line,) = said.stderr.splitlines()
    assert "--output" in line
    assert "required" in line
    assert f"pacl {command} --help" in line


def test_a_picture_is_not_drawn_over_what_it_shows(nights):
    (nights / "b.png").symlink_to("a.atr")
    before = (nights / "a.atr").read_bytes()
    for given in (nights / "a", nights / "a.atr", nights):
        done = pacl("inspect", given, "--record", "a", "-o", nights / "b.png")
        assert (done.returncode, (nights / "a.atr").read_bytes()) == (2, before)
        assert "b.png: it is the input" in done.stderr
    for _ in range(2):
        done = pacl("inspect", nights, "--record", "a", "-o", nights / "a.png")
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["simulate", "x", "--patients", "99999999999999999999"],
        ["simulate", "x", "--seed", "99999999999999999999"],
        ["simulate", "x", "--threads", "99999999999"],
        ["train", "x", "-o", "y", "--threads", "99999999999"],
    ],
)
def test_absurd_numbers_are_refused_by_their_flag(words, tmp_path):
    done = pacl(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert words[-2] in done.stderr + done.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["inspect", "detect"])
def test_a_recording_with_a_name_that_cannot_be_shown_is_a_fault(nights, command):
    """A batch script must see that a recording is missing."""
    odd = Path(os.fsdecode(os.fsencode(nights) + b"/odd\xff.atr"))
    odd.write_bytes((nights / "a.atr").read_bytes())
    said = pacl(command, nights)
    assert said.returncode == 2
    assert "rename" in said.stderr
    assert "odd" in said.stderr
    assert said.stdout
