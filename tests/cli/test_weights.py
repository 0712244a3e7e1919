"""`pacl weights` as a person meets it."""

import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from pacl.export.weights import Weights
from pacl.studies import Plan, weights
from pacl.studies.weights import NAME, RECIPE
from pacl.studies.weights.onnx_variants import make_int8
from support.small_runs import files_of, pacl

TINY = """
[sampler]
patients = 3
windows = 2
turns = 4
[encoder]
kernels = [3, 5]
channels = [8, 8]
pooled_features = 8
projected_features = 8
[train]
lr = 0.03
epochs = 1
patience = 1
"""


def settings(said) -> Plan:
    assert (said.status, said.err) == (0, "")
    return Plan.from_dict(json.loads(said.out))


def write_csvs(folder, patients, seed, odd=()):
    """Even beats in SR, uneven ones in AF and in the SR of odd patients."""
    folder.mkdir(parents=True)
    generator = np.random.default_rng(seed)
    for number in range(patients):
        lines = ["rr,rhythm"]
        for rhythm in ("N", "AF"):
            uneven = rhythm == "AF" or number in odd
            wave_ms = 0 if uneven else 50 * np.sin(np.arange(300) / 3)
            rr_ms = 800 + generator.normal(0, 150 if uneven else 8, 300) + wave_ms
            lines += [f"{round(one)},{rhythm}" for one in rr_ms.clip(300, 1900).tolist()]
        (folder / f"{folder.name}-{number:02d}.csv").write_text("\n".join(lines) + "\n")
    return folder


# -------------------------------------------------------------------------------------- settings


def test_the_settings_are_the_recipe(capsys, tmp_path):
    said = pacl(capsys, "weights", tmp_path, "--print-config", "-o", tmp_path / "out")
    assert settings(said) == RECIPE
    assert not (tmp_path / "out").exists()


def test_a_file_and_a_seed_are_laid_over_the_recipe(capsys, tmp_path):
    (tmp_path / "a.toml").write_text("seed = 3\n[train]\nepochs = 2\n[sampler]\npatients = 4\n")
    config = ["weights", tmp_path, "--print-config", "--config", tmp_path / "a.toml"]
    expected = replace(
        RECIPE,
        seed=3,
        train=replace(RECIPE.train, epochs=2),
        sampler=replace(RECIPE.sampler, subjects=4),
    )
    assert settings(pacl(capsys, *config)) == expected
    assert settings(pacl(capsys, *config, "--seed", 9)) == replace(expected, seed=9)
    only = pacl(capsys, "weights", tmp_path, "--print-config", "--seed", 0)
    assert settings(only) == replace(RECIPE, seed=0)


def test_what_is_printed_can_be_given_again(capsys, tmp_path):
    printed = json.loads(pacl(capsys, "weights", tmp_path, "--print-config").out)
    lines = []
    for section, values in printed.items():
        if not isinstance(values, dict):
            lines.insert(0, f"{section} = {json.dumps(values)}")
            continue
        lines.append(f"[{section}]")
        lines += [f"{key} = {json.dumps(v)}" for key, v in values.items() if v is not None]
    (tmp_path / "same.toml").write_text("\n".join(lines))
    again = pacl(capsys, "weights", tmp_path, "--print-config", "--config", tmp_path / "same.toml")
    assert settings(again) == RECIPE


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[sampler]\npeople = 3\n", ["sampler.people: not known here"]),
        ("speed = 3\n", ["speed: not known"]),
        ("[window]\nstride = 3\n", ["window: not known"]),
        ("sampler = 3\n", ["sampler: "]),
        (
            "[train]\nepochs = 0\nlr = 'x'\n[encoder]\nnorm = 'no'\n",
            ["train.epochs: ", "train.lr: ", "encoder.norm: "],
        ),
        ("[train]\nfaults = 1.5\n", ["augmentation.faults: "]),
        ("[train\n", ["cannot be read", "that it is TOML"]),
    ],
)
@pytest.mark.parametrize("more", [["--print-config"], ["-o", "{}/out"]])
def test_a_mistake_in_the_file_is_told_by_its_dotted_key(capsys, tmp_path, text, told, more):
    (tmp_path / "a.toml").write_text(text)
    more = [word.format(tmp_path) for word in more]
    said = pacl(capsys, "weights", tmp_path, "--config", tmp_path / "a.toml", *more)
    assert (said.status, said.out) == (2, "")
    assert said.err.startswith(f"pacl: {tmp_path / 'a.toml'}:")
    for part in told:
        assert part in said.err
    assert "Traceback" not in said.err
    assert not (tmp_path / "out").exists()


