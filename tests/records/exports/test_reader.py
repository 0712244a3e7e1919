"""What the reader of exports promises, whatever the format."""

import json
from datetime import datetime

import pytest

from pacl.records import (
    FormatError,
    LayoutError,
    Reader,
    RecordError,
    open_records,
    read_patients,
)
from pacl.records.exports import (
    EXPORT_ENDINGS,
    FORMATS,
    ExportFormat,
    ExportReader,
    recognise_export,
)
from pacl.testing import ReaderContract, check
from support.apple_health import ZONE, document, series
from support.archives import zipped
from support.fit import STARTED, FitWriter, activity
from support.refusals import refused

RR_MS = [800, 820, 780, 810, 790, 640, 1010, 700] * 6
START = datetime(2021, 8, 1, 7, 30, 5, tzinfo=ZONE)


def contents(rr_ms):
    xml = document([series(START, rr_ms)])
    return {
        "run.fit": activity(rr_ms),
        "export.xml": xml,
        "log.json": json.dumps({"rr": rr_ms}).encode(),
        "export.zip": zipped({"export.xml": xml}),
    }


@pytest.fixture(params=["run.fit", "export.xml", "log.json", "export.zip"])
def folder(request, tmp_path):
    (tmp_path / f"a-{request.param}").write_bytes(contents(RR_MS)[request.param])
    (tmp_path / f"b-{request.param}").write_bytes(contents([*RR_MS, 800])[request.param])
    return tmp_path


def test_it_keeps_the_contract_of_all_readers(folder):
    class Mine(ReaderContract):
        def open(self):
            return ExportReader(folder)

    check(Mine())


def test_the_same_bytes_give_the_same_record_and_others_another_digest(folder):
    reader = ExportReader(folder)
    one, two = reader.record_ids
    first = reader.read(one)
    assert len(reader.read(two)) == len(first) + 1
    assert reader.read(one).digest == first.digest != reader.read(two).digest
    paths = sorted(folder.iterdir())
    assert len(reader.read(one)) == len(RR_MS)
    paths[0].write_bytes(paths[1].read_bytes())
    assert len(reader.read(one)) == len(RR_MS) + 1
    assert reader.read(one).digest != first.digest


def test_a_file_that_is_gone_empty_or_of_another_kind_is_a_typed_error(folder):
    reader = ExportReader(folder)
    path = sorted(folder.iterdir())[0]
    for content in (b"", b"something else", b"\0" * 5000):
        path.write_bytes(content)
        with refused(FormatError, path):
            reader.read(reader.record_ids[0])
    path.unlink()
    with refused(RecordError, path):
        reader.read(reader.record_ids[0])


def test_formats_are_recognised_by_content_and_keep_the_protocol():
    names = {"run.fit": "fit", "export.xml": "apple", "log.json": "json", "export.zip": "zip"}
    for name, content in contents(RR_MS).items():
        assert recognise_export(content[:4096], "unnamed") == names[name]
        assert f".{name.rpartition('.')[2]}" in EXPORT_ENDINGS
    assert all(isinstance(one, ExportFormat) and one.summary for one in FORMATS)
    others = (b"", b"[Params]\nVersion=106\n", b"812\n823\n", b"<gpx/>", b"time,rr\n", b"{RR}\n")
    assert [recognise_export(head, "x") for head in others] == [None] * len(others)


def test_a_bad_file_of_a_folder_does_not_hide_the_others(tmp_path):
    for name, content in contents(RR_MS).items():
        (tmp_path / f"{name.replace('.', '-')}.{name.rpartition('.')[2]}").write_bytes(content)
    (tmp_path / "bad.json").write_bytes(b'{"rr": [')
    (tmp_path / "notes.txt").write_text("hello")
    reader = ExportReader(tmp_path)
    assert isinstance(reader, Reader)
    assert reader.record_ids == ("export-xml", "export-zip", "log-json", "run-fit")
    assert any("bad.json (no beats found" in line for line in reader.left_out)
    with refused(FormatError, "bad.json"):
        ExportReader(tmp_path / "bad.json").read("bad")
    assert len(reader.read("run-fit")) == len(RR_MS)
    assert any("notes.txt" in line for line in reader.left_out)


