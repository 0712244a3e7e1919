from dataclasses import replace
from datetime import datetime
from itertools import groupby, pairwise

import numpy as np
import pytest

from pacl.records import (
    GAP_MS,
    Faults,
    Record,
    Rhythm,
    Span,
    ValueRangeError,
    WfdbReader,
    with_faults,
)
from pacl.records.faults import detect, on_grid
from support.refusals import refused

SEEDS = range(200)
RR_MS = [0, 640, 807, 1013.5, GAP_MS, GAP_MS + 1, 515_400]
CHANCES = [0.05, 0.3, 0.3, 0.2, 0.05, 0.05, 0.05]
MANY = Faults(missed=0.3, extra=0.3)


def make(rr, starts=(0,), spans=None, dtype=np.float32) -> Record:
    rr_ms = np.array(rr, dtype=dtype)
    return Record(
        patient_id="p",
        record_id="r",
        rr_ms=rr_ms,
        file_starts=np.array(starts, dtype=np.int64),
        file_onset_s=np.arange(len(starts)) * 1e6 + 1.5,
        spans=spans or (Span(0, rr_ms.size, Rhythm.SR, "(N"),),
        digest="the original",
        source="somewhere",
        started=datetime(2003, 1, 31, 9, 30),
        lead_in_s=30.0,
    )


def random_record(seed, beats=40) -> Record:
    """A few files, gaps, intervals of no length, and spans some of which are one beat long."""
    draw = np.random.default_rng([seed, 1])
    rr = draw.choice(RR_MS, beats, p=CHANCES)
    starts = np.flatnonzero(draw.random(beats) < 0.1)
    edges = np.flatnonzero(draw.random(beats) < 0.3)
    edges = np.unique(np.concatenate([[0], edges, [beats]])).tolist()
    spans = tuple(
        Span(start, stop, Rhythm(int(draw.integers(4))), f"({draw.integers(2)}")
        for start, stop in pairwise(edges)
    )
    return make(rr, np.unique([0, *starts]).tolist(), spans)


def faulty(record, faults, seed=0) -> Record:
    return with_faults(record, faults, np.random.default_rng(seed))


def file_ms(record):
    rr_ms = record.rr_ms.astype(np.float64)
    return np.array([rr_ms[start:stop].sum() for start, stop in record.file_bounds()])


def loop(record, faults, seed):
    """Beat by beat: intervals, file starts, and the number of the true span of each interval."""
    generator = np.random.default_rng(seed)
    beats = len(record)
    miss, add = generator.random(beats), generator.random(beats)
    place = generator.uniform(0.2, 0.8, beats)
    found, starts, labels = [], [], []
    for start, stop in record.file_bounds():
        starts.append(len(found))
        for beat in range(start, stop):
            rr = float(record.rr_ms[beat])
            (label,) = (at for at, s in enumerate(record.spans) if s.start <= beat < s.stop)
            is_gap = rr > GAP_MS
            after_gap = beat > start and record.rr_ms[beat - 1] > GAP_MS
            fixed = beat == start or is_gap or after_gap
            if fixed or miss[beat] >= faults.missed:
                found.append(0.0)
                labels.append(label)
            if add[beat] < faults.extra and not is_gap:
                found[-1] += rr * place[beat]
                found.append(rr - rr * place[beat])
                labels.append(label)
            else:
                found[-1] += rr
    return found, starts, labels


def test_a_missed_beat_joins_the_intervals_around_it_and_an_extra_one_cuts_one_in_two():
    rr_ms = np.array([800.0, 900.0, 1000.0, 700.0])
    missed = np.array([False, True, False, False])
    extra = np.array([False, False, False, True])
    seen, within = detect(rr_ms, missed, extra, np.full(4, 0.25))
    assert seen.tolist() == [1700, 1000, 175, 525]
    assert within.tolist() == [0, 2, 3, 3]


def test_an_extra_beat_in_an_interval_whose_first_beat_is_missed():
    yes = np.array([False, True, False])
    seen, within = detect(np.array([800.0, 1000.0, 700.0]), yes, yes, np.full(3, 0.25))
    assert seen.tolist() == [1050, 750, 700]
    assert within.tolist() == [0, 1, 2]


def test_several_beats_missed_in_a_row_leave_one_interval():
    missed = np.array([False, True, True, True])
    no, half = np.zeros(4, dtype=bool), np.full(4, 0.5)
    seen, within = detect(np.full(4, 800.0), missed, no, half)
    assert seen.tolist() == [3200]
    assert within.tolist() == [0]


def test_beat_times_are_rounded_not_intervals():
    found = faulty(make([804, 804, 804, 804]), Faults(resolution_ms=10.0))
    assert found.rr_ms.tolist() == [800, 810, 800, 810]  # beats at 804, 1608, 2412, 3216
    assert faulty(make([3, 3, 3]), Faults(resolution_ms=10.0)).rr_ms.tolist() == [0, 10, 0]


