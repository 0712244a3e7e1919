"""Episodes that may be flutter: intervals of a few lengths."""

import numpy as np

from pacl.detect.flutter import may_be_flutter, of_few_lengths


def conducted(beats, seed=0):
    generator = np.random.default_rng(seed)
    return 220.0 * generator.choice([2, 3, 4], beats) + generator.normal(0, 4, beats)


def irregular(beats, seed=0):
    return np.random.default_rng(seed).lognormal(np.log(650), 0.22, beats)


def test_flutter_with_changing_conduction_may_be_flutter():
    assert may_be_flutter(conducted(300))


def test_irregular_intervals_are_not():
    assert not may_be_flutter(irregular(300))


def test_few_beats_are_too_short_to_tell():
    assert not may_be_flutter(conducted(59))
    assert may_be_flutter(conducted(60))


def test_most_stretches_decide():
    mixed = np.concatenate([conducted(600), irregular(100)])
    assert may_be_flutter(mixed)
    assert not may_be_flutter(np.concatenate([conducted(100), irregular(600)]))


def test_one_length_and_empty():
    assert of_few_lengths(np.full(10, 800.0)) == 1.0


def test_a_day_takes_as_long_as_an_hour():
    assert may_be_flutter(conducted(100_000))
