"""`pacl train` as a person meets it."""

import json
import subprocess
import sys
import types
from dataclasses import fields, replace

import numpy as np
import pytest
import torch

from pacl.cli.config import ConfigError, settle
from pacl.cli.epochs import HEAD, Lines, Silent, epochs
from pacl.cli.options import shown_default
from pacl.cli.study_progress import StudyProgress, study_progress
from pacl.objectives import OBJECTIVES, Objective
from pacl.rr import RRAugmentationSettings
from pacl.settings import (
    BranchesSettings,
    NoAugmentation,
    ObjectiveSettings,
    ResidualSettings,
    SamplerSettings,
    TrainSettings,
)
from pacl.studies import Plan, RunFolder, train_run
from pacl.training import EpochLog, TrainingError
from support.refusals import refused
from support.small_runs import (
    PLAN,
    flags,
    pacl,
    place,
    plan,
    rewritten,
    same_but_for_time,
    small_run,
    small_windows,
)

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


class Gathering(Objective):
    """Pulls all embeddings to one point."""

    reads = "projected"

    def forward(self, embedded, labels, patients):
        return (1 - embedded @ torch.eye(8)[0]).mean()


def train(capsys, target, *argv, **settings):
    return pacl(capsys, "train", small_windows(), "-o", target, *flags(**settings), *argv)


