"""Faults of a beat detector: what chance decides, by hand, by loops, and on average."""

import numpy as np
import pytest
import torch

from pacl.af.faults import (
    BEYOND,
    COARSEST_MS,
    JITTER_MS,
    MADE_UP,
    MOST,
    draw_faults,
    put_faults,
)
from pacl.records import PLAUSIBLE_MS

LOW_MS, HIGH_MS = PLAUSIBLE_MS


def length(beats):
    return beats + int(BEYOND * beats)


def decide(
    beats=10,
    *,
    faulty=0.0,
    rounded=1.0,
    size=0.0,
    how_many=1.0,
    missed=(),
    made_up=(),
    where=0.5,
    moved=0.5,
):
    """What chance would have said of one window for just these faults; as many beats as asked."""
    longer = length(beats)
    parts = {name: torch.ones(longer, dtype=torch.float64) for name in ("missed", "made_up")}
    parts["missed"][list(missed)] = 0.0
    parts["made_up"][list(made_up)] = 0.0
    return torch.cat(
        [
            torch.tensor([faulty, rounded, size, how_many], dtype=torch.float64),
            parts["missed"],
            parts["made_up"],
            torch.full((longer,), where, dtype=torch.float64),
            torch.full((beats,), moved, dtype=torch.float64),
        ]
    )[None]


def put(rr_ms, share=0.5, **decided):
    """Faults in one window, as a list."""
    window = torch.tensor([rr_ms], dtype=torch.float64)
    out = put_faults(window, decide(len(rr_ms), **decided), share)
    assert out.shape == window.shape
    return out[0].tolist()


