import numpy as np

from pacl.systems import placed
from support.signals import CHANNELS, ring_of_sensors


def test_subjects_are_turned_to_one_place_without_labels_of_new_ones():
    windows = ring_of_sensors(subjects=8, turned=True)
    straight = ring_of_sensors(subjects=8)
    learned = windows.table.subject.codes < 5
    found, turns = placed(windows, learned)
    # up to one turn that all have in common
    common = {(turns[f"subject-{at}"] + at) % CHANNELS for at in range(8)}
    assert len(common) == 1
    assert np.array_equal(found.take(), np.roll(straight.take(), common.pop(), axis=1))


def test_labels_of_new_subjects_change_nothing():
    windows = ring_of_sensors(turned=True)
    learned = windows.table.subject.codes < 4
    _, turns = placed(windows, learned)
    other = windows.table.labels.copy()
    other[~learned] = np.random.default_rng(0).permutation(other[~learned])
    changed = type(windows).from_arrays(
        windows.take(), other, windows.table.subject.to_list(), class_names=windows.class_names
    )
    assert placed(changed, learned)[1] == turns