def test_the_clock_begins_anew_with_a_file_and_stands_still_in_a_gap():
    rr_ms = np.array([804.0, 12_003.0, 804.0, 804.0, 804.0])
    gap = rr_ms > GAP_MS
    assert on_grid(rr_ms, gap, np.array([0, 4]), 10.0).tolist() == [800, 12_003, 810, 800, 800]


def test_a_gap_just_above_the_limit_is_not_rounded_away():
    found = faulty(make([800, GAP_MS + 1, 800]), Faults(resolution_ms=500.0))
    assert found.rr_ms.tolist() == [1000, GAP_MS + 1, 500]


def test_spans_follow_their_intervals_and_vanish_with_the_last():
    spans = (
        Span(0, 2, Rhythm.SR, "(N"),
        Span(2, 3, Rhythm.AF, "(AFIB"),
        Span(3, 5, Rhythm.SR, "(N"),
        Span(5, 6, Rhythm.SR, "(N"),
    )
    original = make([800] * 6, spans=spans)
    missed = np.array([False, False, True, False, True, False])
    seed = next(  # the first to miss just these beats
        seed
        for seed in range(10_000)
        if np.array_equal(np.random.default_rng(seed).random(6)[1:] < 0.3, missed[1:])
    )
    found = faulty(original, Faults(missed=0.3), seed)
    assert found.rr_ms.tolist() == [800, 1600, 1600, 800]
    assert found.spans == (
        Span(0, 2, Rhythm.SR, "(N"),
        Span(2, 3, Rhythm.SR, "(N"),
        Span(3, 4, Rhythm.SR, "(N"),
    )


@pytest.mark.parametrize(
    "faults",
    [Faults(missed=0.4), Faults(extra=0.4), MANY, Faults(missed=0.95, extra=0.05)],
    ids=["missed", "extra", "both", "nearly all missed"],
)
def test_as_a_loop_over_beats(faults):
    for seed in SEEDS:
        record = random_record(seed)
        found = faulty(record, faults, seed)
        rr, starts, labels = loop(record, faults, seed)
        assert found.rr_ms == pytest.approx(np.array(rr), rel=1e-6)
        assert found.file_starts.tolist() == starts
        expected = []  # spans follow from their numbers: none joined, none empty
        for number, group in groupby(range(len(labels)), key=labels.__getitem__):
            beats, span = list(group), record.spans[number]
            expected.append(Span(beats[0], beats[-1] + 1, span.rhythm, span.mark))
        assert found.spans == tuple(expected)


@pytest.mark.parametrize("resolution_ms", [0.0, 1000 / 128, 5.0, 0.3])
def test_every_file_keeps_its_time_and_its_gaps(resolution_ms):
    faults = Faults(missed=0.1, extra=0.3, resolution_ms=resolution_ms)
    for seed in SEEDS:
        record = random_record(seed)
        found = faulty(record, faults, seed)
        assert np.abs(file_ms(found) - file_ms(record)).max() <= resolution_ms / 2 + 0.1
        gaps_ms = [
            [rr for rr in each.rr_ms[start:stop].tolist() if rr in (GAP_MS + 1, 515_400)]
            for each in (found, record)
            for start, stop in each.file_bounds()
        ]
        files = record.file_starts.size
        assert gaps_ms[:files] == gaps_ms[files:]


def test_all_but_gaps_are_multiples_of_the_resolution():
    found = faulty(random_record(3, 500), Faults(0.1, 0.1, 1000 / 128), 3)
    steps = found.rr_ms[found.rr_ms <= GAP_MS] / np.float32(1000 / 128)
    assert np.array_equal(steps, np.rint(steps))


def test_neither_end_of_a_gap_is_missed_nor_those_of_a_file():
    record = make([800, 12_000, 12_000, 800, 700, 600], starts=(0, 4, 5))
    for seed in range(20):
        assert faulty(record, Faults(missed=0.99), seed).rr_ms.tolist() == record.rr_ms.tolist()


def test_extra_beats_fall_between_20_and_80_percent():
    found = faulty(make([1000] * 20_000), Faults(extra=0.99))
    parts = found.rr_ms[found.rr_ms < 1000]
    assert parts.min() == pytest.approx(200, abs=1)
    assert parts.max() == pytest.approx(800, abs=1)
    assert np.histogram(parts, 6)[0] / parts.size == pytest.approx(np.full(6, 1 / 6), abs=0.01)


def test_rates_are_those_asked_for():
    record = make([800] * 100_000)
    assert len(faulty(record, Faults(missed=0.05))) == pytest.approx(95_000, abs=300)
    assert len(faulty(record, Faults(extra=0.05))) == pytest.approx(105_000, abs=300)
    assert len(faulty(record, Faults(0.05, 0.02))) == pytest.approx(97_000, abs=350)


