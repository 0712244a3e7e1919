"""Whether two records are the same to the bit, but for where they were read from."""

from dataclasses import fields

import numpy as np

from pacl.records import Reader, Record


def assert_same(one: Record, other: Record) -> None:
    for field in fields(Record):
        mine, theirs = getattr(one, field.name), getattr(other, field.name)
        if isinstance(mine, np.ndarray):
            assert mine.dtype == theirs.dtype
            assert mine.tobytes() == theirs.tobytes(), field.name
        elif field.name != "source":
            assert mine == theirs, field.name


def assert_reads_the_same(here: Reader, there: Reader) -> None:
    assert there.record_ids == here.record_ids
    for record_id in here.record_ids:
        assert_same(here.read(record_id), there.read(record_id))
