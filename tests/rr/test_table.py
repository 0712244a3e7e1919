from dataclasses import fields

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pacl.rr import RRWindowTable
from pacl.windows import Names, WindowSetError
from support.refusals import refused
from support.window_sets import make_set, names


def same(one: RRWindowTable, other: RRWindowTable) -> bool:
    for field in fields(RRWindowTable):
        a, b = getattr(one, field.name), getattr(other, field.name)
        if isinstance(a, Names):
            if a.to_list() != b.to_list() or a.names != b.names:
                return False
        elif a.dtype != b.dtype or not np.array_equal(a, b, equal_nan=a.dtype.kind == "f"):
            return False
    return True


def test_names():
    found = names(["b", "a", "b", "c"])
    assert found.names == ("b", "a", "c")
    assert len(found) == 4
    assert found.to_list() == ["b", "a", "b", "c"]
    assert found.is_("b").tolist() == [True, False, True, False]
    assert not found.is_("nobody").any()
    some = found[np.array([3, 1])]
    assert some.to_list() == ["c", "a"]
    assert some.present() == ("a", "c")
    assert some.names == found.names
    assert found.valid
    assert Names(np.empty(0, np.int32), ()).valid
    for code in (-1, 3):
        assert not Names(np.array([0, code], dtype=np.int32), found.names).valid


def test_some_rows():
    table = make_set().table
    mask = table.rhythm == 1
    assert len(table[mask]) == mask.sum() > 0
    assert same(table[mask], table[np.flatnonzero(mask)])
    assert table[np.array([2])].record.to_list() == [table.record.to_list()[2]]
    assert table[np.array([2])].start.tolist() == [table.start[2]]


def test_round_trip(tmp_path):
    table = make_set().table
    table.write(tmp_path / "t.parquet")
    assert same(RRWindowTable.read(tmp_path / "t.parquet"), table)


def test_names_that_no_row_bears_are_kept(tmp_path):
    """An empty part has to be seen by an audit of the file."""
    table = make_set().table
    left = table[~table.split.is_("test")]
    left.write(tmp_path / "t.parquet")
    found = RRWindowTable.read(tmp_path / "t.parquet")
    assert found.split.names == table.split.names
    assert found.split.present() == ("train", "validation")


def test_a_file_is_an_ordinary_table(tmp_path):
    table = make_set().table
    table.write(tmp_path / "t.parquet")
    found = pq.read_table(tmp_path / "t.parquet")
    assert found.column_names == [field.name for field in fields(RRWindowTable)]
    assert found.column("patient").to_pylist() == table.patient.to_list()
    # and one that somebody wrote with plain strings is read too
    plain = found.set_column(0, "patient", found.column("patient").cast(pa.string()))
    pq.write_table(plain, tmp_path / "plain.parquet")
    assert (
        RRWindowTable.read(tmp_path / "plain.parquet").patient.to_list() == table.patient.to_list()
    )


def test_no_rows(tmp_path):
    table = make_set().table[np.empty(0, np.int64)]
    table.write(tmp_path / "t.parquet")
    assert len(RRWindowTable.read(tmp_path / "t.parquet")) == 0


def test_files_that_are_no_table(tmp_path):
    path = tmp_path / "t.parquet"
    with refused(WindowSetError, "t.parquet"):
        RRWindowTable.read(path)
    path.write_bytes(b"PAR1 but not really")
    with refused(WindowSetError, "t.parquet"):
        RRWindowTable.read(path)
    table = make_set().table
    table.write(path)
    pq.write_table(pq.read_table(path).drop_columns(["scale_ms"]), path)
    with refused(WindowSetError, "scale_ms") as caught:
        RRWindowTable.read(path)
    assert str(caught.value).startswith(f"{path}: ")
