import json
from dataclasses import replace

import h5py
import numpy as np
import pytest
import torch

from pacl.records import RecordError
from pacl.rr import RRWindowSet, prepare_processed
from pacl.studies import RunError, train_run
from pacl.studies.external_evaluation import evaluate_external
from pacl.windows import Names, WindowSetError
from support.refusals import refused
from support.small_runs import (
    PLAN,
    copied,
    files_of,
    rewritten,
    small_run,
    small_windows,
    write_h5,
)

CPU = torch.device("cpu")


@pytest.fixture
def run(tmp_path):
    return copied(small_run(), tmp_path / "run")


def judge(run, path, **more):
    return evaluate_external(run, path, device=CPU, **more)


def test_another_cohort_is_judged_whole_with_the_runs_own_probe(run):
    other = small_windows(4)
    before = files_of(run.path)
    told = []
    name, measured, shared = judge(run, other, track=lambda *state: told.append(state))
    assert name == other.name
    windows = RRWindowSet.open(other)
    assert set(windows.table.split.present()) == {"train", "validation", "test"}
    folder = run.path / "on" / name
    kept = run.evaluated(name)
    assert len(kept.embeddings) == len(windows) == told[-1][0]
    assert kept.embeddings.table.split.present() == ("test",)
    assert kept.embeddings.table.subject.to_list() == windows.table.patient.to_list()
    assert np.array_equal(run.probe().probability(kept.embeddings.pooled), kept.probability)
    assert (folder / "evaluation.json").read_text() == measured.to_json()
    assert kept.measure().to_json() == measured.to_json()
    assert json.loads((folder / "windows.json").read_text())["path"] == str(other)
    assert run.origin_of(name).digest != run.origin.digest
    assert run.origin_of("test") == run.origin
    after = files_of(run.path)
    assert {key: after[key] for key in before} == before
    learned = {e["patient"] for e in run.origin.records if e["part"] != "test"}
    assert shared == sorted(learned)


def test_patients_of_other_names_are_no_news(run, tmp_path):
    *_, shared = judge(run, write_h5(tmp_path / "other.h5", seed=9))
    assert shared == []


def test_a_repeated_evaluation_replaces_the_older(run, tmp_path):
    path = write_h5(tmp_path / "a.h5", seed=1)
    judge(run, path, name="mine")
    first = files_of(run.path / "on" / "mine")
    judge(run, path, name="mine")
    second = files_of(run.path / "on" / "mine")
    assert second == first
    write_h5(path, seed=2)
    with refused(RunError, "'mine'", "--name"):
        judge(run, path, name="mine")
    assert files_of(run.path / "on" / "mine") == first
    assert [child.name for child in (run.path / "on").iterdir()] == ["mine"]


@pytest.mark.parametrize(
    "again", [{}, {"stride": 2600}, {"split": 2}], ids=["same set", "cut otherwise", "other split"]
)
def test_recordings_it_learned_from_are_refused(run, again):
    path = small_windows(**again)
    learned = sorted({e["record"] for e in run.origin.records if e["part"] != "test"})
    with refused(RunError, path, len(learned), ", ".join(learned[:5]), "pacl evaluate"):
        judge(run, path)
    assert not (run.path / "on").exists()


def test_disguised_recordings_are_known_by_their_beats(run, tmp_path):
    """Other names of patients and records, other scale, no digests: the beats are the same."""

    def disguised(windows):
        table = windows.table
        return replace(
            windows,
            rr_ms=windows.rr_ms * np.float32(0.01) - np.float32(3),
            table=replace(
                table,
                patient=Names(table.patient.codes, tuple(f"p{n}" for n in table.patient.names)),
                record=Names(table.record.codes, tuple(f"r{n}" for n in table.record.names)),
            ),
            manifest={**windows.manifest, "records": []},
        )

    path = rewritten(small_windows(stride=50), tmp_path / "disguised", disguised)
    with refused(RunError, "pacl evaluate"):
        judge(run, path)


