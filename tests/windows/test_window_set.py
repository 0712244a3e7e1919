from pathlib import Path

import numpy as np
import pytest
import torch

from pacl.atomic_write import TargetError
from pacl.training import LabelledWindows, SubjectSampler
from pacl.window_sets import divide_again, divide_folds, is_window_set, open_windows
from pacl.windows import (
    LeakError,
    Rows,
    Split,
    Windows,
    WindowSet,
    WindowSetError,
    WindowTable,
    WindowTensors,
    fold_windows,
    split_windows,
    strata,
)
from support.array_sets import CLASSES, made_arrays, made_set
from support.refusals import refused


def test_arrays_come_back_as_they_were_given():
    given = made_arrays()
    windows = made_set(sampling_hz=50.0)
    assert np.array_equal(windows.take(), given["x"])
    assert windows.class_names == ("rest", "run", "walk")
    names = np.array(windows.class_names)
    assert names[windows.table.labels].tolist() == given["labels"].tolist()
    for column in ("subject", "record", "split"):
        key = column if column == "split" else f"{column}s"
        assert getattr(windows.table, column).to_list() == given[key].tolist()
    assert windows.table.start.tolist() == given["start"].tolist()
    assert (windows.length, windows.channels, windows.sampling_hz) == (10, 2, 50)
    assert windows.safe
    assert "36 windows" in repr(windows)


def test_they_are_windows_as_training_takes_them():
    windows = made_set()
    assert isinstance(windows, Windows)
    assert isinstance(windows.table, Rows)
    assert isinstance(windows.tensors(), WindowTensors)
    train = windows.part("train")
    sampler = SubjectSampler.of(
        train, generator=np.random.default_rng(0), subjects_per_batch=2, windows_per_class=2
    )
    batch = LabelledWindows.of(train).take(torch.from_numpy(sampler.epoch_rows()[0]))
    assert batch.windows.shape == (12, 2, 10)


def test_integers_keep_their_order():
    windows = made_set(subjects=np.arange(36) // 6 * 3 + 2, labels=np.arange(36) % 3 * 5)
    assert windows.table.subject.names == ("2", "5", "8", "11", "14", "17")
    assert windows.class_names == ("0", "5", "10")
    assert windows.table.labels.tolist() == (np.arange(36) % 3).tolist()


def test_integer_labels_count_the_class_names():
    windows = made_set(labels=np.arange(36) % 2, class_names=CLASSES)
    assert windows.class_names == CLASSES
    assert windows.count()["test"] == {"rest": 6, "walk": 6, "run": 0}
    assert made_set(class_names=CLASSES).class_names == CLASSES


@pytest.mark.parametrize("kind", [list, np.asarray, lambda x: np.array(x, dtype=object)])
def test_names_may_be_lists_or_objects(kind):
    given = made_arrays()
    windows = made_set(subjects=kind(given["subjects"].tolist()))
    assert windows.table.subject.to_list() == given["subjects"].tolist()


def test_two_dimensions_are_one_channel():
    windows = made_set(x=made_arrays()["x"][:, 0])
    assert windows.take().shape == (36, 1, 10)
    rows = torch.tensor([[0, 1], [2, 3]])
    assert windows.tensors().take(rows).shape == (2, 2, 10)
    assert made_set().tensors().take(rows).shape == (2, 2, 2, 10)


def test_what_is_not_given_has_a_default():
    given = made_arrays()
    windows = WindowSet.from_arrays(given["x"], ["one"] * 36, given["subjects"])
    assert windows.count() == {"all": {"one": 36}}
    assert windows.table.record.to_list() == given["subjects"].tolist()
    assert windows.table.start[:7].tolist() == [0, 10, 20, 30, 40, 50, 0]


@pytest.mark.parametrize(
    ("wrong", "facts"),
    [
        ({"x": np.zeros((36, 2, 10, 1))}, ["(36, 2, 10, 1)"]),
        ({"x": np.zeros((0, 2, 10))}, ["(0, 2, 10)"]),
        ({"x": np.full((36, 2, 10), "a")}, ["<U1"]),
        ({"labels": ["rest"] * 35}, ["(35,)", "36"]),
        ({"labels": np.zeros((36, 9), int)}, ["(36, 9)", "10"]),
        ({"labels": np.full(36, 0.5)}, ["labels", "float64"]),
        ({"labels": np.full(36, 3), "class_names": CLASSES}, ["class 3", "3 class names"]),
        ({"labels": ["swim"] * 36, "class_names": CLASSES}, ["swim", "rest, walk, run"]),
        ({"class_names": ("a", "a")}, ["class_names"]),
        ({"subjects": ["a"] * 35}, ["35 subjects", "36"]),
        ({"subjects": ["a"] * 35 + [""]}, ["window 35", "subjects"]),
        ({"subjects": np.zeros((36, 2), int)}, ["subjects", "(36, 2)"]),
        ({"records": [1.5] * 36}, ["records"]),
        ({"split": ["train"] * 3}, ["3 split"]),
        ({"start": np.zeros(36)}, ["start", "float64"]),
        ({"sampling_hz": 0.0}, ["sampling_hz is 0"]),
    ],
)
def test_arrays_that_do_not_fit(wrong, facts):
    with refused(WindowSetError, *facts):
        made_set(**wrong)


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e39])
def test_values_that_are_no_numbers(value):
    x = made_arrays()["x"].astype(np.float64)
    x[13, 1, 4] = value
    with refused(WindowSetError, "window 13", "subject 2", "channel 1", "sample 4"):
        made_set(x=x)


