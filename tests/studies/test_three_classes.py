"""Three classes and three channels, from arrays to a comparison of runs."""

import numpy as np
import pytest

from pacl.evaluation import Predictions, read_evaluation
from pacl.studies import Outcome, RunError, RunFolder, compare_runs, train_run
from pacl.studies.external_evaluation import evaluate_external
from pacl.training import usable_device
from pacl.windows import WindowSet, split_windows
from support.in_process import pacl
from support.refusals import refused
from support.small_runs import plan

NAMES = ("rest", "fist", "open")


def arrays(subjects="abcdefghij", seed=0, each=18, names=NAMES):
    """Subjects of three gestures, which differ in which channel is active."""
    generator = np.random.default_rng(seed)
    who = np.repeat([f"person {name}" for name in subjects], each)
    labels = np.tile(np.arange(each) % len(names), len(subjects))
    x = generator.normal(size=(who.size, 3, 40)).astype(np.float32)
    x[np.arange(who.size), labels] += np.sin(np.arange(40) / 2)
    return WindowSet.from_arrays(x, labels, who, class_names=names)


@pytest.fixture(scope="module")
def windows(tmp_path_factory):
    folder = tmp_path_factory.mktemp("windows") / "gestures"
    split_windows(arrays(), counts=(6, 2, 2)).write(folder)
    return folder


@pytest.fixture(scope="module")
def trained(windows, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    return [
        train_run(windows, folder / loss, plan(loss=loss, epochs=1), device="cpu")
        for loss in ("subject-aware", "cross-entropy")
    ]


def test_a_run_is_judged_on_all_classes_and_read_again(trained):
    for run in map(RunFolder.open, (one.path for one in trained)):
        assert run.finished
        assert run.probe().classes == 3
        found = run.evaluated("test")
        assert found.class_names == NAMES
        assert found.probability.shape == (len(found), 3)
        assert set(found.names) >= set(found.subject.present())
        assert found.subject.present()[0].startswith("person ")
        measured = found.measure()
        assert measured == read_evaluation(run.path / "test")
        assert measured.class_names == NAMES
        assert [one.windows for one in measured.detection.classes] == [12, 12, 12]
        assert len(measured.pooled.pairs) == 3
        assert measured.pooled.of_pair("rest", "open").subjects_with_both == 2


def test_rows_are_kept_when_an_evaluation_is_written_again(trained, tmp_path):
    found = trained[0].evaluated("test")
    found.write(tmp_path)
    again = Predictions.read(tmp_path)
    assert again.embeddings.table.columns.equals(found.embeddings.table.columns)
    assert again.embeddings.table.columns.column_names == [
        *("subject", "record", "split", "start", "label")
    ]
    assert np.array_equal(again.probability, found.probability)
    some = found.embeddings.table[np.array([3, 1])]
    assert some.columns["start"].to_pylist() == some.start.tolist()


def test_runs_are_compared_by_all_classes(trained):
    comparison = compare_runs(trained)
    names = [metric.name for metric in comparison.metrics]
    assert {"Balanced accuracy", "open F1", "fist cohesion"} <= set(names)
    assert not any("AF" in name or "SR" in name for name in names)
    at = names.index("Balanced accuracy")
    for column, run in zip(comparison.columns, trained, strict=True):
        expected = Outcome.of_run(run, "test").measured.detection.balanced_accuracy
        assert column.scores[at].mean == expected


def test_other_people_are_judged_and_other_classes_refused(trained, tmp_path):
    split_windows(arrays("uvwxyz", seed=5), counts=(0, 0, 6)).write(tmp_path / "others")
    name, measured, _ = evaluate_external(
        trained[0], tmp_path / "others", device=usable_device("cpu")
    )
    assert len(measured.detection.per_subject) == 6
    assert trained[0].evaluated(name).class_names == NAMES
    two = arrays("uvwxyz", seed=6, names=NAMES[:2])
    split_windows(two, counts=(0, 0, 6)).write(tmp_path / "two")
    with refused(RunError, tmp_path / "two", "rest", "fist", "open"):
        evaluate_external(trained[0], tmp_path / "two", device=usable_device("cpu"))


def test_commands_show_and_embed_them(trained, tmp_path):
    said = pacl("evaluate", trained[0].path).stdout
    assert "windows (rest / fist / open)" in said
    assert "12 / 12 / 12" in said
    assert "Balanced accuracy" in pacl("compare", *(run.path for run in trained)).stdout
    done = pacl("embed", trained[0].path, "--output", tmp_path / "made.npz", "--device=cpu")
    assert done.returncode == 0, done.stderr
    made = np.load(tmp_path / "made.npz")
    assert made["probability"].shape == (180, 3)
