"""Flags in JSON: intervals that a sensor marks as invalid are time without a beat."""

import json

import numpy as np
import pytest

from pacl.records import ValueRangeError
from pacl.records.exports import ExportReader
from support.refusals import refused

RR_MS = [int(one) for one in np.random.default_rng(2).normal(800, 50, size=120)]
BAD = range(40, 60)


def read(tmp_path, document):
    path = tmp_path / "log.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return ExportReader(path).read("log")


def check(record, bad=BAD):
    """The bad intervals are no beats, and the recording is as long as before."""
    good = [one for number, one in enumerate(RR_MS) if number not in bad]
    assert record.rr_ms[(record.rr_ms >= 200) & (record.rr_ms <= 2000)].tolist() == good
    assert record.rr_ms.sum() == pytest.approx(sum(RR_MS))
    at = np.flatnonzero(record.rr_ms == RR_MS[max(bad) + 1])[0]
    assert not 200 <= record.rr_ms[at - 1] <= 2000


FLAGS = [
    ("valid", True, False),
    ("is_valid", 1, 0),
    ("contact", True, False),
    ("skinContactStatus", 1, 0),
    ("artifact", 0, 1),
    ("offline", False, True),
    ("blockerBit", "0", "1"),
    ("ppErrorEstimate", 5, 31),
]


@pytest.mark.parametrize(("name", "good", "bad"), FLAGS)
def test_flags_of_packets_are_heeded(tmp_path, name, good, bad):
    rows, at_s = [], 1.75e9
    for number, one in enumerate(RR_MS):
        at_s += one / 1000
        flag = bad if number in BAD else good
        rows.append({"time": round(at_s, 3), "rr": one, name: flag})
    record = read(tmp_path, "\n".join(map(json.dumps, rows)))
    check(record)
    assert record.file_starts.tolist() == [0]


@pytest.mark.parametrize(("name", "good", "bad"), FLAGS)
def test_flags_within_and_beside_a_list_are_heeded(tmp_path, name, good, bad):
    flags = [bad if number in BAD else good for number in range(len(RR_MS))]
    check(read(tmp_path, {"rr": RR_MS, name: flags}))
    inside = [{"duration": one, name: flag} for one, flag in zip(RR_MS, flags, strict=True)]
    check(read(tmp_path, {"samples": {"rr": inside}}))


def test_contact_counts_only_where_the_strap_can_tell(tmp_path):
    rows = [{"rr": one, "contact": False, "contactSupported": False} for one in RR_MS]
    assert read(tmp_path, "\n".join(map(json.dumps, rows))).rr_ms.tolist() == RR_MS


def test_a_number_of_artifacts_marks_none_and_an_empty_list_neither(tmp_path):
    for value in (1, [], None):
        assert read(tmp_path, {"rr": RR_MS, "artifacts": value}).rr_ms.tolist() == RR_MS


def test_flags_of_another_length_and_nothing_valid_are_refused(tmp_path):
    with refused(ValueRangeError, "log.json", "artifacts", 2, 120):
        read(tmp_path, {"rr": RR_MS, "artifacts": [5, 6]})
    with refused(ValueRangeError, "log.json", "invalid"):
        read(tmp_path, {"rr": RR_MS, "valid": False})


def test_flags_of_polars_daily_log_are_heeded(tmp_path):
    samples, at_ms = [], 0
    for number, one in enumerate(RR_MS):
        at_ms += one
        stamp = f"2024-05-04T21:{at_ms // 60_000:02}:{at_ms // 1000 % 60:02}.{at_ms % 1000:03}"
        samples.append({"sampleDateTime": stamp, "pulseLength": one, "valid": number not in BAD})
    check(read(tmp_path, {"devicePpiSamplesList": [{"deviceId": "A", "ppiSamples": samples}]}))
