"""`pacl prepare` and `pacl audit` as a person meets them."""

import json
import shutil

import h5py
import numpy as np
import pytest

from pacl.records.simulate import write_cohort
from pacl.rr import RRWindowSet
from support.in_process import pacl


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
    assert "--patients" not in done.stdout, "the metadata name them"
    assert [line.split()[0] for line in done.stdout.splitlines()[-3:]] == [
        "test",
        "train",
        "validation",
    ]
    audited = pacl("audit", tmp_path / "w")
    assert (audited.returncode, audited.stdout.splitlines()[-1]) == (0, "no leak found")
    found = RRWindowSet.open(tmp_path / "w")
    assert found.safe
    assert found.manifest["protocol"]["name"] == "PooledProtocol"


def test_prepare_names_what_it_does_not_read_and_keeps_it_in_the_manifest(cohort, tmp_path):
    shutil.copytree(cohort, tmp_path / "cohort")
    (tmp_path / "cohort" / "night.txt").write_text("800\n810\n")
    argv = ("prepare", tmp_path / "cohort", "-o", tmp_path / "w", "--protocol", "pooled")
    done = pacl(*argv, "--quiet")
    assert done.returncode == 0, done.stderr
    assert "left out: night.txt" in done.stderr
    assert "night.txt" in RRWindowSet.open(tmp_path / "w").manifest["left_out"][0]


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
    found = RRWindowSet.open(tmp_path / "w")
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
    shutil.copytree(cohort, copy)
    bad = next(copy.glob("*/record_003/*_rr_00.h5"))
    bad.write_bytes(bad.read_bytes()[:500])
    argv = ["prepare", copy, "-o", tmp_path / "w", "--protocol", "pooled"]
    stopped = pacl(*argv)
    assert stopped.returncode == 2
    assert "record_003_rr_00.h5" in stopped.stderr
    noted = pacl(*argv, "--skip-bad")
    assert noted.returncode == 0, noted.stderr
    assert "dropped: records that cannot be read: 1" in noted.stdout.splitlines()
    records = {row["record"]: row for row in RRWindowSet.open(tmp_path / "w").manifest["records"]}
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
        (["audit"], "--split and --metadata"),
        (["audit", "{}", "--split", "x"], "--split and --metadata"),
        (["audit", "{}"], "pacl prepare"),
        (["prepare", "{}", "-o", "{}/w"], "--layout"),
        (["prepare", "{}"], "--output or -o"),
        (["prepare", "{}", "-o", "{}/w", "--allow", "leaks"], "leaks"),
        (["prepare", "{}", "-o", "{}/w", "--split.seed=-1"], "split.seed"),
        (["prepare", "{}", "-o", "{}/w", "--split.counts", "1", "0", "-1"], "split.counts"),
        (["prepare", "{}", "-o", "{}/w", "--episodes.min-sr-s", "nan"], "--episodes.min-sr-s"),
        (["prepare", "{}", "-o", "{}/w", "--split.fold", "3"], "fold 3 of 0"),
        (["prepare", "{}", "-o", "{}/w", "--all-beats.others", "maybe"], "--all-beats.others"),
    ],
)
def test_a_mistake_ends_with_status_2_and_names_what_is_wrong(tmp_path, argv, message):
    done = pacl(*(word.format(tmp_path) for word in argv))
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


RHYTHMS = {
    "a": [("N", 120), ("(B", 80), ("N", 60), ("AFIB", 150)],
    "b": [("AFIB", 200), ("(AFL", 100)],
    "c": [("(SVTA", 150)],
    "d": [("N", 130), ("", 50), ("AFIB", 110)],
}


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """Recordings with other rhythms in them, of patients with and without SR."""
    folder = tmp_path_factory.mktemp("texts") / "texts"
    folder.mkdir()
    generator = np.random.default_rng(0)
    for name, runs in RHYTHMS.items():
        lines = [
            f"{generator.integers(400, 1500)},{rhythm}"
            for rhythm, beats in runs
            for _ in range(beats)
        ]
        (folder / f"{name}.csv").write_text("rr,rhythm\n" + "\n".join(lines) + "\n")
    return folder


