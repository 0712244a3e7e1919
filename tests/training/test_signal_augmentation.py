import pytest
import torch

from pacl.settings import AUGMENTATIONS, Plan, SignalAugmentationSettings
from pacl.testing import check_augmentation
from pacl.training import LabelledWindows, SignalAugmentation, TrainingError, signal_augmentation
from pacl.windows import ArrayTensors
from support.refusals import refused

EVERY = {"gain": 0.2, "offset": 0.1, "noise": 0.1, "lost": 0.1, "shift": 3, "turn": 1.5}


@pytest.mark.parametrize("channels", [1, 4])
@pytest.mark.parametrize("only", [*EVERY, None])
def test_contract(channels, only):
    if channels == 1 and only == "turn":
        return  # a ring of one channel stays as it is
    chosen = EVERY if only is None else {only: EVERY[only]}
    settings = SignalAugmentationSettings(**chosen)
    check_augmentation("signal", settings, channels=channels, length=20)


def drawn(augmentation, x):
    windows, channels, length = x.shape
    return augmentation.draw(windows, length, torch.Generator().manual_seed(0), "cpu", channels)


def test_a_whole_turn_rolls_each_ring():
    x = torch.arange(8.0).reshape(1, 8, 1)
    augmentation = SignalAugmentation(turn=1.0, ring=4)
    numbers = torch.zeros_like(drawn(augmentation, x))
    numbers[:, 0] = 1.0  # one channel forward
    assert augmentation.put(x, numbers).ravel().tolist() == [3, 0, 1, 2, 7, 4, 5, 6]
    numbers[:, 0] = 0.75  # half a channel
    assert augmentation.put(x, numbers).ravel().tolist() == [1.5, 0.5, 1.5, 2.5, 5.5, 4.5, 5.5, 6.5]


def test_a_shift_repeats_the_edge():
    x = torch.arange(5.0).reshape(1, 1, 5)
    augmentation = SignalAugmentation(shift=2)
    numbers = drawn(augmentation, x)
    numbers[:, 1] = 0.99
    assert augmentation.put(x, numbers).ravel().tolist() == [0, 0, 0, 1, 2]
    numbers[:, 1] = 0.0
    assert augmentation.put(x, numbers).ravel().tolist() == [2, 3, 4, 4, 4]


def test_a_lost_channel_is_0_and_the_others_stay():
    x = torch.ones(200, 4, 3)
    augmentation = SignalAugmentation(lost=0.25)
    found = augmentation.put(x, drawn(augmentation, x))
    assert set(found.unique().tolist()) == {0.0, 1.0}
    assert 0.2 < float((found == 0).float().mean()) < 0.3


def test_without_effect_there_is_none():
    assert signal_augmentation(SignalAugmentationSettings(ring=4)) is None
    idle = Plan(augmentation=SignalAugmentationSettings())
    assert AUGMENTATIONS.name_of(idle.augmentation) == "none"


def test_windows_that_do_not_fit():
    windows = LabelledWindows(
        ArrayTensors(torch.zeros(2, 6, 10)), torch.zeros(2).long(), torch.zeros(2).long()
    )
    with refused(TrainingError, "ring", "4", "6"):
        SignalAugmentation(turn=1.0, ring=4).check(windows)
    with refused(TrainingError, "shift", "10"):
        SignalAugmentation(shift=10).check(windows)