def test_every_setting_is_a_flag_with_its_default_and_its_text(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    shown = pacl(capsys, "train", "--help").out
    shown, examples, _ = shown.partition("Examples:")
    assert examples
    sections = {
        "sampler": [SamplerSettings],
        "objective": [ObjectiveSettings],
        "encoder": [BranchesSettings, ResidualSettings],
        "augmentation": [RRAugmentationSettings],
        "train": [TrainSettings],
    }
    for part, kinds in sections.items():
        for kind in kinds:
            for field in fields(kind):
                flag = f"--{part}.{field.name.replace('_', '-')} "
                [line] = [line for line in shown.splitlines() if flag in line]
                assert (shown_default(field.default) or "") in line, flag
                assert field.default is not False or "default:" not in line, "off, as flags are"
    assert "Subjects in a batch." in shown
    assert "residual: Channels of the first stage" in shown
    assert ", ".join(OBJECTIVES) in shown


def test_the_settings_can_be_shown_and_nothing_is_trained(capsys, tmp_path):
    said = pacl(capsys, "train", tmp_path / "nowhere", "--print-config")
    assert said.status == 0
    assert json.loads(said.out) == json.loads(json.dumps(Plan().to_dict()))
    assert Plan.from_dict(json.loads(said.out)) == Plan()
    assert list(tmp_path.iterdir()) == []


def test_flags_lie_over_the_file(capsys, tmp_path):
    file = tmp_path / "a.toml"
    file.write_text(
        'loss = "supcon"\nseed = 3\n[train]\nlr = 0.5\nepochs = 7\n'
        '[encoder]\nchannels = [8, 16]\ndropout_places = ["projection"]\n'
    )
    argv = ["train", "w", "--config", file, "--train.epochs", 9, "--loss", "bce", "--print-config"]
    found = Plan.from_dict(json.loads(pacl(capsys, *argv).out))
    assert (found.loss, found.seed, found.train.lr, found.train.epochs) == ("bce", 3, 0.5, 9)
    assert found.encoder.channels == (8, 16)
    assert found.encoder.dropout_places == ("projection",)


def test_the_flags_of_these_tests_are_their_plan(capsys):
    said = pacl(capsys, "train", "w", *flags(), "--print-config")
    assert Plan.from_dict(json.loads(said.out)) == PLAN


KEPT = [
    "--train.keep=last",
    "--augmentation.name=rr",
    "--augmentation.faults=0.5",
    "--augmentation.respiratory-arrhythmia=0.25",
    "--encoder.view=relative",
    "--sampler.one-class",
    "--sampler.turns=3",
]


def test_last_weights_views_faults_and_turns_are_flags(capsys):
    said = pacl(capsys, "train", "w", *flags(), *KEPT, "--print-config")
    assert said.status == 0, said.err
    assert Plan.from_dict(json.loads(said.out)) == replace(
        PLAN,
        sampler=replace(PLAN.sampler, one_class=True, turns=3),
        encoder=replace(PLAN.encoder, view="relative"),
        augmentation=RRAugmentationSettings(0.25, 0.5),
        train=replace(PLAN.train, keep="last"),
    )


def test_earlier_names_are_accepted_and_not_shown(capsys, tmp_path):
    (tmp_path / "old.toml").write_text(
        'loss = "patient-aware"\n[sampler]\npatients = 3\n[train]\nbreath = 0.25\nfaults = 0.5\n'
    )
    flags = ["--sampler.patients=3", "--train.breath=0.25", "--train.faults", "0.5"]
    for argv in (flags, ["--config", tmp_path / "old.toml"]):
        said = pacl(capsys, "train", "w", *argv, "--print-config")
        assert (said.status, said.err) == (0, "")
        assert "breath" not in said.out
        found = Plan.from_dict(json.loads(said.out))
        assert found.augmentation == RRAugmentationSettings(0.25, 0.5)
        assert found.sampler.subjects == 3
        assert found.differences(replace(found, loss="subject-aware")) == []
    shown = pacl(capsys, "train", "--help").out
    assert not {"breath", "--sampler.patients", "--train.faults"} & set(shown.split())


def test_an_earlier_flag_lies_over_an_earlier_file(capsys, tmp_path):
    (tmp_path / "old.toml").write_text("[sampler]\npatients = 3\n[train]\nfaults = 0.5\n")
    argv = ["--config", tmp_path / "old.toml", "--train.faults=0", "--sampler.patients=5"]
    found = Plan.from_dict(json.loads(pacl(capsys, "train", "w", *argv, "--print-config").out))
    assert (found.augmentation, found.sampler.subjects) == (NoAugmentation(), 5)


def test_another_encoder_is_chosen_by_its_name_and_has_its_own_flags(capsys, tmp_path):
    argv = ["--encoder.name=residual", "--encoder.width=16", "--encoder.blocks=1"]
    said = pacl(capsys, "train", "w", *argv, "--print-config")
    assert said.status == 0, said.err
    found = Plan.from_dict(json.loads(said.out))
    assert found.encoder == ResidualSettings(width=16, blocks=(1,))
    (tmp_path / "r.toml").write_text('[encoder]\nname = "residual"\nwidth = 16\n')
    for other in (["--encoder.name=branches"], ["--encoder.width=8"]):
        said = pacl(capsys, "train", "w", "--config", tmp_path / "r.toml", *other, "--print-config")
        kept = Plan.from_dict(json.loads(said.out)).encoder
        assert kept in (BranchesSettings(), ResidualSettings(width=8))
    said = pacl(capsys, "train", "w", "-o", tmp_path / "x", *argv, "--encoder.kernels=3")
    assert said.status == 2
    assert "--encoder.kernels" in said.err
    assert "width, blocks" in said.err


def test_a_residual_encoder_is_trained_judged_and_opened(capsys, tmp_path):
    argv = ["--encoder.name=residual", "--encoder.width=8", "--encoder.blocks=1"]
    given = [flag for flag in flags(epochs=1) if "channels" not in flag]
    said = pacl(capsys, "train", small_windows(), "-o", tmp_path / "run", *given, *argv)
    assert said.status == 0, said.err
    run = RunFolder.open(tmp_path / "run")
    assert run.finished
    assert run.encoder().config["name"] == "residual"
    said = pacl(capsys, "evaluate", tmp_path / "run")
    assert said.status == 0, said.err
    said = pacl(capsys, "export", tmp_path / "run", "-o", tmp_path / "x.onnx")
    assert said.status == 2
    assert "residual" in said.err


def test_a_memory_is_a_flag(capsys, tmp_path):
    said = train(
        capsys, tmp_path / "run", "--objective.memory=30", "--objective.memory-begins=2", epochs=1
    )
    assert said.status == 0, said.err
    chosen = RunFolder.open(tmp_path / "run").plan
    assert chosen == replace(
        plan(epochs=1), objective=replace(PLAN.objective, memory=30, memory_begins=2)
    )


def test_last_weights_views_faults_and_turns_are_in_the_help(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    said = pacl(capsys, "train", "--help")
    assert said.status == 0
    for flag in KEPT:
        assert flag.split("=")[0] in said.out
    for words in ("best, last", "given, bent, relative"):
        assert words in said.out


def test_what_they_cannot_be_is_told_at_once(tmp_path):
    file = tmp_path / "a.toml"
    file.write_text(
        '[train]\nkeep = "worst"\nfaults = 1.5\n[encoder]\nview = "blurred"\n'
        "[sampler]\nturns = 0\none_class = 3\n"
    )
    with pytest.raises(ConfigError) as caught:
        settle(Plan, file, None)
    told = {line.split(":")[0].strip() for line in str(caught.value).splitlines()[1:]}
    assert told == {
        "train.keep",
        "augmentation.faults",
        "encoder.view",
        "sampler.turns",
        "sampler.one_class",
    }


def in_ms(*lacking):
    """Leaves parts of a window set out and its beats in ms."""

    def change(windows):
        kept = [~windows.table.split.is_(part) for part in lacking]
        windows = windows.select(np.all([np.ones(len(windows), dtype=bool), *kept], axis=0))
        nothing = np.zeros(len(windows), np.float32)
        table = replace(windows.table, centre_ms=nothing, scale_ms=nothing + 1)
        return replace(windows, table=table)

    return change


@pytest.mark.parametrize("lacking", [["validation"], ["validation", "test"]])
def test_a_run_that_keeps_its_last_weights_is_told_and_judged_if_it_can_be(
    capsys, tmp_path, lacking
):
    windows, target = rewritten(small_windows(), tmp_path / "w", in_ms(*lacking)), tmp_path / "run"
    said = pacl(capsys, "train", windows, "-o", target, *flags(epochs=2), *KEPT)
    assert said.status == 0, said.err
    shown = [line.split() for line in said.err.splitlines()[-2:]]
    assert [(line[0], line[3], line[4]) for line in shown] == [("1/2", "-", "*"), ("2/2", "-", "*")]
    out = said.out.splitlines()
    assert out[-1] == f"{target}: subject-aware, seed 1, 2 epochs"
    assert ("test" in out[0].split()) == ("test" not in lacking)
    assert "validation" not in out[0]
    assert RunFolder.open(target).finished


def test_faults_in_scaled_windows_are_told(capsys, tmp_path):
    said = train(capsys, tmp_path / "run", "--train.faults=0.5")
    assert said.status == 2
    assert "prepare them with --protocol all-beats, or set augmentation.faults to 0" in said.err
    assert not (tmp_path / "run").exists()


def test_all_problems_of_a_file_are_told_at_once(capsys, tmp_path):
    file = tmp_path / "a.toml"
    file.write_text(
        'loss = "simclr"\nspeed = 1\n[train]\nlr = -1\nepoch = 3\npatience = 0\n'
        '[encoder]\ndropout = 1.0\nnorm = "layer"\n[objective]\ntemperature = nan\n'
    )
    said = pacl(capsys, "train", small_windows(), "-o", tmp_path / "run", "--config", file)
    assert said.status == 2
    lines = said.err.splitlines()
    assert lines[0] == f"pacl: {file}:"
    assert {line.split(":")[0].strip() for line in lines[1:]} == {
        "loss",
        "speed",
        "train.lr",
        "train.epoch",
        "train.patience",
        "encoder.dropout",
        "encoder.norm",
        "objective.temperature",
    }
    assert not (tmp_path / "run").exists()
    with refused(ConfigError, "train.lr"):
        settle(Plan, file, None)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["train", "{windows}"], "pacl: --output or -o is missing, it is required"),
        (
            ["train", "{windows}", "-o", "{tmp}/r", "--device", "tpu9"],
            "device tpu9: cannot be used",
        ),
        (["train", "{windows}", "-o", "{tmp}/r", "--device", "tpu9"], "; use cpu, or auto"),
        (["train", "{tmp}/no", "-o", "{tmp}/r"], "/no: not a window set ("),
        (["train", "{windows}", "-o", "{tmp}/r", "--loss", "simclr"], "simclr"),
        (["train", "{windows}", "-o", "{tmp}/r", "--train.lr", "fast"], "train.lr"),
        (["train", "{windows}", "-o", "{tmp}/r", "--trane.lr", "1"], "--trane.lr"),
        (["train", "{windows}", "-o", "{tmp}/r", "--config", "{tmp}/no.toml"], "No such file"),
        (
            ["train", "{windows}", "-o", "{tmp}/r", "--objective.memory=9", "--loss=bce"],
            "objective.memory 9",
        ),
        (["train", "{windows}", "-o", "{tmp}/r", "--objective.memory=-1"], "objective.memory"),
        (
            ["train", "{windows}", "-o", "{tmp}/r", "--objective.memory-begins=3"],
            "memory_begins 3 without memory",
        ),
        (["train", "{windows}", "-o", "{tmp}/r", "--encoder.channels=6"], "groups 8: must divide"),
        (["train", "{windows}", "-o", "{tmp}/r", "--sampler.subjects=50"], "a batch needs 50"),
        (["train"], "WINDOWS"),
    ],
)
def test_a_mistake_is_told_in_plain_words_with_status_2(capsys, tmp_path, argv, message):
    said = pacl(capsys, *(word.format(windows=small_windows(), tmp=tmp_path) for word in argv))
    assert said.status == 2
    assert message in said.err
    assert "Traceback" not in said.err
    assert not (tmp_path / "r").exists()


