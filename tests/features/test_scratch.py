"""Memory that is used again, and batches of windows."""

from threading import Thread

import numpy as np

from pacl.features.numeric import MOST_BYTES, Scratch, in_batches


def test_an_array_is_used_again_and_grows():
    room = Scratch()
    small = room.array("a", (2, 3))
    large = room.array("a", (4, 5))
    assert large.shape == (4, 5)
    assert not np.shares_memory(small, large)
    assert np.shares_memory(large, room.array("a", (3, 3)))
    assert not np.shares_memory(large, room.array("b", (4, 5)))


def test_threads_share_no_memory():
    room, found = Scratch(), []
    thread = Thread(target=lambda: found.append(room.array("a", (3,))))
    thread.start()
    thread.join()
    assert not np.shares_memory(room.array("a", (3,)), found[0])


def test_large_arrays_are_not_kept():
    room = Scratch()
    places = (MOST_BYTES // 8 + 1,)
    assert not np.shares_memory(room.array("a", places), room.array("a", places))


def test_batches_hold_every_window_once():
    sizes = []
    rr_ms = np.arange(9.0)[:, None] * np.ones(20)
    found = in_batches(lambda part: sizes.append(len(part)) or part[:, :1], rr_ms, 95)
    assert found.ravel().tolist() == list(range(9))
    assert sizes == [4, 4, 1]
    assert in_batches(lambda part: part[:, :2], rr_ms, 10).shape == (9, 2)
    assert in_batches(lambda part: part[:, :2], rr_ms[:0], 10).shape == (0, 2)