def test_only_some_files_and_their_patients(tmp_path):
    (tmp_path / "nights").mkdir()
    for name in ("a", "b"):
        (tmp_path / "nights" / f"{name}.json").write_text(json.dumps({"rr": RR_MS}))
    (tmp_path / "map.csv").write_text("record_id,patient_id\nnights/b,anna\n")
    patients = read_patients(tmp_path / "map.csv")
    reader = ExportReader(tmp_path, only=["nights/b.json"], patients=patients)
    assert reader.record_ids == ("nights/b",)
    assert reader.read("nights/b").patient_id == "anna"
    with refused(LayoutError, "nights/a", "patient map"):
        ExportReader(tmp_path, patients=patients).read("nights/a")


def test_names_that_clash_and_folders_without_exports_are_refused(tmp_path):
    with refused(LayoutError, tmp_path, ".fit"):
        ExportReader(tmp_path)
    for name in ("a.json", "a.fit"):
        (tmp_path / name).write_bytes(b"{}")
    with refused(LayoutError, "a.json", "a.fit"):
        ExportReader(tmp_path)
    with refused(LayoutError, "nowhere"):
        ExportReader(tmp_path / "nowhere")


def test_a_file_is_parsed_once_for_all_its_recordings(tmp_path, monkeypatch):
    days = [series(START.replace(day=day), RR_MS) for day in range(1, 9)]
    path = tmp_path / "export.xml"
    path.write_bytes(document(days))
    told = []
    reader = ExportReader(path, advance=lambda done, total: told.append(done))
    once = len(told)
    assert [len(reader.read(name)) for name in reader.record_ids] == [len(RR_MS)] * 8
    assert len(told) == once


def test_left_out_lines_of_a_folder_name_the_file(tmp_path):
    for name in ("anna", "bert"):
        packed = {"log.json": json.dumps({"rr": RR_MS}).encode(), "notes.txt": b"hello"}
        (tmp_path / f"{name}.zip").write_bytes(zipped(packed))
    reader = ExportReader(tmp_path)
    assert "anna.zip: notes.txt, bert.zip: notes.txt" in reader.left_out[0]


@pytest.mark.parametrize("pack", [False, True])
def test_a_fit_file_without_beats_is_left_out_of_a_folder(tmp_path, pack):
    writer = FitWriter()
    writer.file_id()
    writer.record(STARTED)
    (tmp_path / "a.fit").write_bytes(activity(RR_MS))
    content = writer.content()
    name = "b.zip" if pack else "b.fit"
    (tmp_path / name).write_bytes(zipped({"b.fit": content}) if pack else content)
    reader = ExportReader(tmp_path)
    assert reader.record_ids == ("a",)
    assert "without beat-to-beat intervals" in reader.left_out[0]


def test_a_damaged_export_of_a_folder_says_what_it_seems_to_be(tmp_path):
    (tmp_path / "a.fit").write_bytes(activity(RR_MS))
    (tmp_path / "b.fit").write_bytes(bytes(range(128, 256)) * 20 + b"\0")
    (tmp_path / "c.xml").write_bytes(b"<gpx/>")
    lines = " ".join(open_records(tmp_path).left_out)
    assert "b.fit (damaged, or no .fit file: it seems to be binary content" in lines
    assert "GPX" in lines


def test_beside_text_an_export_without_beats_keeps_its_own_reason(tmp_path):
    writer = FitWriter()
    writer.file_id()
    (tmp_path / "a.csv").write_text("rr\n" + "\n".join(map(str, RR_MS)))
    (tmp_path / "b.fit").write_bytes(writer.content())
    (tmp_path / "c.json").write_text('{"colour": "red"}')
    (tmp_path / "d.fit").write_bytes(activity(RR_MS))
    reader = open_records(tmp_path)
    assert reader.record_ids == ("a", "d")
    lines = " ".join(reader.left_out)
    assert "b.fit (no beats found: a FIT file without beat-to-beat intervals" in lines
    assert "colour" in lines
