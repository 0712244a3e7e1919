"""Recordings at an address are the same as in a folder here, and no more is copied than needed."""

import json
import multiprocessing
import pickle
import shutil
from pathlib import Path

import fsspec
import numpy as np
import pytest

from pacl.records import (
    LayoutError,
    ManifestError,
    ReadOptions,
    RecordError,
    RemoteReader,
    is_iridia,
    is_one,
    manifest_of,
    narrowed,
    open_records,
    read_ecg,
)
from pacl.testing import ReaderContract, check
from support.iridia import write_metadata, write_record
from support.mit import annotation_file
from support.refusals import refused
from support.same_records import assert_reads_the_same, assert_same
from support.web_server import served

RR_MS = [812, 798, 805, 790, 801, 779, 820, 811] * 4
BEATS = [(int(at), "N", "") for at in 100 + np.cumsum([0, *RR_MS])]


def write_text(path: Path, *, header: str = "rr_ms") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([header, *map(str, RR_MS)]) + "\n")


def write_annotated(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_name(f"{path.name}.atr").write_bytes(annotation_file(BEATS))
    path.with_name(f"{path.name}.hea").write_text(f"{path.name} 0 1000\n")


def write_signal(path: Path, *, samples: int = 30_000) -> None:
    """A record without annotations: a peak for each beat."""
    signal = np.zeros(samples, dtype="<i2")
    for at, *_ in BEATS:
        if at + 20 < samples:
            signal[at : at + 20] = 1000 * np.hanning(20)
    path.with_name(f"{path.name}.dat").write_bytes(signal.tobytes())
    path.with_name(f"{path.name}.hea").write_text(
        f"{path.name} 1 1000 {samples}\n{path.name}.dat 16 200/mV 16 0 0 0 0 I\n"
    )


def text(root: Path) -> None:
    write_text(root / "anna.csv")
    write_text(root / "ward 3" / "berta & c%20.txt")
    write_text(root / ".hidden" / "x.csv")
    (root / "README.md").write_text("about\n")
    (root / "LICENSE.txt").write_text("yours\n")
    (root / "dataset.json").write_text('{"name": "nights"}\n')
    (root / "log.json").write_text(json.dumps({"rr": RR_MS}))


def wfdb(root: Path) -> None:
    write_annotated(root / "100")
    write_annotated(root / "x" / "101")
    (root / "100.csv").write_text("MLII\n1\n2\n")
    write_text(root / "beside.csv")
    (root / "about.txt").write_text("What these recordings are, in words.\n" * 40)
    (root / "RECORDS").write_text("100\n")
    (root / "plot.png").write_bytes(b"\x89PNG\r\n")


def signals(root: Path) -> None:
    """A record of two segments, one by itself, and a header that names a file elsewhere."""
    for name in ("part_1", "part_2", "alone"):
        write_signal(root / name)
    (root / "long.hea").write_text("long/2 1 1000 60000\npart_1 30000\npart_2 30000\n")


def iridia(root: Path) -> None:
    records = root / "records"
    write_record(records, "record_000", [np.array(RR_MS)], [(0, 3, 0, 7)])
    write_record(records, "record_001", [np.array(RR_MS), np.array(RR_MS[1:])], [])
    write_metadata(
        root / "metadata.csv", [("record_000", "patient_000", 1), ("record_001", "patient_001", 2)]
    )
    (records / "record_000" / "record_000_ecg_00.h5").write_bytes(b"large")
    (root / "notes.txt").write_text("about\n")


LAYOUTS = [text, wfdb, signals, iridia]


@pytest.fixture(params=LAYOUTS)
def folder(request, tmp_path):
    request.param(tmp_path)
    return tmp_path


@pytest.fixture
def memory():
    """Copies a folder into fsspec's memory, and gives its address."""
    system = fsspec.filesystem("memory")

    def put(folder: Path) -> str:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                system.pipe_file(f"/c/{path.relative_to(folder).as_posix()}", path.read_bytes())
        return "memory://c"

    yield put
    system.rm("/c", recursive=True)


def left_out_names(reader) -> set[str]:
    return {name for line in reader.left_out for name in line.partition(" (")[0].split(", ")}


def test_it_keeps_the_contract_of_all_readers(folder, memory):
    class Mine(ReaderContract):
        def open(self):
            return open_records(self.address)

    with served(folder) as web:
        for address in (web.address, memory(folder)):
            Mine.address = address
            assert isinstance(Mine().open(), RemoteReader)
            check(Mine())


def test_the_same_files_give_the_same_recordings_wherever_they_are(folder, memory):
    here = open_records(folder)
    with served(folder) as web:
        for address in (web.address, f"{web.address}/", memory(folder)):
            there = open_records(address)
            assert_reads_the_same(here, there)
            assert {n for n in left_out_names(there) if not n.startswith(".hidden")} == {
                name for name in left_out_names(here) if name != ".hidden"
            }
            assert is_iridia(there) == is_iridia(here)
            assert not is_one(there)


def test_the_source_of_a_recording_is_its_address(tmp_path):
    wfdb(tmp_path)
    text(tmp_path)
    with served(tmp_path) as web:
        reader = open_records(web.address)
        assert reader.read("x/101").source == f"{web.address}/x/101"
        assert reader.read("anna").source == f"{web.address}/anna.csv"
        assert reader.root == Path(web.address)


def test_only_what_is_read_is_copied(tmp_path):
    write_annotated(tmp_path / "100")
    write_signal(tmp_path / "101")
    (tmp_path / "100.dat").write_bytes(b"large")
    (tmp_path / "README.txt").write_text("about\n")
    with served(tmp_path) as web:
        reader = open_records(web.address)
        assert set(web.asked) == {""}  # endings tell enough
        reader.read("100")
        assert set(web.asked) == {"", "100.hea", "100.atr"}
        reader.read("101")
        assert set(web.asked) == {"", "100.hea", "100.atr", "101.hea", "101.dat"}


def test_a_folder_of_text_is_not_looked_into(tmp_path):
    for number in range(20):
        write_text(tmp_path / f"{number}.csv")
    with served(tmp_path) as web:
        assert len(open_records(web.address).record_ids) == 20
        assert sum(web.asked.values()) == 1


def test_the_ecg_of_an_annotated_record_is_copied_when_it_is_asked_for(tmp_path):
    write_signal(tmp_path / "100")
    (tmp_path / "100.atr").write_bytes(annotation_file(BEATS))
    here = read_ecg(open_records(tmp_path), "100")
    with served(tmp_path) as web:
        there = read_ecg(open_records(web.address), "100")
        assert there.source.startswith(web.address)
    assert there.digest == here.digest
    assert np.array_equal(there.segments[0].millivolts, here.segments[0].millivolts)


def test_a_header_leads_nowhere_else(tmp_path):
    (tmp_path / "secret.dat").write_bytes(b"\0" * 60_000)
    cohort = tmp_path / "cohort"
    cohort.mkdir()
    for name, file in (("a", "../secret.dat"), ("b", "%2e%2e/secret.dat")):
        (cohort / f"{name}.hea").write_text(f"{name} 1 1000 30000\n{file} 16 200 16 0 0 0 0 I\n")
    (cohort / "c.hea").write_text("c/1 1 1000 30000\n../secret 30000\n")
    with served(tmp_path) as web:
        reader = open_records(f"{web.address}/cohort")
        for record_id in reader.record_ids:
            with refused(RecordError, f"{web.address}/cohort/{record_id}"):
                reader.read(record_id)
        assert "secret.dat" not in web.asked
        assert "secret.hea" not in web.asked


def test_links_that_lead_elsewhere_are_not_followed(tmp_path):
    links = ["../", "/", "/other.csv", "?C=N;O=D", "https://elsewhere.org/a.csv", "#top", "./b.csv"]
    links += ["mailto:a@b.org", "javascript:x", "%2e%2e/c.csv", "a%2Fb.csv", "a.csv", "a.csv"]
    page = "".join(f'<a href="{link}">x</a>' for link in links)
    for name in ("a", "b"):
        write_text(tmp_path / "cohort" / f"{name}.csv")
    (tmp_path / "cohort" / "index.html").write_text(page)
    with served(tmp_path) as web:
        assert open_records(f"{web.address}/cohort").record_ids == ("a", "b")
        assert set(web.asked) == {"cohort", "cohort/"}


@pytest.mark.parametrize("name", ["night.csv", "night.rr-intervals"])
def test_one_file_is_one_recording(tmp_path, memory, name):
    write_text(tmp_path / name)
    with served(tmp_path) as web:
        for address in (f"{web.address}/{name}", f"{memory(tmp_path)}/{name}"):
            reader = open_records(address, ReadOptions(start="2026-04-01T21:30:00"))
            assert reader.record_ids == ("night",)
            assert is_one(reader)
            here = open_records(tmp_path / name, ReadOptions(start="2026-04-01T21:30:00"))
            assert_same(here.read("night"), reader.read("night"))
            assert reader.read("night").source == address


@pytest.mark.parametrize("name", ["100", "100.atr", "100.hea"])
def test_a_wfdb_record_is_addressed_without_ending_or_by_a_file(tmp_path, memory, name):
    wfdb(tmp_path)
    with served(tmp_path) as web:
        for root in (web.address, memory(tmp_path)):
            reader = open_records(f"{root}/{name}")
            assert is_one(reader)
            assert_reads_the_same(open_records(tmp_path / name), reader)


def test_a_record_of_iridia_is_addressed_with_the_metadata_of_here(tmp_path):
    iridia(tmp_path)
    options = ReadOptions(metadata=tmp_path / "metadata.csv")
    with served(tmp_path) as web:
        reader = open_records(f"{web.address}/records/record_001", options)
        assert_reads_the_same(open_records(tmp_path / "records" / "record_001", options), reader)
        with refused(LayoutError, "metadata", web.address):
            open_records(f"{web.address}/records/record_001")


def test_an_incomplete_iridia_is_refused_with_its_address(tmp_path):
    iridia(tmp_path)
    shutil.rmtree(tmp_path / "records" / "record_001")
    with served(tmp_path) as web:
        with refused(LayoutError, web.address, "record_001", "partial"):
            open_records(web.address)
        reader = open_records(web.address, ReadOptions(partial=True))
        assert reader.record_ids == ("record_000",)
        assert not any("ecg" in name for name in web.asked)


def test_a_manifest_is_applied(tmp_path, memory):
    wfdb(tmp_path)
    (tmp_path / "cohort.toml").write_text("name = 'Ward'\nunmarked = 'SR'\n[patients]\n100 = 'a'\n")
    here = open_records(tmp_path)
    with served(tmp_path) as web:
        for root in (web.address, memory(tmp_path)):
            for address in (root, f"{root}/cohort.toml"):
                there = open_records(address)
                assert_reads_the_same(here, there)
                assert manifest_of(there).to_dict() == manifest_of(here).to_dict()
            one = open_records(f"{root}/100")
            assert_same(here.read("100"), one.read("100"))


@pytest.mark.parametrize(
    ("stated", "fact"),
    [("recordings = 'x'", "recordings"), ("colour = 1", "colour"), ("[patients]\nz = 'a'", "z")],
)
def test_a_manifest_that_cannot_be_applied_is_refused(tmp_path, stated, fact):
    wfdb(tmp_path)
    (tmp_path / "cohort.toml").write_text(f"{stated}\n")
    with served(tmp_path) as web, refused(ManifestError, fact, "127.0.0.1"):
        open_records(web.address)


def test_patients_come_from_a_map_of_here(tmp_path):
    served_folder = tmp_path / "served"
    wfdb(served_folder)
    table = tmp_path / "patients.csv"
    table.write_text("record_id,patient_id\n100,p1\nx/101,p1\n")
    options = ReadOptions(patients=table)
    with served(served_folder) as web:
        there = open_records(web.address, options)
        assert_same(open_records(served_folder, options).read("x/101"), there.read("x/101"))
        with refused(LayoutError, "beside", "patient map"):
            there.read("beside")


def test_an_option_is_for_recordings_of_its_layout(tmp_path):
    wfdb(tmp_path)
    options = ReadOptions(unit="ms", flutter_is_af=True)
    with served(tmp_path) as web:
        assert_reads_the_same(open_records(tmp_path, options), open_records(web.address, options))
        with refused(LayoutError, "--partial", web.address):
            open_records(web.address, ReadOptions(partial=True))
        with refused(LayoutError, "start", 3):
            open_records(web.address, ReadOptions(start="2026-04-01T21:30:00"))
        with refused(LayoutError, "no-such", web.address):
            open_records(web.address, ReadOptions(layout="no-such"))
        assert open_records(web.address, ReadOptions(layout="text")).record_ids == (
            *("100", "about", "beside"),
        )


def test_a_file_of_several_recordings_is_to_be_copied(tmp_path):
    lines = [f"{rr},{who}" for who in "ab" for rr in RR_MS]
    (tmp_path / "both.csv").write_text("\n".join(["rr_ms,patient_id", *lines]) + "\n")
    write_text(tmp_path / "one.csv")
    with served(tmp_path) as web:
        reader = open_records(web.address)
        with refused(LayoutError, f"{web.address}/both", 2, "copy"):
            reader.read("both")
        assert len(reader.read("one")) == len(RR_MS)


def test_two_files_of_one_name_are_refused(tmp_path):
    write_text(tmp_path / "a.csv")
    write_text(tmp_path / "a.txt")
    with served(tmp_path) as web, refused(LayoutError, "'a'", web.address):
        open_records(web.address)


def test_an_address_without_recordings_is_refused(tmp_path):
    (tmp_path / "README.md").write_text("about\n")
    with served(tmp_path) as web, refused(LayoutError, "README.md", web.address):
        open_records(web.address)


def test_it_is_small_when_it_is_sent_for_some_recordings(tmp_path):
    for number in range(400):
        (tmp_path / f"{number:03}.atr").touch()
    with served(tmp_path) as web:
        reader = open_records(web.address)
        reader.read  # noqa: B018 - it must not need a connection
        part = narrowed(reader, reader.record_ids[:32])
        assert part.record_ids == reader.record_ids[:32]
        assert len(pickle.dumps(part)) < 4_000
        with refused(LayoutError, "399"):
            part.read("399")


def _digest(reader: RemoteReader, record_id: str) -> str:
    return reader.read(record_id).digest


@pytest.mark.parametrize("way", ["fork", pytest.param("spawn", marks=pytest.mark.slow)])
def test_it_reads_in_another_process(tmp_path, way):
    iridia(tmp_path)
    with served(tmp_path) as web:
        reader = open_records(web.address)
        expected = reader.read("record_000").digest  # connections of this process stay in it
        part = narrowed(reader, ["record_000"])
        with multiprocessing.get_context(way).Pool(1) as pool:
            assert pool.apply_async(_digest, (part, "record_000")).get(60) == expected


@pytest.mark.real
@pytest.mark.parametrize(
    ("name", "options", "most"),
    [
        ("mitdb", ReadOptions(), 16),
        ("afdb", ReadOptions(flutter_is_af=True), 2),
        ("mitdb-ecg", ReadOptions(beats="signal"), 1),
        ("fit", ReadOptions(), 3),
    ],
)
def test_real_recordings_are_the_same_to_the_bit(data, name, options, most):
    here = open_records(data / name, options)
    with served(data) as web:
        there = open_records(f"{web.address}/{name}", options)
        assert there.record_ids == here.record_ids
        for record_id in there.record_ids[:most]:
            assert_same(here.read(record_id), there.read(record_id))
