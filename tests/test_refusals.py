"""`refused` fails when the error, or a fact in its message, is missing."""

from pathlib import Path

import pytest

from support.refusals import refused

MESSAGE = "patient 041: 19 windows of 1,200 beats in a/b.csv, lower sampler.n to 0.5"


def fails(*facts: str | Path | float) -> str:
    """What `refused` answers where a fact is missing."""
    with pytest.raises(pytest.fail.Exception) as failure, refused(ValueError, *facts):
        raise ValueError(MESSAGE)
    return str(failure.value)


def test_every_fact_is_in_the_message() -> None:
    with refused(ValueError, "041", Path("a/b.csv"), 19, 1200, 0.5, "sampler.n") as raised:
        raise ValueError(MESSAGE)
    assert str(raised.value) == MESSAGE


def test_the_missing_fact_and_the_message_are_named() -> None:
    answer = fails("041", "sampler.k", Path("c.csv"))
    assert "'sampler.k', 'c.csv'" in answer
    assert MESSAGE in answer
    assert "'041'" not in answer


@pytest.mark.parametrize("number", [9, 1, 200, 0, 5])
def test_a_part_of_a_number_is_not_the_number(number: int) -> None:
    assert repr(str(number)) in fails(number)


def test_another_error_is_not_caught() -> None:
    with pytest.raises(KeyError), refused(ValueError):
        raise KeyError("key")


def test_no_error_is_a_failure() -> None:
    with pytest.raises(pytest.fail.Exception), refused(ValueError):
        pass


def test_one_of_several_types_is_enough() -> None:
    with refused((ValueError, KeyError), "key"):
        raise KeyError("key")
