"""Which of several numbers is best, as a reader of the printed table would say."""

import math
from collections.abc import Sequence


def best_of(values: Sequence[float | None], better: int, digits: int = 3) -> set[int]:
    """Places of the best numbers: the highest if `better` is 1, the lowest if it is -1.

    Numbers that are printed alike are equally good. There is no best where `better` is 0 or where
    fewer than two numbers are known.
    """
    known = {
        at: round(value * better, digits)
        for at, value in enumerate(values)
        if value is not None and not math.isnan(value)
    }
    if len(known) < 2 or not better:
        return set()
    return {at for at, value in known.items() if value == max(known.values())}
