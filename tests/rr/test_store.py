import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pacl.records import Rhythm
from pacl.rr import RRWindowSet, audit_folder
from pacl.window_sets import is_window_set
from pacl.windows import WindowSetError
from support.mutate import damaged
from support.refusals import refused
from support.window_sets import make_set

FILES = (
    "manifest.json",
    "windows.parquet",
    "scale.parquet",
    "rr_ms.npy",
    "raw_index.npy",
    "beat_rhythm.npy",
)


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "windows"
    path.mkdir()
    make_set().write(path)
    return path


def test_round_trip(folder):
    made, found = make_set(), RRWindowSet.open(folder)
    assert sorted(path.name for path in folder.iterdir()) == sorted(FILES)
    for name in ("rr_ms", "raw_index", "beat_rhythm"):
        assert np.array_equal(getattr(found, name), getattr(made, name))
        assert getattr(found, name).dtype == getattr(made, name).dtype
    assert np.array_equal(found.windows(), made.windows())
    assert found.scale_beats.record == made.scale_beats.record
    assert found.scale_beats.start.tolist() == made.scale_beats.start.tolist()
    assert found.scale_beats.stop.tolist() == made.scale_beats.stop.tolist()
    own = {"files": {}, "digest": ""}
    assert {**found.manifest, **own} == {**made.manifest, **own}
    assert found.window_beats == made.window_beats == 8
    assert found.count() == made.count()


def test_beats_are_mapped_and_cannot_be_changed(folder):
    found = RRWindowSet.open(folder)
    for array in (found.rr_ms, found.raw_index, found.beat_rhythm):
        assert isinstance(array, np.memmap)
        with refused(ValueError, "read-only"):
            array[0] = 1


def test_the_same_set_is_the_same_bytes(folder, tmp_path):
    again = tmp_path / "again"
    again.mkdir()
    RRWindowSet.open(folder).write(again)
    for name in FILES:
        assert (again / name).read_bytes() == (folder / name).read_bytes(), name


def test_windows_scaled_by_their_own_scale_or_in_ms():
    made = make_set()
    rows = np.array([7, 0, 3])
    in_ms = made.windows(rows, scaled=False)
    scaled = made.windows(rows)
    for row, at in enumerate(rows.tolist()):
        start = made.table.start[at]
        assert in_ms[row].tolist() == made.rr_ms[start : start + 8].tolist()
        np.testing.assert_allclose(
            scaled[row],
            (in_ms[row].astype(float) - made.table.centre_ms[at]) / made.table.scale_ms[at],
            rtol=1e-4,
            atol=1e-4,
        )
    assert made.windows().shape == (len(made), 8)


def test_scaled_beats_have_no_ms():
    made = make_set()
    scaled = replace(made, manifest={**made.manifest, "scaled": True, "source": "test.h5"})
    assert np.array_equal(scaled.windows(), made.windows())
    with pytest.raises(WindowSetError) as caught:
        scaled.windows(scaled=False)
    assert str(caught.value) == (
        "test.h5: its beats came already scaled, their ms are not known; ask for scaled windows, "
        "or prepare the recordings themselves"
    )


def test_counts():
    made = make_set(patients=3, records=1)
    count = made.count()
    assert list(count) == ["test", "train", "validation"]
    assert sum(sum(kinds.values()) for kinds in count.values()) == len(made)
    mine = made.table.split.is_("train")
    assert count["train"] == {
        "SR": int(np.sum(made.table.rhythm[mine] == Rhythm.SR)),
        "AF": int(np.sum(made.table.rhythm[mine] == Rhythm.AF)),
    }


@pytest.mark.parametrize("part", ["train", "validation", "test"])
def test_a_part_cannot_reach_the_others(part):
    made = make_set()
    held = made.part(part)
    assert 0 < len(held) < len(made)
    assert np.array_equal(held.windows(), made.windows(made.table.split.is_(part)))
    assert held.table.split.names == (part,)
    assert list(held.count()) == [part]
    others = {"train", "validation", "test"} - {part}
    everyone = made.table.patient
    for other in others:
        with refused(WindowSetError, f"'{other}'", part):
            held.part(other)
        strangers = set(everyone[made.table.split.is_(other)].present())
        assert not strangers & set(held.table.patient.present())
    covered = {beat for start in held.table.start for beat in range(start, start + 8)}
    for start in made.table.start[~made.table.split.is_(part)].tolist():
        assert not covered & set(range(start, start + 8))


def test_select():
    made = make_set()
    found = made.select(made.table.rhythm == Rhythm.AF)
    assert set(found.table.rhythm.tolist()) == {Rhythm.AF}
    assert found.rr_ms is made.rr_ms


def test_a_set_that_was_allowed_to_leak_says_so():
    made = make_set(patients=3)
    assert made.safe
    assert repr(made) == f"RRWindowSet({len(made)} windows of 8 beats, 3 patients)"
    unsafe = replace(made, manifest={**made.manifest, "allowed": ["duplicate-window"]})
    assert not unsafe.safe
    assert repr(unsafe).endswith("3 patients, UNSAFE: duplicate-window)")
    assert not unsafe.part("train").safe


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file(folder, name):
    (folder / name).unlink()
    with refused(WindowSetError, name) as caught:
        RRWindowSet.open(folder)
    assert str(folder) in str(caught.value)