def draw_ms(*shape, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return 300 + 1200 * torch.rand(shape, generator=generator, dtype=torch.float64)


TEN = [500.0, 510.0, 520.0, 530.0, 540.0, 550.0, 560.0, 570.0, 580.0, 590.0]
SLOW = [1000.0, 1100.0, 1200.0, 1000.0, 1100.0, 1200.0, 1000.0, 1100.0, 1200.0, 1000.0]


# ------------------------------------------------------------------------------------ by hand


def test_no_fault_leaves_a_window_as_it_is():
    assert put(TEN) == pytest.approx(TEN)
    assert put([100.0, 3000.0, *TEN[2:]]) == pytest.approx([LOW_MS, HIGH_MS, *TEN[2:]])


def test_a_share_of_none_leaves_all_windows_as_they_are():
    rr_ms = draw_ms(50, 40)
    draws = draw_faults(50, 40, torch.Generator().manual_seed(1), "cpu").double()
    torch.testing.assert_close(put_faults(rr_ms, draws, 0.0), rr_ms)
    single = put_faults(rr_ms.float(), draws.float(), 0.0)
    assert single.dtype == torch.float32
    torch.testing.assert_close(single, rr_ms.float(), rtol=0, atol=0.02)


@pytest.mark.parametrize(
    ("missed", "expected"),
    [
        ([3], [500, 510, 520, 530 + 540, 550, 560, 570, 580, 590, 500]),
        ([0], [500 + 510, 520, 530, 540, 550, 560, 570, 580, 590, 500]),
        ([9], [*TEN[:9], 590 + 500]),
        ([8, 9], [*TEN[:8], 580 + 590 + 500, 510]),
        ([2, 6], [500, 510, 520 + 530, 540, 550, 560 + 570, 580, 590, 500, 510]),
        ([3, 10], [500, 510, 520, 530 + 540, 550, 560, 570, 580, 590, 500 + 510]),
        ([10, 11], TEN),
    ],
)
def test_where_a_beat_is_missed_two_intervals_become_one(missed, expected):
    assert put(TEN, missed=missed) == pytest.approx(expected)


@pytest.mark.parametrize(("where", "first"), [(0.0, 0.75), (0.5, 0.5), (1.0, 0.25)])
def test_where_a_beat_is_made_up_one_interval_becomes_two(where, first):
    expected = [*SLOW[:4], first * 1100, (1 - first) * 1100, *SLOW[5:9]]
    assert put(SLOW, made_up=[4], where=where) == pytest.approx(expected)


def test_a_beat_is_missed_and_another_made_up():
    assert put(SLOW, made_up=[1], missed=[4]) == pytest.approx(
        [1000, 550, 550, 1200, 1000, HIGH_MS, 1000, 1100, 1200, 1000]
    )
    # in one interval: its beginning, and its end with the next
    assert put(TEN, made_up=[4], missed=[4]) == pytest.approx(
        [500, 510, 520, 530, 270, 270 + 550, 560, 570, 580, 590]
    )


def test_what_is_missed_may_be_longer_than_plausible_and_what_is_made_up_shorter():
    assert max(put(SLOW, missed=[1])) == HIGH_MS
    assert min(put(TEN, made_up=[1], where=1.0)) == LOW_MS


@pytest.mark.parametrize(
    ("size", "moved", "expected"),
    [
        (0.0, 0.5, [800.0, 803.0, 808.0, 1000.0]),  # steps of 1 ms
        (1.0, 0.5, [800.0, 800.0, 810.0, 1000.0]),  # of 10 ms
        (1.0, 0.0, [800.0, 800.0, 800.0, 1000.0]),  # 4 ms earlier
        (1.0, 0.999, [800.0, 810.0, 810.0, 1000.0]),  # 4 ms later
        (1 / 3, 0.5, [800.0, 804.0, 808.0, 1000.0]),  # of 4 ms
    ],
)
def test_rounding(size, moved, expected):
    rr_ms = [800.2, 803.0, 807.9, 1000.4]
    assert put(rr_ms, faulty=1.0, rounded=0.0, size=size, moved=moved) == pytest.approx(expected)


def test_rounding_comes_after_beats_are_missed():
    found = put(TEN, rounded=0.0, size=1.0, missed=[3], moved=0.25)  # 2 ms earlier
    assert found == pytest.approx([500, 510, 520, 1070, 550, 560, 570, 580, 590, 500])


def test_the_share_decides_which_windows_have_which():
    chances = (0.0, 0.29, 0.3, 0.9)
    draws = torch.cat(
        [
            decide(faulty=faulty, rounded=rounded, missed=[3], size=1.0)
            for faulty in chances
            for rounded in chances
        ]
    )
    windows = torch.tensor([[value + 3 for value in TEN]], dtype=torch.float64).repeat(16, 1)
    out = put_faults(windows, draws, 0.3)
    missed = (out.max(dim=1).values > 1000).tolist()
    rounded = (out.remainder(10).minimum(10 - out.remainder(10)) < 1e-6).all(dim=1).tolist()
    assert missed == [chance < 0.3 for chance in chances for _ in chances]
    assert rounded == [chance < 0.3 for _ in chances for chance in chances]


def test_few_windows_have_many_faults():
    """The rate is that of `MOST` times a chance squared."""
    just = MOST * 0.5**2
    for chance, expected in ((just - 1e-6, 530 + 540), (just + 1e-6, 530)):
        draws = decide(how_many=0.5)
        draws[0, 4 + 3] = chance
        out = put_faults(torch.tensor([TEN], dtype=torch.float64), draws, 0.5)
        assert out[0, 3].item() == pytest.approx(expected)
    for chance, expected in ((MADE_UP * just - 1e-6, 550), (MADE_UP * just + 1e-6, 1100)):
        draws = decide(how_many=0.5)
        draws[0, 4 + length(10) + 4] = chance
        out = put_faults(torch.tensor([SLOW], dtype=torch.float64), draws, 0.5)
        assert out[0, 4].item() == pytest.approx(expected)


# ----------------------------------------------------------------------------------- by loops


def explicit(rr_ms, draws, share):
    """Beat by beat: a list of times, some left out, some put in."""
    beats, longer = len(rr_ms), length(len(rr_ms))
    faulty, rounded, size, how_many, *chances = draws.tolist()
    missed, made_up, where = (chances[at * longer : (at + 1) * longer] for at in range(3))
    moved = chances[3 * longer :]
    rate = MOST * how_many**2 if faulty < share else 0.0
    times_ms, now_ms = [], 0.0
    for beat in range(longer):
        one_ms = float(rr_ms[beat % beats])
        if made_up[beat] < MADE_UP * rate:
            times_ms.append(now_ms + one_ms * (1 - (0.25 + 0.5 * where[beat])))
        now_ms += one_ms
        if not missed[beat] < rate:
            times_ms.append(now_ms)
    found, before_ms = [], 0.0
    for beat in range(beats):
        one_ms = times_ms[beat] - before_ms
        before_ms = times_ms[beat]
        if rounded < share:
            step_ms = 1 + (COARSEST_MS - 1) * size
            one_ms = step_ms * round((one_ms + JITTER_MS * (moved[beat] - 0.5)) / step_ms)
        found.append(min(max(one_ms, LOW_MS), HIGH_MS))
    return found


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("beats", [100, 203])
def test_the_oracle(beats, share):
    windows = 30
    rr_ms = draw_ms(windows, beats, seed=beats)
    draws = draw_faults(windows, beats, torch.Generator().manual_seed(7), "cpu").double()
    found = put_faults(rr_ms, draws, share)
    expected = [explicit(*pair, share) for pair in zip(rr_ms, draws, strict=True)]
    np.testing.assert_allclose(found.numpy(), expected, rtol=0, atol=1e-6)
    changed = ((found - rr_ms).abs() > 1e-6).any(dim=1)
    assert changed.any().item() == (share > 0)


# --------------------------------------------------------------------------------- properties


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_intervals_stay_plausible(dtype):
    rr_ms = (draw_ms(400, 200) * 2 - 500).to(dtype)
    draws = draw_faults(400, 200, torch.Generator().manual_seed(0), "cpu")
    out = put_faults(rr_ms, draws, 1.0)
    assert out.dtype == dtype
    assert bool(out.isfinite().all())
    assert out.min().item() == LOW_MS
    assert out.max().item() == HIGH_MS


@pytest.mark.parametrize("missed", [range(2, 5), range(3, 7), range(12)])
def test_intervals_stay_plausible_however_many_beats_are_missed(missed):
    out = torch.tensor(put(TEN, missed=missed))
    assert bool(out.isfinite().all())
    assert LOW_MS <= out.min().item() <= out.max().item() <= HIGH_MS


@pytest.mark.parametrize("beats", [32, 40])
def test_intervals_stay_plausible_in_the_shortest_windows(beats):
    draws = draw_faults(20_000, beats, torch.Generator().manual_seed(0), "cpu")
    out = put_faults(torch.full((20_000, beats), 800.0), draws, 1.0)
    assert bool(out.isfinite().all())


def test_runs_side_by_side_have_the_faults_they_have_alone():
    rr_ms = draw_ms(3, 5, 100)
    generators = [torch.Generator().manual_seed(seed) for seed in range(3)]
    draws = torch.stack([draw_faults(5, 100, generator, "cpu") for generator in generators])
    together = put_faults(rr_ms, draws, 0.8)
    assert together.shape == rr_ms.shape
    for run in range(3):
        assert torch.equal(together[run], put_faults(rr_ms[run], draws[run], 0.8))
        assert torch.equal(together[run, 2:3], put_faults(rr_ms[run, 2:3], draws[run, 2:3], 0.8))


def test_the_windows_given_are_not_changed():
    rr_ms = draw_ms(5, 40)
    before = rr_ms.clone()
    put_faults(rr_ms, draw_faults(5, 40, torch.Generator(), "cpu"), 1.0)
    assert torch.equal(rr_ms, before)


def test_the_generator_decides():
    one, same, other = (
        draw_faults(6, 50, torch.Generator().manual_seed(seed), "cpu") for seed in (1, 1, 2)
    )
    assert one.shape == (6, 4 + 3 * 60 + 50)
    assert torch.equal(one, same)
    assert not torch.equal(one, other)
    assert 0 <= one.min().item() <= one.max().item() < 1
    state = torch.get_rng_state()
    generator = torch.Generator().manual_seed(1)
    first, second = (draw_faults(6, 50, generator, "cpu") for _ in range(2))
    assert torch.equal(first, one)
    assert not torch.equal(second, one)
    assert torch.equal(torch.get_rng_state(), state)


# --------------------------------------------------------------------------------- on average

MANY, BEATS = 3000, 200


def draw_many(seed=0):
    return draw_faults(MANY, BEATS, torch.Generator().manual_seed(seed), "cpu")


def test_so_many_windows_have_faults_and_so_many_are_rounded():
    share = 0.3
    out = put_faults(torch.full((MANY, BEATS), 800.0), draw_many(), share)
    about = (out - 800).abs() < 12
    rounded = ((out - 800).abs() > 0.2).logical_and(about).any(dim=1)
    faulty = (~about).any(dim=1)
    assert rounded.float().mean().item() == pytest.approx(share, abs=0.03)
    # some windows with faults have none by chance
    rate = MOST * np.linspace(0, 1, 2001) ** 2
    none = np.mean(((1 - rate) * (1 - MADE_UP * rate)) ** BEATS)
    assert faulty.float().mean().item() == pytest.approx(share * (1 - none), abs=0.03)
    both = (rounded & faulty).float().mean().item()
    assert both == pytest.approx(share * share * (1 - none), abs=0.02)  # drawn apart


def test_so_many_beats_are_missed():
    draws = draw_many()
    draws[:, 0], draws[:, 1], draws[:, 3] = 0.0, 1.0, 0.7
    draws[:, 4 + length(BEATS) : 4 + 2 * length(BEATS)] = 1.0  # none made up
    spanned = put_faults(torch.full((MANY, BEATS), 250.0), draws, 0.5).sum(dim=1) / 250
    assert (1 - BEATS / spanned).mean().item() == pytest.approx(MOST * 0.49, rel=0.02)


def test_so_many_beats_are_made_up_for_each_missed():
    draws = draw_many()
    draws[:, 0], draws[:, 1], draws[:, 3] = 0.0, 1.0, 1.0
    draws[:, 4 : 4 + length(BEATS)] = 1.0  # none missed
    spanned = put_faults(torch.full((MANY, BEATS), 1000.0), draws, 0.5).sum(dim=1) / 1000
    assert (BEATS / spanned - 1).mean().item() == pytest.approx(MADE_UP * MOST, rel=0.02)


def test_most_windows_with_faults_have_far_fewer():
    draws = draw_many()
    draws = draws[draws[:, 3] < 0.9]  # a window can spare only so many
    draws[:, 0], draws[:, 1] = 0.0, 1.0
    draws[:, 4 + length(BEATS) : 4 + 2 * length(BEATS)] = 1.0
    spanned = put_faults(torch.full((len(draws), BEATS), 250.0), draws, 0.5).sum(dim=1) / 250
    missed = 1 - BEATS / spanned
    assert missed.mean().item() == pytest.approx(MOST * 0.9**2 / 3, rel=0.05)  # of a square
    assert missed.median().item() == pytest.approx(MOST * 0.45**2, rel=0.1)
