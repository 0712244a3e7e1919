"""One text file with several patients or sessions is several records."""

from pathlib import Path

import numpy as np
import pytest

from pacl.records import ReadOptions, open_records
from pacl.records.errors import FormatError, LayoutError, RecordError
from pacl.records.text import TextReader, parse_rr
from support.refusals import refused

TWO = "patient_id,rr_ms\nanna,800\nbert,600\nanna,810\nbert,610\nanna,820\n"


def written(folder: Path, text: str, name: str = "ward.csv") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_two_patients_in_one_file_are_two_records(tmp_path: Path) -> None:
    reader = TextReader(written(tmp_path, TWO))
    assert reader.record_ids == ("ward/anna", "ward/bert")
    anna, bert = (reader.read(name) for name in reader.record_ids)
    assert anna.rr_ms.tolist() == [800, 810, 820]
    assert bert.rr_ms.tolist() == [600, 610]
    assert (anna.patient_id, bert.patient_id) == ("anna", "bert")
    assert anna.record_id == "ward/anna"
    assert anna.digest != bert.digest
    assert "ward.csv (anna)" in anna.source


def test_parse_rr_refuses_several_and_says_how_to_choose() -> None:
    with pytest.raises(FormatError) as caught:
        parse_rr(TWO.encode(), "ward.csv")
    for fact in ("ward.csv", "2 recordings", "'anna', 'bert'", "part=", "patient_column=''"):
        assert fact in str(caught.value)
    chosen = parse_rr(TWO.encode(), "ward.csv", part="bert")
    assert chosen.rr_ms.tolist() == [600, 610]
    assert (chosen.record_id, chosen.patient_id) == ("ward/bert", "bert")
    whole = parse_rr(TWO.encode(), "ward.csv", patient_column="")
    assert whole.rr_ms.tolist() == [800, 600, 810, 610, 820]
    with refused(FormatError, "'carl'"):
        parse_rr(TWO.encode(), "ward.csv", part="carl")


@pytest.mark.parametrize(
    "name",
    ["patient", "Patient ID", "SUBJECT", "subject_no", "participantId", "person", "pid"],
)
def test_names_of_the_patient(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, f"{name};rr\n1;800\n2;700\n")
    assert TextReader(path).record_ids == ("ward/1", "ward/2")


@pytest.mark.parametrize("name", ["session", "night", "visit_id", "recording", "record id", "id"])
def test_names_of_recordings(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, f"{name},rr\na,800\na,810\nb,700\nb,710\n")
    assert TextReader(path).record_ids == ("ward/a", "ward/b")


def test_sessions_of_one_file_are_one_patient_and_records_are_each_one(tmp_path: Path) -> None:
    rows = "a,800\na,810\nb,700\nb,710\n"
    nights = TextReader(written(tmp_path, f"night,rr\n{rows}"))
    assert {nights.read(name).patient_id for name in nights.record_ids} == {"ward"}
    records = TextReader(written(tmp_path, f"record,rr\n{rows}"))
    assert {records.read(name).patient_id for name in records.record_ids} == {"ward/a", "ward/b"}


def test_patients_and_their_sessions(tmp_path: Path) -> None:
    text = "subject,session,rr\n1,a,800\n2,a,700\n1,b,810\n1,a,820\n"
    reader = TextReader(written(tmp_path, text))
    assert reader.record_ids == ("ward/1/a", "ward/1/b", "ward/2/a")
    assert reader.read("ward/1/a").rr_ms.tolist() == [800, 820]
    assert [reader.read(name).patient_id for name in reader.record_ids] == ["1", "1", "2"]


def test_a_constant_column_names_the_patient(tmp_path: Path) -> None:
    reader = TextReader(written(tmp_path, "patient,session,rr\nanna,3,800\nanna,3,810\n"))
    assert reader.record_ids == ("ward",)
    assert reader.read("ward").patient_id == "anna"
    assert parse_rr(b"patient,rr\nanna,800\n", "a.csv").patient_id == "anna"


def test_one_patient_in_two_files_is_one_patient(tmp_path: Path) -> None:
    written(tmp_path, TWO)
    written(tmp_path, "patient_id,rr\nanna,900\n", "later.csv")
    reader = TextReader(tmp_path)
    assert reader.record_ids == ("later", "ward/anna", "ward/bert")
    assert reader.read("later").patient_id == reader.read("ward/anna").patient_id == "anna"


def test_line_numbers_are_no_patients(tmp_path: Path) -> None:
    reader = TextReader(written(tmp_path, "record,rr\n1,800\n2,810\n3,790\n"))
    assert reader.record_ids == ("ward",)
    assert reader.read("ward").rr_ms.tolist() == [800, 810, 790]


def test_a_column_asked_for_divides_or_is_something_else(tmp_path: Path) -> None:
    path = written(tmp_path, "who,rr\nx,800\ny,700\n")
    assert TextReader(path).record_ids == ("ward",)
    assert TextReader(path, patient_column="who").record_ids == ("ward/x", "ward/y")
    options = ReadOptions(patient_column="who")
    assert open_records(path, options).record_ids == ("ward/x", "ward/y")
    odd = b"subject,x\n800,1\n810,1\n"
    assert parse_rr(odd, "a.csv", column="subject").rr_ms.tolist() == [800, 810]


def test_the_patient_map_has_the_last_word(tmp_path: Path) -> None:
    path = written(tmp_path, TWO)
    patients = {"ward/anna": "A", "ward/bert": "A"}
    assert TextReader(path, patients=patients).read("ward/bert").patient_id == "A"
    with refused(LayoutError, "'ward/bert'"):
        TextReader(path, patients={"ward/anna": "A"}).read("ward/bert")


