"""`pacl rivals` as a person meets it: the whole protocol, with real systems, in small."""

import json
import shutil
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest

from pacl.rr import RRWindowSet
from support.drawing import skip_drawing
from support.in_process import pacl as run
from support.sessions import wait_for_nobody
from support.small_runs import pacl
from support.window_sets import make_set

SMALL = (
    *("--seeds=1", "--seeds=2", "--folds=3", "--trials=1", "--steps=2", "--few=1", "--few=2"),
    *("--other-steps=1", "--threads=1", "--device=cpu", "--quiet"),
)
SOME = ("--only=patient-aware", "--only=statistics")
ONE_SEED = tuple(one for one in SMALL if one != "--seeds=2")
LONGER = {"--steps": "--steps=200", "--threads": "--threads=2"}


def in_ms(windows: RRWindowSet) -> RRWindowSet:
    """Nobody's scale; AF varies and the rest does not."""
    count = len(windows.table)
    table = replace(
        windows.table,
        centre_ms=np.zeros(count, np.float32),
        scale_ms=np.ones(count, np.float32),
    )
    random = np.random.default_rng(0)
    spread = np.where(windows.beat_rhythm == 1, 0.2, 0.03)
    rr_ms = 800 * np.exp(spread * random.normal(size=spread.size))
    return replace(windows, table=table, rr_ms=np.clip(rr_ms, 210, 1990).astype(np.float32))


@pytest.fixture(autouse=True)
def undrawn(monkeypatch):
    skip_drawing(monkeypatch)


@pytest.fixture(scope="module")
def cohorts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cohorts")
    for seed, name in enumerate(("here", "there")):
        (folder / name).mkdir()
        windows = in_ms(make_set(seed=seed, patients=9, window_beats=200, stride=150, records=4))
        windows.write(folder / name)
    return folder


@pytest.fixture(scope="module")
def studied(cohorts, tmp_path_factory):
    """A folder in which the first of the cohorts was studied, to be copied."""
    folder = tmp_path_factory.mktemp("studied") / "out"
    with pytest.MonkeyPatch.context() as patch:
        skip_drawing(patch)
        given = ("--data", cohorts / "here", "-o", folder, "--only=statistics")
        assert run("rivals", *given, *ONE_SEED).returncode == 0
    return folder


def test_from_windows_to_a_report_and_once_more(capsys, cohorts, tmp_path, monkeypatch):
    given = ("--data", cohorts / "here", "--other-data", cohorts / "there", "-o", tmp_path / "out")
    said = pacl(capsys, "rivals", *given, *SMALL, *SOME)
    assert said.err == ""
    report = tmp_path / "out" / "report" / "report.html"
    assert said.out.strip() == str(report)
    page = report.read_text("utf-8")
    for title in ("Patient-aware (proposed)", "Boosted"):
        assert title in page
    rows = pq.read_table(tmp_path / "out" / "pooled.parquet").to_pylist()
    assert {row["study"] for row in rows} == {"main", "labels", "elsewhere", "leak"}
    assert {row["method"] for row in rows} == {"patient-aware", "statistics"}
    done = sorted((tmp_path / "out" / "jobs").rglob("*.npz"))
    times = [path.stat().st_mtime_ns for path in done]
    monkeypatch.setattr("pacl.report.rivals.write_rivals", lambda *_: report)  # it is there
    former = ("--only=proposed", "--only=statistics")  # its name in version 0.1
    assert pacl(capsys, "rivals", *given, *SMALL, *former).status == 0
    assert [path.stat().st_mtime_ns for path in done] == times


def test_it_asks_the_scheduler_it_is_given(capsys, cohorts, tmp_path, monkeypatch):
    monkeypatch.setattr("pacl.work.connection.CONNECT_S", 0.2)
    given = ("--data", cohorts / "here", "-o", tmp_path / "out", "--scheduler=tcp://127.0.0.1:9")
    said = pacl(capsys, "rivals", *given, *SMALL, *SOME)
    assert said.status == 2
    assert "--scheduler tcp://127.0.0.1:9: cannot be reached" in said.err


def test_another_study_in_the_same_folder_is_refused(capsys, cohorts, studied, tmp_path):
    shutil.copytree(studied, tmp_path / "out")
    given = ("--data", cohorts / "here", "-o", tmp_path / "out", "--only=statistics")
    said = pacl(capsys, "rivals", *given, *ONE_SEED, "--fold-seed=1")
    assert said.status == 2
    said = pacl(capsys, "rivals", *given, *[one for one in ONE_SEED if one != "--steps=2"])
    assert said.status == 2
    assert "steps 2 / 1000" in said.err


