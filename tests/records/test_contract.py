"""What every reader of recordings promises, whatever the layout."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from pacl.records import (
    IridiaReader,
    Overview,
    Reader,
    RecordError,
    Rhythm,
    TextReader,
    WfdbReader,
    open_records,
    reading_digest,
    record_files,
)
from pacl.testing import ReaderContract, check
from support.iridia import write_metadata, write_record
from support.mit import annotation_file
from support.refusals import refused

RR_MS = np.array([800, 820, 780, 500, 640, 12_000, 440, 800, 804, 796])
AF = slice(3, 7)
RHYTHM = np.where(np.isin(np.arange(RR_MS.size), np.arange(3, 7)), Rhythm.AF, Rhythm.SR)


@dataclass(frozen=True)
class Case:
    """Two recordings of the same beats in one layout; the second has one interval more."""

    reader: Reader
    path: Path
    one: Path
    two: Path


def iridia(root: Path) -> Case:
    for name, rr in (("record_000", RR_MS), ("record_001", np.append(RR_MS, 800))):
        write_record(root, name, [rr], [(0, AF.start, 0, AF.stop)])
    write_metadata(
        root / "metadata.csv", [("record_000", "patient_000", 1), ("record_001", "patient_001", 1)]
    )
    rr_files = [root / name / f"{name}_rr_00.h5" for name in ("record_000", "record_001")]
    return Case(IridiaReader(root), root, *rr_files)


def _wfdb_marks(extra: list[int]) -> list[tuple[int, str, str]]:
    at = 1000 + np.append(0, np.cumsum([*RR_MS, *extra]))
    marks = [(900, "+", "(N"), (int(at[AF.start]) - 100, "+", "(AFIB")]
    marks.append((int(at[AF.stop]) - 100, "+", "(N"))
    return sorted([*marks, *((int(beat), "N", "") for beat in at)])


def wfdb_one_annotator(root: Path) -> Case:
    for name, extra in (("a", []), ("b", [800])):
        (root / f"{name}.atr").write_bytes(annotation_file(_wfdb_marks(extra)))
        (root / f"{name}.hea").write_text(f"{name} 0 1000\n")
    return Case(WfdbReader(root), root, root / "a.atr", root / "b.atr")


def wfdb_two_annotators(root: Path) -> Case:
    for name, extra in (("a", []), ("b", [800])):
        marks = _wfdb_marks(extra)
        rhythm = [mark for mark in marks if mark[1] == "+"]
        beats = [mark for mark in marks if mark[1] == "N"]
        (root / f"{name}.atr").write_bytes(annotation_file(rhythm, fs=1000))
        (root / f"{name}.qrs").write_bytes(annotation_file(beats, fs=1000))
    return Case(WfdbReader(root), root, root / "a.qrs", root / "b.qrs")


def text(root: Path) -> Case:
    for name, rr in (("a", RR_MS), ("b", np.append(RR_MS, 800))):
        rhythm = [Rhythm(kind).name for kind in [*RHYTHM, Rhythm.SR][: rr.size]]
        lines = [f"{value},{kind}" for value, kind in zip(rr, rhythm, strict=True)]
        (root / f"{name}.csv").write_text("rr_ms,rhythm\n" + "\n".join(lines) + "\n")
    return Case(TextReader(root), root, root / "a.csv", root / "b.csv")


def declared(root: Path) -> Case:
    """WFDB records with a manifest that declares a patient of one of them."""
    (root / "cohort.toml").write_text("unmarked = 'AF'\n[patients]\nb = 'anna'\n")
    case = wfdb_one_annotator(root)
    return replace(case, reader=open_records(root))


@pytest.fixture(params=[iridia, wfdb_one_annotator, wfdb_two_annotators, text, declared])
def case(request, tmp_path):
    return request.param(tmp_path)


def test_it_keeps_the_contract_of_all_readers(case):
    class Mine(ReaderContract):
        def open(self):
            return case.reader

    check(Mine())


def test_reads_beats_and_rhythms(case):
    assert len(case.reader.record_ids) == 2
    first, second = (case.reader.read(name) for name in case.reader.record_ids)
    assert first.rr_ms.tolist() == RR_MS.tolist()
    assert first.rhythm().tolist() == RHYTHM.tolist()
    assert second.rr_ms.tolist() == [*RR_MS.tolist(), 800]
    assert [first.record_id, second.record_id] == list(case.reader.record_ids)
    assert first.patient_id != second.patient_id


def test_the_files_of_a_record_are_known_and_their_digest_follows_them(case):
    one, two = case.reader.record_ids
    assert case.one in record_files(case.reader, one)
    assert case.two not in record_files(case.reader, one)
    assert all(path.is_file() for path in record_files(case.reader, one))
    before = [reading_digest(case.reader, name) for name in (one, two)]
    assert before == [reading_digest(case.reader, name) for name in (one, two)]
    case.one.write_bytes(case.two.read_bytes())
    after = [reading_digest(case.reader, name) for name in (one, two)]
    assert after[0] not in before
    assert after[1] == before[1]


def test_counts_the_gap_and_breaks_there(case):
    record = case.reader.read(case.reader.record_ids[0])
    assert record.gaps().tolist() == [5]
    assert record.stretches() == [(0, 5), (6, 10)]
    found = Overview.of(record)
    assert (found.gaps, found.gap_s, found.af_episodes, found.implausible) == (1, 12.0, 1, 0)
    seconds = {Rhythm.SR: 4.8, Rhythm.AF: 1.58, Rhythm.OTHER: 0.0, Rhythm.UNKNOWN: 0.0}
    for rhythm, expected in seconds.items():
        assert found.rhythm_hours[rhythm] * 3600 == pytest.approx(expected)
    assert found.af_burden == pytest.approx(1.58 / 6.38)


def test_the_same_bytes_give_the_same_record_and_others_another_digest(case):
    names = case.reader.record_ids
    once, again = case.reader.read(names[0]), case.reader.read(names[0])
    assert once.digest == again.digest
    assert np.array_equal(once.rr_ms, again.rr_ms)
    assert once.digest != case.reader.read(names[1]).digest
    case.one.write_bytes(case.two.read_bytes())
    assert case.reader.read(names[0]).digest != once.digest


def test_a_recording_that_is_not_there_or_gone_is_a_typed_error(case):
    with refused(RecordError, "nobody"):
        case.reader.read("nobody")
    case.one.unlink()
    with refused(RecordError, case.one.stem[:1]):
        case.reader.read(case.reader.record_ids[0])


def test_an_empty_recording_is_a_typed_error_naming_the_file(case):
    case.one.write_bytes(b"")
    with refused(RecordError, case.one.stem):
        case.reader.read(case.reader.record_ids[0])


def test_the_layout_is_recognised(case):
    assert type(open_records(case.path)) is type(case.reader)
    assert open_records(case.path).record_ids == case.reader.record_ids