def test_a_run_that_lost_its_memory_is_judged_on_nothing(run):
    (run.path / "seen.npy").unlink()
    with refused(RunError, "seen.npy"):
        judge(run, small_windows(4))


def test_its_own_test_recordings_may_be_judged_alone(run, tmp_path):
    alone = rewritten(
        small_windows(), tmp_path / "alone", lambda w: w.select(w.table.split.is_("test"))
    )
    name, measured, shared = judge(run, alone)
    assert (name, shared) == ("alone", [])
    assert measured.to_json() == run.evaluated("test").measure().to_json()


def test_windows_of_another_length_are_refused(run, tmp_path):
    with pytest.raises(RunError) as caught:
        judge(run, write_h5(tmp_path / "long.h5", beats=50))
    assert str(caught.value) == (
        f"{tmp_path / 'long.h5'}: windows of 50 beats, the run's are 40 long; "
        "prepare them with --window.window-beats 40"
    )


def test_processed_windows_are_judged(run, tmp_path):
    path = write_h5(tmp_path / "0123_test.h5")
    name, measured, _ = judge(run, path)
    assert name == "0123_test"
    assert len(run.evaluated(name).embeddings) == 24
    assert measured.detection.auroc is not None
    with h5py.File(path) as file:
        segments = torch.from_numpy(file["segments"][:])
    with torch.no_grad():
        expected = run.encoder()(segments).pooled.numpy()
    assert np.allclose(run.evaluated(name).embeddings.pooled, expected, atol=1e-6)
    assert run.origin_of(name).path == str(path)


def test_processed_windows_it_learned_from_are_refused(tmp_path):
    """Their recordings are not known, so that they are known by their windows."""
    folder = tmp_path / "processed"
    folder.mkdir()
    for seed, part in enumerate(("train", "validation", "test")):
        write_h5(folder / f"0123_{part}.h5", windows=48, seed=seed)
    prepare_processed(folder, tmp_path / "windows", allow=("patients-unknown",))
    run = train_run(tmp_path / "windows", tmp_path / "run", small(), device="cpu")
    for path in (folder, folder / "0123_train.h5", folder / "0123_validation.h5"):
        with refused(RunError, "pacl evaluate"):
            judge(run, path)
    with refused(RunError, "pacl evaluate"):
        judge(run, tmp_path / "windows")
    judge(run, folder / "0123_test.h5")


def small():
    sampler = replace(PLAN.sampler, windows=2)
    return replace(PLAN, sampler=sampler, train=replace(PLAN.train, epochs=1))


@pytest.mark.parametrize(
    "name", ["test", "validation", ".", "..", "a/b", "../test", ".hidden", "two words", "-x", "a\n"]
)
def test_names_that_would_lie_elsewhere_or_be_mistaken_are_refused(run, tmp_path, name):
    before = files_of(tmp_path)
    with refused(RunError, "--name"):
        judge(run, small_windows(4), name=name)
    assert files_of(tmp_path) == before


def test_a_name_can_be_chosen(run, tmp_path):
    path = write_h5(tmp_path / "with space.h5")
    with refused(RunError, "--name"):
        judge(run, path)
    assert judge(run, path, name="ltafdb-2.0")[0] == "ltafdb-2.0"
    assert (run.path / "on" / "ltafdb-2.0" / "evaluation.json").exists()


@pytest.mark.parametrize("name", ["nothing", "nothing.h5"])
def test_windows_that_are_not_there_are_told(run, tmp_path, name):
    with refused((WindowSetError, RecordError), name):
        judge(run, tmp_path / name)
    assert not (run.path / "on").exists()


def test_without_a_probe_it_says_what_to_do(run):
    (run.path / "probe.json").unlink()
    with refused(RunError, "probe", "--windows"):
        judge(run, small_windows(4))
