"""Values that were given as words on a command line, where their type was not known yet."""

import types
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pacl.stored import MisfitError, fitted

TRUTH = {"true": True, "yes": True, "false": False, "no": False}


@dataclass(frozen=True, slots=True)
class Words:
    """The words that were given for one key."""

    words: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join(self.words)


def from_words(kind: Any, given: Words) -> Any:
    """A value of the expected type.

    Examples
    --------
    >>> from_words(tuple[int, ...], Words(("3", "5")))
    (3, 5)
    """
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return from_words(arguments[0], given)
    if origin in (Union, types.UnionType):
        return _first(arguments, given)
    if origin in (list, tuple):
        each = [arguments[0]] * len(given.words)
        if origin is tuple and arguments[-1] is not ...:
            each = list(arguments)
        if len(each) != len(given.words):
            raise MisfitError(f"{len(given.words)} values, expected {len(each)}")
        both = zip(each, given.words, strict=True)
        found = [from_words(one, Words((word,))) for one, word in both]
        return tuple(found) if origin is tuple else found
    if len(given.words) != 1:
        raise MisfitError(f"{len(given.words)} values ({given}), expected one")
    return _one(kind, given.words[0])


def _one(kind: Any, word: str) -> Any:
    if get_origin(kind) is Literal:
        return next((one for one in get_args(kind) if str(one) == word), word)
    if kind is type(None):
        if word.lower() != "none":
            raise MisfitError(f"{word!r}, expected none")
        return None
    if kind is bool:
        return TRUTH.get(word.lower(), word)
    if kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            return word  # refused by its type
    return word


def _first(kinds: Sequence[Any], given: Words) -> Any:
    """By the first of several types that takes the words."""
    wrong = None
    for kind in sorted(kinds, key=lambda one: one is not type(None)):
        try:
            found = from_words(kind, given)
            return found if found is None else fitted(kind, found)
        except MisfitError as error:
            wrong = error
    raise wrong or MisfitError(f"{given}, expected nothing")
