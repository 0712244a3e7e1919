"""Folders of recordings are read whole, and what is not read is named."""

import os
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pacl.records import LayoutError, Reader, ReadOptions, RecordError, open_records, tree
from pacl.records.simulate import write_cohort
from support.iridia import write_metadata, write_record
from support.mit import annotation_file
from support.refusals import refused

BEATS = annotation_file([(1000 * second, "N", "") for second in range(1, 6)], fs=1000)
RR = "800\n810\n790\n"
PROSE = {
    "README.txt": "Recordings of one night each.\n",
    "LICENSE.txt": "Open Data Commons\nAttribution License\n",
    "SHA256SUMS.txt": f"{'0a' * 32} x.atr\n{'1b' * 32} x.hea\n",
    "RECORDS": "x\n",
    "ANNOTATORS": "atr\treference beat annotations\n",
    "subjects.csv": "record_id,patient_id,age\nx,anna,61\n",
    "notes.txt": "The patient slept badly, woke up at three,\nand went home.\n",
}


def put(root: Path, files: dict[str, bytes | str]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def left_out(reader: Reader) -> str:
    return "\n".join(reader.left_out)


def readable(reader: Reader) -> list[str]:
    found = []
    for record_id in reader.record_ids:
        try:
            assert reader.read(record_id).record_id == record_id
            found.append(record_id)
        except RecordError:
            pass
    return found


NIGHTS = {f"night{number:02}.txt": RR for number in range(12)}
IDS = sorted(name.removesuffix(".txt") for name in NIGHTS)


def test_text_files_and_a_wfdb_record_in_a_folder_below(tmp_path):
    reader = open_records(put(tmp_path, {**NIGHTS, "holter/x.atr": BEATS}))
    assert readable(reader) == ["holter/x", *IDS]
    assert list(reader.record_ids) == sorted(set(reader.record_ids))
    assert reader.left_out == ()
    assert reader.root == tmp_path


def test_text_files_beside_an_empty_annotation_file(tmp_path):
    reader = open_records(put(tmp_path, {**NIGHTS, "old.ecg": b""}))
    assert readable(reader) == IDS
    with refused(RecordError, "old.ecg"):
        reader.read("old")


def test_text_in_folders_below_has_the_path_for_a_name(tmp_path):
    reader = open_records(put(tmp_path, {"a/x.txt": RR, "b/x.txt": RR, "y.txt": RR}))
    assert readable(reader) == ["a/x", "b/x", "y"]
    assert reader.read("a/x").patient_id == "a/x"


def test_documents_lists_and_tables_beside_records_are_left_out_and_named(tmp_path):
    put(tmp_path, {**PROSE, "x.atr": BEATS, "x.hea": "x 0 1000\n", "x.dat": b"\0\1\2\3"})
    reader = open_records(put(tmp_path, {"rr.txt": RR, "walk.fit": b".FIT"}))
    assert readable(reader) == list(reader.record_ids) == ["rr", "x"]
    told = left_out(reader)
    for name in ("README.txt", "LICENSE.txt", "subjects.csv", "notes.txt", "walk.fit"):
        assert told.count(name) == 1
    for name in ("x.dat", "RECORDS", "ANNOTATORS", "SHA256SUMS.txt", "rr.txt"):
        assert name not in told
    assert "no column is named like RR" in told


def test_what_a_file_holds_does_not_reach_the_terminal_raw(tmp_path):
    reader = open_records(put(tmp_path, {"x.atr": BEATS, "a.csv": "a\x1b[2J,b\n" + "1,2\n" * 9}))
    assert "a.csv" in left_out(reader)
    assert tree.is_usable(left_out(reader))


def test_a_folder_of_text_alone_keeps_all_but_documents(tmp_path):
    reader = open_records(put(tmp_path, {**PROSE, **NIGHTS}))
    assert readable(reader) == IDS
    assert set(reader.record_ids) - set(IDS) == {"notes", "subjects"}  # named when they are read
    assert "README.txt" in left_out(reader)


@pytest.mark.parametrize("table", ["subject,age\n1,54\n2,61\n", "name,group\na,control\nb,af\n"])
def test_a_table_without_rr_beside_records_is_left_out(tmp_path, table):
    reader = open_records(put(tmp_path, {"x.atr": BEATS, "people.csv": table}))
    assert reader.record_ids == ("x",)
    assert "people.csv" in left_out(reader)


def test_a_text_recording_with_a_fault_is_no_table_that_can_be_left_out(tmp_path):
    put(tmp_path, {"x.atr": BEATS, "a.txt": RR, "b.txt": RR + "8x0\n", "c.txt": "rr\n800\n-5\n"})
    reader = open_records(tmp_path)
    assert reader.left_out == ()
    assert readable(reader) == ["a", "x"]
    with refused(RecordError, "b.txt line 4"):
        reader.read("b")


def test_a_fault_far_down_is_found_when_the_file_is_read(tmp_path):
    text = RR * 20_000
    reader = open_records(put(tmp_path, {"x.atr": BEATS, "a.txt": text, "b.txt": text + "1 2\n"}))
    assert reader.record_ids == ("a", "b", "x")
    assert len(reader.read("a")) == 60_000
    with refused(RecordError, "b.txt line 60001"):
        reader.read("b")


def test_a_text_file_of_a_wfdb_record_is_the_same_record(tmp_path):
    reader = open_records(put(tmp_path, {"x.atr": BEATS, "x.txt": RR}))
    assert reader.record_ids == ("x",)
    assert len(reader.read("x")) == 4
    assert "x.txt" in left_out(reader)
    assert "--layout text" in left_out(reader)


def test_binary_signals_without_a_header_are_named(tmp_path):
    reader = open_records(put(tmp_path, {"x.atr": BEATS, "y.dat": bytes(300)}))
    assert reader.record_ids == ("x",)
    assert "y.dat" in left_out(reader)


def test_options_of_both_layouts_reach_their_readers(tmp_path):
    put(tmp_path, {"x.atr": BEATS, "t.csv": "a,b\n800,7\n810,7\n", "p.csv": "record_id,patient_id"})
    put(tmp_path, {"p.csv": "record_id,patient_id\nx,anna\nt,berta\n"})
    options = ReadOptions(patients=tmp_path / "p.csv", column="a", beats="atr")
    reader = open_records(tmp_path, options)
    assert [reader.read(name).patient_id for name in ("t", "x")] == ["berta", "anna"]
    assert reader.record_ids == ("t", "x")
    with refused(LayoutError, "--partial", "wfdb", "text"):
        open_records(tmp_path, ReadOptions(partial=True))


def test_a_patient_map_beside_text_is_no_recording(tmp_path):
    put(tmp_path, {"a.txt": RR, "p.csv": "record_id,patient_id\na,anna\n"})
    reader = open_records(tmp_path, ReadOptions(patients=tmp_path / "p.csv"))
    assert reader.record_ids == ("a",)


def test_a_forced_layout_reads_that_one_and_names_the_others(tmp_path):
    put(tmp_path, {"x.atr": BEATS, "t.txt": RR})
    wfdb = open_records(tmp_path, ReadOptions(layout="wfdb"))
    text = open_records(tmp_path, ReadOptions(layout="text"))
    assert (wfdb.record_ids, text.record_ids) == (("x",), ("t",))
    assert "t.txt" in left_out(wfdb)
    assert "x.atr" in left_out(text)


def test_what_lies_beside_iridia_folders_is_named(tmp_path):
    for root in ("set/a", "set/b"):
        write_record(tmp_path / root, "record_000", [np.full(300, 800)], [])
    write_metadata(tmp_path / "set" / "metadata.csv", [("record_000", "p", 1)])
    put(tmp_path, {"set/night.txt": RR, "set/README.txt": "x"})
    reader = open_records(tmp_path / "set")
    assert reader.record_ids == ("record_000",)
    told = left_out(reader)
    assert "night.txt" in told
    assert "b/record_000/record_000_rr_00.h5" in told
    assert "a/record_000" not in told
    assert "metadata.csv" not in told


@pytest.mark.parametrize("segment", ["/etc", "../x", "~", "\\"])
def test_a_header_may_name_any_segment(tmp_path, segment):
    files = {"m.hea": f"m/2 1 128\n{segment} 300\nm_1 300\n", "m_1.hea": "m_1 1 128 300\n"}
    assert open_records(put(tmp_path, {**files, "x.atr": BEATS})).record_ids == ("m", "x")


def test_simulated_and_downloaded_cohorts_have_nothing_left_out(tmp_path):
    write_cohort(tmp_path / "made", patients=1, seed=0)
    put(tmp_path / "made", {"records.zip": b"PK", "records.zip.unpacked": "{}"})
    assert open_records(tmp_path / "made").left_out == ()


# Folders that lead nowhere, or everywhere


def test_a_link_back_is_not_followed_and_is_named(tmp_path):
    put(tmp_path, {"a/x.txt": RR})
    (tmp_path / "a" / "loop").symlink_to(tmp_path, target_is_directory=True)
    reader = open_records(tmp_path)
    assert reader.record_ids == ("a/x",)
    assert "a/loop" in left_out(reader)


def test_a_link_to_itself_is_named_and_the_rest_read(tmp_path):
    put(tmp_path, {"a.txt": RR, "below/b.txt": RR})
    for loop in (tmp_path / "l.txt", tmp_path / "below" / "m.txt"):
        loop.symlink_to(loop.name)
    reader = open_records(tmp_path)
    assert readable(reader) == ["a", "below/b"]
    assert "l.txt" in left_out(reader)
    assert "below/m.txt" in left_out(reader)


def test_depth_is_bounded_and_the_bound_named(tmp_path):
    deep = "/".join("abcdefg")
    reader = open_records(put(tmp_path, {f"{deep}/x.txt": RR, f"{deep}/h/i/y.txt": RR}))
    assert reader.record_ids == (f"{deep}/x",)
    assert f"{deep}/h" in left_out(reader)


def test_a_whole_disk_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(tree, "MAX_ENTRIES", 10)
    with refused(LayoutError, 10):
        open_records(put(tmp_path, NIGHTS))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may look into every folder")
def test_a_closed_folder_below_is_named_and_the_rest_read(tmp_path):
    put(tmp_path, {"a.txt": RR})
    (tmp_path / "closed").mkdir(mode=0)
    reader = open_records(tmp_path)
    assert reader.record_ids == ("a",)
    assert "closed" in left_out(reader)


def test_many_reasons_are_told_briefly(tmp_path):
    put(tmp_path, {f"x.a{number}": "" for number in range(50)})
    reader = open_records(put(tmp_path, {"a.txt": RR}))
    assert len(reader.left_out) == 21
    assert "30 more" in reader.left_out[-1]


# Odd names

ODD = (b"..atr", b".atr", b"...atr", b"x\xff.atr", b"x\ny.atr", b"x\x1b[2J.atr", b"\xff.txt")


def test_odd_names_are_named_and_the_others_read(tmp_path):
    put(tmp_path, {"-.atr": BEATS, "a b.atr": BEATS, "ü.atr": BEATS, "t.txt": RR})
    put(tmp_path, {"x.atr": BEATS, "y.tar.atr": BEATS})
    for name in ODD:
        (Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))).write_bytes(BEATS)
    reader = open_records(tmp_path)
    assert readable(reader) == ["-", "a b", "t", "x", "y.tar", "ü"]
    told = left_out(reader)
    assert told.replace("\n", "").isprintable()
    assert "hidden" in told


