"""Windows of one record, against an explicit loop over its beats."""

from dataclasses import dataclass

import numpy as np
import pytest

from pacl.cohort import EpisodesProtocol, Excerpt, PooledProtocol, Selection, Share
from pacl.cohort import protocol as protocols
from pacl.records import Record, Rhythm
from pacl.rr import RecordWindows, Scale, cut_windows
from support.recordings import make_record, random_record

SR, AF, OTHER, UNKNOWN = Rhythm


@dataclass(frozen=True)
class Expected:
    """One window as the loop finds it."""

    beats: tuple[int, ...]
    rr_ms: tuple[float, ...]
    rhythm: int
    episode: int
    onset_s: float
    to_onset_s: float | None
    centre_ms: float
    scale_ms: float


def begins(record: Record) -> list[float]:
    firsts = dict(zip(record.file_starts.tolist(), record.file_onset_s.tolist(), strict=True))
    out, now = [], 0.0
    for beat, rr_ms in enumerate(record.rr_ms.tolist()):
        now = firsts.get(beat, now)
        out.append(now)
        now += rr_ms / 1000
    return out


def interpolated(rr_ms: list[float], usable: list[bool], beat: int) -> float:
    """On the line between the nearest plausible beats that can be reached without a break."""

    def nearest(step: int) -> int | None:
        at = beat + step
        while 0 <= at < len(rr_ms) and usable[at]:
            if 200 <= rr_ms[at] <= 2000:
                return at
            at += step
        return None

    left, right = nearest(-1), nearest(1)
    if left is None or right is None:
        there = left if right is None else right
        return rr_ms[beat] if there is None else rr_ms[there]
    return rr_ms[left] + (beat - left) / (right - left) * (rr_ms[right] - rr_ms[left])


def by_loop(
    record: Record, selection: Selection, window_beats: int, stride: int, policy: str
) -> list[Expected]:
    rr_ms = [float(value) for value in record.rr_ms]
    file_starts, begins_s = set(record.file_starts.tolist()), begins(record)
    expected = []
    shares = []
    for share in selection.shares:
        beats = [rr_ms[beat] for part in share.scale for beat in range(*part)]
        beats = [value for value in beats if 200 <= value <= 2000]
        low, centre, high = np.quantile(beats, [0.25, 0.5, 0.75]) if beats else (0, 0, 0)
        if high > low:
            shares.append((share, centre, high - low))
    chosen = [False] * len(record)
    for share, _, _ in shares:
        for cut in share.excerpts:
            chosen[cut.start : cut.stop] = [True] * (cut.stop - cut.start)
    for share, centre, scale in shares:
        for cut in share.excerpts:
            stretch: list[int] = []
            stretches = [stretch]
            for beat in range(cut.start, cut.stop):
                if beat in file_starts or rr_ms[beat] > 10_000:
                    stretch = []
                    stretches.append(stretch)
                if rr_ms[beat] > 10_000:
                    continue
                if policy != "drop" or 200 <= rr_ms[beat] <= 2000:
                    stretch.append(beat)
            for stretch in stretches:
                for first in range(0, len(stretch) - window_beats + 1, stride):
                    beats = tuple(stretch[first : first + window_beats])
                    values = []
                    for beat in beats:
                        value = rr_ms[beat]
                        if policy == "interpolate" and not 200 <= value <= 2000:
                            reach = [False] * len(record)
                            at = beat  # as far as no gap, file or unselected beat lies between
                            while at >= 0 and chosen[at] and rr_ms[at] <= 10_000:
                                reach[at] = True
                                if at in file_starts:
                                    break
                                at -= 1
                            at = beat + 1
                            while (
                                at < len(record)
                                and chosen[at]
                                and rr_ms[at] <= 10_000
                                and at not in file_starts
                            ):
                                reach[at] = True
                                at += 1
                            value = interpolated(rr_ms, reach, beat)
                        values.append(value)
                    ends_s = begins_s[beats[-1]] + rr_ms[beats[-1]] / 1000
                    expected.append(
                        Expected(
                            beats=beats,
                            rr_ms=tuple(values),
                            rhythm=cut.rhythm,
                            episode=cut.episode,
                            onset_s=begins_s[beats[0]],
                            to_onset_s=None if cut.next_af < 0 else begins_s[cut.next_af] - ends_s,
                            centre_ms=centre,
                            scale_ms=scale,
                        )
                    )
    return expected