def test_every_beat_of_every_patient(texts, tmp_path):
    argv = ["prepare", texts, "-o", tmp_path / "w", "--protocol", "all-beats", "--quiet"]
    argv += [
        "--window.window-beats",
        "20",
        "--window.stride",
        "10",
        "--split.counts",
        "1",
        "0",
        "0",
    ]
    done = pacl(*argv)
    assert done.returncode == 0, done.stderr
    # a: 260 beats without AF, 150 with; b: 200 of AF; c: 150 without; d: 130 without, 110 with
    assert "94 windows of 4 patients, 4 records" in done.stdout
    assert "each recording counts as a patient; --patients" in done.stdout
    found = RRWindowSet.open(tmp_path / "w")
    assert found.manifest["protocol"] == {"name": "AllBeatsProtocol", "others": "not-af"}
    assert found.count() == {"train": {"SR": 25 + 14 + 12, "AF": 14 + 19 + 10}}
    assert set(found.table.scale_ms.tolist()) == {1.0}
    audited = pacl("audit", tmp_path / "w")
    assert (audited.returncode, audited.stdout.splitlines()[-1]) == (0, "no leak found")


def test_every_patient_without_other_rhythms(texts, tmp_path):
    argv = ["prepare", texts, "-o", tmp_path / "w", "--protocol", "all-beats", "--quiet"]
    argv += [
        "--window.window-beats",
        "20",
        "--window.stride",
        "10",
        "--split.counts",
        "1",
        "0",
        "0",
    ]
    done = pacl(*argv, "--all-beats.others", "left-out")
    assert done.returncode == 0, done.stderr
    found = RRWindowSet.open(tmp_path / "w")
    assert found.manifest["protocol"] == {"name": "AllBeatsProtocol", "others": "left-out"}
    assert found.table.patient.present() == ("a", "b", "d")
    assert found.count() == {"train": {"SR": 11 + 5 + 12, "AF": 14 + 19 + 10}}


@pytest.mark.parametrize("name", ["all_beats", "every"])
def test_all_beats_in_a_settings_file(texts, tmp_path, name):
    file = tmp_path / "a.toml"
    value = name.replace("_", "-")
    file.write_text(f'protocol = "{value}"\n[{name}]\nothers = "left-out"\n')
    shown = json.loads(pacl("prepare", texts, "--config", file, "--print-config").stdout)
    assert shown["protocol"] == "all-beats"
    assert shown["all_beats"] == {"others": "left-out"}
    assert "every" not in shown


@pytest.mark.parametrize(
    "flags",
    [
        ["--protocol", "every", "--every.others", "left-out"],
        ["--protocol=every", "--every.others=left-out"],
    ],
)
def test_the_earlier_flags_of_all_beats_work_and_are_not_in_the_help(texts, flags):
    shown = json.loads(pacl("prepare", texts, *flags, "--print-config").stdout)
    assert (shown["protocol"], shown["all_beats"]) == ("all-beats", {"others": "left-out"})
    assert "every.others" not in pacl("prepare", "--help").stdout


def test_all_beats_takes_only_settings_that_it_has(texts, tmp_path):
    (tmp_path / "a.toml").write_text('[all_beats]\nothers = "maybe"\nscale_s = 3\n')
    wrong = pacl("prepare", texts, "--config", tmp_path / "a.toml", "-o", tmp_path / "w")
    assert wrong.returncode == 2
    assert "all_beats.others: " in wrong.stderr
    assert "all_beats.scale_s: " in wrong.stderr


@pytest.mark.real
def test_everybody_of_ltafdb(data, tmp_path):
    argv = ["prepare", data / "ltafdb", "-o", tmp_path / "w", "--protocol", "all-beats", "--quiet"]
    done = pacl(*argv, "--split.counts", "1", "0", "0")
    assert done.returncode == 0, done.stderr
    assert "166,295 windows of 84 patients, 84 records" in done.stdout
    assert "34 of 84 patients have no SR window" in done.stdout + done.stderr
    found = RRWindowSet.open(tmp_path / "w")
    assert found.count() == {"train": {"SR": 68_933, "AF": 97_362}}
    beats = found.manifest["beats"]
    assert sum(beats.values()) == 2 * beats["all"]


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
