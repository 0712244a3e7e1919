"""Planted leaks: each is found, named, and taken for nothing else; clean sets stay clean."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pacl.records import Rhythm
from pacl.rr import RRWindowSet, audit_folder, audit_windows
from pacl.rr.store import ScaleBeats
from pacl.windows import Names
from support.window_sets import MIN_TO_ONSET_S, PARTS, make_set, names

Plant = Callable[[RRWindowSet, np.random.Generator], tuple[RRWindowSet, str]]
"""Spoils a set; gives it back with the name that the finding must bear."""


def kinds(windows: RRWindowSet) -> set[str]:
    return {finding.kind for finding in audit_windows(windows)}


def with_column(windows: RRWindowSet, **columns: object) -> RRWindowSet:
    return replace(windows, table=replace(windows.table, **columns))


def changed(column: np.ndarray, row: int, value: float) -> np.ndarray:
    out = column.copy()
    out[row] = value
    return out


def one_of(mask: np.ndarray, generator: np.random.Generator) -> int:
    return int(generator.choice(np.flatnonzero(mask)))


def patient_in_two_parts(
    made: RRWindowSet, generator: np.random.Generator
) -> tuple[RRWindowSet, str]:
    """Two patients of two parts are one and the same."""
    table = made.table
    here, there = generator.choice(3, 2, replace=False)
    mine, other = (
        str(generator.choice(table.patient[table.split.is_(PARTS[at])].present()))
        for at in (here, there)
    )
    who = [mine if name == other else name for name in table.patient.to_list()]
    return with_column(made, patient=names(who)), mine


def shared_beats(made: RRWindowSet, generator: np.random.Generator) -> tuple[RRWindowSet, str]:
    """A window of one part lies where one of another part lies, but not exactly there."""
    table = made.table
    row = one_of(np.ones(len(made), bool), generator)
    after = np.append(table.record.codes[1:] == table.record.codes[:-1], False)
    after &= np.append(table.rhythm[1:] == table.rhythm[:-1], False)  # there is room behind it
    elsewhere = table.split.codes != table.split.codes[row]
    target = one_of(after & elsewhere & (table.rhythm == table.rhythm[row]), generator)
    moved = with_column(made, start=changed(table.start, row, table.start[target] + 1))
    return moved, table.record.to_list()[row]


def record_of_two_patients(
    made: RRWindowSet, generator: np.random.Generator
) -> tuple[RRWindowSet, str]:
    """One window of a record is given to somebody else, in the same part."""
    table = made.table
    row = int(generator.integers(len(made)))
    codes = changed(table.patient.codes, row, len(table.patient.names))
    somebody = Names(codes, (*table.patient.names, "somebody"))
    return with_column(made, patient=somebody), table.record.to_list()[row]


def misplaced_window(made: RRWindowSet, generator: np.random.Generator) -> tuple[RRWindowSet, str]:
    """A window says that it lies a beat further on in its record than it does."""
    row = int(generator.integers(len(made)))
    raw_start = changed(made.table.raw_start, row, made.table.raw_start[row] + 1)
    return with_column(made, raw_start=raw_start), made.table.record.to_list()[row]


def uneven_scale(made: RRWindowSet, generator: np.random.Generator) -> tuple[RRWindowSet, str]:
    """The AF windows of a record are centred elsewhere, so that the scale tells the label."""
    table = made.table
    code = int(generator.integers(len(table.record.names)))
    rows = (table.record.codes == code) & (table.rhythm == Rhythm.AF)
    centre_ms = np.where(rows, table.centre_ms - 100, table.centre_ms).astype(np.float32)
    return with_column(made, centre_ms=centre_ms), table.record.names[code]


def bad_value(made: RRWindowSet, generator: np.random.Generator) -> tuple[RRWindowSet, str]:
    """A record cannot be scaled."""
    table = made.table
    code = int(generator.integers(len(table.record.names)))
    bad = generator.choice([0.0, -1.0, np.nan, np.inf])
    scale_ms = np.where(table.record.codes == code, bad, table.scale_ms).astype(np.float32)
    return with_column(made, scale_ms=scale_ms), table.record.names[code]


def scale_beats_in_window(
    made: RRWindowSet, generator: np.random.Generator
) -> tuple[RRWindowSet, str]:
    """One beat of one window, anywhere in it, is also scaled on."""
    table, scale = made.table, made.scale_beats
    row = int(generator.integers(len(made)))
    beat = int(generator.integers(table.raw_start[row], table.raw_stop[row]))
    record = table.record.to_list()[row]
    more = ScaleBeats(
        (*scale.record, record), np.append(scale.start, beat), np.append(scale.stop, beat + 1)
    )
    return replace(made, scale_beats=more), record


def duplicate_in_a_record(
    made: RRWindowSet, generator: np.random.Generator
) -> tuple[RRWindowSet, str]:
    row = int(generator.integers(len(made)))
    rows = np.append(np.arange(len(made)), row)
    return made.select(rows), made.table.record.to_list()[row]


def duplicate_across_records(
    made: RRWindowSet, generator: np.random.Generator
) -> tuple[RRWindowSet, str]:
    """The beats of a window stand in another record too, as when a recording was copied."""
    table = made.table
    row = int(generator.integers(len(made)))
    other = one_of(table.patient.codes != table.patient.codes[row], generator)
    rr_ms = made.rr_ms.copy()
    source, target = (
        slice(table.start[at], table.start[at] + made.window_beats) for at in (row, other)
    )
    rr_ms[target] = rr_ms[source]
    return replace(made, rr_ms=rr_ms), table.record.to_list()[other]


def mixed_rhythm(made: RRWindowSet, generator: np.random.Generator) -> tuple[RRWindowSet, str]:
    """One beat of a window, anywhere in it, bears another rhythm."""
    row = int(generator.integers(len(made)))
    beat = made.table.start[row] + int(generator.integers(made.window_beats))
    others = [kind for kind in Rhythm if kind != made.table.rhythm[row]]
    rhythm = changed(made.beat_rhythm, beat, int(generator.choice(others)))
    return replace(made, beat_rhythm=rhythm), made.table.record.to_list()[row]


def near_onset(made: RRWindowSet, generator: np.random.Generator) -> tuple[RRWindowSet, str]:
    row = one_of(made.table.rhythm == Rhythm.SR, generator)
    near = float(generator.choice([MIN_TO_ONSET_S - 0.05, 3600.0, 0.0, -10.0]))
    spoiled = with_column(made, to_onset_s=changed(made.table.to_onset_s, row, near))
    return spoiled, made.table.record.to_list()[row]


def part_without_class(
    made: RRWindowSet, generator: np.random.Generator
) -> tuple[RRWindowSet, str]:
    part = str(generator.choice(PARTS))
    kind = int(generator.integers(2))
    gone = made.table.split.is_(part) & (made.table.rhythm == kind)
    return made.select(~gone), part


def part_without_windows(
    made: RRWindowSet, generator: np.random.Generator
) -> tuple[RRWindowSet, str]:
    part = str(generator.choice(PARTS))
    return made.select(~made.table.split.is_(part)), part


PLANTED: dict[str, list[Plant]] = {
    "patient-in-two-parts": [patient_in_two_parts],
    "shared-beats": [shared_beats],
    "scale-beats-in-window": [scale_beats_in_window],
    "duplicate-window": [duplicate_in_a_record, duplicate_across_records],
    "mixed-rhythm": [mixed_rhythm],
    "near-onset": [near_onset],
    "class-missing": [part_without_class, part_without_windows],
}
INDEPENDENT = sum(map(len, PLANTED.values()))
"""So many of the plants, from the first, do not undo one another."""

PLANTED |= {
    "record-of-two-patients": [record_of_two_patients],
    "misplaced-window": [misplaced_window],
    "uneven-scale": [uneven_scale],
    "bad-value": [bad_value],
}
PLANTS = [(kind, plant) for kind, plants in PLANTED.items() for plant in plants]

SETS = {
    "seed": st.integers(0, 2**32),
    "patients": st.integers(3, 8),
    "window_beats": st.integers(4, 12),
    "stride": st.integers(2, 14),
    "records": st.integers(1, 3),
}


@given(**SETS)
@settings(max_examples=60, derandomize=True, deadline=None)
def test_clean_sets_stay_clean(**shape):
    assert audit_windows(make_set(**shape)) == ()


@pytest.mark.parametrize(("kind", "plant"), PLANTS)
@given(**SETS)
@settings(max_examples=25, derandomize=True, deadline=None)
def test_each_fault_is_found_named_and_taken_for_nothing_else(kind, plant, **shape):
    generator = np.random.default_rng(shape["seed"])
    spoiled, who = plant(make_set(**shape), generator)
    found = [finding for finding in audit_windows(spoiled) if finding.serious]
    # windows of two parts can only share beats if one of them is not where it says
    expected = {kind, "misplaced-window"} if kind == "shared-beats" else {kind}
    assert {finding.kind for finding in found} == expected
    assert any(who in finding.who or finding.who.endswith("...") for finding in found)
    assert all(finding.who.split(", ")[0] in finding.what for finding in found)
    severity = "fault" if kind in ("class-missing", "bad-value") else "leak"
    assert {finding.severity for finding in found} == {severity}


@given(st.sets(st.sampled_from(range(INDEPENDENT)), min_size=2), st.integers(0, 2**32))
@settings(max_examples=30, derandomize=True, deadline=None)
def test_no_fault_hides_another(chosen, seed):
    generator = np.random.default_rng(seed)
    spoiled = make_set(seed=seed, patients=9, records=3)
    for number in sorted(chosen, reverse=True):  # those that need every part come last
        if PLANTS[number][1] is not part_without_windows:
            spoiled, _ = PLANTS[number][1](spoiled, generator)
    expected = {PLANTS[n][0] for n in chosen if PLANTS[n][1] is not part_without_windows}
    if "shared-beats" in expected:  # planting it may move one of two equal windows away
        expected.discard("duplicate-window")
    assert expected <= kinds(spoiled)


def lines(windows: RRWindowSet) -> list[str]:
    return [str(finding) for finding in audit_windows(windows)]


def test_what_is_said_of_a_patient_in_two_parts():
    made = make_set(patients=3, records=1)
    same = with_column(made, patient=names(["patient_9"] * len(made)))
    assert lines(same) == [
        "leak: patient-in-two-parts: patient_9 is in test (record_20), train (record_00), "
        "validation (record_10)"
    ]


def test_a_finding_names_its_kind_the_number_of_windows_and_the_records():
    made = make_set(patients=3, records=1)
    first, second = 0, int(np.flatnonzero(made.table.record.codes == 1)[0])
    twice = made.select(np.append(np.arange(len(made)), [first, second]))
    sr = made.table.rhythm == Rhythm.SR
    near = with_column(made, to_onset_s=np.where(sr, np.float32(100), np.float32(np.nan)))
    mixed = replace(made, beat_rhythm=np.full_like(made.beat_rhythm, Rhythm.OTHER))
    every = "record_00, record_10, record_20"
    for windows, facts in (
        (twice, ("leak: duplicate-window: 4 windows ", "2 record(s): record_00, record_10")),
        (near, (f"leak: near-onset: {np.sum(sr)} SR windows ", "2 h", f"3 record(s): {every}")),
        (mixed, (f"leak: mixed-rhythm: {len(made)} windows ", f"3 record(s): {every}")),
    ):
        (line,) = lines(windows)
        assert all(fact in line for fact in facts)


def test_many_names_are_cut_short():
    made = make_set(patients=7, records=1)
    rhythm = np.full_like(made.beat_rhythm, Rhythm.UNKNOWN)
    (finding,) = audit_windows(replace(made, beat_rhythm=rhythm))
    assert finding.who == "record_00, record_10, record_20, record_30, record_40, ..."
    assert "in 7 record(s)" in finding.what


def test_shared_beats_without_the_patient_check():
    """A window that reaches past its record into that of another part."""
    made = make_set(patients=3, records=1)
    table = made.table
    last = int(np.flatnonzero(table.record.codes == 0)[-1])
    edge = int(table.start[last]) + made.window_beats  # where record_10 begins
    assert table.start[table.record.codes == 1].min() == edge
    moved = with_column(made, start=changed(table.start, last, edge - 7))
    found = {finding.kind: finding for finding in audit_windows(moved)}
    assert found.keys() == {"shared-beats", "mixed-rhythm", "misplaced-window"}
    assert found["shared-beats"].what == (
        "2 windows hold beats that another part holds too, in 2 record(s): record_00, record_10"
    )
    # the same overlap within one part is how windows are cut
    alone = with_column(moved, split=names(["train"] * len(made)))
    assert "shared-beats" not in kinds(alone)


@pytest.mark.parametrize("side", ["start", "stop"])
def test_scale_beats_may_touch_a_window_but_not_reach_into_it(side):
    made = make_set(patients=3, records=1)
    record = made.table.record.codes == 0
    first = int(made.table.raw_start[record].min())
    last = int(made.table.raw_stop[record].max())
    touching = (first - 3, first) if side == "stop" else (last, last + 3)
    reaching = (first - 3, first + 1) if side == "stop" else (last - 1, last + 3)
    for (low, high), expected in ((touching, set()), (reaching, {"scale-beats-in-window"})):
        scale = ScaleBeats(("record_00",), np.array([low]), np.array([high]))
        assert kinds(replace(made, scale_beats=scale)) == expected
        # another record's beats have the same numbers and are other beats
        stranger = replace(scale, record=("record_99",))
        assert kinds(replace(made, scale_beats=stranger)) == set()


def test_scale_beats_in_many_ranges():
    """Ranges around, between and over windows; only those over them count."""
    made = make_set(patients=3, records=1)
    mine = made.table.record.codes == 0
    sr, af = (mine & (made.table.rhythm == kind) for kind in (Rhythm.SR, Rhythm.AF))
    between = (int(made.table.raw_stop[sr].max()), int(made.table.raw_start[af].min()))
    ranges = [(10_000, 10_001), between, (40, 45), (0, 40)]  # in no order
    for extra, at_fault in ((None, 0), ((0, 10_000), int(mine.sum()))):
        every = [*ranges, *([extra] if extra else [])]
        scale = ScaleBeats(
            ("record_00",) * len(every),
            np.array([low for low, _ in every]),
            np.array([high for _, high in every]),
        )
        found = audit_windows(replace(made, scale_beats=scale))
        assert [finding.what.split()[0] for finding in found] == [str(at_fault)] * bool(at_fault)


@pytest.mark.parametrize("seed", range(20))
def test_scale_beats_against_a_loop(seed):
    """Short ranges anywhere, in any order, of any record."""
    generator = np.random.default_rng(seed)
    made = make_set(seed, patients=3, records=2)
    who = made.table.record.to_list()
    ranges = [
        (str(generator.choice(who)), int(low), int(low + generator.integers(1, 6)))
        for low in generator.choice(np.arange(0, 140, 6), 8, replace=False)
    ]
    scale = ScaleBeats(
        tuple(record for record, _, _ in ranges),
        np.array([low for _, low, _ in ranges], dtype=np.int64),
        np.array([high for _, _, high in ranges], dtype=np.int64),
    )
    count = 0
    for row, name in enumerate(who):
        window = set(range(made.table.raw_start[row], made.table.raw_stop[row]))
        count += any(name == r and window & set(range(a, b)) for r, a, b in ranges)
    found = audit_windows(replace(made, scale_beats=scale))
    assert [finding.what.split()[0] for finding in found] == [str(count)] * bool(count)


def test_windows_that_differ_in_one_beat_are_no_duplicates():
    made = make_set(patients=3, records=1)
    starts = made.table.start
    rr_ms = made.rr_ms.copy()
    rr_ms[starts[-1] : starts[-1] + 8] = rr_ms[starts[0] : starts[0] + 8]
    assert kinds(replace(made, rr_ms=rr_ms)) == {"duplicate-window"}
    for beat in range(8):
        other = changed(rr_ms, starts[-1] + beat, rr_ms[starts[-1] + beat] + 0.001)
        assert kinds(replace(made, rr_ms=other)) == set(), beat
    swapped = rr_ms.copy()
    swapped[starts[-1]], swapped[starts[-1] + 1] = rr_ms[starts[-1] + 1], rr_ms[starts[-1]]
    assert kinds(replace(made, rr_ms=swapped)) == set()


def test_onset_is_near_to_the_hundredth_of_a_second_and_only_for_sr():
    made = make_set()
    sr = int(np.flatnonzero(made.table.rhythm == Rhythm.SR)[0])
    af = int(np.flatnonzero(made.table.rhythm == Rhythm.AF)[0])
    column = made.table.to_onset_s
    assert kinds(with_column(made, to_onset_s=changed(column, sr, MIN_TO_ONSET_S))) == set()
    assert kinds(with_column(made, to_onset_s=changed(column, sr, MIN_TO_ONSET_S - 0.005))) == set()
    assert kinds(with_column(made, to_onset_s=changed(column, sr, MIN_TO_ONSET_S - 0.05)))
    assert kinds(with_column(made, to_onset_s=changed(column, af, 1.0))) == set()
    assert kinds(with_column(made, to_onset_s=changed(column, sr, np.nan))) == set()
    pooled = replace(made, manifest={**made.manifest, "min_to_onset_s": 0.0})
    assert kinds(with_column(pooled, to_onset_s=changed(column, sr, 0.5))) == set()


def test_a_part_without_a_class_is_a_fault_and_a_patient_without_one_a_note():
    made = make_set(patients=6, records=1)
    table = made.table
    one = made.select(~(table.patient.is_("patient_1") & (table.rhythm == Rhythm.AF)))
    (note,) = audit_windows(one)
    assert not note.serious
    assert str(note) == (
        "note: patient-without-class: 1 of 6 patients have no AF window: patient_1"
    )
    none = made.select(~(table.split.is_("test") & (table.rhythm == Rhythm.SR)))
    fault, note = audit_windows(none)
    assert str(fault) == "fault: class-missing: test has no SR window"
    assert note.what == "2 of 6 patients have no SR window: patient_2, patient_5"
    assert lines(made.select(~table.split.is_("test"))) == [
        "fault: class-missing: test has no window at all"
    ]


def test_a_part_held_alone_is_not_blamed_for_the_others():
    assert audit_windows(make_set().part("validation")) == ()


def test_leaks_come_first_then_faults_then_notes():
    made = make_set(patients=6, records=1)
    table = made.table
    spoiled = made.select(~(table.split.is_("test") & (table.rhythm == Rhythm.SR)))
    spoiled = spoiled.select(np.append(np.arange(len(spoiled)), 0))
    assert [finding.severity for finding in audit_windows(spoiled)] == ["leak", "fault", "note"]


def test_names_of_one_spelling_are_one_patient():
    """Whatever the numbers behind them: a name is who it is."""
    made = make_set(patients=3, records=1)
    doubled = Names(made.table.patient.codes, ("patient_0", "patient_1", "patient_0"))
    assert kinds(with_column(made, patient=doubled)) == {"patient-in-two-parts"}


def test_a_split_of_records_and_unknown_patients_are_leaks_by_themselves():
    made = make_set()
    split = {"unit": "record", "safe": False, "origin": "by hand"}
    assert kinds(replace(made, manifest={**made.manifest, "split": split})) == {"unsafe-split"}
    unknown = {**made.manifest, "split": split, "patients_known": False}
    assert kinds(replace(made, manifest=unknown)) == {"patients-unknown"}


def test_a_set_that_was_changed_on_disk_is_found_out(tmp_path):
    made = make_set()
    made.write(tmp_path)
    assert audit_folder(tmp_path) == ()
    for name in ("windows.parquet", "scale.parquet", "rr_ms.npy", "raw_index.npy"):
        whole = (tmp_path / name).read_bytes()
        other = make_set(seed=1) if name.endswith("parquet") else None
        if other is None:
            (tmp_path / name).write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
        else:
            (tmp_path / "new").mkdir(exist_ok=True)
            with_column(made, onset_s=made.table.onset_s + 1).write(tmp_path / "new")
            if name == "scale.parquet":
                replace(made, scale_beats=other.scale_beats).write(tmp_path / "new")
            (tmp_path / name).write_bytes((tmp_path / "new" / name).read_bytes())
        found = [f for f in audit_folder(tmp_path) if f.kind == "changed-file"]
        assert [finding.who for finding in found] == [name]
        assert found[0].serious
        (tmp_path / name).write_bytes(whole)
