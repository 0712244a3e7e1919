"""The demo: what a newcomer sees, in which order, and which files to open at the end."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def commands(*settings):
    """What `make demo` would run, without the installation."""
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    argv = ["make", "--no-print-directory", "-n", "-o", ".venv/.ready", "demo", *settings]
    said = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=True)
    return said.stdout.splitlines()


def test_the_detector_comes_first_then_the_study_and_both_pages_are_named():
    lines = commands("DEMO=elsewhere")
    pacl = [line for line in lines if "/pacl " in line and not line.startswith("echo")]
    assert [line.split()[1] for line in pacl] == ["simulate", "detect", "reproduce"]
    _, detected, studied = pacl
    assert "-o elsewhere/detector.html" in detected
    first, second = (line for line in lines if line.startswith("echo") and "Open " in line)
    assert "Open elsewhere/detector.html" in first
    target = re.search(r"-o (\S+)", studied)[1]
    assert f"Open {target}/report.html" in second


def test_the_recording_of_the_demo_is_among_the_fewest_patients_simulated():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    fewest = min(int(count) for count in re.findall(r"PATIENTS\s*:?=\s*(\d+)", makefile))
    record = int(re.search(r"record_(\d+)", makefile)[1])
    assert record < fewest  # each patient has a record at least
