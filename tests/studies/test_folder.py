"""A run's folder: what it holds, that it is enough, and what happens when something is missing."""

import json
from importlib.metadata import version

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from pacl.evaluation import embed
from pacl.rr import RRWindowSet
from pacl.studies import Plan, RunError, RunFolder
from pacl.studies import folder as module
from pacl.studies.provenance import WindowsOrigin
from pacl.windows import read_split
from support.refusals import refused
from support.small_runs import PLAN, copied, files_of, small_run, small_windows


@pytest.fixture(scope="module")
def run():
    return small_run()


def test_every_file_that_is_promised_is_there_and_no_other(run):
    promised = set()
    for line in module.__doc__.split("```")[1].splitlines()[2:]:
        names = line.split("  ")[2].strip()
        promised |= {name.rstrip("/") for name in names.split(", ")}
    promised -= {"checkpoint.pt", "on/NAME"}
    assert promised == {path.name for path in run.path.iterdir()}
    judged = {"predictions.parquet", "pooled.npy", "projected.npy", "evaluation.json"}
    for part in ("validation", "test"):
        assert {path.name for path in (run.path / part).iterdir()} == judged


def test_the_config_is_the_plan(run):
    config = json.loads((run.path / "config.json").read_text())
    assert Plan.from_dict(config["plan"]) == PLAN == run.plan
    assert config["format"] == "pacl run 1"
    assert run.title == "subject-aware"
    assert run.finished


def test_windows_and_split_are_those_it_was_given(run):
    stated = json.loads((run.path / "windows.json").read_text())
    windows = RRWindowSet.open(small_windows())
    assert stated["path"] == str(small_windows())
    assert stated["digest"] == WindowsOrigin.of(small_windows(), windows).digest
    assert np.load(run.path / "seen.npy").size > 20
    assert stated["window_beats"] == windows.window_beats
    assert stated["allowed"] == []
    digests = {entry["record"]: entry["digest"] for entry in windows.manifest["records"]}
    table = windows.table
    assert stated["records"] == [
        {"record": record, "patient": patient, "part": part, "digest": digests[record]}
        for record, patient, part in sorted(
            set(
                zip(
                    table.record.to_list(),
                    table.patient.to_list(),
                    table.split.to_list(),
                    strict=True,
                )
            )
        )
    ]
    split = run.path / "split.json"
    assert split.read_bytes() == (small_windows() / "split.json").read_bytes()
    assert read_split(split).digest == windows.manifest["split"]["digest"]


def test_the_encoder_is_built_again_without_the_data(run):
    windows = RRWindowSet.open(small_windows())
    for part in ("validation", "test"):
        made = embed(run.encoder(), windows.part(part), batch=50)
        kept = run.evaluated(part).embeddings
        assert np.allclose(made.pooled, kept.pooled, atol=1e-6)
        assert np.allclose(made.projected, kept.projected, atol=1e-6)
        assert kept.table.subject.to_list() == windows.part(part).table.patient.to_list()
    assert not run.encoder().training


def test_predictions_follow_from_probe_and_embeddings(run):
    stated = json.loads((run.path / "probe.json").read_text())
    for part in ("validation", "test"):
        pooled = np.load(run.path / part / "pooled.npy").astype(np.float64)
        logit = pooled @ np.array(stated["weight"]) + stated["bias"]
        assert np.allclose(run.evaluated(part).probability, 1 / (1 + np.exp(-logit)), rtol=1e-9)
        assert np.array_equal(
            run.probe().probability(np.load(run.path / part / "pooled.npy")),
            run.evaluated(part).probability,
        )


@pytest.mark.parametrize("part", ["validation", "test"])
def test_the_evaluation_can_be_measured_again_to_the_bit(run, part):
    written = (run.path / part / "evaluation.json").read_text()
    assert run.evaluated(part).measure().to_json() == written


def test_the_model_holds_encoder_and_objective(run):
    tensors = load_file(run.path / "model.safetensors")
    ours = {f"encoder.{key}" for key in run.encoder().state_dict()}
    assert set(tensors) == ours | {"objective.temperature.log_tau"}
    last_best = [epoch for epoch in run.history() if epoch["best"]][-1]
    tau = tensors["objective.temperature.log_tau"].exp().item()
    assert tau == pytest.approx(last_best["extra"]["tau"], rel=1e-6)


