"""`pacl reproduce` as a person meets it."""

import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest

from pacl.cli.config import settle
from pacl.cli.reproduce_settings import ReproduceSettings
from pacl.cli.study_progress import StudyProgress, study_progress
from pacl.cohort import PooledProtocol
from pacl.errors import PaclError
from pacl.records import open_records
from pacl.report.page import FigureBlock
from pacl.rr import Cut, RRWindowSet, prepare
from pacl.settings import settled
from pacl.studies import Plan, RunFolder
from pacl.studies.inputs import cohort_name, other_name
from pacl.studies.paper_study import LOSSES, SEEDS, Study
from pacl.training import EpochLog
from pacl.windows import split_units
from support.refusals import refused
from support.small_runs import BEATS, cohort, files_of, flags, pacl, place, plan, small_windows

OTHER = "Zweite-Kohorte-é"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"></svg>'
RUNS = [f"{loss}-{seed}" for loss in LOSSES for seed in (1, 2)]
SAID = {}


def other():
    """Windows of another cohort, in a folder with an odd name."""
    path = place() / "Zweite Kohorte (é)"
    if not path.exists():
        shutil.copytree(small_windows(seed=8, patients=6, split=2), path)
    return path


def target():
    return place() / "cli-study"


def reproduce(capsys, output, *argv, data=None):
    """A short study, `argv` in the place of its own settings."""
    usual = ["--seeds=1", "--seeds=2", *flags(epochs=1)]
    changed = {str(word).split("=")[0] for word in argv}
    given = [word for word in usual if word.split("=")[0] not in changed]
    data = ["--data", data or small_windows()]
    return pacl(capsys, "reproduce", *data, "-o", output, *given, *argv)


@pytest.fixture(autouse=True)
def undrawn(monkeypatch):
    """Figures stay empty: they have tests of their own."""
    monkeypatch.setattr(
        "pacl.report.study.write.draw_figure",
        lambda figure, study, folder, name: FigureBlock(name, SVG, figure.alt),
    )


def studied(capsys):
    """A study on two cohorts, stopped once by Ctrl-C; what was said the first and second time."""
    if not SAID:
        with pytest.MonkeyPatch.context() as patched:

            def stop(self, name, log):
                raise KeyboardInterrupt

            patched.setattr("pacl.cli.study_progress.StudyProgress.on_epoch", stop)
            SAID["stopped"] = reproduce(capsys, target(), "--test-data", other())
        SAID["runs"] = sorted(path.name for path in (target() / "runs").iterdir())
        SAID["whole"] = reproduce(capsys, target(), "--test-data", other())
    return SAID


def test_ctrl_c_ends_it_and_the_same_command_goes_on(capsys):
    said = studied(capsys)
    assert said["stopped"].status == 130
    assert said["stopped"].out == ""
    assert said["stopped"].err.splitlines()[-1] == "pacl: interrupted"
    assert "Traceback" not in said["stopped"].err
    assert 0 < len([name for name in said["runs"] if not name.startswith(".")]) < len(RUNS)
    assert said["whole"].status == 0, said["whole"].err
    found = [path for path in (target() / "runs").iterdir() if not path.name.startswith(".")]
    assert sorted(path.name for path in found) == sorted(RUNS)
    for path in found:
        assert RunFolder.open(path).finished
        assert RunFolder.open(path).plan == plan(
            seed=int(path.name[-1]), loss=path.name[:-2], epochs=1
        )


def test_claims_and_the_place_of_the_report_are_printed(capsys):
    lines = studied(capsys)["whole"].out.splitlines()
    assert lines[-1] == f"{target() / 'report.html'}: open it in a browser"
    claims = json.loads((target() / "claims.json").read_text("utf-8"))
    left = [c for c in claims if c["verdict"] == "inconclusive"]
    decided = [c for c in claims if c not in left]
    each = len(claims) // 2
    said = [line.split(maxsplit=1) for line in lines[:-1]]
    assert lines[: len(decided)] == [
        f"{c['verdict']:<13}  {c['cohort']}: {c['text']}" for c in decided
    ]
    for line, name in zip(said[len(decided) :], (small_windows().name, OTHER), strict=True):
        count = sum(c["cohort"] == name for c in left)
        assert line[0] == "inconclusive"
        assert line[1].startswith(f"{name}: {count} of {each} claims")
    assert [c["cohort"] for c in claims] == [small_windows().name] * each + [OTHER] * each