def test_recordings_whose_names_cannot_be_shown_are_faults_and_the_others_read(tmp_path):
    """A batch that misses one of them must not end as if it had read them all."""
    for layout in ({"good.txt": RR}, {"good.atr": BEATS}, {"good.atr": BEATS, "t.txt": RR}):
        root = put(tmp_path / "-".join(layout), layout)
        below = Path(os.fsdecode(os.fsencode(root) + b"/night\xff"))
        below.mkdir()
        for name in (b"x\xff", b"x\x1b[2J", b"night\xff/x"):
            for ending, content in ((b".atr", BEATS), (b".txt", RR.encode())):
                if ending.decode() in {Path(one).suffix for one in layout}:
                    path = os.fsencode(root) + b"/" + name + ending
                    Path(os.fsdecode(path)).write_bytes(content)
        reader = open_records(root)
        assert readable(reader) == sorted(name.partition(".")[0] for name in layout)
        odd = [name for name in reader.record_ids if "x" in name]
        assert len(odd) == 3
        for record_id in odd:
            with refused(LayoutError, "rename") as caught:
                reader.read(record_id)
            assert record_id in str(caught.value)
            assert str(caught.value).isprintable()


@pytest.mark.parametrize("name", ODD)
def test_an_odd_name_by_itself_is_a_record_or_a_typed_error(tmp_path, name):
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))
    path.write_bytes(BEATS)
    with pytest.raises(RecordError) as caught:
        reader = open_records(path)
        reader.read(reader.record_ids[0])
    assert str(caught.value).isprintable()


