import numpy as np
import pytest

from pacl.window_sets import audit_folder
from pacl.windows import (
    ArrayCut,
    ArrayKeys,
    ArrayScale,
    LeakError,
    Split,
    WindowSet,
    WindowSetError,
    prepare_arrays,
    split_units,
)
from support.array_sets import write_recording
from support.in_process import pacl
from support.refusals import refused

CUT = ArrayCut(length=10, stride=5)


@pytest.fixture
def source(tmp_path):
    for number in range(6):
        write_recording(tmp_path / "in" / f"subject{number}.npz", seed=number)
    return tmp_path / "in"


def test_windows_are_the_samples_they_say(source, tmp_path):
    made = prepare_arrays(source, tmp_path / "w", cut=CUT)
    found = WindowSet.open(tmp_path / "w")
    assert (made.windows, made.subjects, made.records) == (len(found), 6, 6)
    assert [one for one in made.findings if one.serious] == []
    assert found.count().keys() == {"train", "validation", "test"}
    for row in (0, 7, len(found) - 1):
        with np.load(source / f"{found.table.subject.to_list()[row]}.npz") as arrays:
            inside = slice(found.table.start[row], found.table.start[row] + 10)
            assert np.array_equal(
                found.take(np.array([row]))[0], arrays["signal"][inside].T.astype(np.float32)
            )
            assert set(arrays["labels"][inside]) == {found.table.labels[row]}
    assert found.manifest["dropped"] == {"windows of several classes": 6 * 5}
    assert found.manifest["read_as"]["signal"] == "signal"
    assert (tmp_path / "w" / "split.json").exists()


@pytest.mark.parametrize("pending", [0, 2**20])
def test_a_subject_is_scaled_by_the_reference_of_all_its_recordings(
    source, tmp_path, monkeypatch, pending
):
    monkeypatch.setattr("pacl.windows.prepare.scale.PENDING_BYTES", pending)
    subject = {"subject": np.array("same"), "offset": np.array(1.0)}
    write_recording(source / "subject0.npz", seed=0, **subject)
    write_recording(source / "subject1.npz", seed=1, **subject)
    scale = ArrayScale("reference", "calm")
    cut = ArrayCut(length=10, classes=("1=calm", "0", "2"))
    prepare_arrays(source, tmp_path / "w", cut=cut, scale=scale)
    found = WindowSet.open(tmp_path / "w")
    arrays = [np.load(source / f"subject{number}.npz") for number in (0, 1)]
    calm = np.concatenate([one["signal"][one["labels"] == 1] for one in arrays])
    low, centre, high = np.quantile(calm.astype(np.float32), (0.25, 0.5, 0.75), axis=0)
    row = int(np.flatnonzero(found.table.subject.is_("same"))[3])
    start = found.table.start[row]
    signal = arrays[0]["signal"][start : start + 10]
    expected = ((signal - centre) / (high - low)).T
    assert np.allclose(found.take(np.array([row]))[0], expected, rtol=1e-5, atol=1e-6)
    assert found.class_names == ("calm", "0", "2")


def test_or_by_all_samples_of_a_recording(source, tmp_path):
    prepare_arrays(source, tmp_path / "w", cut=CUT, scale=ArrayScale("all", per="record"))
    found = WindowSet.open(tmp_path / "w")
    x = found.take(np.flatnonzero(found.table.subject.is_("subject0")))
    assert np.abs(np.median(x, axis=(0, 2))).max() < 0.1
    assert np.all(np.quantile(x, 0.75, axis=(0, 2)) - np.quantile(x, 0.25, axis=(0, 2)) < 1.2)