def test_the_report_is_of_both_cohorts(capsys):
    studied(capsys)
    text = (target() / "report.html").read_text("utf-8")
    for title in (small_windows().name, OTHER):
        assert f"Results, {title}" in text
        assert f"claims hold, {title}" in text
    for name in RUNS:
        run = RunFolder.open(target() / "runs" / name)
        assert set(run.evaluations()) == {"validation", "test", OTHER}
        everybody = RRWindowSet.open(other()).table.patient.present()
        assert run.evaluated(OTHER).embeddings.table.subject.present() == everybody


def test_elsewhere_than_on_a_terminal_a_line_is_printed_for_each_run(capsys):
    lines = studied(capsys)["whole"].err.splitlines()
    told = [line for line in lines if line.startswith("run ")]
    assert [line.split(":")[0] for line in told] == [f"run {at}/6" for at in range(1, 7)]
    assert sorted(line.split(": ")[1].split(",")[0] for line in told) == sorted(RUNS)
    assert all(line.endswith((", 1 epoch", ", finished")) for line in told)
    assert "evaluating on other cohorts: 6/6" in lines
    assert lines[-1] == "writing the report: 19/19"


def test_the_second_call_trains_nothing_and_says_the_same(capsys):
    before = studied(capsys)["whole"]
    runs = {p: p.stat().st_mtime_ns for p in (target() / "runs").rglob("*")}
    files = files_of(target())
    said = reproduce(capsys, target(), "--test-data", other())
    assert (said.status, said.out) == (0, before.out)
    told = [line for line in said.err.splitlines() if line.startswith("run ")]
    assert len(told) == 6
    assert all(line.endswith(", finished") for line in told)
    assert {p: p.stat().st_mtime_ns for p in (target() / "runs").rglob("*")} == runs
    assert files_of(target()) == files


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--seeds=3"], "seeds [1, 2] / [3]"),
        (["--losses=bce"], "losses ['patient-aware', 'supcon', 'bce'] / ['bce']"),
        (["--train.lr=0.5"], "plans.bce.train.lr 0.003 / 0.5"),
        (["--folds=3"], "folds 0 / 3"),
        (["--prepare.split.seed=7"], "prepare.split.seed 1 / 7"),
    ],
)
def test_other_settings_in_the_same_folder_are_refused(capsys, argv, message):
    studied(capsys)
    before = files_of(target())
    data = small_windows() if "prepare" not in argv[0] else cohort()
    said = reproduce(capsys, target(), *argv, data=data)
    assert said.status == 2
    assert str(target()) in said.err
    assert message in said.err
    assert files_of(target()) == before


def test_a_study_from_before_there_was_a_memory_goes_on(capsys, tmp_path):
    studied(capsys)
    shutil.copytree(target(), tmp_path / "s")
    path = tmp_path / "s" / "study.json"
    text = re.sub(r',\s*"memory": 0', "", path.read_text())
    assert text != path.read_text()
    path.write_text(text)
    times = {path: path.stat().st_mtime_ns for path in (tmp_path / "s" / "runs").rglob("*")}
    said = reproduce(capsys, tmp_path / "s", "--test-data", other())
    assert said.status == 0, said.err
    assert {path: path.stat().st_mtime_ns for path in times} == times


def test_other_data_in_the_same_folder_is_refused(capsys):
    studied(capsys)
    said = reproduce(capsys, target(), data=other())
    assert said.status == 2
    assert f"data {small_windows()} / {other()}" in said.err


def test_tuned_settings_in_the_same_folder_are_refused(capsys, tmp_path):
    studied(capsys)
    file = tmp_path / "best.toml"
    file.write_text('loss = "bce"\n[train]\nweight_decay = 0.5\n')
    said = reproduce(capsys, target(), "--tuned", file)
    assert said.status == 2
    assert "plans.bce.train.weight_decay " in said.err


def test_the_settings_can_be_shown_and_nothing_is_trained(capsys, tmp_path):
    said = pacl(capsys, "reproduce", "-o", tmp_path / "s", "--print-config", "--folds=5")
    assert said.status == 0
    found = settled(ReproduceSettings, json.loads(said.out))
    assert replace(found, objective=None) == ReproduceSettings(folds=5)
    assert found.objective == Plan().objective
    assert (found.losses, found.seeds) == (LOSSES, SEEDS)
    assert list(tmp_path.iterdir()) == []


def test_settings_left_alone_are_the_papers_study():
    study = ReproduceSettings().study(())
    assert study == Study.of(Plan())


