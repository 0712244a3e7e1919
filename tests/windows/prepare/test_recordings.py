import numpy as np
import pytest

from pacl.windows import ArrayKeys, WindowSetError
from pacl.windows.prepare.recordings import ArrayFile, array_files
from support.array_sets import write_recording
from support.refusals import refused


def read(path, **keys):
    return ArrayFile.read(path, path.stem, ArrayKeys(**keys))


def spans(file: ArrayFile) -> list[tuple[str, str, int, int]]:
    return [(s.subject, s.record, s.start, len(s.signal)) for s in file.stretches()]


def test_a_file_is_one_recording_of_the_subject_it_is_named_after(tmp_path):
    given = write_recording(tmp_path / "ann.npz")
    file = read(tmp_path / "ann.npz")
    assert spans(file) == [("ann", "ann", 0, 300)]
    assert np.array_equal(file.signal, given["signal"])
    assert np.array_equal(
        np.array(file.labels.names)[file.labels.codes].astype(int), given["labels"]
    )


def test_arrays_are_recognised_by_what_they_look_like(tmp_path):
    more = {
        "signal": None,
        "labels": None,
        "emg": np.zeros((300, 8), np.int8),
        "Take": np.arange(300) // 150,
        "gesture": np.arange(300) // 30,
        "note": np.array({"an": "object"}, dtype=object),
    }
    write_recording(tmp_path / "a.npz", **more)
    file = read(tmp_path / "a.npz")
    assert (file.keys.signal, file.keys.labels, file.keys.record) == ("emg", "gesture", "Take")
    assert spans(file) == [("a", "a-0", 0, 150), ("a", "a-1", 150, 150)]
    assert spans(read(tmp_path / "a.npz", record="", labels="gesture")) == [("a", "a", 0, 300)]


def test_channels_of_one_dimension_are_stacked(tmp_path):
    heart, breath = np.random.default_rng(0).normal(size=(2, 300))
    more = {"signal": None, "heart": heart, "breath": breath, "time_s": np.arange(300) / 4}
    write_recording(tmp_path / "a.npz", **more)
    file = read(tmp_path / "a.npz")
    assert file.keys.channels == ("heart", "breath")
    assert file.step_s == 0.25
    assert np.array_equal(file.signal, np.stack([heart, breath], axis=1))
    assert read(tmp_path / "a.npz", channels=("breath",)).signal.shape == (300, 1)


def test_time_may_be_the_second_axis(tmp_path):
    signal = np.random.default_rng(0).normal(size=(5, 300))
    write_recording(tmp_path / "a.npz", signal=signal)
    assert np.array_equal(read(tmp_path / "a.npz").signal, signal.T)


def test_a_file_may_hold_several_subjects(tmp_path):
    subject = np.repeat([7, 12, 7], 100)
    write_recording(tmp_path / "all.npz", subject=subject, session=np.arange(300) // 250)
    assert spans(read(tmp_path / "all.npz")) == [
        ("7", "all-7-0", 0, 100),
        ("12", "all-12-0", 100, 100),
        ("7", "all-7-0", 200, 50),
        ("7", "all-7-1", 250, 50),
    ]
    write_recording(tmp_path / "one.npz", subject=np.array("bob"))
    assert spans(read(tmp_path / "one.npz")) == [("bob", "one", 0, 300)]


def test_gaps_and_missing_values_end_a_stretch(tmp_path):
    time = np.arange(300.0)
    time[100:] += 0.6
    time[200] = time[199]
    given = write_recording(tmp_path / "a.npz", time=time)
    assert [span[2:] for span in spans(read(tmp_path / "a.npz"))] == [
        (0, 100),
        (100, 100),
        (200, 1),
        (201, 99),
    ]
    given["signal"][[0, 50, 51], [0, 1, 0]] = np.nan
    np.savez(tmp_path / "a.npz", **given)
    file = read(tmp_path / "a.npz", time="")
    assert [span[2:] for span in spans(file)] == [(1, 49), (52, 248)]
    assert np.count_nonzero(~file.good) == 3


@pytest.mark.parametrize(
    ("more", "keys", "facts"),
    [
        ({}, {"labels": "stage"}, ["no array stage", "signal float64[300, 2]"]),
        ({"labels": None}, {}, ["0 arrays could be the labels", "--arrays.labels"]),
        ({"labels": None, "a": np.arange(300), "b": np.arange(300)}, {}, ["2 arrays"]),
        ({"signal": None}, {}, ["0 arrays could be the signal", "--arrays.channels"]),
        ({"signal": None, "p": np.ones((300, 2)), "q": np.ones((300, 2))}, {}, ["2 arrays"]),
        ({}, {"signal": "signal", "channels": ("labels",)}, ["both"]),
        ({"signal": np.ones((299, 2))}, {}, ["signal", "(299, 2)", "300"]),
        ({"subject": np.ones(10, int)}, {}, ["subject", "(10,)", "300"]),
        ({"time": np.zeros(300)}, {}, ["time", "rise"]),
        ({"labels": np.full(300, 0.5)}, {}, ["labels", "float64"]),
    ],
)
def test_files_that_cannot_be_cut(tmp_path, more, keys, facts):
    write_recording(tmp_path / "a.npz", **more)
    with refused(WindowSetError, tmp_path / "a.npz", *facts):
        read(tmp_path / "a.npz", **keys)


def test_files_are_found_below_a_folder(tmp_path):
    write_recording(tmp_path / "b" / "x.npz")
    write_recording(tmp_path / "a.npz")
    (tmp_path / "c.txt").write_text("nothing")
    assert list(array_files(tmp_path)) == ["a", "b/x"]
    assert list(array_files(tmp_path / "b" / "x.npz")) == ["x"]
    (tmp_path / "bad.npz").write_bytes(b"no archive")
    with refused(WindowSetError, tmp_path / "bad.npz"):
        read(tmp_path / "bad.npz")
    (tmp_path / "empty").mkdir()
    with refused(WindowSetError, tmp_path / "empty", ".npz"):
        array_files(tmp_path / "empty")
