"""A file that no reader takes is named, with what to do instead."""

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest

from pacl.records.errors import FormatError
from pacl.records.kinds import describe_content
from pacl.records.text import parse_rr
from support.refusals import refused


def zipped(*names: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return out.getvalue()


def saved(array: np.ndarray) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


RANDOM = np.random.default_rng(0).bytes(4000).replace(b"\0", b"")
SAMPLES = (100 * np.sin(np.arange(2000) / 9)).astype("<i2").tobytes()

KNOWN = {
    "PDF": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "a.pdf", "PDF", "ECG"),
    "PNG": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a.png", "picture", "ECG"),
    "JPEG": (b"\xff\xd8\xff\xe0\0\x10JFIF", "a.jpg", "picture", "ECG"),
    "HEIC": (b"\0\0\0\x18ftypheic\0\0\0\0", "a.heic", "picture", "ECG"),
    "XLSX": (zipped("[Content_Types].xml", "xl/workbook.xml"), "a.xlsx", "Excel", "CSV"),
    "XLS": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(99), "a.xls", "Excel", "CSV"),
    "SQLite": (b"SQLite format 3\0\x10\0", "a.db", "SQLite", "RR intervals"),
    "gzip": (b"\x1f\x8b\x08\0\0\0", "a.gz", "gzip", "unpack"),
    "bzip2": (b"BZh91AY&SY", "a.bz2", "bzip2", "unpack"),
    "xz": (b"\xfd7zXZ\0\0\x04", "a.xz", "xz", "unpack"),
    "7z": (b"7z\xbc\xaf\x27\x1c\0\x04", "a.7z", "7z", "unpack"),
    "RAR": (b"Rar!\x1a\x07\x01\0", "a.rar", "RAR", "unpack"),
    "tar": (b"rr.txt".ljust(257, b"\0") + b"ustar\x0000", "a.tar", "tar", "unpack"),
    "zip": (zipped("a.txt"), "a.zip", "zip", "unpack"),
    "npz": (zipped("rr.npy"), "a.npz", "NumPy", "text"),
    "npy": (saved(np.arange(9.0)), "a.npy", "NumPy", "text"),
    "HDF5": (b"\x89HDF\r\n\x1a\n\0\0", "a.h5", "HDF5", "text"),
    "MATLAB": (b"MATLAB 5.0 MAT-file, Platform: GLNXA64", "a.mat", "MATLAB", "text"),
    "MATLAB 7.3": (b"MATLAB 7.3 MAT-file, Platform: GLNXA64", "a.mat", "v7.3", "text"),
    "Parquet": (b"PAR1\x15\x04\x15", "a.parquet", "Parquet", "CSV"),
    "Avro": (b"Obj\x01\x04\x14avro", "a.avro", "EmbracePlus", "RR"),
    "DICOM": (bytes(128) + b"DICM\2\0\0\0", "a.dcm", "DICOM", "EDF"),
    "SCP": (bytes(16) + b"SCPECG\0\0", "a.scp", "SCP-ECG", "convert"),
    "SCP without its name": (b"\x12\x34\x00\x01\0\0\x77\x12" + bytes(40), "a.scp", "SCP", "EDF"),
    "MFER": (b"@  MFER  ", "a.mwf", "MFER", "convert"),
    "ISHNE": (b"ISHNE1.0\x12\x34", "a.ecg", "ISHNE", "convert"),
    "GDF": (b"GDF 2.20", "a.gdf", "GDF", "EDF"),
    "BDF": (b"\xffBIOSEMI   ", "a.bdf", "BioSemi", "EDF"),
    "FIT": (b"\x0e\x10\x43\x08\x78\0\0\0.FIT\0\0", "a.fit", "FIT", "--layout"),
    "EDF": (b"0       ".ljust(168) + b"01.04.2609.00.00768     ", "a.edf", "EDF", "--layout"),
    "aECG": (
        b'<?xml version="1.0"?>\n<AnnotatedECG xmlns="urn:hl7-org:v3">',
        "a.xml",
        "HL7",
        "EDF",
    ),
    "MUSE": (b'<?xml version="1.0"?><RestingECG>', "a.xml", "MUSE", "EDF"),
    "TCX": (b'<?xml version="1.0"?><TrainingCenterDatabase>', "a.tcx", "TCX", "FIT"),
    "GPX": (b'<gpx version="1.1">', "a.gpx", "GPX", "averages"),
    "Apple": (
        b'<?xml version="1.0"?>\n<!DOCTYPE HealthData [\n<HealthData',
        "e.xml",
        "Apple",
        "out",
    ),
    "XML": (b'<?xml version="1.0"?><night/>', "a.xml", "XML", "RR intervals"),
    "XML in UTF-16": ("<?xml ?><gpx>".encode("utf-16"), "a.gpx", "GPX", "averages"),
    "HTML": (b"<!DOCTYPE html>\n<html><body>", "a.html", "HTML", "RR intervals"),
    "JSON": (b'{"data": {"metrics": []}}', "a.json", "JSON", "RR intervals"),
    "JSON list": (b'[{"rr": 812}]', "a.json", "JSON", "RR intervals"),
    "RTF": (b"{\\rtf1\\ansi", "a.rtf", "RTF", "plain text"),
    "mail": (b"From: a@b.c\nSubject: my ECG\n\nhello", "a.eml", "e-mail", "attachment"),
    "program": (b"MZ\x90\0\x03", "a.exe", "program", "leave"),
    "empty": (b"", "a.txt", "empty", "RR interval"),
    "UTF-16": ("812\n790\n".encode("utf-16-le"), "a.txt", "UTF-16", "UTF-8"),
    "UTF-16 BE": ("812\n790\n".encode("utf-16-be"), "a.txt", "UTF-16", "UTF-8"),
    "random": (RANDOM, "a.bin", "encrypted", "RR intervals"),
    "samples": (SAMPLES, "100.dat", "header", ".hea"),
}


@pytest.mark.parametrize("kind", KNOWN)
def test_a_file_is_named_and_what_to_do(kind: str) -> None:
    head, name, what, remedy = KNOWN[kind]
    found = describe_content(head, name)
    assert found is not None
    assert what in found.what
    assert remedy in f"{found.what} {found.remedy}"
    with refused(FormatError, name, found.what, found.remedy):
        parse_rr(head, name)


@pytest.mark.parametrize(
    "content",
    [
        b"812\n790\n",
        b"\xef\xbb\xbfrr\n812\n",
        "rr\n812\n".encode("utf-16"),
        "# Müller\n812\n".encode("latin-1"),
        b"[812, 790, 805]",
        b"[Params]\nInterval=238\n",
        b"<0.8\n",
        b"% from Matlab\n0.812\n",
        b"Name,Value\n\x1a",
        b"From: Monday\n812\n",
    ],
)
def test_text_is_not_taken_for_anything_else(content: bytes) -> None:
    assert describe_content(content, "a.txt") is None


def test_only_the_beginning_of_a_file_is_looked_at() -> None:
    assert describe_content(b"812\n" * 2000 + b"\0", "a.txt") is None


@pytest.mark.real
def test_real_files_of_other_kinds(data: Path) -> None:
    for path in sorted((data / "fit").glob("*.fit")):
        found = describe_content(path.read_bytes(), path.name)
        assert found is not None
        assert "FIT" in found.what
    samples = next((data / "mitdb-ecg").glob("*.dat"))
    found = describe_content(samples.read_bytes(), samples.name)
    assert found is not None
    assert ".dat" in found.what