def test_flags_lie_over_the_file(capsys, tmp_path):
    file = tmp_path / "study.toml"
    file.write_text('losses = ["bce", "supcon"]\nseeds = [3]\n[train]\nlr = 0.5\nepochs = 7\n')
    said = pacl(capsys, "reproduce", "--config", file, "--train.epochs=9", "--print-config")
    found = settled(ReproduceSettings, json.loads(said.out))
    assert (found.losses, found.seeds) == (("bce", "supcon"), (3,))
    assert (found.train.lr, found.train.epochs) == (0.5, 9)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "pacl: --output or -o is missing, it is required"),
        (["-o", "{tmp}/s", "--data", "{tmp}/no"], "/no: there is no such folder"),
        (["-o", "{tmp}/s", "--test-data", "{tmp}/no"], "/no: there is no such folder"),
        (["-o", "{tmp}/s", "--folds=2"], "folds 2: use 3 or more, or 0 for a single split"),
        (["-o", "{tmp}/s", "--folds=1"], "folds 1: use 3 or more, or 0 for a single split"),
        (["-o", "{tmp}/s", "--folds=-3"], "folds"),
        (["-o", "{tmp}/s", "--folds=3", "--prepare.split.folds=3"], "makes its own folds"),
        (["-o", "{tmp}/s", "--seeds=1", "--seeds=1"], "seeds [1, 1]: give at least one, and each"),
        (["-o", "{tmp}/s", "--losses=bce", "--losses=bce"], "losses ['bce', 'bce']: give"),
        (["-o", "{tmp}/s", "--losses=simclr"], "simclr"),
        (["-o", "{tmp}/s", "--simulate.patients=3"], "simulate.patients"),
        (["-o", "{tmp}/s", "--tuned", "{tmp}/no.toml"], "no.toml: cannot be read (No such file"),
        (["-o", "{tmp}/s", "--tuned", "{tmp}/bce.toml", "--losses=supcon"], "'bce', which is not"),
        (
            ["-o", "{tmp}/s", "--config", "{tmp}/bce.toml"],
            "bce.toml: settings of one loss; give them with --tuned",
        ),
        (["-o", "{tmp}/full", "--data", "{windows}"], "but it holds something"),
    ],
)
def test_a_mistake_is_told_in_plain_words_with_status_2(capsys, tmp_path, argv, message):
    (tmp_path / "bce.toml").write_text('loss = "bce"\n')
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    words = (word.format(tmp=tmp_path, windows=small_windows()) for word in argv)
    said = pacl(capsys, "reproduce", *words)
    assert said.status == 2
    assert message in said.err
    assert "Traceback" not in said.err
    assert not (tmp_path / "s").exists()
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["mine.txt"]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--prepare.window.stride=100"], ": it is a window set, cut and divided already;"),
        (["--prepare.split.seed=7"], "give no prepare settings, or give the recordings"),
        (["--folds=3", "--test-data", "{other}"], f"({OTHER})"),
        (["--test-data", "{other}", "--test-data", "{other}"], f"the name '{OTHER}' is taken"),
        (["--device=tpu9"], "device tpu9: cannot be used"),
    ],
)
def test_what_does_not_go_together_is_refused_before_training(capsys, tmp_path, argv, message):
    given = (word.format(other=other()) for word in argv)
    said = reproduce(capsys, tmp_path / "s", *given)
    assert said.status == 2
    assert message in said.err
    assert not (tmp_path / "s" / "runs").exists()


class StoppedError(PaclError):
    """Far enough."""


@pytest.fixture
def begun(monkeypatch):
    """What a study would be begun with; none is."""
    found = SimpleNamespace()

    def begin(windows, target, study, **more):
        vars(found).update(more, windows=windows, target=target, study=study)
        raise StoppedError("stopped")

    monkeypatch.setattr("pacl.studies.reproduce.run_study", begin)
    return found


def test_tuned_settings_take_the_place_of_their_losss(capsys, tmp_path, begun):
    file = tmp_path / "best.toml"
    file.write_text(
        'loss = "supcon"\nseed = 5\n[train]\nlr = 0.5\nweight_decay = 0.25\n'
        "[objective]\ntemperature = 0.2\n"
    )
    reproduce(capsys, tmp_path / "s", "--tuned", file)
    plans = begun.study.plans
    assert list(plans) == list(LOSSES)
    assert plans["supcon"].objective.temperature == 0.2
    assert plans["supcon"].train.weight_decay == 0.25
    assert plans["supcon"].train.lr == plan().train.lr  # a flag says so
    for loss in ("patient-aware", "bce"):
        assert plans[loss] == plan(loss=loss, epochs=1)
    assert {job.plan.seed for job in begun.study.jobs({None: small_windows()}).values()} == {1, 2}