def test_from_one_seed_the_faults_of_a_low_rate_are_among_those_of_a_higher_one():
    record = make([800] * 5_000)
    ends = [
        set(np.cumsum(faulty(record, Faults(missed=rate)).rr_ms).tolist()) for rate in (0.02, 0.1)
    ]
    assert ends[1] < ends[0]
    cut = [
        set(np.cumsum(faulty(record, Faults(extra=rate)).rr_ms, dtype=float).round(1).tolist())
        for rate in (0.02, 0.1)
    ]
    assert cut[0] < cut[1]


def test_the_generator_decides():
    record = random_record(0, 500)
    one, again, other = (faulty(record, MANY, seed) for seed in (1, 1, 2))
    assert np.array_equal(one.rr_ms, again.rr_ms)
    assert (one.spans, one.digest) == (again.spans, again.digest)
    assert not np.array_equal(one.rr_ms, other.rr_ms)


@pytest.mark.parametrize("dtype", [np.int32, np.float32])
def test_without_faults_the_intervals_are_the_same(dtype):
    record = make([800, 0, 46_860, 900], (0, 3), dtype=dtype)
    found = faulty(record, Faults())
    assert found.rr_ms.dtype == np.float32
    assert found.rr_ms.tolist() == record.rr_ms.tolist()
    assert found.file_starts.tolist() == [0, 3]
    assert found.spans == record.spans


def test_the_original_stays_and_what_is_no_beat_is_kept():
    record, same = random_record(5), random_record(5)
    found = faulty(record, Faults(0.3, 0.3, 5.0))
    assert np.array_equal(record.rr_ms, same.rr_ms)
    assert np.array_equal(record.file_starts, same.file_starts)
    assert (record.spans, record.digest) == (same.spans, same.digest)
    for name in ("patient_id", "record_id", "source", "started", "lead_in_s"):
        assert getattr(found, name) == getattr(record, name)
    assert found.file_onset_s.tolist() == record.file_onset_s.tolist()


def test_the_digest_is_never_that_of_the_original_nor_of_other_faults():
    record = make([800] * 500)
    cases = [Faults(), Faults(0.1), Faults(0.0, 0.1), Faults(0.1, 0.1), Faults(0.0, 0.0, 8.0)]
    digests = {faulty(record, faults).digest for faults in cases}
    digests |= {faulty(record, Faults(missed=0.1), 1).digest, record.digest}
    digests.add(faulty(replace(record, digest="another"), Faults()).digest)
    assert len(digests) == len(cases) + 3


def test_the_digest_tells_places_and_rhythms_apart():
    cut = [faulty(make([1000]), Faults(extra=0.99), seed) for seed in range(20)]
    assert len({found.digest for found in cut}) == len({tuple(found.rr_ms) for found in cut}) > 10
    spans = tuple(Span(at, at + 1, Rhythm(at)) for at in range(4))
    joined = [faulty(make([0] * 4, spans=spans), Faults(missed=0.5), seed) for seed in range(50)]
    assert len({found.digest for found in joined}) == len({found.spans for found in joined}) == 8


def test_beats_missed_for_more_than_ten_seconds_leave_a_new_gap_on_the_grid():
    found = faulty(make([804] * 1000), Faults(0.95, 0.0, 10.0))
    assert found.gaps().size
    assert np.all(found.rr_ms % 10 == 0)


@pytest.mark.parametrize("bad", [-0.1, 1.0, 5.0, np.nan, np.inf])
@pytest.mark.parametrize("name", ["missed", "extra"])
def test_a_share_is_at_least_0_and_below_1(name, bad):
    with refused(ValueRangeError, f"{name} is {bad}", f"{name}="):
        Faults(**{name: bad})


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
def test_a_resolution_is_a_time(bad):
    with refused(ValueRangeError, f"resolution_ms is {bad}"):
        Faults(resolution_ms=bad)


@pytest.mark.real
def test_a_real_day_keeps_its_time_its_gap_and_its_rhythms(data):
    record = WfdbReader(data / "ltafdb").read("74")
    assert np.array_equal(faulty(record, Faults()).rr_ms, record.rr_ms)
    found = faulty(record, Faults(0.01, 0.02, 5.0))
    assert len(found) / len(record) == pytest.approx(1.01, abs=0.002)
    assert found.duration_s == pytest.approx(record.duration_s, abs=0.01)
    assert found.rr_ms[found.gaps()].tolist() == record.rr_ms[record.gaps()].tolist()
    for rhythm in Rhythm:
        shares = [np.mean(each.rhythm() == rhythm) for each in (found, record)]
        assert shares[0] == pytest.approx(shares[1], abs=0.01)