def test_a_subject_without_the_reference_is_left_out_by_name(source, tmp_path):
    write_recording(source / "none.npz", labels=np.arange(300) // 150)
    flat = write_recording(source / "flat.npz")
    flat["signal"][flat["labels"] == 2] = 1.0
    np.savez(source / "flat.npz", **flat)
    made = prepare_arrays(source, tmp_path / "w", cut=CUT, scale=ArrayScale("reference", "2"))
    left = {one["name"]: one["why"] for one in WindowSet.open(tmp_path / "w").manifest["left_out"]}
    assert left.keys() == {"none", "flat"}
    assert "0 samples" in left["none"]
    assert "IQR of channel 0 is 0" in left["flat"]
    assert made.subjects == 6


def test_the_first_samples_of_the_reference_can_be_held_out(source, tmp_path):
    scale = ArrayScale("reference", "0", reference_samples=30)
    prepare_arrays(source, tmp_path / "w", cut=CUT, scale=scale)
    found = WindowSet.open(tmp_path / "w")
    assert found.table.start.min() == 30
    assert found.manifest["dropped"]["windows with samples that the scale was fitted on"] == 36
    with np.load(source / "subject0.npz") as arrays:
        low, centre, high = np.quantile(arrays["signal"][:30], (0.25, 0.5, 0.75), axis=0)
        expected = ((arrays["signal"][30:40] - centre) / (high - low)).T
    row = int(np.flatnonzero(found.table.subject.is_("subject0"))[0])
    assert np.allclose(found.take(np.array([row]))[0], expected, rtol=1e-4, atol=1e-5)


def test_every_sample_keeps_its_label(source, tmp_path):
    prepare_arrays(source, tmp_path / "w", cut=ArrayCut(length=100, mixed="per-sample"))
    found = WindowSet.open(tmp_path / "w")
    assert found.table.per_sample
    start = found.table.start[1]
    assert found.table.labels[1].tolist() == (np.arange(start, start + 100) // 50 % 3).tolist()
    assert len(found) == 30
    assert audit_folder(tmp_path / "w") == ()


def test_nothing_is_written_if_it_would_leak(source, tmp_path):
    write_recording(source / "copy.npz", seed=0)  # the samples of subject0

    def divide(groups, subject_of):
        part = dict.fromkeys(groups, "train") | {"copy": "test", "subject1": "test"}
        return Split("subject", part, "by hand")

    with refused(LeakError, "duplicate-window", "copy", "subject0"):
        prepare_arrays(source, tmp_path / "w", cut=CUT, divide=divide)
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


@pytest.mark.parametrize(
    ("settings", "facts"),
    [
        ({"cut": ArrayCut(length=400)}, ["no window of 400", "6 x stretches shorter"]),
        ({"cut": ArrayCut(length_s=1.0)}, ["length_s", "sampling_hz"]),
        ({"cut": ArrayCut(classes=("9",))}, ["class 9", "0, 1, 2"]),
        ({"cut": CUT, "scale": ArrayScale("reference", "9")}, ["'9'", "0, 1, 2"]),
        ({"cut": CUT, "keys": ArrayKeys(labels="stage")}, ["stage", "subject0.npz"]),
        (
            {
                "cut": CUT,
                "divide": lambda groups, _: split_units(
                    {"subject0": "a"}, seed=0, counts=(1, 0, 0)
                ),
            },
            ["the split lacks", "subjects"],
        ),
    ],
)
def test_settings_that_do_not_fit_the_files(source, tmp_path, settings, facts):
    with refused(WindowSetError, *facts):
        prepare_arrays(source, tmp_path / "w", **settings)
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def test_files_of_other_channels_are_refused(source, tmp_path):
    write_recording(source / "wide.npz", channels=3)
    with refused(WindowSetError, "wide.npz", "3 channels", "subject0.npz has 2"):
        prepare_arrays(source, tmp_path / "w", cut=CUT)


@pytest.mark.parametrize(
    ("values", "fact"),
    [
        ({"by": "reference"}, "reference is None"),
        ({"reference": "rest"}, "'rest'"),
        ({"reference_samples": 5}, "5"),
        ({"by": "reference", "reference": "rest", "reference_samples": 1}, "1"),
    ],
)
def test_scales_that_cannot_be(values, fact):
    with refused(WindowSetError, fact):
        ArrayScale(**values)


def test_the_command_prepares_arrays(source, tmp_path):
    flags = ["--arrays.length", "10", "--arrays.reference", "rest"]
    flags += ["--arrays.classes", "0=rest", "1=walk", "--split.folds", "3", "-o", tmp_path / "w"]
    done = pacl("prepare", source, "--layout", "arrays", *flags, "--quiet")
    assert done.returncode == 0, done.stderr
    assert "read as: signal signal; labels labels" in done.stdout
    assert "windows of 6 subjects, 6 records" in done.stdout
    assert "windows with a class that is not used" in done.stdout
    found = WindowSet.open(tmp_path / "w")
    assert found.class_names == ("rest", "walk")
    assert found.manifest["scale"]["by"] == "reference"
    assert "fold 0 of 3" in found.manifest["split"]["origin"]
    (tmp_path / "c.toml").write_text('[arrays]\nlength = 20\nmixed = "majority"\n')
    toml = pacl(
        "prepare", source / "subject0.npz", "--config", tmp_path / "c.toml", "--print-config"
    )
    assert '"mixed": "majority"' in toml.stdout


@pytest.mark.parametrize(
    ("flags", "facts"),
    [
        (["--layout", "arrays", "--protocol", "pooled"], ["protocol", "arrays"]),
        (["--layout", "arrays", "--unit", "ms"], ["unit", "arrays"]),
        (["--arrays.length", "10"], ["arrays", "--layout arrays"]),
        (["--layout", "arrays", "--arrays.length", "0"], ["arrays.length"]),
    ],
)
def test_settings_of_another_kind_are_refused(source, tmp_path, flags, facts):
    done = pacl("prepare", source, "-o", tmp_path / "w", *flags)
    assert done.returncode != 0
    for fact in facts:
        assert fact in done.stderr
    assert not (tmp_path / "w").exists()


def test_other_commands_do_not_read_arrays(source):
    done = pacl("inspect", source, "--layout", "arrays")
    assert done.returncode != 0
    assert "pacl prepare" in done.stderr


@pytest.mark.real
def test_gestures_of_real_people(data, tmp_path):
    for name in ("10000", "12378", "19999"):
        with np.load(data / "myo-emg" / f"subject-{name}.npz") as arrays:
            few = {key: arrays[key][:24000] for key in arrays}
        (tmp_path / "in").mkdir(exist_ok=True)
        np.savez(tmp_path / "in" / f"subject-{name}.npz", **few)
    made = prepare_arrays(
        tmp_path / "in",
        tmp_path / "w",
        cut=ArrayCut(length=40, stride=20, classes=("0=rest", "1")),
        scale=ArrayScale("reference", "rest"),
        allow=["class-missing"],
    )
    found = WindowSet.open(tmp_path / "w")
    assert (made.subjects, found.channels, found.length) == (3, 8, 40)
    rest = found.take(np.flatnonzero(found.table.labels == 0))
    assert np.abs(np.median(rest, axis=(0, 2))).max() < 0.2


@pytest.mark.real
def test_stress_of_real_people_in_one_file(data, tmp_path):
    made = prepare_arrays(
        data / "stress" / "stress-predict.npz",
        tmp_path / "w",
        cut=ArrayCut(length_s=60.0, stride_s=30.0),
        scale=ArrayScale("reference", "0"),
    )
    found = WindowSet.open(tmp_path / "w")
    assert (made.subjects, found.channels, found.length) == (34, 2, 60)
    assert found.sampling_hz == 1
    assert [one for one in made.findings if one.serious] == []


def test_a_file_without_samples_is_named(source, tmp_path):
    np.savez(source / "empty.npz", signal=np.zeros((0, 3)), gesture=np.zeros(0, int))
    with refused(WindowSetError, "empty.npz", "no sample"):
        prepare_arrays(source, tmp_path / "windows", cut=ArrayCut(length=20, stride=20))
    assert not (tmp_path / "windows").exists()