def test_the_environment_is_told(run):
    found = json.loads((run.path / "environment.json").read_text())
    assert found["torch"] == version("torch")
    assert found["device"] == "cpu"
    assert {"pacl", "python", "numpy", "platform", "threads"} <= found.keys()


def test_evaluations_are_named_and_half_written_ones_are_not(run, tmp_path):
    mine = copied(run, tmp_path / "run")
    evaluated = mine.evaluated("test")
    mine.write_evaluated("on/ltafdb", evaluated)
    assert list(mine.evaluations()) == ["validation", "test", "ltafdb"]
    for name in (".ltafdb.new", "..ltafdb.new.999999999.unfinished"):
        (mine.path / "on" / "ltafdb").rename(mine.path / "on" / name)
        assert list(mine.evaluations()) == ["validation", "test"]
        mine.write_evaluated("on/ltafdb", evaluated)
        assert [path.name for path in (mine.path / "on").iterdir()] == ["ltafdb"]
    with pytest.raises(RunError) as caught:
        mine.evaluated("afdb")
    assert str(caught.value) == (
        f"{mine.path}: it was not evaluated on 'afdb', but on validation, test, ltafdb; "
        "evaluate it with --windows, or name one of these"
    )


def test_an_evaluation_that_fails_leaves_the_older_one(run, tmp_path, monkeypatch):
    mine = copied(run, tmp_path / "run")
    before = files_of(mine.path)

    def fail(*arguments, **more):
        raise KeyboardInterrupt

    monkeypatch.setattr("pacl.evaluation.predictions.measure_geometry", fail)
    with pytest.raises(KeyboardInterrupt):
        mine.write_evaluated("test", mine.evaluated("test"))
    assert files_of(mine.path) == before


def drop(name):
    return lambda path: (path / name).unlink()


def write(name, content):
    return lambda path: (path / name).write_text(content)


def cut(name):
    return lambda path: (path / name).write_bytes((path / name).read_bytes()[:-300])


def other_model(path):
    save_file({"encoder.a": torch.zeros(1)}, path / "model.safetensors")


def odd_model(path):
    save_file({"a": torch.zeros(1)}, path / "model.safetensors", {"pacl": "nonsense"})


@pytest.mark.parametrize(
    ("change", "ask", "fact"),
    [
        (drop("config.json"), lambda run: run, "config.json"),
        (write("config.json", "{"), lambda run: run, "config.json"),
        (write("config.json", "[]"), lambda run: run, "config.json"),
        (write("config.json", "{}"), lambda run: run, "'pacl run 1'"),
        (write("config.json", '{"format": "pacl run 1"}'), lambda run: run, "plan"),
        (
            write("config.json", '{"format": "pacl run 1", "plan": {"train": 1}}'),
            lambda run: run.plan,
            "plan: train",
        ),
        (drop("model.safetensors"), RunFolder.encoder, "pacl train"),
        (cut("model.safetensors"), RunFolder.encoder, "model.safetensors"),
        (other_model, RunFolder.encoder, "model.safetensors"),
        (odd_model, RunFolder.encoder, "model.safetensors"),
        (drop("probe.json"), RunFolder.probe, "probe"),
        (write("probe.json", "{}"), RunFolder.probe, "probe.json"),
        (write("probe.json", "x"), RunFolder.probe, "probe.json"),
        (
            write("windows.json", "{}"),
            lambda run: run.origin,
            "windows.json",
        ),
        (write("windows.json", "x"), lambda run: run.origin, "windows.json"),
        (write("metrics.jsonl", "{\n"), RunFolder.history, "metrics.jsonl"),
    ],
)
def test_what_is_missing_or_damaged_is_named(run, tmp_path, change, ask, fact):
    mine = copied(run, tmp_path / "run")
    change(mine.path)
    with refused(RunError, fact):
        ask(RunFolder.open(mine.path))


def test_a_folder_that_is_no_run_is_refused(tmp_path):
    with refused(RunError, "pacl train"):
        RunFolder.open(tmp_path / "nowhere")


def test_a_model_of_the_same_weights_has_the_same_bytes(run, tmp_path):
    mine = copied(run, tmp_path / "run")
    mine.write_model(run.encoder())
    first = (mine.path / "model.safetensors").read_bytes()
    for _ in range(20):
        mine.write_model(run.encoder())
        assert (mine.path / "model.safetensors").read_bytes() == first
