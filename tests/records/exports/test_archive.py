"""Zip archives: those that apps export, and those that are traps."""

import io
import json
import struct
import zipfile
from datetime import datetime

import pytest

from pacl.records import FormatError, LayoutError, RecordError, ValueRangeError
from pacl.records.exports import ExportReader, archive
from support.apple_health import ZONE, document, series
from support.archives import zipped
from support.fit import activity
from support.refusals import refused

RR_MS = [800, 820, 780, 810, 790, 640, 1010, 700] * 6
XML = document([series(datetime(2021, 8, 1, 7, 30, 5, tzinfo=ZONE), RR_MS)])


def opened(tmp_path, content):
    path = tmp_path / "anna.zip"
    path.write_bytes(content)
    return ExportReader(path)


@pytest.mark.parametrize("name", ["export.xml", "Export.xml", "exportación.xml"])
def test_an_export_of_apple_is_read_and_its_ecgs_are_named(tmp_path, name):
    tree = {
        f"apple_health_export/{name}": XML,
        "apple_health_export/export_cda.xml": b"<ClinicalDocument/>",
        "apple_health_export/electrocardiograms/ecg_2021.csv": b"Name,Anna\n",
    }
    reader = opened(tmp_path, zipped(tree))
    assert reader.record_ids == ("anna",)
    assert reader.read("anna").rr_ms == pytest.approx(RR_MS, abs=0.01)
    assert any("unpack the archive to read its ECGs" in line for line in reader.left_out)
    assert any("export_cda.xml" in line for line in reader.left_out)


def test_one_fit_file_as_garmin_connect_packs_it(tmp_path):
    reader = opened(tmp_path, zipped({"123_ACTIVITY.fit": activity(RR_MS)}))
    assert reader.read("anna").rr_ms.tolist() == RR_MS


def test_an_account_of_polar_has_many_files(tmp_path):
    def session(day):
        exercise = {"startTime": f"2024-05-{day:02}T21:30:05", "samples": {"rr": RR_MS}}
        return json.dumps({"exercises": [exercise]}).encode()

    tree = {f"training-session-{day}.json": session(day) for day in (4, 5)}
    tree["activity-1.json"] = b'{"heartRate": [61]}'
    reader = opened(tmp_path, zipped(tree))
    assert reader.record_ids == ("anna/2024-05-04T21-30-05", "anna/2024-05-05T21-30-05")
    assert any("activity-1.json" in line and "averages" in line for line in reader.left_out)


def test_progress_counts_the_whole_archive(tmp_path):
    path = tmp_path / "anna.zip"
    path.write_bytes(zipped({"a.json": json.dumps({"rr": RR_MS}).encode(), "export.xml": XML}))
    told = []
    ExportReader(path, advance=lambda done, total: told.append((done, total)))
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1][0] == told[-1][1]


def test_without_an_export_it_says_what_is_there(tmp_path):
    with refused(LayoutError, "anna.zip", "notes.txt", "unpack"):
        opened(tmp_path, zipped({"notes.txt": b"hello"})).read("anna")
    with refused(ValueRangeError, "anna.zip", "day.json", "averages"):
        opened(tmp_path, zipped({"day.json": b'{"heartRate": [61]}'})).read("anna")


def test_a_name_that_leads_outside_is_never_opened(tmp_path):
    reader = opened(tmp_path, zipped({"../../export.xml": XML}))
    assert len(reader.read("anna")) == len(RR_MS)
    assert [path.name for path in tmp_path.iterdir()] == ["anna.zip"]


def test_an_archive_within_is_not_opened(tmp_path):
    inner = zipped({"export.xml": XML})
    with refused(LayoutError, "anna.zip"):
        opened(tmp_path, zipped({"inner.zip": inner})).read("anna")


def test_a_bomb_is_noticed_while_it_is_read(tmp_path):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("export.xml", XML[:-20] + b" " * 80_000_000)
    with refused(FormatError, "export.xml", "do not trust it"):
        opened(tmp_path, out.getvalue()).read("anna")


def test_claims_that_are_absurd_are_refused(tmp_path, monkeypatch):
    content = zipped({"export.xml": XML, "b.xml": XML})
    monkeypatch.setattr(archive, "MAX_MEMBERS", 1)
    with refused(FormatError, "anna.zip", 2):
        opened(tmp_path, content).read("anna")
    monkeypatch.undo()
    at = content.rfind(b"PK\x05\x06")
    huge = content[: at + 12] + struct.pack("<I", 2**31) + content[at + 16 :]
    with refused(FormatError, "anna.zip", 2**31):
        opened(tmp_path, huge).read("anna")
    monkeypatch.setattr(archive, "_MOST_TOTAL", 1000)
    with refused(FormatError, "anna.zip", "claims"):
        opened(tmp_path, content).read("anna")


def test_encrypted_and_broken_archives_are_refused(tmp_path):
    content = bytearray(zipped({"export.xml": XML}))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.rfind(mark) + offset] |= 1
    with refused(FormatError, "encrypted", "password"):
        opened(tmp_path, bytes(content)).read("anna")
    with refused(RecordError, "anna.zip"):
        opened(tmp_path, bytes(content[:300])).read("anna")


def test_a_member_without_a_name_is_no_other_error(tmp_path):
    content = bytearray(zipped({"x": XML}))
    content[content.rfind(b"PK\x01\x02") + 46] = 0  # a zero ends a name
    with refused(RecordError, "anna.zip"):
        opened(tmp_path, bytes(content)).read("anna")


def test_arrays_and_spreadsheets_are_no_archives_of_exports():
    kind = archive.ZipExport(())
    assert kind.recognises(b"PK\x03\x04", "export.zip")
    assert not kind.recognises(b"PK\x03\x04", "windows.npz")


def test_a_member_that_grows_beyond_all_exports_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MAX_MEMBER_BYTES", 1000)
    with refused(FormatError, "export.xml", "do not trust it"):
        opened(tmp_path, zipped({"export.xml": XML})).read("anna")