def check(found: RecordWindows, expected: list[Expected], record: Record, window: int) -> None:
    assert found.start.size == len(expected)
    for row, want in enumerate(expected):
        at = slice(found.start[row], found.start[row] + window)
        assert tuple(found.raw_index[at].tolist()) == want.beats
        np.testing.assert_allclose(found.rr_ms[at], want.rr_ms, rtol=1e-6)
        assert found.rhythm[row] == want.rhythm
        assert found.episode[row] == want.episode
        assert found.onset_s[row] == pytest.approx(want.onset_s, abs=1e-6)
        if want.to_onset_s is None:
            assert np.isnan(found.to_onset_s[row])
        else:
            assert found.to_onset_s[row] == pytest.approx(want.to_onset_s, abs=1e-2)
        assert found.centre_ms[row] == pytest.approx(want.centre_ms, rel=1e-6)
        assert found.scale_ms[row] == pytest.approx(want.scale_ms, rel=1e-6)
    assert np.all(np.diff(found.raw_index) > 0)
    assert np.array_equal(found.beat_rhythm, record.rhythm()[found.raw_index])


def check_ledger(
    found: RecordWindows, record: Record, selection: Selection, window: int, policy: str
) -> None:
    """Each beat is in one place, by a loop over the beats."""
    unusable = found.dropped.get("scale beats without spread (IQR 0)", 0)
    shares = [s for s in selection.shares if set(s.scale) <= set(found.scale_beats)]
    assert len(shares) == len(selection.shares) - unusable
    covered: set[int] = set()
    for start in found.start.tolist():
        covered |= set(found.raw_index[start : start + window].tolist())
    count = dict.fromkeys(found.beats, 0)
    count["all"] = len(record)
    for beat, rr_ms in enumerate(record.rr_ms.tolist()):
        cut = any(c.start <= beat < c.stop for share in shares for c in share.excerpts)
        scale = any(low <= beat < high for share in shares for low, high in share.scale)
        if beat in covered:
            count["in windows"] += 1
        elif cut and rr_ms > 10_000:
            count["gap"] += 1
        elif cut and policy == "drop" and not 200 <= rr_ms <= 2000:
            count["implausible"] += 1
        elif cut:
            count["too few in a row"] += 1
        elif scale:
            count["scale"] += 1
        else:
            count["not selected"] += 1
    assert dict(found.beats) == count
    assert sum(found.beats.values()) == 2 * found.beats["all"]


POLICIES = ["drop", "keep", "interpolate"]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("seed", range(15))
def test_pooled_random_records(seed, policy):
    generator = np.random.default_rng(seed)
    record = random_record(generator)
    window, stride = int(generator.integers(2, 20)), int(generator.integers(1, 15))
    selection = PooledProtocol(scale_s=30.0).select(record)
    compare(record, selection, window, stride, policy)


@pytest.mark.parametrize("scaler", ["record", "episode"])
@pytest.mark.parametrize("sr_anchor", ["run", "file_start"])
@pytest.mark.parametrize("seed", range(6))
def test_episodes_in_random_records(monkeypatch, seed, sr_anchor, scaler):
    """The paper's rule, with an hour of sixty seconds and its four of 130."""
    monkeypatch.setattr(protocols, "HOUR_S", 60.0)
    generator = np.random.default_rng(seed)
    record = random_record(generator, runs=14, beats=(60, 260), odd=0.01)
    protocol = EpisodesProtocol(
        min_af_s=20.0, min_sr_s=130.0, sr_anchor=sr_anchor, scaler=scaler, across_files=seed % 2 > 0
    )
    selection = protocol.select(record)
    found = compare(record, selection, 8, 3, POLICIES[seed % 3])
    if sr_anchor == "run":
        sr = found.rhythm == SR
        assert np.all(found.to_onset_s[sr] >= protocol.min_to_onset_s - 1e-3)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("seed", range(10))
def test_any_selection(seed, policy):
    """Excerpts that overlap, touch, cross rhythms or lie within the scale beats."""
    generator = np.random.default_rng(100 + seed)
    record = random_record(generator, odd=0.08)

    def ranges(count: int) -> list[tuple[int, int]]:
        edges = np.sort(generator.integers(0, len(record) + 1, (count, 2)), axis=1)
        return [(low, high) for low, high in edges.tolist() if low < high]

    shares = tuple(
        Share(
            tuple(ranges(2)),
            tuple(
                Excerpt(low, high, Rhythm(int(generator.integers(2))), number)
                for number, (low, high) in enumerate(ranges(3))
            ),
        )
        for _ in range(2)
    )
    compare(record, Selection(shares, {}), 7, 5, policy)