def test_a_run_is_told_epoch_by_epoch_and_judged(capsys, tmp_path):
    target = tmp_path / "run"
    said = train(capsys, target)
    assert said.status == 0, said.err
    assert same_but_for_time(target, small_run().path)
    history = RunFolder.open(target).history()
    lines = said.err.splitlines()
    assert lines[-4] == HEAD
    assert " ".join(HEAD.split()) == "epoch loss tau validation AUROC windows/s time left"
    for line, epoch in zip(lines[-3:], history, strict=True):
        found = line.split()
        assert found[0] == f"{epoch['epoch']}/3"
        assert found[1] == f"{epoch['loss']:.4f}"
        assert found[2] == f"{epoch['extra']['tau']:.4f}"
        assert found[3] == f"{epoch['score']:.4f}"
        assert (found[4] == "*") == epoch["best"]
        assert found[-1] == "done" if epoch["epoch"] == 3 else found[-3:-1] == ["at", "most"]
    assert all(line.startswith("not in any batch: patient ") for line in lines[:-4])
    out = said.out.splitlines()
    assert out[0].split() == ["validation", "test"]
    test = RunFolder.open(target).evaluated("test").measure()
    auroc = next(line.split() for line in out if line.startswith("AUROC "))
    assert auroc[-1] == f"{test.detection.auroc:.3f}"
    assert out[-1] == f"{target}: subject-aware, seed 1, 3 epochs"
    assert "UNSAFE" not in said.out