def test_recordings_are_cut_and_the_other_cohort_alike(capsys, tmp_path, begun):
    output = tmp_path / "a study"
    given = ["--prepare.protocol=pooled", "--test-data", cohort(8, 6)]
    given += [f"--prepare.window.window-beats={BEATS}", "--prepare.window.stride=2500"]
    said = reproduce(capsys, output, *given, data=cohort())
    assert said.err.splitlines()[-1] == "pacl: stopped"
    assert begun.windows == output / "windows"
    assert begun.title == cohort().name
    learned = RRWindowSet.open(begun.windows)
    assert set(learned.table.split.present()) == {"train", "validation", "test"}
    [(name, path)] = begun.elsewhere.items()
    assert (name, path) == (cohort(8, 6).name, output / "elsewhere" / cohort(8, 6).name)
    judged = RRWindowSet.open(path)
    assert judged.table.split.present() == ("test",)
    assert judged.manifest["cut"] == learned.manifest["cut"]
    assert judged.window_beats == BEATS
    before = files_of(output)
    again = reproduce(capsys, output, *given, data=cohort())  # taken as they are
    assert again.err == "pacl: stopped\n"
    assert files_of(output) == before


def test_without_data_patients_are_simulated(capsys, tmp_path, begun):
    given = ["--simulate.patients=12", "--simulate.seed=4", "--prepare.protocol=pooled"]
    given += [f"--prepare.window.window-beats={BEATS}", "--prepare.window.stride=2500"]
    said = pacl(capsys, "reproduce", "-o", tmp_path / "s", "--quiet", *given)
    assert said.err == "pacl: stopped\n"
    assert begun.title == "simulated patients"
    assert begun.study == Study.of(Plan())
    assert len(RRWindowSet.open(begun.windows).table.patient.present()) == 12


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("afdb", "afdb"),
        ("my data", "my-data"),
        ("Zweite Kohorte (é)", "Zweite-Kohorte-é"),
        ("..hidden", "hidden"),
        ("a/b.c", "b-c"),
        ("???", "cohort"),
        ("心房", "心房"),
    ],
)
def test_a_cohort_is_called_after_its_folder(tmp_path, folder, name):
    assert cohort_name(tmp_path / folder) == name


@pytest.mark.parametrize("name", ["test", "validation", "afdb"])
def test_a_cohort_of_a_taken_name_is_refused(tmp_path, name):
    with refused(PaclError, tmp_path / name):
        other_name(tmp_path / name, ("afdb",))


def test_mistaken_settings_can_be_put_right_in_the_same_folder(capsys, tmp_path, begun):
    assert reproduce(capsys, tmp_path / "s", "--prepare.split.seed=7").status == 2
    assert reproduce(capsys, tmp_path / "s").err == "pacl: stopped\n"


def test_mistaken_data_can_be_put_right_in_the_same_folder(capsys, tmp_path, begun):
    (tmp_path / "nothing").mkdir()
    assert reproduce(capsys, tmp_path / "s", data=tmp_path / "nothing").status == 2
    assert reproduce(capsys, tmp_path / "s").err == "pacl: stopped\n"


def test_data_within_a_folder_that_is_begun_anew_is_not_lost(capsys, tmp_path, begun):
    output = tmp_path / "s"
    assert reproduce(capsys, output).err == "pacl: stopped\n"
    shutil.copytree(small_windows(), output / "windows")
    said = reproduce(capsys, output, data=output / "windows")
    assert said.status == 2
    assert f"{output / 'windows'}: " in said.err
    assert RRWindowSet.open(output / "windows")


def test_settings_that_cannot_be_read_are_told(capsys, tmp_path, begun):
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "study.json").write_text("{")
    said = reproduce(capsys, tmp_path / "s")
    assert said.status == 2
    assert f"{tmp_path / 's' / 'study.json'}: " in said.err


def test_two_folders_of_the_same_name_are_told_apart(capsys, tmp_path, begun):
    for place_, source in (("a", small_windows()), ("b", other())):
        shutil.copytree(source, tmp_path / place_ / "windows")
    more = ["--test-data", tmp_path / "b" / "windows"]
    said = reproduce(capsys, tmp_path / "s", *more, data=tmp_path / "a" / "windows")
    assert "is taken" in said.err or begun.title not in begun.elsewhere


def test_data_in_a_folder_called_test_can_be_studied(capsys, tmp_path, begun):
    shutil.copytree(small_windows(), tmp_path / "test")
    said = reproduce(capsys, tmp_path / "s", data=tmp_path / "test")
    assert said.err == "pacl: stopped\n"


@pytest.fixture
def untrained(monkeypatch):
    def train(*given, **more):
        raise AssertionError("training was started")

    monkeypatch.setattr("pacl.studies.reproduce.train_runs", train)