@settings(max_examples=150, derandomize=True, deadline=None)
@given(
    stems=st.lists(st.binary(min_size=1, max_size=12), max_size=4),
    ending=st.sampled_from([b"", b".atr", b".hea", b".txt", b".csv", b".dat", b".h5", b".fit"]),
    content=st.sampled_from([b"", BEATS, RR.encode(), b"m/2 1 128\nx 300\n"]),
)
def test_any_names_leave_the_others_readable(tmp_path_factory, stems, ending, content):
    root = put(tmp_path_factory.mktemp("names"), {"good.atr": BEATS, "below/good.txt": RR})
    for stem in stems:
        name = stem.replace(b"/", b"").replace(b"\0", b"") + ending
        with suppress(OSError):  # . and ..
            Path(os.fsdecode(os.fsencode(root) + b"/" + name)).write_bytes(content)
    reader = open_records(root)
    assert {"good", "below/good"} <= set(readable(reader))
    for line in (*reader.record_ids, *reader.left_out):
        assert tree.is_usable(line)


@pytest.mark.parametrize("name", ["", ".", "/", "a\0b", "x" * 300, "x" * 252 + ".atr"])
def test_paths_that_name_no_file(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tree, "MAX_ENTRIES", 1000)
    with pytest.raises(RecordError):
        open_records(name)


def test_a_name_as_long_as_names_may_be(tmp_path):
    name = "x" * 251
    (tmp_path / f"{name}.atr").write_bytes(BEATS)  # .qrsc would be too long
    assert readable(open_records(tmp_path)) == [name]


@pytest.mark.parametrize("ending", ["../x", "a/b", "", ".", "..", "a.b", "\0", "\n", "x" * 300])
@pytest.mark.parametrize("option", ["beats", "rhythm"])
def test_an_ending_is_a_plain_word(tmp_path, option, ending):
    put(tmp_path, {"x.atr": BEATS})
    for place in (tmp_path, tmp_path / "x"):
        with refused(LayoutError, f"--{option}", "atr") as caught:
            open_records(place, ReadOptions(**{option: ending}))
        assert str(caught.value).isprintable()