def test_a_seed_below_zero(capsys, tmp_path):
    said = pacl(capsys, "weights", tmp_path, "--print-config", "--seed=-1")
    assert said.status == 2
    assert "seed: " in said.err


# -------------------------------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["weights", "{0}/one"], "pacl: --output or -o is missing, it is required"),
        (["weights", "{0}/none", "-o", "{0}/out"], "none"),
        (["weights", "{0}/one", "--test-data", "{0}/none", "-o", "{0}/out"], "none"),
        (["weights", "{0}/empty", "-o", "{0}/out"], "no recording recognised"),
        (["weights", "{0}/one", "--config", "{0}/no.toml", "-o", "{0}/out"], "No such file"),
        (
            ["weights", "{0}/one", "--test-data", "{0}/two/one", "-o", "{0}/out"],
            "pacl: two cohorts have the same name; rename a folder, or set name in its cohort.toml",
        ),
        (
            ["weights", "{0}/one", "--test-data", "{0}/one/../one", "-o", "{0}/out"],
            "pacl: two cohorts have the same name; rename a folder, or set name in its cohort.toml",
        ),
        (
            ["weights", "{0}/one", *["--test-data", "{0}/two/other"] * 2, "-o", "{0}/out"],
            "pacl: two cohorts have the same name; rename a folder, or set name in its cohort.toml",
        ),
    ],
)
def test_mistakes_are_told_before_anything_is_done(capsys, tmp_path, monkeypatch, argv, message):
    monkeypatch.setattr(weights, "study_weights", None)  # nobody gets that far
    for path in ("one", "two/one", "two/other"):
        write_csvs(tmp_path / path, 1, 0)
    (tmp_path / "empty").mkdir()
    said = pacl(capsys, *(word.format(tmp_path) for word in argv))
    assert (said.status, said.out) == (2, "")
    assert message in said.err
    assert "Traceback" not in said.err
    assert not (tmp_path / "out").exists()


# ------------------------------------------------------------------------------------ the whole


@pytest.mark.slow
def test_from_recordings_to_files_stopped_once(capsys, tmp_path, monkeypatch):
    folds = 2
    make = partial(weights.make_weights, folds=folds)
    monkeypatch.setattr("pacl.studies.weights.make.make_weights", make)
    data = write_csvs(tmp_path / "mine", 10, 1, odd=(3, 6))
    other = write_csvs(tmp_path / "other", 3, 2)
    (tmp_path / "tiny.toml").write_text(TINY)
    out = tmp_path / "out"
    argv = ["weights", data, "-o", out, "--test-data", other, "--name", "small"]
    argv += ["--config", tmp_path / "tiny.toml", "--device", "cpu", "--threads", 1]
    with monkeypatch.context() as patched:

        def stop(self, name):
            raise KeyboardInterrupt

        patched.setattr("pacl.cli.study_progress.StudyProgress.on_finished", stop)
        stopped = pacl(capsys, *argv, "--quiet")
    assert (stopped.status, stopped.out) == (130, "")
    note, ended = stopped.err.splitlines()
    assert note.startswith(f"{out}: ")
    assert ended == "pacl: interrupted"
    converted = []

    def make_once(*given):
        """Converting takes seconds for each fold, and the runs stay as they are."""
        if not converted:
            converted.append(make_int8(*given))
        return converted[0]

    monkeypatch.setattr("pacl.studies.weights.make.make_int8", make_once)
    with monkeypatch.context() as patched:  # as if training had made it worse
        patched.setattr("pacl.studies.weights.make.check_tolerance", lambda *_: None)
        missed = pacl(capsys, *argv, "--tolerance", "1e-12")
    assert (missed.status, missed.out) == (2, "")
    for part in ("small.onnx", "the tolerance is 1e-12", str(out), "higher --tolerance"):
        assert part in missed.err
    assert not (out / "small.onnx").exists()
    for kind in ("safetensors", "json", "md"):
        assert (out / f"small.{kind}").exists()
    runs = files_of(out / "runs")
    said = pacl(capsys, *argv)
    assert files_of(out / "runs") == runs
    assert said.status == 0, said.err
    assert f"run {folds + 1}/{folds + 1}: all, finished" in said.err
    first, second, *files = said.out.splitlines()
    assert first.startswith("mine, out of fold: 10 patients, AUROC 0.")
    assert second.startswith("other: 3 patients, AUROC ")
    assert first.endswith(" h in 24 h")
    assert files == [f"{out}/small.{kind}" for kind in ("safetensors", "onnx", "json", "md")]
    made = Weights.read(out / "small.safetensors")
    assert made.name == "small"
    assert made.about["data"] == "mine"
    assert made.encoder.config["view"] == RECIPE.encoder.view
    figures = json.loads((out / "small.json").read_text())
    assert figures["elsewhere"]["other"]["patients"] == 3
    card = (out / "small.md").read_text()
    assert card.startswith("# small\n")
    assert "learned from: mine\n- evaluated on: other\n" in card
    assert f"{figures['out_of_fold']['auroc']['estimate']:.4f}" in card


