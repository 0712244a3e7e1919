import json
from pathlib import Path

import numpy as np
import pytest

from pacl.atomic_write import TargetError
from pacl.cohort import EpisodesProtocol, PooledProtocol
from pacl.records import RecordError, Rhythm, manifest_of, open_records
from pacl.records.simulate import write_cohort
from pacl.rr import Cut, RRWindowSet, audit_windows, prepare
from pacl.windows import LeakError, Split, WindowSetError, read_split, split_units
from support.recordings import Shelf, make_record
from support.refusals import refused

SR, AF, OTHER, UNKNOWN = Rhythm
CUT = Cut(window_beats=10, stride=5)
POOLED = PooledProtocol(scale_s=20.0)


def by_patient(strata, patients):
    return split_units(strata, seed=0)


def by_record(strata, patients):
    return Split("record", dict(zip(sorted(patients), PARTS, strict=False)), "by hand")


PARTS = ("train", "validation", "test", "train", "train", "train")


def shelf(size=6, *, patients=None, bad=()):
    """Recordings with SR and AF, no two alike."""
    generator = np.random.default_rng(0)
    records = []
    for number in range(size):
        rr_ms = generator.integers(500, 1500, 200)
        patient = patients[number] if patients else f"p{number}"
        records.append(
            make_record([(SR, 120), (AF, 80)], rr_ms, name=f"r{number}", patient=patient)
        )
    return Shelf(records, bad)


def run(reader, target, **options):
    defaults = {"protocol": POOLED, "divide": by_patient, "cut": CUT}
    return prepare(reader, target, **{**defaults, **options})


def manifest(path):
    return json.loads((path / "manifest.json").read_text())


@pytest.mark.parametrize(
    ("text", "patient", "rhythm"),
    [
        ("name = 'X'", "r0", "UNKNOWN"),
        ("unmarked = 'AF'", "r0", "AF"),
        ("unmarked = 'SR'\n[patients]\nr0 = 'r1'", "r1", "SR"),
    ],
)
def test_a_manifest_of_the_cohort_changes_the_set_and_is_in_its_manifest(
    tmp_path, text, patient, rhythm
):
    generator = np.random.default_rng(0)
    for number in range(6):
        rows = [f"{rr},{'AF' if beat > 120 else 'SR'}" for beat, rr in enumerate(beats(generator))]
        (tmp_path / f"r{number}.csv").write_text("rr_ms,rhythm\n" + "\n".join(rows))
    (tmp_path / "r0.csv").write_text("rr_ms\n" + "\n".join(map(str, beats(generator))))
    run(open_records(tmp_path), tmp_path / "made" / "before")
    (tmp_path / "cohort.toml").write_text(text)
    reader = open_records(tmp_path)
    run(reader, tmp_path / "made" / "after")
    before, after = (manifest(tmp_path / "made" / name) for name in ("before", "after"))
    assert after["records"][0]["patient"] == patient
    assert (after["records"][0] == before["records"][0]) is (rhythm == "UNKNOWN")
    assert after["cohort"] == manifest_of(reader).to_dict()
    assert after["digest"] != before["digest"]
    assert "cohort" not in before


def beats(generator):
    return generator.integers(500, 1500, 200)


def test_a_clean_set_is_written_and_can_be_opened(tmp_path):
    seen = []
    done = run(shelf(), tmp_path / "w", track=lambda at, total: seen.append((at, total)))
    assert seen == [(number, 6) for number in range(1, 7)]
    found = RRWindowSet.open(tmp_path / "w")
    assert done.path == tmp_path / "w"
    assert (done.windows, done.subjects, done.records) == (len(found), 6, 6)
    assert done.findings == audit_windows(found) == ()
    assert found.safe
    assert found.count() == manifest(done.path)["counts"]
    assert set(found.count()) == {"train", "validation", "test"}
    assert [path.name for path in tmp_path.iterdir()] == ["w"]


