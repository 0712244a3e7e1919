"""Values of a JSON document replaced by what people and other programs write there."""

import copy
import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from support.mutate import damaged

_ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**63, 2**64, 10**400, -(10**30)),
    *(0.5, -0.0, 1e-320, 1e308, float("nan"), float("inf"), float("-inf")),
    *("", "x", "\0", "\ud800", "1", "../..", "/dev/zero", "a" * 5000, "train"),
    *([], {}, [[]], [None], ["x"], [1, "x"], {"": None}, {"x": {"x": []}}, [0] * 3000),
)
_DEEP = ("[" * 40, '{"a":' * 2000, "[" * 200_000)


def odd_values(content: bytes, cases: int, seed: int) -> Iterator[bytes]:
    """One or two values of a document replaced, removed, renamed, given twice or nested deep.

    Every fourth case damages bytes instead.
    """
    rng = np.random.default_rng(seed)
    whole = json.loads(content)
    by_bytes = damaged(content, cases, seed)
    for case in range(cases):
        if case % 4 == 3:
            yield next(by_bytes)
            continue
        holder = {"": copy.deepcopy(whole)}
        for _ in range(int(rng.integers(1, 3))):
            _change(holder, rng)
        text = json.dumps(holder.get(""))
        if case % 50 == 0:
            text = text.replace("1", _DEEP[case // 50 % len(_DEEP)], 1)
        elif case % 50 == 1:
            text = text.replace('":', '": 1, "x":', 1).replace('"x":', '"y": 2, "y":', 1)
        yield text.encode()


def _change(holder: dict[str, Any], rng: np.random.Generator) -> None:
    """Change one value somewhere in the document."""
    inside: Any = holder
    place: Any = ""
    while True:
        value = inside[place]
        places = (
            list(value)
            if isinstance(value, dict)
            else list(range(len(value)))
            if isinstance(value, list)
            else []
        )
        if not places or rng.random() < 0.15:
            break
        inside, place = value, places[int(rng.integers(len(places)))]
    match int(rng.integers(4)):
        case 0 if isinstance(inside, dict) and place:
            inside[f"{place}_"] = inside.pop(place)
        case 1 if isinstance(inside, dict) and place:
            del inside[place]
        case 2 if isinstance(inside, list):
            inside *= 2
        case _:
            inside[place] = copy.deepcopy(_ODD[int(rng.integers(len(_ODD)))])
    holder.setdefault("", None)
