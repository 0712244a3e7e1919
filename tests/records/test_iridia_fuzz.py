"""Damaged IRIDIA-AF records: a record or a typed error, never anything else."""

import numpy as np
import pytest

from pacl.records import IridiaReader, RecordError
from support.iridia import write_metadata, write_record
from support.mutate import damaged

FILES = {
    "rr": "record_000/record_000_rr_01.h5",
    "labels": "record_000/record_000_rr_labels.csv",
    "metadata": "metadata.csv",
}


@pytest.mark.parametrize("cases", [250, pytest.param(2500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("damage", FILES)
def test_damaged_files_give_records_or_typed_errors(tmp_path, damage, cases):
    rng = np.random.default_rng(0)
    rr = [rng.integers(60, 300, size=400) * 5 for _ in range(2)]
    write_record(tmp_path, "record_000", rr, [(0, 10, 0, 90), (0, 300, 1, 120)])
    write_metadata(tmp_path / "metadata.csv", [("record_000", "patient_000", 2)])
    path = tmp_path / FILES[damage]
    refused = 0
    for content in damaged(path.read_bytes(), cases, seed=3):
        path.write_bytes(content)
        try:
            record = IridiaReader(tmp_path).read("record_000")
        except RecordError as error:
            assert "record_000" in str(error) or "metadata" in str(error)
            refused += 1
        else:
            assert np.all(record.rr_ms >= 0)
    assert cases // 10 < refused < cases