def test_the_manifest_says_how_it_came_about(tmp_path):
    run(shelf(), tmp_path / "w")
    found = manifest(tmp_path / "w")
    assert found["source"] == "shelf"
    assert found["window_beats"] == 10
    assert found["scaled"] is False
    assert found["protocol"] == {"name": "PooledProtocol", "scale_s": 20.0}
    assert found["cut"] == {"window_beats": 10, "stride": 5, "implausible": "drop"}
    assert found["min_to_onset_s"] == 0.0
    assert found["allowed"] == found["findings"] == []
    assert [record["digest"] for record in found["records"]] == [
        f"digest of r{number}" for number in range(6)
    ]
    beats = found["beats"]
    assert beats["all"] == 6 * 200 == sum(beats.values()) - beats["all"]
    split = read_split(tmp_path / "w" / "split.json")
    assert found["split"]["digest"] == split.digest
    assert found["split"]["safe"] is True
    assert found["split"]["origin"] == "subject split, seed 0, counts 4/1/1"
    windows = RRWindowSet.open(tmp_path / "w")
    for patient, part in split.part_of.items():
        mine = windows.table.patient.is_(patient)
        assert windows.table.split[mine].present() == (part,)


def test_patients_are_divided_by_what_they_have(tmp_path):
    given = {}

    def divide(strata, patients):
        given.update(strata=strata, patients=patients)
        return split_units(strata, seed=0)

    records = [
        make_record([(SR, 120), (AF, 80)], 800 + np.arange(200) % 41, name="r0", patient="both"),
        make_record([(SR, 120)], 810 + np.arange(120) % 43, name="r1", patient="sinus"),
        make_record([(SR, 25), (AF, 80)], 820 + np.arange(105) % 47, name="r2", patient="flutter"),
        make_record([(SR, 120)], 830 + np.arange(120) % 53, name="r3", patient="two"),
        make_record([(SR, 25), (AF, 80)], 840 + np.arange(105) % 59, name="r4", patient="two"),
        make_record([(OTHER, 50)], name="r5", patient="nothing"),
    ]
    done = run(
        Shelf(records), tmp_path / "w", divide=divide, allow=("class-missing", "duplicate-window")
    )
    assert given["strata"] == {"both": "SR+AF", "sinus": "SR", "flutter": "AF", "two": "SR+AF"}
    assert given["patients"]["r4"] == "two"
    assert given["patients"]["r5"] == "nothing"
    assert done.subjects == 4
    assert done.records == 5


@pytest.mark.parametrize("threads", [2, 5])
def test_threads_do_not_change_a_byte(tmp_path, threads):
    one = run(shelf(), tmp_path / "one").path
    many = run(shelf(), tmp_path / "many", threads=threads).path
    again = run(shelf(), tmp_path / "again").path
    for path in sorted(one.iterdir()):
        assert (many / path.name).read_bytes() == path.read_bytes(), path.name
        assert (again / path.name).read_bytes() == path.read_bytes(), path.name
    assert len(list(one.iterdir())) == 7


def test_a_recording_that_cannot_be_read_stops_or_is_noted(tmp_path):
    with refused(RecordError, "r2: "):
        run(shelf(bad=("r2",)), tmp_path / "w", threads=2)
    assert list(tmp_path.iterdir()) == []
    done = run(shelf(bad=("r2",)), tmp_path / "w", skip_bad=True)
    assert done.records == 5
    found = manifest(done.path)
    assert found["dropped"] == {"records that cannot be read": 1}
    assert found["records"][2] == {"record": "r2", "error": "r2: it is torn; mend it"}
    assert RRWindowSet.open(done.path).table.record.present() == ("r0", "r1", "r3", "r4", "r5")


def test_no_windows_at_all(tmp_path):
    with pytest.raises(WindowSetError) as caught:
        run(shelf(), tmp_path / "w", protocol=EpisodesProtocol())
    assert str(caught.value) == (
        "shelf: no window of 10 beats in 6 recordings (6 x AF shorter than 3600 s); choose another "
        "protocol (--protocol all-beats needs no hour of SR, pooled needs one in all) or shorter "
        "windows (--window-beats)"
    )
    with refused(WindowSetError, "500 beats"):
        run(shelf(), tmp_path / "w", cut=Cut(window_beats=500))
    assert list(tmp_path.iterdir()) == []


def test_a_split_of_other_patients(tmp_path):
    def strangers(strata, patients):
        return Split("subject", {"x": "train", "y": "test"}, "read from other.json")

    with pytest.raises(WindowSetError) as caught:
        run(shelf(), tmp_path / "w", divide=strangers)
    assert "windows belongs to a subject of the split (read from other.json); give a" in str(
        caught.value
    )
    assert list(tmp_path.iterdir()) == []


def test_a_split_that_leaves_somebody_out(tmp_path):
    def some(strata, patients):
        return Split("subject", {"p0": "train", "p1": "validation", "p2": "test"}, "by hand")

    every = run(shelf(), tmp_path / "every").windows
    done = run(shelf(), tmp_path / "w", divide=some)
    found = RRWindowSet.open(done.path)
    assert found.table.patient.present() == ("p0", "p1", "p2")
    assert manifest(done.path)["dropped"] == {"windows of nobody in the split": every - len(found)}
    assert found.manifest["windows"] == len(found) == done.windows