def test_before_the_first_fit_the_protocol_may_change(capsys, cohorts, tmp_path):
    given = ("--data", cohorts / "here", "-o", tmp_path / "out", "--only=statistics")
    many = ["--folds=40" if one == "--folds=3" else one for one in ONE_SEED]
    said = pacl(capsys, "rivals", *given, *many)
    assert said.status == 2
    assert "40 folds" in said.err
    assert pacl(capsys, "rivals", *given, *ONE_SEED).status == 0
    assert json.loads((tmp_path / "out" / "study.json").read_text())["folds"] == 3


def test_before_the_first_fit_the_data_may_change(capsys, cohorts, tmp_path):
    kept = ("-o", tmp_path / "out", "--only=statistics")
    (tmp_path / "empty").mkdir()
    said = pacl(capsys, "rivals", "--data", tmp_path / "empty", *kept, *ONE_SEED)
    assert said.status == 2
    here = ("--data", cohorts / "here", *kept)
    assert pacl(capsys, "rivals", *here, *ONE_SEED).status == 0
    stated = json.loads((tmp_path / "out" / "study.json").read_text())
    assert stated["data"] == str(cohorts / "here")
    said = pacl(capsys, "rivals", "--data", cohorts / "there", *kept, *ONE_SEED)
    assert said.status == 2
    assert f"data {cohorts / 'here'} / {cohorts / 'there'}" in said.err


@pytest.mark.parametrize("content", ["{", "[]"])
def test_settings_that_cannot_be_read_are_named(capsys, cohorts, tmp_path, content):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "study.json").write_text(content)
    given = ("--data", cohorts / "here", "-o", tmp_path / "out", "--only=statistics")
    said = pacl(capsys, "rivals", *given, *SMALL)
    assert said.status == 2
    assert f"{tmp_path / 'out' / 'study.json'}: " in said.err
    assert "--output" in said.err


def test_other_windows_under_the_same_path_are_refused(capsys, cohorts, tmp_path):
    shutil.copytree(cohorts / "here", tmp_path / "mine")
    given = ("--data", tmp_path / "mine", "-o", tmp_path / "out", "--only=statistics")
    assert pacl(capsys, "rivals", *given, *ONE_SEED).status == 0
    shutil.rmtree(tmp_path / "mine")
    shutil.copytree(cohorts / "there", tmp_path / "mine")
    said = pacl(capsys, "rivals", *given, *ONE_SEED)
    assert said.status == 2
    assert "windows.mine " in said.err


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("--only=nobody",), "'nobody'"),
        (("--trials=9",), "9 trials"),
        (("--data", "nowhere"), "nowhere: "),
    ],
)
def test_what_is_wrong_is_told(capsys, tmp_path, given, told):
    said = pacl(capsys, "rivals", "-o", tmp_path / "out", *given)
    assert said.status == 2
    assert told in said.err
    assert not (tmp_path / "out").exists()


def test_it_has_to_be_kept_somewhere(capsys):
    said = pacl(capsys, "rivals")
    assert said.status == 2
    assert "pacl: --output or -o is missing, it is required" in said.err


def test_scaled_windows_are_refused(capsys, tmp_path):
    (tmp_path / "scaled").mkdir()
    make_set(window_beats=200, stride=50).write(tmp_path / "scaled")
    said = pacl(capsys, "rivals", "-o", tmp_path / "out", "--data", tmp_path / "scaled", "--quiet")
    assert said.status == 2
    assert f"{tmp_path / 'scaled'}: " in said.err
    assert "--protocol" in said.err


@pytest.mark.slow
def test_nobody_goes_on_fitting_when_the_command_is_killed(cohorts, tmp_path):
    many = [word for word in SMALL if "=" not in word or word.split("=")[0] not in LONGER]
    argv = ["rivals", "--data", cohorts / "here", "-o", tmp_path / "out", *many, *LONGER.values()]
    with subprocess.Popen(
        [sys.executable, "-m", "pacl", *map(str, argv), "--only=patient-aware"],
        start_new_session=True,
    ) as process:
        while not list((tmp_path / "out").rglob("*.npz")):
            assert process.poll() is None
            time.sleep(0.1)
        process.kill()
    wait_for_nobody(process.pid)
