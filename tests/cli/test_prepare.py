"""`pacl prepare` and `pacl audit` as a person meets them."""

import json
import subprocess
import sys

import h5py
import numpy as np
import pytest

from pacl.records.simulate import write_cohort
from pacl.windows import WindowSet


def pacl(*argv):
    return subprocess.run(
        [sys.executable, "-m", "pacl", *map(str, argv)], capture_output=True, text=True, timeout=120
    )


@pytest.fixture(scope="module")
def cohort(tmp_path_factory):
    path = tmp_path_factory.mktemp("cohort") / "cohort"
    write_cohort(path, patients=16, seed=0)
    return path


def test_prepare_then_audit(cohort, tmp_path):
    done = pacl("prepare", cohort, "-o", tmp_path / "w", "--protocol", "pooled", "--quiet")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "windows of 16 patients" in done.stdout
    assert [line.split()[0] for line in done.stdout.splitlines()[-3:]] == [
        "test",
        "train",
        "validation",
    ]
    audited = pacl("audit", tmp_path / "w")
    assert (audited.returncode, audited.stdout.splitlines()[-1]) == (0, "no leak found")
    found = WindowSet.open(tmp_path / "w")
    assert found.safe
    assert found.manifest["protocol"]["name"] == "PooledProtocol"


def test_a_leaking_set_is_refused_allowed_by_name_and_marked_for_ever(cohort, tmp_path):
    argv = [
        "prepare",
        cohort,
        "-o",
        tmp_path / "w",
        "--protocol",
        "pooled",
        "--split.unit",
        "record",
    ]
    refused = pacl(*argv)
    assert refused.returncode == 2
    assert "leak: patient-in-two-parts: patient_" in refused.stderr
    assert "--allow patient-in-two-parts" in refused.stderr
    assert not (tmp_path / "w").exists()
    flags = ["--allow", "patient-in-two-parts", "--allow", "unsafe-split"]
    allowed = pacl(*argv, *flags)
    assert allowed.returncode == 0, allowed.stderr
    found = WindowSet.open(tmp_path / "w")
    assert found.manifest["allowed"] == ["patient-in-two-parts", "unsafe-split"]
    assert not found.safe
    audited = pacl("audit", tmp_path / "w", "--json")
    assert audited.returncode == 1
    assert {row["kind"] for row in json.loads(audited.stdout)} >= {"patient-in-two-parts"}


def test_settings_come_from_a_file_and_flags_and_can_be_shown(cohort, tmp_path):
    (tmp_path / "a.toml").write_text('protocol = "pooled"\n[window]\nwindow_beats = 100\n')
    argv = ["prepare", cohort, "-o", tmp_path / "w", "--config", tmp_path / "a.toml"]
    shown = pacl(*argv, "--window.stride", "25", "--print-config")
    window = json.loads(shown.stdout)["window"]
    assert (window["window_beats"], window["stride"]) == (100, 25)
    assert not (tmp_path / "w").exists()


def test_bad_recordings_stop_or_are_noted(cohort, tmp_path):
    copy = tmp_path / "cohort"
    subprocess.run(["cp", "-r", cohort, copy], check=True)
    bad = next(copy.glob("*/record_003/*_rr_00.h5"))
    bad.write_bytes(bad.read_bytes()[:500])
    argv = ["prepare", copy, "-o", tmp_path / "w", "--protocol", "pooled"]
    stopped = pacl(*argv)
    assert stopped.returncode == 2
    assert "record_003_rr_00.h5" in stopped.stderr
    noted = pacl(*argv, "--skip-bad")
    assert noted.returncode == 0, noted.stderr
    records = {row["record"]: row for row in WindowSet.open(tmp_path / "w").manifest["records"]}
    assert "record_003_rr_00.h5" in records["record_003"]["error"]


def test_processed_windows_become_a_set(tmp_path):
    rng = np.random.default_rng(0)
    for part, first in (("train", 0), ("validation", 4), ("test", 6)):
        with h5py.File(tmp_path / f"0123_{part}.h5", "w") as file:
            file["segments"] = rng.normal(size=(20, 200)).astype(np.float32)
            file["labels"] = np.arange(20, dtype=np.int32) % 2
            file["patient_ids"] = (first + np.arange(20) // 10).astype(np.int32)
    unknown = pacl("prepare", tmp_path, "-o", tmp_path / "w")
    assert unknown.returncode == 2
    assert "patients-unknown" in unknown.stderr
    done = pacl("prepare", tmp_path, "-o", tmp_path / "w", "--allow", "patients-unknown")
    assert done.returncode == 0, done.stderr
    assert "60 windows of 6 patients" in done.stdout
    refused = pacl("prepare", tmp_path, "-o", tmp_path / "v", "--window.stride", "10")
    assert refused.returncode == 2
    assert "cut, scaled and divided already" in refused.stderr


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["audit"], "give either a window set, or both --split and --metadata"),
        (["audit", "{}", "--split", "x"], "give either a window set"),
        (["audit", "{}"], "not a window set"),
        (["prepare", "{}", "-o", "{}/w"], "no recording recognised"),
        (["prepare", "{}"], "say where to write the windows with --output"),
        (["prepare", "{}", "-o", "{}/w", "--allow", "leaks"], "leaks"),
        (["prepare", "{}", "-o", "{}/w", "--split.seed=-1"], "split.seed"),
        (["prepare", "{}", "-o", "{}/w", "--split.counts", "1", "0", "-1"], "split.counts"),
        (["prepare", "{}", "-o", "{}/w", "--episodes.min-sr-s", "nan"], "--episodes.min-sr-s"),
        (["prepare", "{}", "-o", "{}/w", "--split.fold", "3"], "fold 3 of 0"),
    ],
)
def test_a_mistake_is_told_in_plain_words_with_status_2(tmp_path, argv, message):
    done = pacl(*(word.format(tmp_path) for word in argv))
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.reference
def test_the_released_split_leaks_three_patients(reference):
    done = pacl(
        "audit",
        "--split",
        reference / "released-split.json",
        "--metadata",
        reference / "iridia-metadata.csv",
    )
    assert done.returncode == 1
    assert [line.split(": ")[2].split()[0] for line in done.stdout.splitlines()] == [
        "patient_035",
        "patient_107",
        "patient_114",
    ]
