import numpy as np
import pytest

from pacl.records import FormatError, LayoutError, Rhythm, Span, WfdbReader
from support.mit import annotation_file
from support.refusals import refused

SINUS = [(at, "N", "") for at in range(128, 128 * 5, 128)]


def folder(path, **files):
    for ending, content in files.items():
        (path / f"x.{ending}").write_bytes(content)
    return path


def test_beats_and_marks_in_one_annotator(tmp_path):
    marks = [(120, "+", "(N"), *SINUS[:2], (300, "+", "(AFIB"), *SINUS[2:]]
    folder(tmp_path, atr=annotation_file(marks), hea=b"x 2 128 9661440 9:30:00 31/01/2003\n")
    record = WfdbReader(tmp_path).read("x")
    assert record.rr_ms.tolist() == [1000, 1000, 1000]
    assert record.spans == (Span(0, 2, Rhythm.SR, "(N"), Span(2, 3, Rhythm.AF, "(AFIB"))
    assert record.file_onset_s.tolist() == [1.0]
    assert record.started.isoformat() == "2003-01-31T09:30:00"


def test_beats_and_marks_in_two_annotators_with_clocks_of_their_own(tmp_path):
    marks = [(0, "+", "(N"), (3 * 500, "+", "(AFL"), (4 * 500 - 1, "+", "(AFIB")]
    folder(
        tmp_path,
        atr=annotation_file(marks, fs=500),
        qrs=annotation_file([(250 * second, "N", "") for second in range(1, 7)], fs=250),
    )
    record = WfdbReader(tmp_path).read("x")
    assert record.rr_ms.tolist() == [1000] * 5
    assert [(span.start, span.stop, span.mark) for span in record.spans] == [
        (0, 2, "(N"),
        (2, 3, "(AFL"),
        (3, 5, "(AFIB"),
    ]
    assert record.spans[1].rhythm is Rhythm.OTHER
    flutter = WfdbReader(tmp_path, rhythms={"(AFL": Rhythm.AF}).read("x")
    assert flutter.spans[1].rhythm is Rhythm.AF


def test_a_rhythm_mark_is_not_a_beat_and_beats_before_the_first_have_none(tmp_path):
    marks = [*SINUS[:2], (SINUS[2][0] - 20, "+", "(SBR"), *SINUS[2:]]
    folder(tmp_path, atr=annotation_file(marks), hea=b"x 0 128\n")
    record = WfdbReader(tmp_path).read("x")
    assert len(record) == len(SINUS) - 1
    assert record.spans == (Span(0, 2, Rhythm.UNKNOWN), Span(2, 3, Rhythm.SR, "(SBR"))


def test_of_two_marks_before_one_beat_the_later_holds(tmp_path):
    marks = [(1, "+", "(N"), (2, "+", "(AFIB"), *SINUS]
    folder(tmp_path, atr=annotation_file(marks), hea=b"x 0 128\n")
    assert WfdbReader(tmp_path).read("x").spans == (Span(0, 3, Rhythm.AF, "(AFIB"),)


def test_without_marks_the_rhythm_is_unknown(tmp_path):
    folder(tmp_path, qrs=annotation_file(SINUS, fs=128))
    assert WfdbReader(tmp_path).read("x").spans == (Span(0, 3, Rhythm.UNKNOWN),)


def test_a_record_is_found_by_folder_path_without_ending_and_file(tmp_path):
    folder(tmp_path, qrs=annotation_file(SINUS, fs=128))
    for path in (tmp_path, tmp_path / "x", tmp_path / "x.qrs"):
        assert WfdbReader(path).record_ids == ("x",)


