from itertools import pairwise

import pytest
import torch

from pacl.af import RRAugmentation
from pacl.models.network import seen
from pacl.rivals import views
from pacl.rivals.views import (
    BLOCKS,
    MOVED_MS,
    RATE,
    draw_view,
    exchange_blocks,
    put_view,
    two_views,
)

BEATS = 200


def windows(count=64, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return 400 + 800 * torch.rand((count, BEATS), generator=generator)


@pytest.fixture
def plain(monkeypatch):
    """Without breath and faults, which have tests of their own."""
    monkeypatch.setattr(views, "AUGMENTATION", RRAugmentation())


def drawn(count=64, **fixed):
    """Draws that change nothing, but for those given."""
    draws = torch.full((count, 4 + BLOCKS + BEATS + 1), 0.5)
    draws[:, :2] = 0.99
    draws[:, 3] = 0.0
    draws[:, 4 : 4 + BLOCKS] = torch.arange(BLOCKS) / BLOCKS
    for name, value in fixed.items():
        draws[:, ("reversed", "shuffled", "rate", "reach").index(name)] = value
    return draws


@pytest.mark.usefixtures("plain")
def test_where_chance_says_so_nothing_changes():
    torch.testing.assert_close(put_view(windows(), drawn()), windows())


@pytest.mark.usefixtures("plain")
def test_a_window_runs_backwards():
    torch.testing.assert_close(put_view(windows(), drawn(reversed=0.2)), windows().flip(1))


def test_blocks_change_places_as_drawn():
    rr_ms = torch.arange(10.0)[None]
    found = exchange_blocks(rr_ms, torch.tensor([[0.7, 0.1, 0.9, 0.3]]))
    assert found[0].tolist() == [2, 3, 6, 7, 0, 1, 4, 5, 8, 9]  # two left over stay


def test_blocks_keep_every_beat_and_its_neighbours():
    order = torch.rand((64, BLOCKS), generator=torch.Generator().manual_seed(1))
    found = exchange_blocks(windows(), order)
    assert torch.equal(found.sort(dim=1).values, windows().sort(dim=1).values)
    steps = [set(pairwise(w.tolist())) for w in windows()]
    for row, known in zip(found, steps, strict=True):
        new = sum(step not in known for step in pairwise(row.tolist()))
        assert new <= BLOCKS - 1


@pytest.mark.usefixtures("plain")
def test_the_relative_view_does_not_see_the_rate():
    fast = put_view(windows(), drawn(rate=0.0))
    torch.testing.assert_close(fast, windows() * torch.exp(torch.tensor(-RATE)))
    torch.testing.assert_close(seen("relative", fast), seen("relative", windows()))


@pytest.mark.usefixtures("plain")
def test_beats_move_and_do_not_drift():
    draws = drawn(reach=1.0)
    draws[:, 4 + BLOCKS :] = torch.rand((64, BEATS + 1), generator=torch.Generator().manual_seed(1))
    shift = (put_view(windows(), draws) - windows()).double().cumsum(dim=1)
    assert float(shift.abs().max()) <= 2 * MOVED_MS + 0.1  # by the first beat and by the last
    assert float(shift.abs().max()) > MOVED_MS


def test_two_views_differ_and_follow_from_the_generator():
    first, second = two_views(windows(), torch.Generator().manual_seed(3)).chunk(2)
    assert first.shape == second.shape == (64, BEATS)
    assert not (first == second).all(dim=1).any()
    again = two_views(windows(), torch.Generator().manual_seed(3))
    assert torch.equal(again, torch.cat([first, second]))
    assert float(again.min()) >= 200
    assert float(again.max()) <= 2000


def test_about_half_of_the_windows_run_backwards():
    draws = draw_view(4000, BEATS, torch.Generator().manual_seed(0), "cpu")
    assert 0.45 < float((draws[:, 0] < views.REVERSED).float().mean()) < 0.55