def compare(
    record: Record, selection: Selection, window: int, stride: int, policy: str
) -> RecordWindows:
    found = cut_windows(record, selection, window_beats=window, stride=stride, implausible=policy)
    check(found, by_loop(record, selection, window, stride, policy), record, window)
    check_ledger(found, record, selection, window, policy)
    return found


def test_the_random_records_are_worth_the_name():
    """Among them are windows that bridge a left-out beat, and beats cut off by gaps and files."""
    windows = bridged = gaps = files = 0
    for seed in range(15):
        generator = np.random.default_rng(seed)
        record = random_record(generator)
        found = cut_windows(
            record, PooledProtocol(scale_s=30.0).select(record), window_beats=6, stride=2
        )
        last = found.raw_index[found.start + 5]
        windows += found.start.size
        bridged += int(np.count_nonzero(last - found.raw_index[found.start] > 5))
        gaps += record.gaps().size
        files += record.file_starts.size - 1
    assert windows > 500
    assert bridged > 50
    assert gaps > 20
    assert files > 10


def simple(record: Record, rhythm: Rhythm = SR, start: int = 10) -> Selection:
    """All beats from `start` on, scaled by those before."""
    return Selection((Share(((0, start),), (Excerpt(start, len(record), rhythm),)),), {})


def spread(size: int) -> np.ndarray:
    """Beats of 800 ms and up, no two alike."""
    return 800 + np.arange(size)


def test_by_hand():
    record = make_record([(SR, 22)], spread(22))
    found = cut_windows(record, simple(record), window_beats=5, stride=3)
    assert found.start.tolist() == [0, 3, 6]
    assert found.raw_index.tolist() == list(range(10, 22))
    assert found.rr_ms.tolist() == list(range(810, 822))
    assert found.centre_ms.tolist() == [804.5] * 3
    assert found.scale_ms.tolist() == [4.5] * 3
    assert found.scale_beats == ((0, 10),)
    assert dict(found.beats) == {
        "all": 22,
        "in windows": 11,
        "scale": 10,
        "gap": 0,
        "implausible": 0,
        "too few in a row": 1,
        "not selected": 0,
    }
    assert found.dropped == {}


def test_an_implausible_beat_is_bridged_and_a_gap_is_not():
    rr_ms = spread(30)
    rr_ms[13] = 2500
    record = make_record([(SR, 30)], rr_ms)
    found = cut_windows(record, simple(record), window_beats=5, stride=5)
    assert found.raw_index[:5].tolist() == [10, 11, 12, 14, 15]
    assert found.beats["implausible"] == 1
    rr_ms[13] = 10_001
    found = cut_windows(make_record([(SR, 30)], rr_ms), simple(record), window_beats=5, stride=5)
    assert [found.raw_index[at] for at in found.start] == [14, 19, 24]
    assert found.beats["gap"] == 1
    assert found.beats["too few in a row"] == 4


def test_no_window_crosses_a_file():
    record = make_record([(SR, 30)], spread(30), files=(0, 17))
    found = cut_windows(record, simple(record), window_beats=5, stride=1)
    first = found.raw_index[found.start]
    assert first.tolist() == [10, 11, 12, *range(17, 26)]


def test_policies():
    rr_ms = spread(20)
    rr_ms[12] = 3000
    record = make_record([(SR, 20)], rr_ms)
    kept = {
        policy: cut_windows(
            record, simple(record), window_beats=5, stride=5, implausible=policy
        ).rr_ms[:4]
        for policy in POLICIES
    }
    assert kept["drop"].tolist() == [810, 811, 813, 814]
    assert kept["keep"].tolist() == [810, 811, 3000, 813]
    assert kept["interpolate"].tolist() == [810, 811, 812, 813]


def test_interpolation_reaches_over_the_edge_of_excerpts_that_touch():
    rr_ms = spread(30)
    rr_ms[20] = 3000  # the first beat of AF, between beats of 819 and 821 ms
    record = make_record([(SR, 20), (AF, 10)], rr_ms)
    excerpts = (Excerpt(10, 20, SR), Excerpt(20, 30, AF))
    selection = Selection((Share(((0, 10),), excerpts),), {})
    found = cut_windows(record, selection, window_beats=5, stride=5, implausible="interpolate")
    assert found.rr_ms.tolist() == list(range(810, 830))
    apart = Selection((Share(((0, 10),), (excerpts[1],)),), {})
    found = cut_windows(record, apart, window_beats=5, stride=5, implausible="interpolate")
    assert found.rr_ms[:2].tolist() == [821, 821]