def test_who_is_in_no_batch_is_told(capsys, tmp_path):
    argv = ["--sampler.subjects=1", "--sampler.windows=20"]
    given = [flag for flag in flags(epochs=1) if not flag.startswith("--sampler")]
    said = pacl(capsys, "train", small_windows(), "-o", tmp_path / "run", *given, *argv)
    assert said.status == 0, said.err
    assert "not in any batch: subject patient_0" in said.err
    assert "the sampler needs 20" in said.err


def test_quiet_shows_results_alone(capsys, tmp_path):
    said = train(capsys, tmp_path / "run", "--quiet", epochs=1)
    assert said.err == ""
    assert said.out.splitlines()[-1].endswith("seed 1, 1 epoch")


def test_bce_has_no_tau(capsys, tmp_path):
    said = train(capsys, tmp_path / "run", "--loss=bce", "--seed=4", epochs=1)
    assert said.err.splitlines()[-1].split()[2] == "-"
    assert said.out.splitlines()[-1].endswith("bce, seed 4, 1 epoch")


def test_an_unsafe_window_set_is_named_at_the_end(capsys, tmp_path):
    def allowing(windows):
        manifest = {**windows.manifest, "allowed": ["patient-in-two-parts"]}
        return type(windows)(
            **{f.name: getattr(windows, f.name) for f in fields(windows)} | {"manifest": manifest}
        )

    windows = rewritten(small_windows(), tmp_path / "windows", allowing)
    said = pacl(capsys, "train", windows, "-o", tmp_path / "run", *flags(epochs=1))
    assert "UNSAFE: its windows were written allowing patient-in-two-parts" in said.out


