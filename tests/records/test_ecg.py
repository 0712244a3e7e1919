"""ECGs as recordings: EDF, text, WFDB signals, and folders in which they lie beside others."""

import edfio
import numpy as np
import pytest

from pacl.records import (
    EcgReader,
    LayoutError,
    ReadOptions,
    RecordError,
    Rhythm,
    ValueRangeError,
    open_records,
    read_ecg,
)
from pacl.registry import RegistryError
from pacl.testing import ReaderContract, check, made_ecg
from support.fit import activity
from support.mit import annotation_file
from support.refusals import refused

FS = 250.0
AT_S = 1.0 + np.cumsum(np.random.default_rng(0).normal(0.8, 0.05, 90))
ECG = made_ecg(AT_S, FS, float(int(AT_S[-1]) + 2))


def write_edf(path, signal=ECG):
    lead = edfio.EdfSignal(signal[0].astype(float), FS, label="ECG II", physical_dimension="mV")
    edfio.Edf([lead]).write(path)


def write_wfdb(folder, name="x", signal=ECG, marks=()):
    numbers = np.round(signal[0] * 1000).astype("<i2")
    numbers.tofile(folder / f"{name}.dat")
    line = f"{name}.dat 16 1000/mV 16 0 {numbers[0]} 0 0 II\n"
    (folder / f"{name}.hea").write_text(
        f"{name} 1 {FS:g} {numbers.size} 21:30:00 01/04/2026\n{line}"
    )
    if marks:
        (folder / f"{name}.atr").write_bytes(annotation_file(list(marks)))


def write_text(path, signal=ECG):
    rows = [f"{at / FS:.4f},{value:.4f}\n" for at, value in enumerate(signal[0])]
    path.write_text("time [s],ecg [mV]\n" + "".join(rows))


@pytest.fixture(params=["edf", "csv", "hea"])
def one(request, tmp_path):
    path = tmp_path / f"x.{request.param}"
    {"edf": write_edf, "csv": write_text, "hea": lambda path: write_wfdb(path.parent)}[
        request.param
    ](path)
    return path


def test_beats_are_found_in_every_format(one):
    record = open_records(one).read("x")
    assert len(record) == AT_S.size - 1
    assert record.onset_s() == pytest.approx(AT_S[:-1], abs=0.005)
    assert record.rr_ms == pytest.approx(1000 * np.diff(AT_S), abs=8)
    assert set(record.rhythm().tolist()) == {Rhythm.UNKNOWN}
    assert not record.not_judged


def test_it_keeps_the_contract_of_all_readers(one):
    class Mine(ReaderContract):
        def open(self):
            return open_records(one.parent)

    check(Mine())


def test_the_ecg_itself_can_be_read(one):
    reader = open_records(one.parent)
    found = read_ecg(reader, "x")
    assert found.fs_hz == pytest.approx(FS)
    assert found.segments[0].millivolts[0, :500] == pytest.approx(ECG[0, :500], abs=0.01)


def test_noise_is_not_judged_unless_it_is_kept(tmp_path):
    noisy = ECG.copy()
    noise = np.random.default_rng(1).standard_normal(int(15 * FS))
    noisy[0, int(30 * FS) : int(45 * FS)] += noise.astype(np.float32)
    write_edf(tmp_path / "x.edf", noisy)
    record = open_records(tmp_path).read("x")
    lost_s = sum(one.end_s - one.start_s for one in record.not_judged)
    assert 10 < lost_s < 25
    aside = record.cannot_be_judged()
    assert record.rr_ms[aside].sum() / 1000 == pytest.approx(lost_s, abs=0.01)
    assert sum(stop - start for start, stop in record.trusted_stretches()) == (~aside).sum()
    assert record.stretches() == [(0, len(record))]
    kept = open_records(tmp_path, ReadOptions(keep_noise=True)).read("x")
    assert not kept.not_judged
    assert not kept.cannot_be_judged().any()
    assert kept.trusted_stretches() == kept.stretches()


def test_wfdb_marks_hold_for_beats_of_the_signal(tmp_path):
    marks = [(10, "+", "(N"), (int(40 * FS), "+", "(AFIB")]
    write_wfdb(tmp_path, marks=marks)
    record = open_records(tmp_path / "x").read("x")
    begins_s = record.onset_s()
    wanted = np.where(begins_s >= 40, Rhythm.AF, Rhythm.SR)
    assert record.rhythm().tolist() == wanted.tolist()
    assert record.started.isoformat() == "2026-04-01T21:30:00"
    plain = open_records(tmp_path / "x.dat").read("x")
    assert plain.digest == record.digest
    (tmp_path / "x.atr").write_bytes(annotation_file(marks[:1]))
    assert open_records(tmp_path / "x").read("x").digest != record.digest


def test_annotated_beats_come_first_unless_the_signal_is_asked_for(tmp_path):
    marks = [(100 + 300 * number, "N", "") for number in range(9)]
    write_wfdb(tmp_path, marks=marks)
    assert len(open_records(tmp_path).read("x")) == 8
    found = open_records(tmp_path, ReadOptions(beats="signal")).read("x")
    assert len(found) == AT_S.size - 1