def test_a_part_without_windows_is_refused(tmp_path):
    def nobody(strata, patients):
        return Split("subject", {"p0": "train", "p1": "validation", "x": "test"}, "by hand")

    with refused(LeakError, "class-missing", "test"):
        run(shelf(), tmp_path / "w", divide=nobody)


TWINS = ("p0", "p1", "p2", "p3", "p0", "p1")


def test_a_record_split_that_splits_a_patient_is_refused(tmp_path):
    with refused(
        LeakError,
        "--allow patient-in-two-parts --allow unsafe-split",
        "\n  leak: patient-in-two-parts: p1 is in train (r5), validation (r1)",
        "\n  leak: unsafe-split: ",
    ):
        run(shelf(patients=TWINS), tmp_path / "w", divide=by_record)
    assert list(tmp_path.iterdir()) == []
    with refused(LeakError, "unsafe-split"):
        run(shelf(), tmp_path / "w", divide=by_record)  # even if it parts no patient
    run(shelf(), tmp_path / "w", divide=by_record, allow=("unsafe-split",))
    assert not RRWindowSet.open(tmp_path / "w").safe
    assert manifest(tmp_path / "w")["split"]["safe"] is False


def test_what_was_allowed_by_name_is_said_for_ever(tmp_path):
    done = run(
        shelf(patients=TWINS),
        tmp_path / "w",
        divide=by_record,
        allow=("patient-in-two-parts", "unsafe-split", "near-onset"),
    )
    found = RRWindowSet.open(done.path)
    assert found.manifest["allowed"] == ["patient-in-two-parts", "unsafe-split"]
    assert not found.safe
    assert "UNSAFE: patient-in-two-parts, unsafe-split" in repr(found)
    finding = found.manifest["findings"][0]
    assert finding == {
        "kind": "patient-in-two-parts",
        "severity": "leak",
        "who": "p1",
        "what": "p1 is in train (r5), validation (r1)",
    }
    assert found.manifest["split"]["safe"] is False
    assert [each.kind for each in done.findings] == ["patient-in-two-parts", "unsafe-split"]


def test_a_leak_that_does_not_exist_cannot_be_allowed(tmp_path):
    with refused(WindowSetError, "patient-in-two-part", "patient-in-two-parts"):
        run(shelf(), tmp_path / "w", allow=("patient-in-two-part",))


def test_how_recordings_were_read_is_in_the_manifest(tmp_path):
    run(shelf(), tmp_path / "w", read_as={"flutter_is_af": "True"})
    assert manifest(tmp_path / "w")["read_as"] == {"flutter_is_af": "True"}


def test_one_leak_allowed_does_not_let_another_pass(tmp_path):
    """A recording copied under another name, and a patient in two parts."""
    records = [shelf().read(f"r{number}") for number in range(6)]
    copy = make_record([(SR, 120), (AF, 80)], records[0].rr_ms, name="r6", patient="p0")
    reader = Shelf([*records, copy])

    def divide(strata, patients):
        return Split("record", dict(zip(sorted(patients), (*PARTS, "test"), strict=True)), "")

    with refused(LeakError, "--allow duplicate-window", "leak: duplicate-window") as caught:
        run(
            reader,
            tmp_path / "w",
            divide=divide,
            allow=("patient-in-two-parts", "unsafe-split"),
        )
    assert "patient-in-two-parts" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []
    every = ("duplicate-window", "patient-in-two-parts", "unsafe-split")
    run(reader, tmp_path / "w", divide=divide, allow=every)
    assert manifest(tmp_path / "w")["allowed"] == list(every)


def test_notes_do_not_stop_anything(tmp_path):
    records = [shelf().read(f"r{number}") for number in range(6)]
    only = make_record([(SR, 120)], 700 + np.arange(120) % 31, name="r6", patient="p6")
    done = run(Shelf([*records, only]), tmp_path / "w", allow=("duplicate-window",))
    assert [finding.kind for finding in done.findings if not finding.serious] == [
        "patient-without-class"
    ]


