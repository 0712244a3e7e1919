"""Whatever the bytes: a record or a `RecordError`, soon; and no dialect loses a beat."""

import random
from datetime import datetime, timedelta
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pacl.records.errors import RecordError
from pacl.records.text import parse_rr

RR_MS = st.lists(st.integers(200, 3000), min_size=1, max_size=40).filter(
    lambda rr: len(rr) < 8 or any(b <= a for a, b in pairwise(rr))
)
"""Intervals that do not all rise: else they are taken for times."""

NEWLINES = st.sampled_from(["\n", "\r\n", "\r"])
LABELS = st.sampled_from(["SR", "AF", "(AFIB", "(N", "AFL", ""])
MARKS = {"SR": 0, "AF": 1, "(AFIB": 1, "(N": 0, "AFL": 2, "": 3}
ENCODINGS = st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "latin-1"])
FAST = settings(max_examples=60, derandomize=True, deadline=None)


def onsets_ms(rr: list[int]) -> list[int]:
    return [sum(rr[:beat]) for beat in range(len(rr))]


@FAST
@given(rr=RR_MS, newline=NEWLINES, encoding=ENCODINGS, header=st.sampled_from(["", "RR", "# ä"]))
def test_one_a_line(rr: list[int], newline: str, encoding: str, header: str) -> None:
    lines = [header, *map(str, rr)]
    content = newline.join(lines).encode(encoding)
    assert parse_rr(content, "a.txt").rr_ms.tolist() == rr


@FAST
@given(
    rr=RR_MS,
    delimiter=st.sampled_from([",", ";", "\t"]),
    unit=st.sampled_from(["ms", "s"]),
    quote=st.booleans(),
    data=st.data(),
)
def test_tables(rr: list[int], delimiter: str, unit: str, quote: bool, data: st.DataObject) -> None:
    labels = data.draw(st.lists(LABELS, min_size=len(rr), max_size=len(rr)))
    comma = data.draw(st.booleans()) and delimiter != ","
    values = [str(v) if unit == "ms" else f"{v / 1000:.3f}" for v in rr]
    times = [f"{t / 1000:.3f}" for t in onsets_ms(rr)]
    if comma:
        values, times = ([c.replace(".", ",") for c in cells] for cells in (values, times))
    rows = [("time [s]", "rhythm", f"rr [{unit}]"), *zip(times, labels, values, strict=True)]
    mark = '"' if quote else ""
    text = "\n".join(delimiter.join(f"{mark}{cell}{mark}" for cell in row) for row in rows)
    record = parse_rr(text.encode(), "a.csv")
    np.testing.assert_allclose(record.rr_ms, rr, rtol=1e-6)
    assert record.rhythm().tolist() == [MARKS[label] for label in labels]
    assert record.file_starts.tolist() == [0]


@FAST
@given(
    rr=st.lists(st.integers(200, 3000), min_size=4, max_size=40),
    gap_at=st.integers(1, 39),
    gap_s=st.integers(14, 5000),
    kind=st.sampled_from(["iso", "s", "ms", "end"]),
)
def test_pauses(rr: list[int], gap_at: int, gap_s: int, kind: str) -> None:
    gap_at = min(gap_at, len(rr) - 1)
    at = [t + (1000 * gap_s if beat >= gap_at else 0) for beat, t in enumerate(onsets_ms(rr))]
    if kind == "end":
        at = [t + v for t, v in zip(at, rr, strict=True)]
    began = datetime(2026, 4, 1, 22)
    cells = {
        "iso": [(began + timedelta(milliseconds=t)).isoformat() for t in at],
        "ms": [str(t) for t in at],
    }.get(kind, [f"{t / 1000:.3f}" for t in at])
    name = "time [ms]" if kind == "ms" else "time"
    text = f"{name},rr\n" + "\n".join(f"{c},{v}" for c, v in zip(cells, rr, strict=True))
    record = parse_rr(text.encode(), "a.csv")
    assert record.file_starts.tolist() == [0, gap_at]
    expected = sum(rr[:gap_at]) / 1000 + gap_s
    alike = abs(max(rr) - min(rr)) / 1000  # begin and end may be confused where both fit
    assert record.file_onset_s[1] == pytest.approx(expected, abs=alike + 1e-6)
    assert record.started == (began if kind == "iso" else None) or alike


