"""References without labels: by hand, against loops, and that nothing of the future gets in."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import get_args

import numpy as np
import pytest

from pacl.cohort import AllBeatsProtocol
from pacl.records import Rhythm, open_records
from pacl.rr import Reference, RRWindowSet, RRWindowTable, fit_scale, prepare, refer, reference
from pacl.windows import WindowSetError, split_units
from support.refusals import refused
from support.window_sets import make_set, names

REFERENCES = get_args(Reference)
SO_FAR = ("regular", "shrunk")
Stretch = tuple[float, list[float]]
"""When beats in a row begin, in seconds, and how long they last."""


def in_ms(records: dict[str, list[Stretch]], window_beats: int = 5, stride: int = 5) -> RRWindowSet:
    """A set that nothing was scaled in: the windows of stretches without gaps."""
    rows: list[tuple[str, int, float]] = []
    rr_ms: list[float] = []
    for record, stretches in records.items():
        for onset_s, beats in stretches:
            for at in range(0, len(beats) - window_beats + 1, stride):
                rows.append((record, len(rr_ms) + at, onset_s + sum(beats[:at]) / 1000))
            rr_ms += beats
    count = len(rows)
    start = np.array([start for _, start, _ in rows], dtype=np.int64)
    table = RRWindowTable(
        patient=names([f"patient of {record}" for record, _, _ in rows]),
        record=names([record for record, _, _ in rows]),
        split=names(["test"] * count),
        episode=np.full(count, -1, dtype=np.int32),
        rhythm=np.full(count, Rhythm.SR, dtype=np.int8),
        start=start,
        raw_start=start.astype(np.int32),
        raw_stop=(start + window_beats).astype(np.int32),
        onset_s=np.array([onset_s for _, _, onset_s in rows], dtype=np.float64),
        to_onset_s=np.full(count, np.nan, dtype=np.float32),
        centre_ms=np.zeros(count, dtype=np.float32),
        scale_ms=np.ones(count, dtype=np.float32),
    )
    return replace(
        make_set(),
        window_beats=window_beats,
        rr_ms=np.array(rr_ms, dtype=np.float32),
        raw_index=np.arange(len(rr_ms), dtype=np.int32),
        beat_rhythm=np.zeros(len(rr_ms), dtype=np.int8),
        table=table,
        manifest={"source": "made", "allowed": []},
    )


def scales(windows: RRWindowSet) -> list[tuple[float, float]]:
    table = windows.table
    return list(zip(table.centre_ms.tolist(), table.scale_ms.tolist(), strict=True))


def close(found: list[tuple[float, float]], expected: list[tuple[float, float]]) -> bool:
    return np.allclose(found, expected, rtol=1e-6, atol=0)


def quantile(values: list[float], share: float) -> float:
    ranked = sorted(values)
    at = share * (len(ranked) - 1)
    low = math.floor(at)
    high = min(low + 1, len(ranked) - 1)
    return ranked[low] + (at - low) * (ranked[high] - ranked[low])


def slow(
    windows: RRWindowSet, kind: str, minutes: float, rows: Sequence[int] | None = None
) -> list[tuple[float, float]]:
    """Centre and scale of some windows, or of all, each by looking at every other."""
    table, every = windows.table, range(len(windows))
    beats = [
        [float(rr) for rr in windows.rr_ms[start : start + windows.window_beats]]
        for start in table.start.tolist()
    ]
    onset = table.onset_s.tolist()
    end = [onset[of] + sum(beats[of]) / 1000 for of in every]
    mean = [sum(own) / len(own) for own in beats]
    median = [quantile(own, 0.5) for own in beats]
    spread = [max(8.0, quantile(own, 0.75) - quantile(own, 0.25)) for own in beats]
    steps = [[abs(after - before) for before, after in pairwise(own)] for own in beats]
    uneven = [quantile(steps[of], 0.5) / median[of] for of in every]

    def so_far(row: int) -> list[int]:
        return [
            of
            for of in every
            if table.record.codes[of] == table.record.codes[row]
            and (of == row or (onset[of] >= end[row] - 60 * minutes and end[of] <= end[row]))
        ]

    def shrunk(prior: float, values: list[float]) -> float:
        logs = [math.log(prior)] * 20 + [math.log(value) for value in values]
        return math.exp(sum(logs) / len(logs))

    found = []
    for row in every if rows is None else rows:
        if kind == "window":
            found.append((median[row], spread[row]))
        elif kind == "relative":
            found.append((mean[row], mean[row] / 8))
        elif kind == "regular":
            best = min(so_far(row), key=lambda of: (uneven[of], end[of], onset[of]))
            found.append((median[best], spread[best]))
        else:
            centre = shrunk(800.0, [median[of] for of in so_far(row)])
            found.append((centre, shrunk(70.0, [spread[of] for of in so_far(row)])))
    return found


def random_records(seed: int) -> dict[str, list[Stretch]]:
    """Two to four records of stretches with gaps between; beats on a coarse clock, so that windows
    tie, and each stretch at a pace and an unrest of its own."""
    generator = np.random.default_rng(seed)
    records: dict[str, list[Stretch]] = {}
    for number in range(int(generator.integers(2, 5))):
        onset_s, stretches = float(generator.integers(0, 50)), []
        for _ in range(int(generator.integers(1, 5))):
            pace, unrest = generator.uniform(400, 1200), generator.choice([0.0, 10.0, 100.0])
            beats = generator.normal(pace, unrest, int(generator.integers(4, 40)))
            stretches.append((onset_s, (np.maximum(beats, 210) // 10 * 10).tolist()))
            onset_s += sum(stretches[-1][1]) / 1000 + float(generator.choice([0.0, 3.5, 60.0]))
        records[f"record {number}"] = stretches
    return records


def random_set(seed: int) -> RRWindowSet:
    windows = in_ms(random_records(seed), window_beats=4 + seed % 3, stride=1 + seed % 4)
    order = np.random.default_rng(seed).permutation(len(windows))
    return windows.select(order)


EVEN = [800.0, 840.0, 800.0, 840.0, 800.0]
EVENER = [1000.0, 1030.0, 1000.0, 1030.0, 1000.0]
EVEN_FAST = [500.0, 520.0, 500.0, 520.0, 500.0]
"""Steps of 40 in 800, 30 in 1000 and 20 in 500 ms; they last 4.08, 5.06 and 2.54 s."""


def test_a_window_by_itself():
    windows = in_ms({"one": [(0.0, [850.0, 700.0, 900.0, 800.0, 720.0])]})
    assert scales(refer(windows, "window")) == [(800, 850 - 720)]
    assert scales(refer(windows, "relative")) == [(794, 794 / 8)]
    found = refer(windows, "relative").windows()[0]
    assert found[2] == pytest.approx((900 / 794 - 1) / 0.125, rel=1e-6)


def test_a_paced_heart_has_some_spread():
    windows = in_ms({"one": [(0.0, [1000.0] * 5)]})
    assert scales(refer(windows, "window")) == [(1000, 8)]
    assert scales(refer(windows, "regular")) == [(1000, 8)]
    assert scales(refer(windows, "shrunk"))[0][1] == pytest.approx((70**20 * 8) ** (1 / 21))


def test_the_most_regular_so_far():
    windows = in_ms({"one": [(0.0, EVEN + EVENER + EVEN_FAST)]})
    assert scales(refer(windows, "regular")) == [(800, 40), (1000, 30), (1000, 30)]


@pytest.mark.parametrize(
    ("seconds", "last"), [(2.0, (500, 20)), (7.5, (500, 20)), (7.7, (1000, 30))]
)
def test_only_what_was_worn_counts(seconds, last):
    """The second window begins 7.6 s before the third ends; each counts for itself."""
    windows = in_ms({"one": [(0.0, EVEN + EVENER + EVEN_FAST)]})
    found = scales(refer(windows, "regular", minutes=seconds / 60))
    assert found == [(800, 40), (1000, 30), last]


def test_the_earliest_of_equals():
    """40 of 800 is as even as 50 of 1000."""
    windows = in_ms({"one": [(0.0, [*EVEN, 1000.0, 1050.0, 1000.0, 1050.0, 1000.0])]})
    for rows in ([0, 1], [1, 0]):
        assert scales(refer(windows.select(np.array(rows)), "regular")) == [(800, 40)] * 2


def test_twenty_windows_weigh_as_much_as_the_prior():
    """sqrt(800 x 200) and sqrt(70 x 280)."""
    windows = in_ms({"one": [(0.0, [50.0, 60.0, 200.0, 340.0, 350.0] * 20)]})
    found = scales(refer(windows, "shrunk"))
    assert found[19] == pytest.approx((400, 140), rel=1e-6)
    assert found[0] == pytest.approx((800 / 4 ** (1 / 21), 70 * 4 ** (1 / 21)), rel=1e-6)
    alone = scales(refer(windows, "shrunk", minutes=0.001))
    assert close(alone, [found[0]] * 20)


def test_records_do_not_mix():
    """Each record is as it is alone, at the same time as others and between their rows."""
    one, other = [(0.0, EVENER + EVEN_FAST)], [(0.0, EVEN + EVEN_FAST)]
    both = in_ms({"one": one, "other": other}).select(np.array([0, 2, 1, 3]))
    for kind in SO_FAR:
        expected = [scales(refer(in_ms({"alone": record}), kind)) for record in (one, other)]
        found = scales(refer(both, kind))
        assert [found[::2], found[1::2]] == expected


def test_the_set_itself_stays_as_it_is():
    windows = in_ms({"one": [(0.0, EVEN + EVENER)]})
    found = refer(windows, "window")
    assert found.rr_ms is windows.rr_ms
    assert found.table.start is windows.table.start
    assert scales(windows) == [(0, 1)] * 2
    assert found.table.centre_ms.dtype == found.table.scale_ms.dtype == np.float32
    assert np.median(found.windows(), axis=1).tolist() == [0, 0]


@pytest.mark.parametrize("kind", REFERENCES)
def test_no_windows(kind):
    none = in_ms({"one": [(0.0, EVEN)]}).select(np.empty(0, np.int64))
    assert scales(refer(none, kind)) == []


@pytest.mark.parametrize("minutes", [math.inf, 1.5, 0.2, 0.05, 0.001])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", REFERENCES)
def test_against_a_loop(kind, seed, minutes):
    windows = random_set(seed)
    assert close(scales(refer(windows, kind, minutes=minutes)), slow(windows, kind, minutes))


@pytest.mark.parametrize("minutes", [math.inf, 0.5, 0.05])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", SO_FAR)
def test_against_a_loop_where_time_runs_anyhow(kind, seed, minutes):
    """Windows that begin earlier and end later than others, and at the same time as others."""
    windows = random_set(seed)
    onset_s = np.random.default_rng(seed).integers(0, 60, len(windows)).astype(np.float64)
    windows = replace(windows, table=replace(windows.table, onset_s=onset_s))
    assert close(scales(refer(windows, kind, minutes=minutes)), slow(windows, kind, minutes))


def test_windows_that_are_one_and_the_same_count_each():
    windows = random_set(1)
    twice = windows.select(np.repeat(np.arange(len(windows)), 2))
    for kind in SO_FAR:
        assert close(scales(refer(twice, kind, minutes=0.5)), slow(twice, kind, 0.5))


@pytest.mark.parametrize("seed", range(5))
def test_a_scale_is_that_of_fit_scale(seed):
    windows = random_set(seed)
    fitted = [fit_scale(beats) for beats in windows.windows()]
    expected = [(scale.centre_ms, max(scale.scale_ms, 8.0)) for scale in fitted]
    assert close(scales(refer(windows, "window")), expected)


@pytest.mark.parametrize("kind", REFERENCES)
def test_windows_are_taken_some_at_a_time(kind, monkeypatch):
    windows = random_set(3)
    whole = scales(refer(windows, kind))
    monkeypatch.setattr(reference, "_CHUNK", 7)
    assert len(windows) > 3 * 7
    assert scales(refer(windows, kind)) == whole


@pytest.mark.parametrize("minutes", [math.inf, 0.3])
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("kind", REFERENCES)
def test_nothing_of_the_future_gets_in(kind, seed, minutes):
    """Beats after some moment become others; what ended by then is scaled as before, to the bit."""
    records, generator = random_records(seed), np.random.default_rng(seed)
    moment_s = float(generator.uniform(5, 60))

    def changed(stretch: Stretch) -> Stretch:
        onset_s, beats = stretch
        ends_s = onset_s + np.cumsum(beats) / 1000
        other = generator.choice([300.0, 310.0, 1500.0], len(beats))
        return onset_s, np.where(ends_s <= moment_s, beats, other).tolist()

    later = {record: [changed(one) for one in stretches] for record, stretches in records.items()}
    before, after = in_ms(records, stride=2), in_ms(later, stride=2)
    ends_s = before.table.onset_s + before.windows().sum(axis=1, dtype=np.float64) / 1000
    past = ends_s <= moment_s
    assert past.any()
    assert not np.array_equal(before.rr_ms, after.rr_ms)
    one, other = (scales(refer(windows, kind, minutes=minutes)) for windows in (before, after))
    assert [one[row] for row in np.flatnonzero(past)] == [
        other[row] for row in np.flatnonzero(past)
    ]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", SO_FAR)
def test_short_wear_is_a_recording_that_begins_later(kind, seed):
    windows = random_set(seed)
    table = windows.table
    minutes = 0.3
    found = scales(refer(windows, kind, minutes=minutes))
    ends_s = table.onset_s + windows.windows().sum(axis=1, dtype=np.float64) / 1000
    for row in range(len(windows)):
        worn = table.onset_s >= ends_s[row] - 60 * minutes
        assert worn[row]
        short = scales(refer(windows.select(worn), kind))
        assert found[row] == pytest.approx(short[np.count_nonzero(worn[:row])], rel=1e-6)


@pytest.mark.parametrize("minutes", [0.0, -3.0, math.nan])
def test_wear_lasts_some_time(minutes):
    windows = in_ms({"one": [(0.0, EVEN)]})
    with refused(WindowSetError, "made: ", f"{minutes:g} minutes"):
        refer(windows, "window", minutes=minutes)


@pytest.mark.parametrize("column", ["centre_ms", "scale_ms"])
def test_scaled_windows_are_refused(column):
    windows = in_ms({"one": [(0.0, EVEN + EVENER)]})
    table = replace(windows.table, **{column: np.array([0, 2], dtype=np.float32)})
    with refused(WindowSetError, "made: ", "--protocol all-beats"):
        refer(replace(windows, table=table), "window")
    with refused(WindowSetError, "scaled"):
        refer(refer(windows, "window"), "window")


def test_windows_that_came_scaled_are_refused():
    windows = in_ms({"one": [(0.0, EVEN)]})
    came = replace(windows, manifest={**windows.manifest, "scaled": True})
    with refused(WindowSetError, "--protocol all-beats"):
        refer(came, "relative")


@pytest.mark.parametrize("kind", REFERENCES)
def test_beats_of_no_length_are_refused(kind):
    windows = in_ms({"one": [(0.0, EVEN)], "other": [(0.0, [0.0, 0.0, 0.0, 800.0, 800.0])]})
    with refused(WindowSetError, "record other: ", "0 ms", "--window.implausible drop"):
        refer(windows, kind)


@pytest.mark.real
def test_real_windows(data, tmp_path):
    (tmp_path / "some").mkdir()
    for path in sorted((data / "ltafdb").iterdir())[:8]:  # two files of each recording
        (tmp_path / "some" / path.name).symlink_to(path)
    prepare(
        open_records(tmp_path / "some"),
        tmp_path / "windows",
        protocol=AllBeatsProtocol(),
        divide=lambda strata, _: split_units(strata, seed=1, counts=(2, 1, 1)),
    )
    windows = RRWindowSet.open(tmp_path / "windows")
    assert len(windows.table.patient.present()) == 4
    rows = np.random.default_rng(0).integers(0, len(windows), 1)
    for kind in REFERENCES:
        for minutes in (math.inf, 60.0):
            table = refer(windows, kind, minutes=minutes).table
            assert 200 <= table.centre_ms.min() <= table.centre_ms.max() <= 2000
            assert 8 <= table.scale_ms.min() <= table.scale_ms.max() <= 1800
            for row in rows.tolist():
                same = table.record.codes == table.record.codes[row]
                at = int(np.count_nonzero(same[:row]))
                expected = slow(windows.select(same), kind, minutes, [at])
                assert close([(table.centre_ms[row], table.scale_ms[row])], expected)