def test_records_in_folders_of_folders_and_patients_of_several_records(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        folder(tmp_path / name, qrs=annotation_file(SINUS, fs=128), hea=b"x 0 128\n")
    reader = WfdbReader(tmp_path, patients={"a/x": "anna", "b/x": "anna"})
    assert reader.record_ids == ("a/x", "b/x")
    assert {reader.read(name).patient_id for name in reader.record_ids} == {"anna"}
    with refused(LayoutError, "'b/x'"):
        WfdbReader(tmp_path, patients={"a/x": "anna"}).read("b/x")


def test_the_digest_tells_beats_rhythm_and_header_apart(tmp_path):
    marks = annotation_file([(1, "+", "(N"), *SINUS])
    digests = set()
    for atr, hea in (
        (marks, b"x 0 128\n"),
        (annotation_file([(1, "+", "(AFIB"), *SINUS]), b"x 0 128\n"),
        (marks, b"x 0 250\n"),
    ):
        folder(tmp_path, atr=atr, hea=hea)
        digests.add(WfdbReader(tmp_path).read("x").digest)
    assert len(digests) == 3


@pytest.mark.parametrize(
    ("files", "facts"),
    [
        ({"hea": b"x 0 128\n"}, (".atr, .qrs, .qrsc, .ecg", "present: none")),
        ({"atr": annotation_file([(1, "+", "(N")], fs=128)}, ("present: .atr",)),
        ({"atr": annotation_file(SINUS[:1], fs=128)}, ("two beats",)),
        ({"atr": annotation_file(SINUS)}, ("'x 0 FREQUENCY'",)),
        ({"atr": annotation_file(SINUS), "hea": b""}, ("x.hea", "record line")),
        ({"atr": annotation_file(SINUS), "hea": b"x 0 fast\n"}, ("'fast'",)),
        ({"atr": annotation_file(SINUS), "hea": b"x 0 0\n"}, ("'0'",)),
        ({"atr": annotation_file(SINUS[::-1], fs=128)}, ("x.atr", "backwards")),
    ],
)
def test_damage_is_named(tmp_path, files, facts):
    folder(tmp_path, **files)
    with refused(FormatError, *facts):
        WfdbReader(tmp_path).read("x")


def test_an_empty_folder_is_named(tmp_path):
    with refused(LayoutError, ".hea, .atr"):
        WfdbReader(tmp_path)


@pytest.mark.real
@pytest.mark.parametrize(
    ("name", "records", "intervals", "af_share", "gaps"),
    [("ltafdb", 84, 8_995_889, 0.529, 5), ("afdb", 25, 1_221_534, 0.375, 2)],
)
def test_real_databases(data, name, records, intervals, af_share, gaps):
    reader = WfdbReader(data / name)
    found = [reader.read(record_id) for record_id in reader.record_ids]
    assert len(found) == records
    assert sum(len(record) for record in found) == intervals
    assert sum(record.gaps().size for record in found) == gaps
    af_ms = sum(record.rr_ms[record.rhythm() == Rhythm.AF].sum(dtype=float) for record in found)
    total_ms = sum(record.duration_s * 1000 for record in found)
    assert af_ms / total_ms == pytest.approx(af_share, abs=5e-4)


@pytest.mark.real
def test_the_gap_of_515_seconds_breaks_its_record(data):
    record = WfdbReader(data / "ltafdb").read("74")
    (gap,) = record.gaps()
    assert record.rr_ms[gap] / 1000 == pytest.approx(515.4, abs=0.05)
    assert len(record.stretches()) == 2
    assert np.all(np.diff(record.onset_s()) >= 0)


def test_a_few_stray_beats_beside_the_marks_are_not_taken_for_all_of_them(tmp_path):
    marks = annotation_file([(1, "+", "(N"), *SINUS[:2]], fs=128)
    beats = annotation_file([(at, "N", "") for at in range(100, 9000, 100)], fs=128)
    folder(tmp_path, atr=marks, qrs=beats)
    assert len(WfdbReader(tmp_path).read("x")) == 88
    assert len(WfdbReader(tmp_path, beats="atr").read("x")) == 1


def test_unaudited_beats_go_before_those_audited_for_some_records_only(tmp_path):
    folder(tmp_path, qrs=annotation_file(SINUS, fs=128), qrsc=annotation_file(SINUS[:3], fs=128))
    assert len(WfdbReader(tmp_path).read("x")) == 3
    assert len(WfdbReader(tmp_path, beats="qrsc").read("x")) == 2


def test_an_annotator_asked_for_and_missing_is_named(tmp_path):
    folder(tmp_path, atr=annotation_file([(1, "+", "(N"), *SINUS], fs=128))
    with refused(LayoutError, "x.xyz"):
        WfdbReader(tmp_path, rhythm="xyz").read("x")


def test_records_with_and_without_header_are_all_listed(tmp_path):
    folder(tmp_path, atr=annotation_file(SINUS, fs=128), hea=b"x 0 128\n")
    (tmp_path / "y.qrs").write_bytes(annotation_file(SINUS, fs=128))
    assert WfdbReader(tmp_path).record_ids == ("x", "y")


def test_segments_of_a_record_are_no_records(tmp_path):
    folder(tmp_path, atr=annotation_file(SINUS, fs=128), hea=b"x/2 1 128\nx_1 300\n~ 5\nx_2 300\n")
    for name in ("x_1", "x_2", "z"):
        (tmp_path / f"{name}.hea").write_bytes(f"{name} 1 128 300\n".encode())
    assert WfdbReader(tmp_path).record_ids == ("x", "z")


def test_only_records_of_the_folder_are_read(tmp_path):
    folder(tmp_path, atr=annotation_file(SINUS, fs=128))
    (tmp_path / "inner").mkdir()
    folder(tmp_path / "inner", atr=annotation_file(SINUS, fs=128))
    with refused(LayoutError, "'../x'"):
        WfdbReader(tmp_path / "inner").read("../x")