def test_a_used_folder_is_left_alone(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("pacl.studies.weights.make.make_weights", None)  # nobody gets that far
    write_csvs(tmp_path / "one", 1, 0)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / f"{NAME}.json").write_text("mine")
    said = pacl(capsys, "weights", tmp_path / "one", "-o", tmp_path / "out")
    assert (said.status, said.out) == (2, "")
    assert f"{tmp_path / 'out'}: " in said.err
    assert "nothing is overwritten" in said.err
    assert files_of(tmp_path / "out") == {f"{NAME}.json": b"mine"}


@pytest.mark.parametrize(
    ("more", "differs"),
    [(["--name", "b"], "name"), (["--test-data", "{}/other"], "test_data"), ([], None)],
)
def test_only_the_same_study_goes_on_in_its_folder(capsys, tmp_path, monkeypatch, more, differs):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("pacl.studies.weights.make.make_weights", stop)
    for name in ("one", "other"):
        write_csvs(tmp_path / name, 1, 0)
    argv = ["weights", tmp_path / "one", "-o", tmp_path / "out", "--quiet"]
    more = [word.format(tmp_path) for word in more]
    assert pacl(capsys, *argv, "--name", "c").status == 130  # nothing was trained: all can change
    assert pacl(capsys, *argv).status == 130
    (tmp_path / "out" / "runs" / "all").mkdir(parents=True)
    before = files_of(tmp_path / "out")
    said = pacl(capsys, *argv, *more)
    assert said.status == (130 if differs is None else 2)
    if differs is not None:
        assert f"{differs} " in said.err
    assert files_of(tmp_path / "out") == before


def test_a_tolerance_that_cannot_be_kept_is_refused_before_training(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("pacl.studies.weights.make.train_runs", None)  # nobody gets that far
    data = write_csvs(tmp_path / "mine", 10, 1)
    (tmp_path / "tiny.toml").write_text(TINY)
    argv = ["weights", data, "-o", tmp_path / "out", "--config", tmp_path / "tiny.toml", "--quiet"]
    said = pacl(capsys, *argv, "--tolerance", "1e-12", "--device", "cpu")
    assert (said.status, said.out) == (2, "")
    for part in (str(tmp_path / "out"), "the tolerance is 1e-12", "raise --tolerance"):
        assert part in said.err
    assert not (tmp_path / "out" / "runs").exists()


def test_what_is_handed_on(capsys, tmp_path, monkeypatch):
    """The defaults, for a cohort whose manifest states its source."""
    given = {}

    def make(reader, output, **more):
        given.update(more, root=reader.root, output=output)
        raise KeyboardInterrupt

    monkeypatch.setattr("pacl.studies.weights.make.make_weights", make)
    write_csvs(tmp_path / "ltafdb", 1, 0)
    (tmp_path / "ltafdb" / "cohort.toml").write_text('source = "Ward 3"\nlicence = "CC BY 4.0"\n')
    said = pacl(capsys, "weights", tmp_path / "ltafdb", "-o", tmp_path / "out", "--quiet")
    assert said.status == 130
    assert given["plan"] == RECIPE
    assert given["name"] == NAME
    assert given["others"] == {}
    assert given["root"] == tmp_path / "ltafdb"
    assert given["output"] == tmp_path / "out"
    assert given["about"]["data"] == "Ward 3, CC BY 4.0"
    assert given["device"] == "auto"
    assert given["processes"] >= 1