@settings(max_examples=300, derandomize=True, deadline=None)
@given(content=st.binary(max_size=200))
def test_any_bytes(content: bytes) -> None:
    try:
        parse_rr(content, "a.txt")
    except RecordError as error:
        assert str(error).startswith("a.txt")


@settings(max_examples=300, derandomize=True, deadline=None)
@given(text=st.text(alphabet="0123456789.,;\t\n -+eE:TZ()[]\"'#%/rtimsnahyAFNIB_", max_size=120))
def test_any_text(text: str) -> None:
    try:
        record = parse_rr(text.encode(), "a.txt", allow_zero=True)
    except RecordError as error:
        assert "; " in str(error)
    else:
        assert len(record) == len(record.rhythm())


POLAR = "Phone timestamp;RR-interval [ms]\n" + "".join(
    f"{datetime(2026, 4, 1, 9) + timedelta(milliseconds=800 * i)};{790 + i % 23}\n"
    for i in range(30)
)
SEEDS = [
    "".join(f"{790 + i % 23}\n" for i in range(40)),
    "".join(f"0,{790 + i % 23}\n" for i in range(40)),
    POLAR,
    "time [s],rr [s],rhythm\n"
    + "".join(f"{0.8 * i:.2f},0.7{i % 7},{'(AFIB' if i > 9 else 'N'}\n" for i in range(30)),
    "RR INTERVAL DATA and SPECTRUM ESTIMATES,\n , SAMPLE 1, ,\n , Time, RR interval, PSD,\n"
    " , (s), (s), (Hz),\n" + "".join(f" , {0.8 * i:.2f}, 0.80{i % 7}, 1,\n" for i in range(20)),
    "[Params]\nInterval=238\nDate=20260401\nStartTime=09:00:05.2\n\n[HRData]\n"
    + "".join(f"{790 + i % 23}\n" for i in range(30)),
    "patient,valid,rr\n" + "".join(f"anna,{int(i % 9 > 0)},{790 + i % 23}\n" for i in range(40)),
    "date,time,rr,since start\n"
    + "".join(f"2026-04-01,09:00:{i:02d},{990 + i % 23},{1000 * i}\n" for i in range(30)),
]


TROUBLE = [b"\n", b";", b",", b"nan", b"-", b"\0", b"1e308", b'"', b"\t", b"_", b"+01:00"]


def mutate(content: bytearray, rng: random.Random) -> None:
    """Change bytes in one of the ways files go bad."""
    if not content:
        return
    at = rng.randrange(len(content))
    stop = min(len(content), at + rng.randrange(1, 60))
    match rng.randrange(6):
        case 0:
            content[at] ^= 1 << rng.randrange(8)
        case 1:
            del content[at:stop]
        case 2:
            del content[max(at, 1) :]
        case 3:
            content[at:at] = content[at:stop] * rng.randrange(1, 4)
        case 4:
            content[at:at] = rng.choice(TROUBLE)
        case _:
            content[at:at] = rng.randbytes(rng.randrange(1, 9))


@pytest.mark.parametrize("seed", range(len(SEEDS)))
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_spoilt_files(seed: int, encoding: str) -> None:
    rng = random.Random(f"{seed} {encoding}")
    whole = SEEDS[seed].encode(encoding)
    beats = len(parse_rr(whole, "a.txt"))
    outcomes = {True: 0, False: 0}
    for _ in range(300):
        content = bytearray(whole)
        for _ in range(rng.choice([1, 1, 1, 2, 5])):
            mutate(content, rng)
        try:
            record = parse_rr(bytes(content), "a.txt", allow_zero=rng.random() < 0.2)
        except RecordError as error:
            assert "a.txt" in str(error)
            outcomes[False] += 1
        else:
            assert 0 < len(record) <= 20 * beats
            outcomes[True] += 1
    assert min(outcomes.values()) > 3, "the mutations no longer reach both ends"
