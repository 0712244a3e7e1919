"""What `cohort.toml` declares: which file is used, what it changes, and what is refused."""

import pytest

from pacl.records import (
    IridiaReader,
    LayoutError,
    ManifestError,
    ReadOptions,
    Rhythm,
    WfdbReader,
    cohort_manifest,
    manifest_of,
    open_records,
    without_manifest,
)
from support.iridia import write_metadata, write_record
from support.mit import annotation_file
from support.refusals import refused

BEATS = [(1000 * second, "N", "") for second in range(1, 6)]
LATE = sorted([*BEATS, (2500, "+", "(AFIB")])
"""Two beats before the first mark."""
ODD = sorted([*BEATS, (500, "+", "(WHAT")])


def write_folder(folder, **marks):
    """Records without any mark, but for those given."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("data_1_1", "data_1_2", "data_22_1"):
        found = marks.get(name, BEATS)
        (folder / f"{name}.atr").write_bytes(annotation_file(found, fs=1000))
    return folder


def declare(folder, text, name="cohort.toml"):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    return folder / name


def rhythms(reader):
    return {name: set(reader.read(name).rhythm().tolist()) for name in reader.record_ids}


def patients(reader):
    return {name: reader.read(name).patient_id for name in reader.record_ids}


# What it changes


def test_records_without_any_mark_get_the_rhythm_and_no_others(tmp_path):
    folder = write_folder(tmp_path, data_1_2=LATE, data_22_1=ODD)
    declare(folder, 'unmarked = "SR"')
    reader = open_records(folder)
    assert rhythms(reader) == {
        "data_1_1": {Rhythm.SR},
        "data_1_2": {Rhythm.UNKNOWN, Rhythm.AF},
        "data_22_1": {Rhythm.OTHER},
    }
    assert reader.filled == {"data_1_1"}


def test_a_label_that_says_unknown_is_a_label(tmp_path):
    (tmp_path / "said.csv").write_text("rr,rhythm\n800,unknown\n810,unknown\n")
    (tmp_path / "empty.csv").write_text("rr,rhythm\n800,\n810,\n")
    declare(tmp_path, 'unmarked = "AF"')
    assert rhythms(open_records(tmp_path)) == {"said": {Rhythm.UNKNOWN}, "empty": {Rhythm.AF}}


def test_the_patient_is_the_group_of_the_pattern_and_single_records_win(tmp_path):
    folder = write_folder(tmp_path)
    declare(folder, "patient = '(data_\\d+)_\\d+'\n[patients]\ndata_22_1 = 'data_1'")
    assert set(patients(open_records(folder)).values()) == {"data_1"}
    declare(folder, "patient = '(data_\\d+)_\\d+'")
    assert patients(open_records(folder))["data_22_1"] == "data_22"
    declare(folder, "[patients]\ndata_1_2 = 'data_1_1'")
    assert patients(open_records(folder)) == {
        "data_1_1": "data_1_1",
        "data_1_2": "data_1_1",
        "data_22_1": "data_22_1",
    }


def test_patients_of_the_command_line_win_and_the_rest_is_applied(tmp_path):
    folder = write_folder(tmp_path / "folder")
    declare(folder, "unmarked = 'SR'\npatient = '(no record is like this)'")
    rows = [f"{name},anna" for name in ("data_1_1", "data_1_2", "data_22_1")]
    (tmp_path / "map.csv").write_text("\n".join(["record_id,patient_id", *rows]))
    reader = open_records(folder, ReadOptions(patients=tmp_path / "map.csv"))
    assert set(patients(reader).values()) == {"anna"}
    assert rhythms(reader)["data_1_1"] == {Rhythm.SR}


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("name = 'x'", False),
        ("unmarked = 'SR'", True),
        ("unmarked = 'AF'", True),
        ("[patients]\ndata_1_1 = 'data_1_1'", False),
        ("[patients]\ndata_1_1 = 'anna'", True),
    ],
)
def test_a_digest_changes_where_the_record_does(tmp_path, text, changed):
    folder = write_folder(tmp_path)
    before = open_records(folder).read("data_1_1").digest
    declare(folder, text)
    assert (open_records(folder).read("data_1_1").digest != before) is changed


# Which file is used


def test_a_manifest_elsewhere_names_the_folder_relative_to_itself(tmp_path, monkeypatch):
    write_folder(tmp_path / "data" / "x")
    path = declare(tmp_path / "lists", 'recordings = "../data/x"\nunmarked = "SR"', "x.toml")
    monkeypatch.chdir(tmp_path)
    reader = open_records("lists/x.toml")
    assert rhythms(reader)["data_1_1"] == {Rhythm.SR}
    assert reader.root.samefile(tmp_path / "data" / "x")
    assert manifest_of(reader).path.samefile(path)


def test_a_folder_that_says_where_its_recordings_lie_is_followed(tmp_path):
    write_folder(tmp_path / "records")
    declare(tmp_path, 'recordings = "records"')
    assert open_records(tmp_path).record_ids == ("data_1_1", "data_1_2", "data_22_1")


def test_the_manifest_that_was_given_replaces_the_one_in_the_folder(tmp_path):
    folder = write_folder(tmp_path / "x")
    declare(folder, 'unmarked = "AF"')
    path = declare(tmp_path, 'recordings = "x"\nname = "mine"', "mine.toml")
    reader = open_records(path)
    assert rhythms(reader)["data_1_1"] == {Rhythm.UNKNOWN}
    assert reader.left_out == (f"cohort.toml ({path} is used instead)",)


@pytest.mark.parametrize("name", ["data_1_1", "data_1_1.atr"])
def test_one_recording_is_read_as_in_its_cohort(tmp_path, monkeypatch, name):
    folder = write_folder(tmp_path / "x")
    declare(folder, "unmarked = 'SR'\n[patients]\ndata_1_1 = 'anna'\ndata_1_2 = 'anna'")
    monkeypatch.chdir(folder)
    for path in (folder / name, name):
        reader = open_records(path)
        assert patients(reader) == {"data_1_1": "anna"}
        assert rhythms(reader) == {"data_1_1": {Rhythm.SR}}


def test_a_manifest_of_recordings_elsewhere_is_not_applied_to_one_beside_it(tmp_path):
    folder = write_folder(tmp_path / "x")
    write_folder(tmp_path / "y")
    declare(folder, "recordings = '../y'\nunmarked = 'SR'")
    assert manifest_of(open_records(folder / "data_1_1")) is None


def test_a_manifest_further_down_is_left_out_and_named(tmp_path):
    declare(write_folder(tmp_path / "x"), "unmarked = 'SR'")
    write_folder(tmp_path)
    reader = open_records(tmp_path)
    assert rhythms(reader)["x/data_1_1"] == {Rhythm.UNKNOWN}
    (line,) = reader.left_out
    assert line.startswith("x/cohort.toml")
    assert "open that folder" in line


def test_iridia_records_alone_and_together_with_a_manifest_are_iridia(tmp_path):
    for name in ("record_000", "record_001"):
        write_record(tmp_path, name, [[800] * 300], [])
    write_metadata(tmp_path / "metadata.csv", [("record_000", "p", 1), ("record_001", "q", 1)])
    declare(tmp_path, "[patients]\nrecord_001 = 'p'")
    reader = open_records(tmp_path)
    assert isinstance(without_manifest(reader), IridiaReader)
    assert set(patients(reader).values()) == {"p"}
    assert reader.left_out == ()
    assert patients(open_records(tmp_path / "record_001")) == {"record_001": "p"}


def test_without_a_manifest_nothing_is_wrapped(tmp_path):
    reader = open_records(write_folder(tmp_path))
    assert isinstance(reader, WfdbReader)
    assert without_manifest(reader) is reader
    assert cohort_manifest(tmp_path) is None
    (tmp_path / "cohort.toml").mkdir()
    assert cohort_manifest(tmp_path) is None


def test_what_it_says_of_the_cohort_can_be_cited(tmp_path):
    said = {"name": "X", "source": "X 1.0, somewhere", "licence": "CC0"}
    text = "\n".join(f"{key} = {value!r}" for key, value in said.items())
    path = declare(write_folder(tmp_path), text)
    for found in (cohort_manifest(tmp_path), cohort_manifest(path)):
        assert found.to_dict() == {**said, "read_as": {}}


# What is refused


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("licens = 'CC0'", ["licens", "licence"]),
        ("name = 3", ["name = 3", "quotes"]),
        ("name = ''", ["name = ''"]),
        ("source = ['a']", ["source", "quotes"]),
        ('name = "a\\u001b[2J"', ["name", "one line"]),
        ("unmarked = 'sinus'", ["unmarked = 'sinus'", "SR, AF, OTHER"]),
        ("unmarked = 'UNKNOWN'", ["unmarked", "leave it out"]),
        ("patient = '(data'", ["patient = '(data'", "regular expression"]),
        ("patient = '([[a]+)'", ["patient", "regular expression"]),
        ("patient = 'data'", ["patient", "0 groups", "brackets"]),
        ("patient = '(d)(a)'", ["patient", "2 groups", "?:"]),
        ("recordings = 'nowhere'", ["recordings", "nowhere"]),
        ("recordings = 'data_1_1.atr'", ["recordings", "no folder"]),
        ("patients = 'x'", ["patients", "[patients]"]),
        ("[patients]\ndata_1_1 = 3", ["patients.data_1_1 = 3", "quotes"]),
        ("[patients]\ndata_1_1.x = 'a'", ["patients.data_1_1", "quotes"]),
        ("[patients]\ndata_9_9 = 'a'", ["patients", "data_9_9"]),
        ("patient = '(data_1)_.'", ["patient", "data_22_1", "[patients]"]),
        ("patient = '(data_\\d)'", ["patient", "data_22_1"]),
        ("patient = '(x?)data.*'", ["patient", "data_1_1"]),
        ("name = ", ["cannot be read"]),
    ],
)
def test_each_mistake_names_file_key_and_remedy(tmp_path, text, facts):
    path = declare(write_folder(tmp_path), text)
    with pytest.raises(ManifestError) as caught:
        open_records(tmp_path)
    for fact in (str(path), *facts):
        assert fact in str(caught.value)


def test_all_mistakes_are_named_at_once(tmp_path):
    path = declare(tmp_path, "a = 1\nb = 2\nname = 3\nunmarked = 'x'\npatient = '('", "x.toml")
    with pytest.raises(ManifestError) as caught:
        open_records(path)
    for fact in ("'a'", "'b'", "name = 3", "unmarked", "patient", "recordings is missing"):
        assert fact in str(caught.value)


def test_a_manifest_that_cannot_be_looked_at_is_named(tmp_path):
    (tmp_path / "cohort.toml").symlink_to(tmp_path / "nothing")
    with refused(ManifestError, "cohort.toml"):
        open_records(tmp_path)
    with refused(LayoutError, "check the path"):
        open_records(tmp_path.parent / "nothing.toml")


# Real recordings


@pytest.mark.real
@pytest.mark.parametrize(
    ("name", "text", "records", "people"),
    [
        ("mitdb", "[patients]\n202 = '201'", 48, 47),
        ("cpsc2021", "patient = '(data_\\d+)_\\d+'", 18, 6),
    ],
)
def test_patients_of_real_databases(data, tmp_path, name, text, records, people):
    if not (data / name).is_dir():
        pytest.skip(f"no {name} in {data}")
    path = declare(tmp_path, f"recordings = '{data / name}'\n{text}", "x.toml")
    found = patients(open_records(path))
    assert (len(found), len(set(found.values()))) == (records, people)


@pytest.mark.real
def test_nsrdb_is_sinus_rhythm_where_the_manifest_says_so(data, tmp_path):
    if not (data / "nsrdb").is_dir():
        pytest.skip(f"no nsrdb in {data}")
    path = declare(tmp_path, f"recordings = '{data / 'nsrdb'}'\nunmarked = 'SR'", "x.toml")
    reader = open_records(path)
    first = reader.record_ids[0]
    assert set(without_manifest(reader).read(first).rhythm().tolist()) == {Rhythm.UNKNOWN}
    assert set(reader.read(first).rhythm().tolist()) == {Rhythm.SR}