def test_without_beats_and_without_the_signal_both_are_named(tmp_path):
    write_wfdb(tmp_path)
    (tmp_path / "x.dat").unlink()
    with refused(RecordError, "x", "no signal"):
        open_records(tmp_path).read("x")


def test_a_lead_or_a_beat_finder_by_name(tmp_path):
    leads = [
        edfio.EdfSignal(part.astype(float), FS, label=name, physical_dimension="mV")
        for name, part in (("ECG I", 0 * ECG[0] + np.sin(np.arange(ECG.size))), ("ECG II", ECG[0]))
    ]
    edfio.Edf(leads).write(tmp_path / "x.edf")
    assert len(open_records(tmp_path, ReadOptions(lead="ECG II")).read("x")) == AT_S.size - 1
    with refused(RecordError, "V5", "--lead"):
        open_records(tmp_path, ReadOptions(lead="V5")).read("x")
    with refused(RegistryError, "nobody", "averages"):
        open_records(tmp_path, ReadOptions(beat_finder="nobody"))
    pytest.importorskip("sleepecg")
    both = open_records(tmp_path, ReadOptions(beat_finder="sleepecg", lead="ECG II")).read("x")
    assert abs(len(both) - AT_S.size) <= 3


def test_an_ecg_without_beats_is_refused(tmp_path):
    write_wfdb(tmp_path, signal=np.zeros((1, 5000)))
    with refused(ValueRangeError, "no two beats", "--lead"):
        open_records(tmp_path).read("x")


def test_text_without_a_rate_needs_one(tmp_path):
    (tmp_path / "x.txt").write_text("".join(f"{value:.4f}\n" for value in ECG[0]))
    with refused(RecordError, "--sampling-rate"):
        open_records(tmp_path / "x.txt").read("x")
    how = ReadOptions(sampling_rate=FS)
    assert len(open_records(tmp_path / "x.txt", how).read("x")) == AT_S.size - 1


def test_a_folder_of_everything(tmp_path):
    write_edf(tmp_path / "a.edf")
    write_text(tmp_path / "b.csv")
    write_wfdb(tmp_path, "c")
    rr_ms = [800 + 7 * (number % 9) for number in range(70)]
    (tmp_path / "d.fit").write_bytes(activity(rr_ms))
    (tmp_path / "e.txt").write_text("".join(f"{rr}\n" for rr in rr_ms))
    (tmp_path / "notes.json").write_text('{"hello": "world"}')
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8\xff")
    reader = open_records(tmp_path)
    assert reader.record_ids == ("a", "b", "c", "d", "e")
    sizes = [len(reader.read(name)) for name in reader.record_ids]
    assert sizes == [AT_S.size - 1] * 3 + [70, 70]
    lines = " ".join(reader.left_out)
    assert "notes.json" in lines
    assert "photo.jpg" in lines
    assert not any(f"{name}." in lines for name in "abcde")
    assert read_ecg(reader, "c").leads == ("II",)
    with refused(LayoutError, "e", "no ECG"):
        read_ecg(reader, "e")
    (tmp_path / "e.edf").write_bytes((tmp_path / "a.edf").read_bytes())
    with refused(LayoutError, "'e'", "rename"):
        open_records(tmp_path)


def test_files_of_one_person(tmp_path):
    for name in ("monday", "tuesday"):
        write_edf(tmp_path / f"{name}.edf")
    (tmp_path / "cohort.toml").write_text("[patients]\nmonday = 'anna'\ntuesday = 'anna'\n")
    reader = open_records(tmp_path)
    assert {reader.read(name).patient_id for name in reader.record_ids} == {"anna"}
    assert read_ecg(reader, "monday").leads == ("ECG II",)


def test_a_folder_without_a_recording_says_what_is_there(tmp_path):
    (tmp_path / "notes.json").write_text('{"hello": "world"}')
    with refused(LayoutError, "notes.json"):
        open_records(tmp_path)


def test_a_layout_can_be_forced(tmp_path):
    (tmp_path / "x.txt").write_text("".join(f"{value + 9:.4f}\n" for value in ECG[0]))
    with refused(RecordError, "x.txt"):
        open_records(tmp_path / "x.txt").read("x")
    how = ReadOptions(layout="ecg", sampling_rate=FS)
    assert len(open_records(tmp_path / "x.txt", how).read("x")) == AT_S.size - 1
    assert isinstance(open_records(tmp_path, how), EcgReader)


@pytest.mark.real
@pytest.mark.parametrize(
    ("name", "least"), [("100", 1.0), ("201", 0.985), ("203", 0.98), ("221", 0.99)]
)
def test_real_beats_are_found(data, name, least):
    folder = data / "mitdb-ecg"
    wanted_s = open_records(folder / name).read(name).onset_s()
    found_s = open_records(folder / name, ReadOptions(beats="signal")).read(name).onset_s()
    wanted_s = wanted_s[wanted_s < found_s[-1] + 0.1]
    near = np.abs(found_s[:, None] - wanted_s).min(axis=1) < 0.15
    reached = np.abs(found_s - wanted_s[:, None]).min(axis=1) < 0.15
    assert min(near.mean(), reached.mean()) >= least