@pytest.mark.parametrize("policy", POLICIES)
def test_implausible_beats_never_enter_the_scale(policy):
    rr_ms = spread(30)
    rr_ms[:4] = [0, 100, 3000, 20_000]
    record = make_record([(SR, 30)], rr_ms)
    found = cut_windows(record, simple(record), window_beats=5, stride=5, implausible=policy)
    assert found.centre_ms[0] == 806.5
    assert found.scale_ms[0] == 2.5


def test_a_scale_without_spread_drops_its_share_and_says_so():
    record = make_record([(SR, 40)], 800)
    found = cut_windows(record, simple(record), window_beats=5, stride=5)
    assert found.start.size == found.rr_ms.size == 0
    assert found.dropped == {"scale beats without spread (IQR 0)": 1}
    assert found.scale_beats == ()
    assert found.beats["not selected"] == 40
    two = Selection(
        (simple(record).shares[0], Share(((0, 5),), (Excerpt(20, 30, AF),))), {"else": 3}
    )
    mixed = make_record([(SR, 40)], [*spread(5), *[800] * 35])
    found = cut_windows(mixed, two, window_beats=5, stride=5)
    assert found.rhythm.tolist() == [*[SR] * 6, *[AF] * 2]
    flat = Selection((Share(((5, 20),), (Excerpt(20, 40, SR),)), two.shares[1]), {"else": 3})
    found = cut_windows(mixed, flat, window_beats=5, stride=5)
    assert found.rhythm.tolist() == [AF] * 2
    assert found.dropped == {"else": 3, "scale beats without spread (IQR 0)": 1}


def test_nothing_to_scale_by():
    record = make_record([(SR, 40)], spread(40))
    nothing = Selection((Share((), (Excerpt(0, 40, SR),)),), {})
    assert cut_windows(record, nothing).dropped == {"scale beats without spread (IQR 0)": 1}


def test_another_scale_may_be_given():
    record = make_record([(SR, 40)], 800)
    found = cut_windows(record, simple(record), window_beats=5, stride=5, scale=Scale(700.0, 50.0))
    assert set(found.centre_ms.tolist()) == {700.0}
    assert set(found.scale_ms.tolist()) == {50.0}
    assert found.start.size == 6


def test_nothing_selected():
    record = make_record([(OTHER, 40)], 800)
    found = cut_windows(record, Selection((), {"why": 1}))
    assert found.start.size == 0
    assert found.dropped == {"why": 1}
    assert found.beats["not selected"] == 40


def test_too_few_beats_for_a_window():
    record = make_record([(SR, 40)], spread(40))
    assert cut_windows(record, simple(record), window_beats=30).start.tolist() == [0]
    found = cut_windows(record, simple(record), window_beats=31)
    assert found.start.size == 0
    assert found.beats["too few in a row"] == 30


@pytest.mark.parametrize(
    ("lead_in_s", "hours"), [(0.0, 4.0), (30.0, 4.0), (30.0, 4.005), (30.0, 6.0)]
)
def test_the_papers_windows_end_two_hours_before_onset(lead_in_s, hours):
    """The defaults on a record of real length, also where SR lasts four hours and no more."""
    generator = np.random.default_rng(0)
    sr_ms = generator.integers(600, 1100, 40_000)
    beats = int(np.searchsorted(np.cumsum(sr_ms), hours * 3_600_000)) + 1
    rr_ms = [*sr_ms[:beats], *generator.integers(400, 900, 6000)]
    record = make_record([(SR, beats), (AF, 6000)], rr_ms, lead_in_s=lead_in_s)
    found = cut_windows(record, EpisodesProtocol().select(record), stride=1)
    sr = found.rhythm == SR
    assert found.to_onset_s[sr].min() >= 7200
    assert found.onset_s[sr].min() >= 3600 + lead_in_s
    assert found.onset_s[~sr].min() == pytest.approx(record.onset_s()[beats])
    assert np.isnan(found.to_onset_s[~sr]).all()
    last = found.raw_index[found.start + 199]
    assert (record.onset_s()[last[~sr]] - record.onset_s()[beats]).max() < 3600
    (scale,) = found.scale_beats
    assert found.raw_index.min() >= scale[1]
