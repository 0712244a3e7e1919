"""A network learns every beat's label: it does learn, alike each time, from what is known."""

import numpy as np
import pytest
import torch

from pacl.af.beats import (
    ROBUST,
    BeatLine,
    BeatSampler,
    BeatTraining,
    Crops,
    LabelledRecord,
    label_beats,
    train_beats,
)
from pacl.af.beats.trainer import beat_loss
from pacl.af.networks.beat_network import BeatNetwork
from pacl.records import Record, Rhythm, Span
from pacl.training import TrainingError

SHAPE = {"channels": 8, "kernel": 3, "dilations": (1, 2, 4), "mean_beats": 9}
FEW = BeatTraining(steps=60, subjects=4, crops=2, beats=64, learning_rate=1e-2, averaged=0.9)


def patient(name, seed):
    """Regular, then irregular for a while, then regular."""
    rng = np.random.default_rng(seed)
    spread = np.repeat([0.02, 0.2, 0.02], [300, 200, 300])
    rr_ms = (800 * np.exp(spread * rng.standard_normal(800))).astype(np.float32)
    spans = (Span(0, 300, Rhythm.SR), Span(300, 500, Rhythm.AF), Span(500, 800, Rhythm.SR))
    record = Record(name, name, rr_ms, np.zeros(1, np.int64), np.zeros(1), spans, "", name)
    return LabelledRecord("made", record, label_beats(record))


@pytest.fixture(scope="module")
def line():
    return BeatLine.of([patient(f"p{seed}", seed) for seed in range(4)], apart=200)


def trained(line, augmentations=(), training=FEW, seed=0):
    network = BeatNetwork(**SHAPE, generator=torch.Generator().manual_seed(seed))
    heard = []
    train_beats(
        network,
        line,
        BeatSampler(line, {"made": 1.0}),
        augmentations,
        training,
        torch.Generator().manual_seed(seed),
        after_step=lambda step, loss: heard.append(loss),
    )
    return network, heard


def test_it_learns_and_finds_the_beats_of_another_patient(line):
    network, heard = trained(line)
    assert len(heard) == FEW.steps
    assert np.mean(heard[-10:]) < 0.5 * np.mean(heard[:5])
    other = BeatLine.of([patient("other", 99)], apart=200)
    with torch.no_grad():
        logits = network(other.rr_ms[None], other.present[None])[0]
    reach = network.reach
    label = other.label[reach:-reach]
    known = label < 2
    right = ((logits > 0) == (label == 1))[known].float().mean()
    assert right > 0.9


def test_it_learns_with_everything_switched_on(line):
    _, heard = trained(line, ROBUST)
    assert np.isfinite(heard).all()
    assert np.mean(heard[-10:]) < np.mean(heard[:5])


def test_the_same_seed_gives_the_same_bits(line):
    one, other = (trained(line, ROBUST)[0].state_dict() for _ in range(2))
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_it_is_ready_to_be_used(line):
    assert not trained(line)[0].training


def test_the_loss_by_hand_and_from_the_known_alone():
    label = torch.tensor([[2, 1, 0, 2, 1]], dtype=torch.uint8)
    present = torch.tensor([[True, True, True, True, False]])
    crops = Crops(torch.full((1, 5), 800.0), present, label)
    logits = torch.tensor([[0.0, 2.0, 9.0]])  # of the middle three
    expected = (np.log(2) + np.log1p(np.exp(2.0))) / 2
    assert beat_loss(logits, crops, behind=1).item() == pytest.approx(expected)


def test_a_batch_without_a_label_is_refused():
    nothing = torch.full((1, 5), 2, dtype=torch.uint8)
    crops = Crops(torch.full((1, 5), 800.0), torch.ones(1, 5, dtype=torch.bool), nothing)
    with pytest.raises(TrainingError):
        beat_loss(torch.zeros(1, 3), crops, behind=1)