def test_names_are_safe_in_file_names_and_stay_apart(tmp_path: Path) -> None:
    names = ["a/b", "a%2Fb", "../x", "c:d", "Zoë"]
    path = written(tmp_path, "patient,rr\n" + "".join(f"{name},800\n" for name in names))
    reader = TextReader(path)
    assert len(reader.record_ids) == len(names)
    for record_id in reader.record_ids:
        stem, _, part = record_id.partition("/")
        assert stem == "ward"
        assert not set(part) & set('/\\:*?"<>|\0')
        assert not part.startswith(".")
    assert {reader.read(name).patient_id for name in reader.record_ids} == set(names)


def test_every_part_is_read_with_its_own_clock_and_rhythm(tmp_path: Path) -> None:
    rows = [f"{who},{800 * beat},800,{rhythm}" for beat in range(3) for who, rhythm in WHO]
    path = written(tmp_path, "patient,time [ms],rr [ms],rhythm\n" + "\n".join(rows))
    reader = TextReader(path)
    for who, rhythm in WHO:
        record = reader.read(f"ward/{who}")
        assert record.file_starts.tolist() == [0]
        assert [span.mark for span in record.spans] == [rhythm]


WHO = (("anna", "SR"), ("bert", "AF"))


def test_a_bad_part_names_its_line_and_spares_the_others(tmp_path: Path) -> None:
    reader = TextReader(written(tmp_path, TWO.replace("610", "x")))
    assert len(reader.read("ward/anna")) == 3
    with refused(RecordError, "ward.csv (bert) line 5"):
        reader.read("ward/bert")


def test_opening_a_folder_with_a_bad_file_fails_only_that_file(tmp_path: Path) -> None:
    written(tmp_path, TWO, "good.csv")
    written(tmp_path, "patient,rr\nanna,800\n,810\n", "hole.csv")
    (tmp_path / "binary.csv").write_bytes(b"patient,rr\n\0\1\n")
    reader = TextReader(tmp_path)
    assert reader.record_ids == ("binary", "good/anna", "good/bert", "hole")
    with refused(FormatError, "hole.csv line 3", "'patient'"):
        reader.read("hole")
    with refused(FormatError, "binary"):
        reader.read("binary")


def test_a_part_that_is_gone_or_a_file_that_changed_is_a_record_error(tmp_path: Path) -> None:
    path = written(tmp_path, TWO)
    reader = TextReader(path)
    first = reader.read("ward/anna")
    path.write_text(TWO.replace("820", "830"))
    assert reader.read("ward/anna").rr_ms.tolist() == [800, 810, 830]
    assert reader.read("ward/anna").digest != first.digest
    path.write_text(TWO.replace("bert", "carl"))
    with refused(RecordError, "'bert'"):
        reader.read("ward/bert")


def test_a_column_that_counts_something_else_is_not_ten_thousand_patients(tmp_path: Path) -> None:
    text = "patient,rr\n" + "".join(f"{n},800\n" for n in range(10_001))
    with refused(FormatError, 10_001, "--patient-column"):
        TextReader(written(tmp_path, text)).read("ward")


def test_opening_reads_only_the_beginning_of_a_plain_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, "rr\n" + "800\n" * 200_000)

    def never(*_: object) -> bytes:
        raise AssertionError

    monkeypatch.setattr("pacl.records.text.reader.read_bytes", never)
    assert TextReader(path).record_ids == ("ward",)


def test_a_table_without_known_names_but_with_a_patient(tmp_path: Path) -> None:
    reader = TextReader(written(tmp_path, "patient;x\n1;800\n2;700\n"))
    assert np.concatenate([reader.read(name).rr_ms for name in reader.record_ids]).tolist() == [
        800,
        700,
    ]


def test_a_name_given_by_hand_is_the_patient_too() -> None:
    record = parse_rr(b"800\n810\n", "a.txt", record_id="abc")
    assert (record.record_id, record.patient_id) == ("abc", "abc")
    named = parse_rr(b"patient,rr\nanna,800\n", "a.txt", record_id="abc")
    assert (named.record_id, named.patient_id) == ("abc", "anna")


def test_a_part_of_a_single_line(tmp_path: Path) -> None:
    reader = TextReader(written(tmp_path, "record;x\na;800\na;810\na;820\nb;700\n"))
    assert reader.read("ward/b").rr_ms.tolist() == [700]


@pytest.mark.parametrize("name", ["user", "subjects", "id_patient", "case_id", "pt_id", "mrn"])
def test_other_names_of_patients_divide(tmp_path: Path, name: str) -> None:
    reader = TextReader(written(tmp_path, TWO.replace("patient_id", name)))
    assert reader.record_ids == ("ward/anna", "ward/bert")


@pytest.mark.parametrize("name", ["measurement", "night", "session"])
def test_a_column_that_counts_the_lines_divides_nothing(tmp_path: Path, name: str) -> None:
    rows = "".join(f"{at},{800 + at % 7}\n" for at in range(60))
    assert TextReader(written(tmp_path, f"{name},rr_ms\n{rows}")).record_ids == ("ward",)


def test_one_patient_may_be_written_as_1_and_as_1_0(tmp_path: Path) -> None:
    reader = TextReader(written(tmp_path, "patient,rr\n1,800\n1.0,810\n2.0,700\n"))
    assert reader.record_ids == ("ward/1", "ward/2")
    assert reader.read("ward/1").rr_ms.tolist() == [800, 810]
    assert reader.read("ward/2").patient_id == "2"


def test_numbers_with_parts_stay_apart(tmp_path: Path) -> None:
    reader = TextReader(written(tmp_path, "patient,rr\n1.0,800\n1.1,810\n1,700\n"))
    assert reader.record_ids == ("ward/1", "ward/1.0", "ward/1.1")