def test_one_scale_a_patient(tmp_path):
    protocol = EpisodesProtocol(scaler="patient", min_af_s=20.0, min_sr_s=2 * 7200.0)
    records = []
    for number, patient in enumerate(("p0", "p0", "p1", "p2")):
        rr_ms = np.random.default_rng(number).integers(600, 1400 + 10 * number, 20_000)
        records.append(
            make_record([(SR, 18_000), (AF, 2000)], rr_ms, name=f"r{number}", patient=patient)
        )
    run(Shelf(records), tmp_path / "w", protocol=protocol)
    table = RRWindowSet.open(tmp_path / "w").table
    scales = [set(table.scale_ms[table.record.is_(f"r{number}")].tolist()) for number in range(4)]
    assert scales[0] == scales[1]
    assert len({frozenset(scale) for scale in scales}) == 3
    assert manifest(tmp_path / "w")["min_to_onset_s"] == 7200.0


def test_what_is_there_is_not_overwritten(tmp_path):
    (tmp_path / "mine").write_text("mine")
    with refused(TargetError, tmp_path):
        run(shelf(), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_an_error_of_the_caller_leaves_nothing(tmp_path):
    def fail(strata, patients):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(shelf(), tmp_path / "w", divide=fail)
    assert list(tmp_path.iterdir()) == []


def test_the_papers_rule_on_a_simulated_cohort(tmp_path):
    write_cohort(tmp_path / "cohort", 8, seed=0)
    done = prepare(
        open_records(tmp_path / "cohort"),
        tmp_path / "w",
        protocol=EpisodesProtocol(),
        divide=by_patient,
    )
    assert done.findings == ()
    found = RRWindowSet.open(tmp_path / "w")
    assert found.window_beats == 200
    assert len(found) == done.windows > 1000
    sr = found.table.rhythm == Rhythm.SR
    assert found.table.to_onset_s[sr].min() >= 7200
    beats = found.manifest["beats"]
    assert sum(beats.values()) == 2 * beats["all"]
    assert np.abs(np.median(found.windows()[sr])) < 1


def prepared(data: Path, name: str, tmp_path_factory: pytest.TempPathFactory) -> RRWindowSet:
    target = tmp_path_factory.mktemp(name) / "windows"
    done = prepare(open_records(data / name), target, protocol=PooledProtocol(), divide=by_patient)
    assert [finding for finding in done.findings if finding.serious] == []
    return RRWindowSet.open(target)


@pytest.fixture(scope="module")
def ltafdb(data, tmp_path_factory):
    return prepared(data, "ltafdb", tmp_path_factory)


@pytest.fixture(scope="module")
def afdb(data, tmp_path_factory):
    return prepared(data, "afdb", tmp_path_factory)


@pytest.mark.real
@pytest.mark.parametrize(("name", "patients", "both"), [("ltafdb", 52, 42), ("afdb", 22, 20)])
def test_real_cohorts(name, patients, both, request):
    found = request.getfixturevalue(name)
    table = found.table
    assert found.safe
    assert audit_windows(found) == tuple(
        finding for finding in audit_windows(found) if not finding.serious
    )
    has = [set(table.patient[table.rhythm == kind].present()) for kind in (SR, AF)]
    assert len(has[0] & has[1]) == both
    assert len(table.patient.present()) == patients
    left_out = found.manifest["dropped"]["records with less than 3600 s of SR"]
    assert left_out == len(found.manifest["records"]) - patients
    beats = found.manifest["beats"]
    assert sum(beats.values()) == 2 * beats["all"]
    for part in ("train", "validation", "test"):
        for count in found.count()[part].values():
            assert count > 100


@pytest.mark.real
def test_real_windows_are_those_of_the_recordings(afdb, data):
    """The beats of some windows, looked up in the recording they came from."""
    reader = open_records(data / "afdb")
    table = afdb.table
    for row in np.random.default_rng(0).integers(0, len(afdb), 40).tolist():
        record = reader.read(table.record.to_list()[row])
        at = afdb.raw_index[table.start[row] : table.start[row] + 200]
        assert (at[0], at[-1] + 1) == (table.raw_start[row], table.raw_stop[row])
        beats = record.rr_ms[at]
        assert np.array_equal(afdb.windows(np.array([row]), scaled=False)[0], beats)
        assert beats.min() >= 200
        assert beats.max() <= 2000
        assert set(record.rhythm()[at].tolist()) == {table.rhythm[row]}
        skipped = np.setdiff1d(np.arange(at[0], at[-1]), at)
        assert np.all((record.rr_ms[skipped] < 200) | (record.rr_ms[skipped] > 2000))
        assert record.rr_ms[at[0] : at[-1] + 1].max() <= 10_000