@pytest.mark.parametrize("name", FILES)
def test_an_empty_or_cut_file(folder, name):
    content = (folder / name).read_bytes()
    for size in (0, 5, len(content) // 2, len(content) - 1 - (name == "manifest.json")):
        (folder / name).write_bytes(content[:size])
        with pytest.raises(WindowSetError):
            RRWindowSet.open(folder)


@pytest.mark.parametrize("name", FILES)
def test_damage_is_refused_or_harmless(folder, name):
    """Whatever bytes change, a set opens and can be used, or is refused as what it is."""
    content = (folder / name).read_bytes()
    refused = 0
    for changed in damaged(content, cases=40, seed=len(content)):
        (folder / name).write_bytes(changed)
        try:
            found = RRWindowSet.open(folder, verify=False)
        except WindowSetError:
            refused += 1
            continue
        assert found.windows(scaled=False).shape == (len(found), found.window_beats)
    assert refused >= 5


def change(folder, **values):
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest.update(values)
    kept = {key: value for key, value in manifest.items() if value is not None}
    (folder / "manifest.json").write_text(json.dumps(kept))


@pytest.mark.parametrize(
    ("values", "facts"),
    [
        ({"format": "pacl windows 0"}, ("'pacl windows 0'", "'pacl windows 1'")),
        ({"format": None}, ("manifest.json", "None")),
        ({"window_beats": None}, ("manifest.json", "window_beats missing")),
        ({"allowed": None, "windows": None}, ("windows, allowed missing",)),
        ({"window_beats": "eight"}, ("window_beats", "'eight'")),
        ({"window_beats": 0}, ("window_beats: 0",)),
        ({"window_beats": 10_000}, ("prepare the window set again",)),
        ({"windows": 3}, ("windows.parquet", "88 rows", 3)),
    ],
)
def test_a_manifest_that_does_not_fit(folder, values, facts):
    change(folder, **values)
    with refused(WindowSetError, *facts):
        RRWindowSet.open(folder, verify=False)


@pytest.mark.parametrize(
    ("name", "values", "facts"),
    [
        ("rr_ms", np.zeros(5, np.float32), ("raw_index.npy", "(5)")),
        ("raw_index", np.zeros(5, np.int32), ("(5,)",)),
        ("beat_rhythm", np.zeros(5, np.int8), ("(5,)",)),
        ("rr_ms", np.zeros(5), ("rr_ms.npy", "float64", "float32")),
        ("rr_ms", np.zeros((5, 2), np.float32), ("rr_ms.npy", "(5, 2)", "(any)")),
        ("raw_index", np.array(["a"]), ("raw_index.npy", "int32")),
    ],
)
def test_arrays_that_do_not_fit(folder, name, values, facts):
    np.save(folder / f"{name}.npy", values)
    with refused(WindowSetError, *facts):
        RRWindowSet.open(folder, verify=False)


def test_a_window_set_is_known_by_its_manifest(folder, tmp_path):
    assert is_window_set(folder)
    (tmp_path / "other").mkdir()
    assert not is_window_set(tmp_path / "other")
    change(folder, format="pacl windows 0")
    assert not is_window_set(folder)


def test_arrays_of_code_are_not_opened(folder):
    np.save(folder / "rr_ms.npy", np.array([{}], dtype=object), allow_pickle=True)
    with refused(WindowSetError, "pacl prepare"):
        RRWindowSet.open(folder, verify=False)


def test_something_else(tmp_path):
    with refused(WindowSetError, "pacl prepare"):
        RRWindowSet.open(tmp_path)
    for content in ("[]", "3", '"pacl windows 1"', "null"):
        (tmp_path / "manifest.json").write_text(content)
        with refused(WindowSetError, "pacl prepare"):
            RRWindowSet.open(tmp_path)


def test_rows_without_a_patient_or_with_another_label(tmp_path):
    made = make_set()
    codes = made.table.patient.codes.copy()
    codes[3] = -1
    assert not replace(made.table, patient=replace(made.table.patient, codes=codes)).valid
    rhythm = made.table.rhythm.copy()
    rhythm[3] = Rhythm.OTHER
    replace(made, table=replace(made.table, rhythm=rhythm)).write(tmp_path)
    with refused(WindowSetError, tmp_path):
        RRWindowSet.open(tmp_path)


def test_a_table_that_pandas_wrote_is_read_and_told_from_the_one_that_was_written(tmp_path):
    """pandas keeps names as large strings and NaN as nothing; neither is a fault of the set."""
    made = make_set()
    made.write(tmp_path)
    rows = pd.read_parquet(tmp_path / "windows.parquet")
    for name in ("patient", "record", "split"):
        rows[name] = rows[name].astype(str)
    rows.to_parquet(tmp_path / "windows.parquet")
    found = RRWindowSet.open(tmp_path, verify=False)
    assert found.table.patient.to_list() == made.table.patient.to_list()
    assert np.array_equal(found.table.to_onset_s, made.table.to_onset_s, equal_nan=True)
    assert [finding.kind for finding in audit_folder(tmp_path)] == ["changed-file"]
    for name, value in (("start", None), ("rhythm", "AF"), ("patient", 5)):
        broken = rows.astype({name: object})
        broken.loc[3, name] = value
        if name == "patient":
            broken[name] = 5
        if name == "rhythm":
            broken[name] = "AF"
        broken.to_parquet(tmp_path / "windows.parquet")
        with refused(WindowSetError, "windows.parquet"):
            RRWindowSet.open(tmp_path, verify=False)
