"""The digest of windows: another for whatever can be learned from, wherever they are kept."""

from dataclasses import replace

import numpy as np
import pytest

from pacl.rr import RRWindowSet
from pacl.studies.provenance import digest_of
from pacl.windows import Names
from support.window_sets import make_set


def test_the_same_wherever_they_are_kept(tmp_path):
    windows = make_set()
    windows.write(tmp_path)
    assert digest_of(RRWindowSet.open(tmp_path)) == digest_of(windows) == digest_of(make_set())


@pytest.mark.parametrize(
    "column", ["rhythm", "start", "onset_s", "centre_ms", "scale_ms", "patient", "record"]
)
def test_another_where_a_column_is_another(column):
    windows = make_set()
    values = getattr(windows.table, column)
    if isinstance(values, Names):
        other = Names(np.roll(values.codes, 1), values.names)
    else:
        other = np.roll(values, 1)
    changed = replace(windows, table=replace(windows.table, **{column: other}))
    assert digest_of(changed, times=True) != digest_of(windows, times=True)
    told_anyway = column not in ("onset_s", "record")
    assert (digest_of(changed) != digest_of(windows)) == told_anyway


def test_another_where_beats_are_others():
    windows = make_set()
    assert digest_of(replace(windows, rr_ms=windows.rr_ms + 1)) != digest_of(windows)