def test_ctrl_c_keeps_the_epochs_and_resume_goes_on(capsys, tmp_path, monkeypatch):
    target = tmp_path / "run"
    with monkeypatch.context() as patched:
        told = Lines.on_epoch

        def stop(self, log, trainer):
            told(self, log, trainer)
            if log.epoch == 2:
                raise KeyboardInterrupt

        patched.setattr(Lines, "on_epoch", stop)
        said = train(capsys, target)
    assert said.status == 130
    assert said.err.splitlines()[-2:] == [
        f"{target}: finished epochs are kept; give the same command with --resume",
        "pacl: interrupted",
    ]
    refused = train(capsys, target)
    assert refused.status == 2
    assert "nothing is overwritten" in refused.err
    other = train(capsys, target, "--resume", lr=0.5)
    assert other.status == 2
    assert "train.lr 0.003 / 0.5" in other.err
    said = train(capsys, target, "--resume")
    assert said.status == 0
    assert [line.split()[0] for line in said.err.splitlines()[-3:]] == ["resuming", "epoch", "3/3"]
    assert "after epoch 2" in said.err
    assert same_but_for_time(target, small_run().path)
    again = train(capsys, target, "--resume")
    assert (again.status, again.err) == (0, "")
    assert again.out == said.out


def test_ctrl_c_before_anything_was_kept_promises_nothing(capsys, tmp_path, monkeypatch):
    def stopped(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("pacl.studies.run.open_windows", stopped)
    said = train(capsys, tmp_path / "run")
    assert (said.status, said.err) == (130, "pacl: interrupted\n")


@pytest.mark.parametrize("quiet", [[], ["--quiet"]])
def test_a_collapse_is_said_aloud_once_even_if_quiet(capsys, tmp_path, monkeypatch, quiet):
    monkeypatch.setattr("pacl.training.planned.make_objective", lambda *a, **more: Gathering())
    said = train(capsys, tmp_path / "run", *quiet, epochs=8, lr=0.05)
    assert said.status == 0, said.err
    [words] = [line for line in said.err.splitlines() if "COLLAPSE" in line]
    assert (
        "COLLAPSE, the pooled and the projected embeddings have shrunk to a point (spread 0."
        in words
    )
    assert "lower --train.lr, or raise --objective.temperature" in words
    history = RunFolder.open(tmp_path / "run").history()
    assert history[-1]["projected_spread"] < 0.02
    if quiet:
        assert said.err == f"{words}\n"


def test_a_training_that_runs_away_ends_with_words(capsys, tmp_path):
    with refused(TrainingError, "epoch 1", "1e+30"):
        train_run(small_windows(), tmp_path / "run", plan(lr=1e30), device="cpu")


@pytest.mark.parametrize(
    ("flag", "value"),
    [
        ("--train.lr", "1e300"),
        ("--train.lr", "nan"),
        ("--train.weight-decay", "1e9"),
        ("--train.epochs", "99999999999"),
        ("--objective.temperature", "1e300"),
        ("--objective.memory", "1e18"),
        ("--encoder.channels", "100000000"),
        ("--encoder.pooled-features", "100000000"),
        ("--seed", str(2**80)),
    ],
)
def test_absurd_numbers_are_refused_by_their_key(capsys, tmp_path, flag, value):
    said = pacl(capsys, "train", small_windows(), "-o", tmp_path / "run", flag, value)
    assert said.status == 2
    assert flag in said.err
    assert not (tmp_path / "run").exists()


def log(epoch, *, score=0.5, best=True, spread=0.5, seconds=2.0, **extra):
    return EpochLog(epoch, 1.0, score, best, 0.1, spread, spread, 800, seconds, 1.0, extra)


class Stub:
    """A trainer as the display sees it."""

    epochs, epoch, done = 100, 0, False
    sampler = types.SimpleNamespace(ineligible=())


def test_time_left_is_that_of_the_mean_epoch(capsys):
    display = Lines()
    display.on_epoch(log(1, tau=0.05), Stub())
    display.on_epoch(log(2, best=False, seconds=4.0, tau=0.05), Stub())
    first, second = (line.split() for line in capsys.readouterr().err.splitlines())
    assert first == ["1/100", "1.0000", "0.0500", "0.5000", "*", "400", "at", "most", "4:57"]
    assert second == ["2/100", "1.0000", "0.0500", "0.5000", "200", "at", "most", "6:32"]
    long = Lines()
    long.on_epoch(log(1, seconds=100.0), Stub())
    assert capsys.readouterr().err.split()[-1] == "2:46:39"


def test_an_epoch_without_a_score_keeps_its_columns(capsys):
    display = Lines()
    display.on_epoch(log(1, tau=0.05), Stub())
    display.on_epoch(log(1, score=None, tau=0.05), Stub())
    scored, other = capsys.readouterr().err.splitlines()
    assert other.split()[:6] == ["1/100", "1.0000", "0.0500", "-", "*", "400"]
    assert len(other) == len(scored)
    assert other.index("*") == scored.index("*")


def test_a_study_without_scores_shows_epochs(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("pacl.cli.progress.LINE_EVERY_S", 0.0)
    with study_progress(tmp_path, quiet=False) as shown:
        shown.on_runs(2)
        shown.on_epoch("fold-1", log(2, score=None))
        shown.on_epoch("fold-2", log(1, score=0.75))
        shown.on_finished("fold-1")
    assert capsys.readouterr().err.splitlines() == [
        "  fold-1 epoch 2",
        "  fold-1 epoch 2, fold-2 epoch 1 0.7500",
        "run 1/2: fold-1, 2 epochs",
    ]
    many = StudyProgress()
    for fold in range(1, 5):
        many.on_epoch(f"fold-{fold}", log(fold, score=None))
    assert many.summary() == "4 training, epochs 1 to 4"
    many.on_epoch("other", log(9, score=0.5))
    assert many.summary() == "5 training, epochs 1 to 9, validation AUROC 0.500 to 0.500"


def test_a_collapse_that_passes_and_returns_is_said_again(capsys):
    display = Silent()
    for epoch, spread in enumerate([0.5, 0.01, 0.01, 0.5, 0.01], start=1):
        display.on_epoch(log(epoch, spread=spread), Stub())
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(":")[0] for line in lines] == ["epoch 2", "epoch 5"]
    assert "the pooled and the projected embeddings have shrunk" in lines[0]


def test_a_terminal_is_shown_steps_and_the_same_lines(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    trainer = Stub()
    with epochs(quiet=False) as display:
        display.on_start(trainer)
        trainer.track(3, 10)
        display.on_epoch(log(1, tau=0.05), trainer)
    shown = capsys.readouterr().err
    assert "validation AUROC" in shown
    assert "1/100" in shown
    assert "steps" in shown


@pytest.mark.parametrize("argv", [["train", "--help"], ["train", "w", "--print-config"]])
def test_help_and_settings_are_shown_without_torch(argv):
    names = ["torch", "sklearn", "scipy", "pacl.studies", "pacl.training"]
    code = LOADED.format(argv=["pacl", *argv], names=names)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]", done.stdout[-500:]
    assert "subject-aware" in done.stdout


def test_the_shared_windows_are_where_they_were():
    assert small_windows().parent == place()
