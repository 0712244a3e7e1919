"""Ctrl-C and SIGTERM are held back for the length of a block, and then act."""

import signal
import threading
from contextlib import contextmanager

import pytest

from pacl.interrupts import uninterrupted


class Stopped(Exception):  # noqa: N818 - it is no error
    """What a handler of SIGTERM raises here."""


@contextmanager
def heeding():
    def stop(number, frame):
        raise Stopped

    before = signal.signal(signal.SIGTERM, stop), signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield stop
        assert signal.getsignal(signal.SIGTERM) is stop
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGTERM, before[0])
        signal.signal(signal.SIGINT, before[1])


@pytest.mark.parametrize(
    ("number", "raised"), [(signal.SIGTERM, Stopped), (signal.SIGINT, KeyboardInterrupt)]
)
def test_a_signal_acts_at_the_end_of_the_block(number, raised):
    reached = []
    with heeding():
        with pytest.raises(raised), uninterrupted():
            signal.raise_signal(number)
            reached.append("the end")
        with pytest.raises(raised):
            signal.raise_signal(number)
    assert reached == ["the end"]


def test_the_first_of_many_signals_acts():
    with heeding(), pytest.raises(KeyboardInterrupt), uninterrupted():
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGINT):
            signal.raise_signal(number)


def test_of_blocks_in_blocks_the_outermost_counts():
    reached = []
    with heeding(), pytest.raises(Stopped), uninterrupted():
        with uninterrupted():
            signal.raise_signal(signal.SIGTERM)
        reached.append("the end")
    assert reached == ["the end"]


def test_a_signal_is_told_rather_than_an_error_of_the_block():
    with heeding(), pytest.raises(Stopped) as told, uninterrupted():
        signal.raise_signal(signal.SIGTERM)
        raise ValueError("of the block")
    assert isinstance(told.value.__context__, ValueError)


def test_signals_act_again_after_a_block_that_could_not_begin(monkeypatch):
    """The second signal comes while the first is being seen to: neither handler is lost."""
    set_handler = signal.signal

    def while_setting(number, handler):
        found = set_handler(number, handler)
        if handler.__class__ is type(uninterrupted().__enter__) and number == signal.SIGINT:
            signal.raise_signal(signal.SIGTERM)
        return found

    with heeding():
        with monkeypatch.context() as patched:
            patched.setattr(signal, "signal", while_setting)
            with pytest.raises(Stopped), uninterrupted():
                raise AssertionError("it began")
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_handlers_set_within_a_block_stay():
    with heeding() as stop:
        with uninterrupted():
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
        signal.signal(signal.SIGTERM, stop)


def test_signals_that_are_ignored_stay_so():
    with heeding() as stop:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        with uninterrupted():
            assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
            signal.raise_signal(signal.SIGTERM)
        signal.signal(signal.SIGTERM, stop)


def test_in_another_thread_it_does_nothing():
    handlers = []

    def work():
        with uninterrupted():
            handlers.append(signal.getsignal(signal.SIGTERM))

    with heeding() as stop:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert handlers == [stop]
