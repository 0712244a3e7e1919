"""`pacl evaluate-rhythm` as a person meets it."""

import json
import shutil
import subprocess
import sys

import numpy as np
import pytest

from pacl.detect import Detector, bundled_folder
from pacl.detect.artifact import FINGERPRINTS_FILE
from pacl.detect.scoring.agreement import MEASURES, recording_agreement
from pacl.records import open_records
from pacl.rr.fingerprint import beat_prints
from support.mit import annotation_file
from support.small_runs import pacl

HEAVY = ("torch", "sklearn", "scipy", "pyarrow", "safetensors", "optuna", "onnx")
BLOCKED = """
import sys
for name in {heavy!r}:
    sys.modules[name] = None  # as if it were not installed
sys.argv = {argv!r}
from pacl.cli import main
main()
"""


def intervals_ms(generator, runs):
    """Sinus rhythm that breathes, and intervals drawn as in AF."""
    parts = []
    for mark, beats in runs:
        if mark == "(AFIB":
            parts.append(np.clip(650 * generator.lognormal(0, 0.22, beats), 250, 1900))
        else:
            breath = 0.03 * np.sin(2 * np.pi * 0.25 * np.arange(beats))
            parts.append(850 * (1 + breath + generator.normal(0, 0.01, beats)))
    return np.concatenate(parts).astype(int)


def write_recording(path, runs, seed):
    """A WFDB record of runs of (mark, beats); nothing is marked where a mark is empty."""
    rr_ms = intervals_ms(np.random.default_rng(seed), runs)
    at = np.append(1000, 1000 + np.cumsum(rr_ms)).tolist()
    notes = [(sample, "N", "") for sample in at]
    beat = 0
    for mark, beats in runs:
        if mark:
            notes.append((at[beat], "+", mark))
        beat += beats
    # A change of rhythm stands before the beat it begins with.
    notes.sort(key=lambda note: (note[0], note[1] != "+"))
    path.parent.mkdir(exist_ok=True)
    path.with_suffix(".atr").write_bytes(annotation_file(notes, fs=1000))


