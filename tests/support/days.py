"""A day with episodes, made by hand."""

import numpy as np


def day_with(make, episodes, lasts_s=20.0):
    """A day with some episodes, evenly over it; the first is the longest."""
    make_record, make_detection = make
    record = make_record([1000] * 86_400)
    found = [
        (at, at + lasts_s + (100 if at == 100 else 0) + number / 100, 0.9)
        for number, at in enumerate(np.linspace(100, 86_000, max(episodes, 1)).tolist())
    ][:episodes]
    steps = [(0.0, 86_400.0, 0.1)]
    return record, make_detection(record, steps, found)
