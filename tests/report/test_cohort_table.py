"""Who is in which part, counted from windows or given."""

from pacl.records import Rhythm
from pacl.report.cohort_table import PartCount, cohort_table, count_parts
from support.window_sets import make_set


def test_counts_are_those_of_an_explicit_loop():
    windows = make_set(patients=7)
    table = windows.table
    rows = list(
        zip(
            table.split.to_list(),
            table.record.to_list(),
            table.patient.to_list(),
            table.rhythm,
            strict=True,
        )
    )
    found = count_parts(windows)
    assert [one.part for one in found] == ["train", "validation", "test"]
    for one in found:
        mine = [row for row in rows if row[0] == one.part]
        assert one.records == len({row[1] for row in mine})
        assert one.patients == one.with_both == len({row[2] for row in mine})
        assert one.sr_windows == sum(row[3] == Rhythm.SR for row in mine)
        assert one.af_windows == sum(row[3] == Rhythm.AF for row in mine)


def test_a_patient_with_one_rhythm_is_not_counted_with_both():
    windows = make_set(patients=3)
    table = windows.table
    only_sr = table.rhythm == Rhythm.SR
    (train, *_) = count_parts(windows)
    lacking = windows.select(only_sr | ~table.split.is_("train"))
    (without, *others) = count_parts(lacking)
    assert (train.with_both, without.with_both) == (1, 0)
    assert without.patients == 1
    assert without.af_windows == 0
    assert all(one.with_both == 1 for one in others)


def test_the_sum_stands_below():
    parts = [PartCount("train", 3, 2, 2, 1000, 500), PartCount("test", 1, 1, 0, 10, 0)]
    table = cohort_table("X", parts)
    assert [cell.shown for cell in table.rows[-1]] == ["all", "4", "3", "2", "1,010", "500"]
    assert table.rules == (2,)
    assert len(cohort_table("X", parts[:1]).rows) == 1