def test_parts_and_selections_share_the_windows():
    windows = made_set()
    train = windows.part("train")
    assert np.shares_memory(train.x, windows.x)
    assert train.table.split.names == ("train",)
    expected = made_arrays()["x"][np.arange(36) // 6 % 3 == 0]
    assert np.array_equal(train.take(), expected)
    assert np.array_equal(train.select(np.array([3, 1])).take(), expected[[3, 1]])
    assert np.array_equal(train.take(np.array([2])), expected[[2]])
    assert np.array_equal(train.tensors().x.numpy(), expected)
    with refused(WindowSetError, "'exam'", "test, train, validation"):
        windows.part("exam")


def test_tensors_are_joined():
    one, other = made_set().part("train").tensors(), made_set().part("test").tensors()
    assert torch.equal(one.join([other]).x, torch.cat([one.x, other.x]))


def sample_labels() -> np.ndarray:
    labels = np.zeros((36, 10), dtype=np.int64)
    labels[1] = 2
    labels[2, :6] = 1
    labels[3, :5] = 1
    return labels


def test_labels_of_samples_become_labels_of_windows():
    windows = made_set(labels=sample_labels(), class_names=CLASSES)
    assert np.array_equal(windows.table.labels, sample_labels())
    assert windows.count()["train"] == {"rest": 11, "walk": 2, "run": 1}
    dropped = windows.with_window_labels()
    assert len(dropped) == 34
    assert dropped.table.labels[:3].tolist() == [0, 2, 0]
    assert np.array_equal(dropped.take()[2], windows.take()[4])
    assert windows.with_window_labels("majority").table.labels[:5].tolist() == [0, 2, 1, 0, 0]
    assert dropped.with_window_labels() is dropped


@pytest.mark.parametrize("per_sample", [False, True])
def test_a_set_is_read_as_it_was_written(tmp_path, per_sample):
    more = {"labels": sample_labels(), "class_names": CLASSES} if per_sample else {}
    windows = made_set(**more, sampling_hz=200.0)
    windows = windows.select(np.arange(len(windows))[::-1])  # in another order than x has
    allow = ["class-missing"] if per_sample else []
    findings = windows.write(tmp_path / "w", allow=allow)
    assert bool([one for one in findings if one.serious]) is per_sample
    found = open_windows(tmp_path / "w")
    assert isinstance(found, WindowSet)
    assert isinstance(found.x, np.memmap)
    assert np.array_equal(found.take(), windows.take())
    assert np.array_equal(found.table.labels, windows.table.labels)
    for column in ("subject", "record", "split"):
        mine, theirs = getattr(found.table, column), getattr(windows.table, column)
        assert mine.to_list() == theirs.to_list()
    assert found.class_names == windows.class_names
    assert found.sampling_hz == 200
    assert found.safe is not per_sample
    assert sorted(path.name for path in (tmp_path / "w").iterdir()) == sorted(
        ["manifest.json", "windows.parquet", "x.npy", *(["labels.npy"] if per_sample else [])]
    )


def test_nothing_is_overwritten_and_nothing_half_written(tmp_path):
    made_set().write(tmp_path / "w")
    with refused(TargetError, tmp_path / "w"):
        made_set().write(tmp_path / "w")
    leaking = made_set(split=["train", "test"] * 18)
    with refused(LeakError, "subject-in-two-parts", "--allow"):
        leaking.write(tmp_path / "leaks")
    assert [path.name for path in tmp_path.iterdir()] == ["w"]


def test_changed_files_are_refused(tmp_path):
    made_set().write(tmp_path / "w")
    path = tmp_path / "w" / "x.npy"
    path.write_bytes(path.read_bytes()[:-1] + b"!")
    with refused(WindowSetError, "x.npy"):
        WindowSet.open(tmp_path / "w")


@pytest.mark.parametrize("stated", ["pacl windows 1", "pacl windows 3", None])
def test_another_format_is_named(tmp_path, stated):
    made_set().write(tmp_path / "w")
    path = tmp_path / "w" / "manifest.json"
    text = path.read_text()
    path.write_text(text.replace('"pacl windows 2"', f'"{stated}"' if stated else "null"))
    with refused(WindowSetError, tmp_path / "w", *([stated] if stated else [])):
        WindowSet.open(tmp_path / "w")
    assert is_window_set(tmp_path / "w") is (stated == "pacl windows 1")


def test_a_folder_without_windows(tmp_path):
    assert not is_window_set(tmp_path)
    with refused(WindowSetError, tmp_path, "pacl prepare"):
        open_windows(tmp_path)


def test_a_table_is_read_as_it_was_written(tmp_path):
    table = made_set().table
    table.write(tmp_path / "t.parquet", score=np.arange(36.0))
    found = WindowTable.read(tmp_path / "t.parquet", rows=36)
    assert found.subject.to_list() == table.subject.to_list()
    assert np.array_equal(found.labels, table.labels)
    with refused(WindowSetError, 36, 35, "t.parquet"):
        WindowTable.read(tmp_path / "t.parquet", rows=35)


def test_subjects_are_divided_by_the_classes_they_have():
    labels = np.array(["rest", "walk"])[np.arange(36) % 2]
    labels[:18] = "rest"
    windows = made_set(labels=labels)
    groups = strata(windows.table, windows.class_names)
    assert set(groups.values()) == {"rest", "rest+walk"}
    divided = split_windows(windows, seed=3, counts=(1, 1, 1))
    for part in ("train", "validation", "test"):
        mine = divided.part(part).table.subject.present()
        assert len(mine) == 2
        assert {groups[who] for who in mine} == {"rest", "rest+walk"}
    assert divided.manifest["split"]["safe"]
    again = split_windows(windows, seed=3, counts=(1, 1, 1))
    assert again.table.split.to_list() == divided.table.split.to_list()


def test_each_subject_is_tested_in_one_fold():
    windows = made_set()
    tested = [
        fold_windows(windows, folds=3, fold=fold).part("test").table.subject.present()
        for fold in range(3)
    ]
    assert sorted(sum(tested, ())) == list(windows.table.subject.present())


@pytest.mark.parametrize("per_sample", [False, True])
def test_folders_are_divided_without_copying(tmp_path, per_sample):
    more = {"labels": np.arange(360).reshape(36, 10) % 3} if per_sample else {}
    made_set(**more).write(tmp_path / "w")
    folds = divide_folds(tmp_path / "w", tmp_path / "folds", folds=3, seed=1)
    assert divide_folds(tmp_path / "w", tmp_path / "folds", folds=3, seed=1) == folds
    first = open_windows(folds[0])
    assert np.array_equal(first.take(), made_set().take())
    assert first.table.per_sample is per_sample
    assert (folds[0] / "x.npy").samefile(tmp_path / "w" / "x.npy")
    with refused(WindowSetError, "fold 0"):
        divide_folds(tmp_path / "w", tmp_path / "folds", folds=3, seed=2)
    few = Split("subject", {"subject 1": "train"}, "by hand")
    with refused(WindowSetError, 30, "by hand"):
        divide_again(tmp_path / "w", tmp_path / "few", few)


def test_a_split_of_records_is_marked(tmp_path):
    made_set().write(tmp_path / "w")
    parts = {one: "train" if one[-1] == "0" else "test" for one in made_arrays()["records"]}
    split = Split("record", {str(key): part for key, part in parts.items()}, "by hand")
    with refused(LeakError, "unsafe-split", "subject-in-two-parts"):
        divide_again(tmp_path / "w", tmp_path / "d", split)
    allow = ["unsafe-split", "subject-in-two-parts"]
    divide_again(tmp_path / "w", tmp_path / "d", split, allow=allow)
    assert open_windows(tmp_path / "d").safe is False


def test_mapped_arrays_are_not_copied(tmp_path: Path):
    np.save(tmp_path / "x.npy", made_arrays()["x"])
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    assert np.shares_memory(made_set(x=mapped).x, mapped)