@pytest.mark.usefixtures("untrained")
def test_windows_without_test_patients_are_refused_before_training(capsys, tmp_path):
    prepare(
        open_records(cohort()),
        tmp_path / "windows",
        protocol=PooledProtocol(),
        divide=lambda strata, _: split_units(strata, seed=1, counts=(6, 2, 0)),
        cut=Cut(window_beats=BEATS, stride=2500),
    )
    said = reproduce(capsys, tmp_path / "s", data=tmp_path / "windows")
    assert said.status == 2
    assert "test" in said.err


@pytest.mark.usefixtures("untrained")
@pytest.mark.parametrize("what", ["of another length", "learned from"])
def test_another_cohort_that_cannot_be_judged_is_refused_before_training(capsys, tmp_path, what):
    if what == "learned from":
        path = tmp_path / "same"
        shutil.copytree(small_windows(), path)
    else:
        path = small_windows(seed=8, patients=6, split=2, beats=30)
    said = reproduce(capsys, tmp_path / "s", "--test-data", path)
    assert said.status == 2


def log(epoch, score=0.5):
    return EpochLog(epoch, 1.0, score, True, 0.1, 0.5, 0.5, 800, 2.0, 1.0, {})


def test_lines_are_printed_now_and_then(capsys, monkeypatch, tmp_path):
    with study_progress(tmp_path, quiet=False) as shown:
        shown.on_runs(3)
        shown.on_epoch("bce-1", log(1))
        monkeypatch.setattr("pacl.cli.progress.LINE_EVERY_S", 0.0)
        shown.on_epoch("bce-1", log(2, 0.75))
        shown.on_epoch("bce-2", log(1, 0.25))
        monkeypatch.undo()
        shown.on_finished("bce-1")
        shown.on_finished("bce-3")
        shown.on_stage("networks", 1, 2)
        shown.on_stage("networks", 2, 2)
    assert capsys.readouterr().err.splitlines() == [
        "  bce-1 epoch 2 0.7500",
        "  bce-1 epoch 2 0.7500, bce-2 epoch 1 0.2500",
        "run 1/3: bce-1, 2 epochs",
        "run 2/3: bce-3, finished",
        "networks: 2/2",
    ]


def test_many_runs_under_way_are_summed_up():
    shown = StudyProgress()
    for at in range(1, 5):
        shown.on_epoch(f"bce-{at}", log(at, at / 10))
    assert shown.summary() == ("4 training, epochs 1 to 4, validation AUROC 0.100 to 0.400")
    shown.on_finished("bce-4")
    assert shown.summary() == "bce-1 epoch 1 0.1000, bce-2 epoch 2 0.2000, bce-3 epoch 3 0.3000"


def test_quiet_shows_nothing(capsys, tmp_path):
    with study_progress(tmp_path, quiet=True) as shown:
        shown.on_runs(1)
        shown.on_epoch("a", log(1))
        shown.on_finished("a")
        shown.on_stage("networks", 1, 1)
    assert capsys.readouterr() == ("", "")


def test_a_terminal_is_shown_a_bar(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "140")
    with study_progress(tmp_path, quiet=False) as shown:
        shown.on_runs(2)
        shown.on_epoch("bce-1", log(1))
        shown.on_finished("bce-1")
        shown.on_epoch("bce-2", log(7))
        shown.on_stage("on other cohorts", 1, 4)
        shown.on_note("a sentence")
    said = capsys.readouterr().err
    assert "1/2" in said
    assert "bce-2 epoch 7 0.5000" in said
    assert "on other cohorts" in said
    assert "a sentence" in said


def test_all_problems_of_a_file_are_told_at_once(tmp_path):
    file = tmp_path / "a.toml"
    file.write_text('losses = ["simclr"]\nseeds = [-1]\nfold = 3\n[train]\nlr = -1\n')
    with pytest.raises(PaclError) as error:
        settle(ReproduceSettings, file, None)
    for key in ("losses.0", "seeds.0", "fold:", "train.lr"):
        assert f"  {key}" in str(error.value)


LOADED = """
import sys
from dataclasses import replace
sys.argv = {argv!r}
from pacl.cli import main
try:
    main()
except SystemExit as end:
    assert end.code in (None, 0), end.code
print([name for name in {names!r} if name in sys.modules])
"""


def test_help_is_shown_without_torch():
    names = ["torch", "sklearn", "scipy", "matplotlib", "pacl.studies", "pacl.report"]
    code = LOADED.format(argv=["pacl", "reproduce", "--help"], names=names)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]", done.stdout[-500:]
    assert "--test-data" in done.stdout
