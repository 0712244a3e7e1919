"""Where edits are kept, for the recordings of each reader."""

import zipfile
from dataclasses import replace

import numpy as np

from pacl.edits import Edit, EditLog, append, edits_path
from pacl.records import ReadOptions, open_records, record_from_rr
from support.iridia import write_metadata, write_record
from support.mit import annotation_file

RR = [800 + 10 * (at % 7) + at % 13 for at in range(200)]


def kept(path, **options):
    """The file of each recording, by its name."""
    reader = open_records(path, **options)
    several = len(reader.record_ids) > 1
    return {one: edits_path(reader.read(one), several) for one in reader.record_ids}


def text(path, column=None):
    names = "rr_ms\n" if column is None else "rr_ms,patient\n"
    rows = "".join(
        f"{one + shift}{'' if column is None else ',' + name}\n"
        for shift, name in enumerate(column or [""])
        for one in RR
    )
    path.parent.mkdir(exist_ok=True)
    path.write_text(names + rows)
    return path


def test_a_text_file(tmp_path):
    path = text(tmp_path / "night (1).csv")
    assert kept(path) == {"night (1)": tmp_path / "night (1).csv.edits.jsonl"}


def test_a_name_with_brackets_is_no_part_of_another_file(tmp_path):
    text(tmp_path / "night")
    path = text(tmp_path / "night (1)")
    assert kept(path) == {"night (1)": tmp_path / "night (1).edits.jsonl"}


def test_a_folder_gives_the_same_places_as_its_files(tmp_path):
    for name in ("a/one.csv", "b/two.csv"):
        text(tmp_path / name)
    assert sorted(kept(tmp_path).values()) == [
        tmp_path / "a" / "one.csv.edits.jsonl",
        tmp_path / "b" / "two.csv.edits.jsonl",
    ]


def test_one_file_of_several_patients(tmp_path):
    path = text(tmp_path / "all.csv", ["anna", "anna/2", "bo ris", "bo-ris"])
    found = list(kept(path).values())
    assert len(set(found)) == 4
    assert found[0] == tmp_path / "all.csv.anna.edits.jsonl"
    assert all(one.parent == tmp_path for one in found)
    assert sorted(kept(tmp_path).values()) == sorted(found)


def test_a_patient_named_as_the_file(tmp_path):
    path = text(tmp_path / "anna.csv", ["anna", "bo"])
    assert [one.name for one in kept(path).values()] == [
        "anna.csv.anna.edits.jsonl",
        "anna.csv.bo.edits.jsonl",
    ]


def test_a_wfdb_record(tmp_path):
    (tmp_path / "00.atr").write_bytes(
        annotation_file([(at * 200, "N", "") for at in range(1, 200)])
    )
    (tmp_path / "00.hea").write_text("00 1 250 30000\n")
    place = tmp_path / "00.edits.jsonl"
    assert kept(tmp_path) == {"00": place}
    assert kept(tmp_path / "00") == {"00": place}
    assert kept(tmp_path / "00.atr") == {"00": place}


def test_an_archive_of_an_app(tmp_path):
    """Two recordings in one file: the same places, whether it is given or its folder."""
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("one.json", '{"rr": ' + str(RR) + "}")
        packed.writestr("two.json", '{"rr": ' + str(RR[7:]) + "}")
    found = list(kept(path).values())
    assert len(set(found)) == 2
    for one in found:
        assert one.parent == tmp_path
        assert one.name.startswith("export.zip.")
        assert one.name.endswith(".edits.jsonl")
    assert sorted(kept(tmp_path).values()) == sorted(found)


def test_an_export(tmp_path):
    (tmp_path / "night.json").write_text('{"rr": ' + str(RR) + "}")
    (place,) = kept(tmp_path / "night.json").values()
    assert place == tmp_path / "night.json.edits.jsonl"


def test_an_ecg(tmp_path):
    """EDF: the file keeps its ending."""
    record = record_from_rr(RR)
    for source, name in (("ecg.edf", "ecg"), ("folder/00", "00"), ("folder/100.v2", "100.v2")):
        made = replace(record, source=str(tmp_path / source), record_id=name)
        assert edits_path(made, True) == tmp_path / f"{source}.edits.jsonl"


def test_an_iridia_record_has_it_beside_its_folder(tmp_path):
    for name in ("record_000", "record_001"):
        write_record(tmp_path / "records", name, [np.array(RR)], [(0, 50, 0, 100)])
    write_metadata(tmp_path / "metadata.csv", [("record_000", "p", 1), ("record_001", "p", 1)])
    options = ReadOptions(metadata=tmp_path / "metadata.csv")
    records = tmp_path / "records"
    assert kept(records, options=options) == {
        name: records / f"{name}.edits.jsonl" for name in ("record_000", "record_001")
    }
    (records / "record_000.edits.jsonl").write_text("")
    assert open_records(records, options).left_out == ()


def test_another_folder(tmp_path):
    record = open_records(text(tmp_path / "night.csv")).read("night")
    assert edits_path(record, False, tmp_path / "x") == tmp_path / "x" / "night.csv.edits.jsonl"


def test_edits_are_no_recordings_and_no_noise(tmp_path):
    record = open_records(text(tmp_path / "night.csv")).read("night")
    append(edits_path(record, False), record, [Edit("af", 1, 40)])
    reader = open_records(tmp_path)
    assert reader.record_ids == ("night",)
    assert reader.left_out == ()
    again = reader.read("night")
    np.testing.assert_array_equal(again.rr_ms, record.rr_ms)
    assert len(EditLog.read(edits_path(again, False), again).marks) == 1