@pytest.fixture(scope="module")
def nights(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cohort") / "nights"
    for seed, name in enumerate(("anna", "bert", "cleo")):
        runs = [("(N", 900), ("(AFIB", 700 + 200 * seed), ("(N", 600)]
        write_recording(folder / name, runs, seed)
    write_recording(folder / "dora", [("(N", 1500)], 9)
    write_recording(folder / "emil", [("", 1500)], 10)
    return folder


@pytest.fixture(scope="module")
def flutter(tmp_path_factory):
    folder = tmp_path_factory.mktemp("flutter") / "nights"
    write_recording(folder / "fritz", [("(N", 300), ("(AFIB", 300), ("(AFL", 300), ("(N", 300)], 3)
    return folder


def test_everything_is_told_as_json(capsys, nights):
    said = pacl(capsys, "evaluate-rhythm", nights, "--format", "json", "--quiet")
    assert (said.status, said.err) == (0, "")
    told = json.loads(said.out)
    assert (told["mode"], told["learned_from"]) == ("look-ahead", [])
    assert (told["weights"], told["operating_point"]) == ("af-beats", "balanced")
    assert (told["flutter"], told["unmarked"]) == ("left-out", "left-out")
    assert (told["patients"], told["patients_with_af"]) == (4, 3)
    assert tuple(told["measures"]) == MEASURES
    for unit in ("duration", "beat", "segment"):
        assert 0.8 < told["measures"][f"{unit}_specificity"]["gross"] <= 1
        assert told["measures"][f"{unit}_specificity"]["patients"] == 4
    alarms = told["measures"]["false_alarms_per_day"]
    assert alarms["gross"] == pytest.approx(24 * told["false_episodes"] / told["counted_h"])
    for end in ("onset_error", "offset_error"):
        assert told[end]["episodes"] == 3
        assert set(told[end]["beats"]) == {"median", "lower_quartile", "upper_quartile"}
    cpsc = told["cpsc2021"]
    assert cpsc["records"] == 4
    assert cpsc["score"] == cpsc["rhythm"] + cpsc["endpoints"]
    assert cpsc["score"] == pytest.approx(told["measures"]["cpsc2021_score"]["gross"])
    assert told["nothing_counted"] == ["emil"]
    assert told["measures"]["duration_sensitivity"]["gross"] > 0.9
    assert told["measures"]["duration_predictivity"]["gross"] > 0.6
    assert told["measures"]["episode_sensitivity"]["gross"] == 1.0
    assert told["measures"]["episode_sensitivity"]["patients"] == 3
    assert told["measures"]["episode_sensitivity"]["gross_interval"] is None
    low, high = told["measures"]["duration_predictivity"]["gross_interval"]
    assert low < told["measures"]["duration_predictivity"]["gross"] < high
    lengths = [one["episodes"] for one in told["episode_sensitivity_by_length"]]
    assert lengths == [0, 0, 0, 3, 0]
    reader, detector = open_records(nights), Detector()
    for one in told["per_patient"]:
        record = reader.read(one["patient"])
        found = recording_agreement(record, detector.detect(record))
        assert one["burden_error_points"] == found.burden_error
        assert {name: one[name] for name in MEASURES} == {
            name: found.value(name) for name in MEASURES
        }
    errors = [one["burden_error_points"] or 0.0 for one in told["per_patient"]]
    assert errors == sorted(errors, reverse=True)


def test_text_says_the_same(capsys, nights):
    told = json.loads(pacl(capsys, "evaluate-rhythm", nights, "--format", "json").out)
    said = pacl(capsys, "evaluate-rhythm", nights)
    assert said.status == 0
    assert said.err.splitlines()[-1] == "detecting: 5/5"
    lines = said.out.splitlines()
    assert lines[0].startswith("4 patients, 3 with AF; ")
    assert lines[1] == "af-beats, balanced, look-ahead; atrial flutter left out"
    assert lines[2].endswith(": emil")
    head = next(at for at, line in enumerate(lines) if line.split() == ["by", "Se", "Sp", "P+"])
    rows = [line.split()[0] for line in lines[head + 1 : head + 9 : 2]]
    assert rows == ["time", "beat", "segment", "episode"]
    assert [line.split()[0] for line in lines[head + 2 : head + 10 : 2]] == ["average"] * 4
    one = told["measures"]["duration_predictivity"]
    low, high = one["gross_interval"]
    assert lines[head + 1].endswith(f" {one['gross']:.3f} [{low:.3f}, {high:.3f}]")
    assert f" {told['measures']['segment_sensitivity']['average']:.3f}" in lines[head + 6]
    assert lines[head + 7].split()[-2:][0] == "-"  # no specificity by episode
    assert "in brackets: 95 % intervals over patients" in lines
    median = told["burden_error_points"]["median"]
    assert any(line.startswith(f"AF burden off by {median:.2f} points") for line in lines)
    assert f"{told['false_af_h_per_day']:.2f} h called AF in 24 h without AF" in lines
    assert any(line.startswith(f"{told['false_episodes']} false alarm") for line in lines)
    f1 = told["measures"]["beat_f1"]["gross"]
    assert any(line.startswith(f"F1 by beat {f1:.3f}") for line in lines)
    onset = told["onset_error"]["seconds"]["median"]
    at = next(at for at, line in enumerate(lines) if line.startswith("onset "))
    assert f" {onset:.1f} (" in lines[at]
    assert "called minus true" in lines[at + 2]
    score = f"CPSC2021 score {told['cpsc2021']['score']:.2f}"
    assert any(line.startswith(score) and line.endswith("4 recordings") for line in lines)
    assert max(map(len, lines)) <= 80
    assert ["5", "to", "30", "min", "3", "3", "1.000"] in [line.split() for line in lines]
    worst = [line.split()[0] for line in lines[-4:]]
    assert worst == [one["patient"] for one in told["per_patient"] if one["counted_h"] > 0]


def figures(capsys, *argv):
    return json.loads(pacl(capsys, "evaluate-rhythm", *argv, "--format", "json", "--quiet").out)


def test_flutter_is_left_out_or_af_or_not_af(capsys, flutter):
    told = {
        how: figures(capsys, flutter, "--flutter", how)
        for how in ("left-out", "as-af", "as-not-af")
    }
    assert {how: one["flutter"] for how, one in told.items()} == {how: how for how in told}
    hours = {how: (one["counted_h"], one["true_af_h"]) for how, one in told.items()}
    assert hours["left-out"][0] < hours["as-af"][0] == hours["as-not-af"][0]
    assert hours["left-out"][1] == hours["as-not-af"][1] < hours["as-af"][1]
    assert len({one["cpsc2021"]["score"] for one in told.values()}) == 1
    assert figures(capsys, flutter) == told["left-out"]
    assert figures(capsys, flutter, "--flutter-is-af") == told["as-af"]
    said = pacl(capsys, "evaluate-rhythm", flutter, "--flutter", "as-not-af", "--quiet")
    assert "atrial flutter counted as not AF" in said.out


@pytest.mark.parametrize("how", ["left-out", "as-not-af"])
def test_conventions_that_contradict_each_other_are_refused(capsys, flutter, how):
    said = pacl(capsys, "evaluate-rhythm", flutter, "--flutter", how, "--flutter-is-af")
    assert (said.status, said.out) == (2, "")
    assert f"--flutter {how}" in said.err
    assert "--flutter-is-af" in said.err


def test_beats_without_a_mark_can_count_as_not_af(capsys, nights):
    told = figures(capsys, nights, "--unmarked", "as-not-af")
    assert (told["patients"], told["nothing_counted"]) == (5, [])
    assert (told["unmarked"], told["cpsc2021"]["records"]) == ("as-not-af", 5)
    said = pacl(capsys, "evaluate-rhythm", nights, "--unmarked", "as-not-af", "--quiet")
    assert said.out.splitlines()[1].endswith("beats without a mark counted as not AF")


def test_the_causal_mode_is_judged_as_it_is(capsys, nights):
    told = figures(capsys, nights, "--mode", "causal")
    assert told["mode"] == "causal"
    assert told["measures"]["duration_sensitivity"]["gross"] > 0.9
    assert told != figures(capsys, nights)


def test_recordings_of_one_patient_count_as_one(capsys, nights, tmp_path):
    csv = tmp_path / "patients.csv"
    names = ("anna", "bert", "cleo", "dora", "emil")
    csv.write_text(
        "record_id,patient_id\n" + "".join(f"{name},{name[0] > 'b'}\n" for name in names)
    )
    said = pacl(capsys, "evaluate-rhythm", nights, "--patients", csv, "--format", "json")
    told = json.loads(said.out)
    assert (told["patients"], told["nothing_counted"]) == (2, [])
    alone = json.loads(pacl(capsys, "evaluate-rhythm", nights, "--format", "json").out)
    for name, one in told["measures"].items():
        assert one["gross"] == pytest.approx(alone["measures"][name]["gross"])


@pytest.mark.parametrize("form", ["text", "json"])
def test_it_needs_nothing_that_training_needs(nights, form):
    argv = ["pacl", "evaluate-rhythm", str(nights), "--format", form, "--quiet"]
    code = BLOCKED.format(heavy=HEAVY, argv=argv)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    if form == "text":
        assert "no intervals over patients: they need pip install 'pacl[train]'" in done.stdout
        assert "[" not in done.stdout.replace("'pacl[train]'", "")
    else:
        told = json.loads(done.stdout)
        assert told["interval_level"] is None
        assert all(one["gross_interval"] is None for one in told["measures"].values())
        assert told["measures"]["duration_sensitivity"]["gross"] > 0.9


def test_what_cannot_be_read_is_named_with_status_2(capsys, tmp_path):
    write_recording(tmp_path / "anna", [("(N", 500), ("(AFIB", 500)], 0)
    (tmp_path / "torn.atr").write_bytes(b"\1")
    said = pacl(capsys, "evaluate-rhythm", tmp_path, "--quiet")
    assert said.status == 2
    assert "torn.atr" in said.err
    assert said.out.startswith("1 patient, ")


def test_without_annotations_there_is_nothing_to_judge(capsys, tmp_path):
    write_recording(tmp_path / "emil", [("", 500)], 0)
    said = pacl(capsys, "evaluate-rhythm", tmp_path, "--quiet")
    assert (said.status, said.out) == (2, "")
    assert "none of 1 patients" in said.err


def test_recordings_that_were_learned_from_are_warned_of(capsys, nights, tmp_path):
    """A detector that has the fingerprints of two of the recordings, whatever they are called."""
    mine = shutil.copytree(bundled_folder(), tmp_path / "mine")
    folder = tmp_path / "others"
    folder.mkdir()
    reader = open_records(nights)
    prints = [beat_prints(reader.read(name).rr_ms) for name in ("anna", "dora")]
    (mine / FINGERPRINTS_FILE).write_bytes(np.concatenate(prints).astype("<u8").tobytes())
    for name in ("anna", "bert"):
        shutil.copy(nights / f"{name}.atr", folder / f"renamed-{name}.atr")
    argv = [folder, "--weights", mine, "--format", "json", "--quiet"]
    said = pacl(capsys, "evaluate-rhythm", *argv)
    assert said.status == 0
    assert said.err.startswith("warning: af-beats")
    assert "1 of 2 recordings" in said.err
    assert "renamed-anna" in said.err
    assert json.loads(said.out)["learned_from"] == ["renamed-anna"]


def test_weights_of_windows_do_not_list_their_training_recordings(capsys, nights):
    argv = [nights, "--weights", "af-rr200", "--format", "json", "--quiet"]
    said = pacl(capsys, "evaluate-rhythm", *argv)
    assert said.err.startswith("note: af-rr200")
    told = json.loads(said.out)
    assert (told["weights"], told["learned_from"]) == ("af-rr200", None)
    assert told["measures"]["duration_sensitivity"]["gross"] > 0.9


@pytest.mark.parametrize(
    ("words", "fact"),
    [
        (["--weights", "/no/such/place"], "/no/such/place"),
        (["--operating-point", "lenient"], "lenient"),
        (["--min-duration", "-1"], "min_duration_s"),
    ],
)
def test_options_of_the_detector_are_checked(capsys, nights, words, fact):
    said = pacl(capsys, "evaluate-rhythm", nights, *words, "--quiet")
    assert (said.status, said.out) == (2, "")
    assert fact in said.err


def test_an_empty_path_is_not_the_current_folder(capsys):
    said = pacl(capsys, "evaluate-rhythm", "")
    assert said.status == 2
    assert "empty" in said.err
