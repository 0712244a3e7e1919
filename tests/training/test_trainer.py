import copy
import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from pacl.af import RRAugmentation
from pacl.af.faults import draw_faults, put_faults
from pacl.models import Encoder
from pacl.objectives import Objective, ObjectiveError, make_objective
from pacl.rr import RRWindowSet
from pacl.training import (
    EpochLog,
    LabelledWindows,
    SubjectSampler,
    Trainer,
    TrainingError,
    cosine,
)
from pacl.training.epoch_log import COLLAPSED, spread
from support.refusals import refused
from support.small_runs import small_windows


class Scripted:
    """Gives scores as told, whatever the encoder, and remembers what it saw."""

    def __init__(self, *scores):
        self.scores = list(scores)
        self.seen = []
        self.training = []

    def __call__(self, encoder):
        self.seen.append(copy.deepcopy(encoder.state_dict()))
        self.training.append(encoder.training)
        return self.scores[len(self.seen) - 1] if self.scores else float(len(self.seen))


class Gathering(Objective):
    """Pulls all embeddings to one point."""

    reads = "projected"

    def forward(self, embedded, labels, subjects):
        return (1 - embedded @ torch.nn.functional.one_hot(torch.tensor(0), 8).float()).mean()


class Noting(Objective):
    """Remembers batches, reports how many, and teaches nothing."""

    reads = "pooled_raw"

    def __init__(self):
        super().__init__()
        self.batches, self.stepped = [], 0

    def forward(self, embedded, labels, subjects):
        assert embedded.requires_grad
        self.batches.append((embedded.detach(), labels, subjects, self.training))
        return embedded.sum() * 0 + 2.0

    def after_step(self):
        self.stepped += 1

    def report(self):
        return {"batches": float(len(self.batches))}


class Undefined(Objective):
    """Has no value from some batch on."""

    reads = "projected"

    def forward(self, embedded, labels, subjects):
        return embedded.sum() * torch.nan


def make(
    objective=None,
    score=None,
    *,
    weights=0,
    batches=0,
    dropout=0,
    n=4,
    view="given",
    scaled=True,
    **settings,
):
    windows = RRWindowSet.open(small_windows()).part("train")
    if not scaled:
        windows = in_ms(windows)
    encoder = Encoder(
        channels=(8, 8, 8),
        pooled_features=8,
        projected_features=8,
        view=view,
        generator=torch.Generator().manual_seed(weights),
    )
    sampler = SubjectSampler.of(
        windows,
        generator=np.random.default_rng(batches),
        subjects_per_batch=2,
        windows_per_class=n,
    )
    augmentation = RRAugmentation.of(
        settings.pop("respiratory_arrhythmia", 0.0), settings.pop("faults", 0.0)
    )
    return Trainer(
        encoder,
        make_objective("subject-aware") if objective is None else objective,
        LabelledWindows.of(windows),
        sampler,
        None if settings.get("keep") == "last" else score or Scripted(),
        generator=torch.Generator().manual_seed(dropout),
        augmentation=augmentation,
        **{"epochs": 3, "lr": 3e-3} | settings,
    )


def in_ms(windows):
    """The same beats, scaled by nobody."""
    nothing = np.zeros(len(windows), np.float32)
    table = replace(windows.table, centre_ms=nothing, scale_ms=nothing + 1)
    return replace(windows, table=table)


def make_last(**settings):
    """A run that keeps its last weights and learns from windows with faults."""
    return make(**{"keep": "last", "faults": 0.5, "scaled": False, "view": "relative"} | settings)


def equal(one, other):
    return one.keys() == other.keys() and all(torch.equal(one[key], other[key]) for key in one)


def timeless(log):
    return [getattr(log, key) for key in EpochLog.__slots__ if "seconds" not in key]


def test_an_epoch_is_told():
    steps = []
    trainer = make(track=lambda done, total: steps.append((done, total)))
    logs = list(trainer)
    assert [log.epoch for log in logs] == [1, 2, 3]
    assert [log.best for log in logs] == [True, True, True]
    assert trainer.done
    assert list(trainer) == []
    total = steps[0][1]
    assert steps[:total] == [(step + 1, total) for step in range(total)]
    assert logs[0].windows == total * 2 * 2 * 4
    for log in logs:
        assert math.isfinite(log.loss)
        assert log.seconds > 0
        assert log.score_seconds >= 0
        assert set(log.extra) == {"tau"}
        assert 0 < log.pooled_spread < 1
        assert 0 < log.projected_spread < 1
        assert log.collapsed == ()


def test_batches_reach_the_objective_as_drawn_with_what_it_reads():
    objective, score = Noting(), Scripted()
    trainer = make(objective, score, dropout=5)
    objective.eval()
    planned, seed = trainer.sampler.epoch_rows(), trainer.dropout_seed()
    before = copy.deepcopy(trainer.encoder)
    log = next(iter(trainer))
    assert trainer.dropout_seed() != seed
    assert len(objective.batches) == objective.stepped == len(planned)
    assert log.loss == 2.0
    assert log.extra == {"batches": len(planned)}
    windows = trainer.windows
    for rows, (_, labels, subjects, training) in zip(planned, objective.batches, strict=True):
        assert training
        assert torch.equal(labels, windows.labels[rows])
        assert torch.equal(subjects, windows.subjects[rows])
        assert np.unique(subjects.numpy(), return_counts=True)[1].tolist() == [8, 8]
        assert np.bincount(labels.numpy()).tolist() == [8, 8]
    generator = torch.Generator().manual_seed(seed)
    masks = before.draw_masks(16, windows.tensors.window_beats, generator)
    expected = before(windows.take(torch.from_numpy(planned[0])).windows, masks).pooled_raw
    assert torch.equal(objective.batches[0][0], expected)
    assert score.training == [False]


def test_the_same_seeds_give_the_same_bits_and_any_other_does_not():
    once = make()
    logs = [timeless(log) for log in once]
    again = make()
    assert [timeless(log) for log in again] == logs
    assert equal(again.encoder.state_dict(), once.encoder.state_dict())
    assert equal(again.objective.state_dict(), once.objective.state_dict())
    for other in ({"weights": 1}, {"batches": 1}, {"dropout": 1}):
        assert not equal(make_trained(**other), once.encoder.state_dict())


def make_trained(**seeds):
    trainer = make(**seeds)
    list(trainer)
    return trainer.encoder.state_dict()


def test_global_random_states_neither_matter_nor_move():
    once = make_trained()
    np.random.seed(7)  # noqa: NPY002 - it is what others may have done
    torch.manual_seed(7)
    states = np.random.get_state(), torch.get_rng_state()  # noqa: NPY002
    assert equal(make_trained(), once)
    assert np.array_equal(np.random.get_state()[1], states[0][1])  # noqa: NPY002
    assert torch.equal(torch.get_rng_state(), states[1])


@pytest.mark.parametrize(
    ("loss", "memory"), [("subject-aware", 0), ("bce", 0), ("subject-aware", 24), ("supcon", 500)]
)
@pytest.mark.parametrize("done", [1, 2])
def test_a_state_is_enough_to_go_on_to_the_bit(loss, memory, done):
    def trainer():
        generator = torch.Generator().manual_seed(3)
        objective = make_objective(loss, features=8, generator=generator, memory=memory)
        return make(objective, Scripted(0.5, 0.7, 0.6, 0.6), epochs=4, per_step=True)

    whole = trainer()
    logs = [timeless(log) for log in whole]
    broken = trainer()
    scores = iter(broken)
    for _ in range(done):
        next(scores)
    state = copy.deepcopy(broken.state_dict())
    broken.track = interrupted
    with pytest.raises(KeyboardInterrupt):
        next(scores)
    resumed = trainer()
    resumed.score.seen = [None] * done
    resumed.load_state_dict(state)
    assert [timeless(log) for log in resumed] == logs[done:]
    for name in ("encoder", "objective"):
        assert equal(getattr(resumed, name).state_dict(), getattr(whole, name).state_dict())
        assert equal(resumed.best[name], whole.best[name])
    assert resumed.stopping == whole.stopping


def interrupted(done, total):
    if done == 3:
        raise KeyboardInterrupt


def test_training_remembers_batches_and_judging_does_not():
    trainer = make(make_objective("subject-aware", features=8, memory=40), epochs=1)
    list(trainer)
    rows = trainer.sampler.epoch_rows()  # of the same epoch
    held, drawn = trainer.objective.memory.remembered(), torch.from_numpy(rows[-3:].reshape(-1))
    assert len(held.labels) == 40
    last = trainer.windows.subjects[drawn[-40:]]
    assert torch.equal(held.subjects.sort().values, last.sort().values)
    torch.testing.assert_close(held.embedded.norm(dim=1), torch.ones(40))
    without = make(make_objective("subject-aware"), epochs=1)
    list(without)
    assert not equal(without.encoder.state_dict(), trainer.encoder.state_dict())


def test_patience_ends_the_training_and_the_best_weights_come_back():
    score = Scripted(0.5, 0.8, 0.7, 0.8, 0.6, 0.9)
    trainer = make(score=score, epochs=10, patience=3)
    logs = list(trainer)
    assert [log.best for log in logs] == [True, True, False, False, False]
    assert trainer.done
    assert trainer.epoch == 5
    assert not equal(trainer.encoder.state_dict(), score.seen[1])
    trainer.restore_best()
    assert equal(trainer.encoder.state_dict(), score.seen[1])
    assert trainer.objective.temperature().item() == pytest.approx(logs[1].extra["tau"], rel=1e-6)
    assert logs[1].extra["tau"] != logs[4].extra["tau"]


@pytest.mark.parametrize("per_step", [False, True])
def test_the_rate_falls_by_epoch_or_by_step(per_step):
    rates = []

    def note(done, total):
        rates.append(trainer.optimiser.param_groups[-1]["lr"])
        shares.append(trainer.epoch + ((done - 1) / total if per_step else 0))

    shares = []
    trainer = make(epochs=4, lr=0.01, lowest_lr=0.002, per_step=per_step, track=note)
    logs = list(trainer)
    assert rates == [cosine(0.01, 0.002, share / 4) for share in shares]
    assert rates[0] == 0.01
    assert 0.002 < rates[-1] < 0.004
    assert rates == sorted(rates, reverse=True)
    assert len(set(rates)) == (len(rates) if per_step else 4)
    assert logs[0].lr == rates[logs[0].windows // 16 - 1]


def test_tau_moves_stays_where_frozen_and_is_brought_back_to_its_floor():
    learned = make(make_objective("subject-aware"), epochs=1)
    list(learned)
    assert learned.objective.temperature().item() != pytest.approx(0.05, rel=1e-6)
    frozen = make(make_objective("subject-aware", learnable=False), epochs=1, weight_decay=0.5)
    list(frozen)
    assert frozen.objective.temperature().item() == pytest.approx(0.05, rel=1e-6)
    low = make(make_objective("subject-aware", floor=0.02), epochs=1, lr=1e-7)
    with torch.no_grad():
        low.objective.temperature.log_tau.fill_(math.log(0.001))
    list(low)
    assert low.objective.temperature.log_tau.item() == pytest.approx(math.log(0.02), abs=1e-3)


def test_weight_decay_shrinks_weights_and_leaves_tau_alone():
    trainer = make(Noting(), epochs=1, weight_decay=0.1, lr=0.1)
    before = copy.deepcopy(trainer.encoder.state_dict())
    log = next(iter(trainer))
    share = (1 - 0.1 * 0.1) ** (log.windows // 16)
    for key, value in trainer.encoder.to_pooled.state_dict().items():
        assert torch.allclose(value, before[f"to_pooled.{key}"] * share, rtol=1e-4, atol=0)


def test_a_collapse_is_noticed():
    logs = list(make(Gathering(), epochs=6, lr=0.05))
    assert logs[0].collapsed == ()
    assert "projected" in logs[-1].collapsed
    assert logs[-1].projected_spread < COLLAPSED


def test_a_collapse_is_noticed_whatever_dropout_adds():
    trainer = make(epochs=1, lr=1e-12)
    with torch.no_grad():
        trainer.encoder.to_pooled.weight.zero_()
    [log] = list(trainer)
    assert "pooled" in log.collapsed


@pytest.mark.parametrize(
    ("spreads", "collapsed"),
    [
        ((0.2, 0.2), ()),
        ((0.02, 0.02), ()),
        ((0.2, 0.019), ("projected",)),
        ((0.0, 0.3), ("pooled",)),
        ((0.01, 0.005), ("pooled", "projected")),
    ],
)
def test_which_embeddings_have_collapsed(spreads, collapsed):
    log = EpochLog(1, 0.1, 0.5, True, 0.1, *spreads, windows=8, seconds=1.0, score_seconds=1.0)
    assert log.collapsed == collapsed


def test_spread_of_a_point_and_of_a_sphere():
    point = torch.nn.functional.normalize(torch.ones(5, 3), dim=1)
    assert spread(point).item() == pytest.approx(0, abs=1e-3)
    assert spread(torch.eye(2).repeat(2, 1) * torch.tensor([1.0, 1, -1, -1])[:, None]) == 1
    some = torch.nn.functional.normalize(torch.randn(9, 4, dtype=torch.float64), dim=1)
    apart = (some - some.mean(dim=0)).square().sum(dim=1).mean().sqrt()
    assert spread(some).item() == pytest.approx(apart.item(), rel=1e-9)


def test_a_loss_that_is_no_number_ends_the_training_with_words():
    score = Scripted()
    with refused(TrainingError, "epoch 1", "nan", "learning rate", 0.25):
        list(make(Undefined(), score, lr=0.25))
    assert score.seen == []


@pytest.mark.parametrize("lr", [1e4, 1e30])
@pytest.mark.parametrize("loss", ["subject-aware", "supcon", "bce"])
def test_weights_that_run_away_are_a_matter_of_the_learning_rate(loss, lr):
    with refused(TrainingError, "epoch 1", f"{lr:g}"):
        list(make(make_objective(loss, features=8), lr=lr))


def test_a_batch_that_has_no_loss_is_told_as_such():
    with refused(ObjectiveError, "anchors"):
        list(make(n=1))


# --------------------------------------------------------------------------- nothing is chosen


def test_the_last_weights_are_kept_and_nothing_is_scored():
    seen = []
    trainer = make(keep="last", epochs=5, patience=1)
    assert trainer.score is None
    logs = []
    for log in trainer:
        logs.append(log)
        seen.append(copy.deepcopy(trainer.encoder.state_dict()))
    assert [log.epoch for log in logs] == [1, 2, 3, 4, 5]  # whatever patience says
    assert [log.score for log in logs] == [None] * 5
    assert all(log.best for log in logs)
    assert trainer.stopping.best_score is None
    assert trainer.done
    trainer.restore_best()
    assert equal(trainer.encoder.state_dict(), seen[-1])
    assert not equal(seen[-1], seen[-2])


def test_what_is_kept_does_not_change_what_is_learned():
    best, last = make(), make(keep="last")
    for one, other in zip(best, last, strict=True):
        assert (one.loss, one.lr, one.extra) == (other.loss, other.lr, other.extra)
        assert (one.score is None, other.score is None) == (False, True)
    assert equal(best.encoder.state_dict(), last.encoder.state_dict())


@pytest.mark.parametrize(
    ("keep", "score", "said"),
    [
        ("best", None, "'best'"),
        ("last", 0.5, "'last'"),
    ],
)
def test_a_score_that_is_lacking_or_too_much_is_told(keep, score, said):
    plain = make()
    with refused(TrainingError, said):
        Trainer(
            plain.encoder,
            plain.objective,
            plain.windows,
            plain.sampler,
            None if score is None else Scripted(score),
            generator=torch.Generator(),
            keep=keep,
        )


# -------------------------------------------------------------------------------------- faults


def test_faults_are_put_into_batches_before_masks_are_drawn():
    objective = Noting()
    trainer = make_last(objective=objective, epochs=1)
    planned, seed = trainer.sampler.epoch_rows(), trainer.dropout_seed()
    before = copy.deepcopy(trainer.encoder)
    next(iter(trainer))
    windows, beats = trainer.windows, trainer.windows.tensors.length
    generator = torch.Generator().manual_seed(seed)
    x = windows.take(torch.from_numpy(planned[0])).windows
    faulty = put_faults(x, draw_faults(16, beats, generator, "cpu"), 0.5)
    assert bool((faulty != x).any())
    masks = before.draw_masks(16, beats, generator)
    assert torch.equal(objective.batches[0][0], before(faulty, masks).pooled_raw)


def test_without_faults_nothing_is_drawn_for_them():
    assert equal(
        make_trained(scaled=False, view="relative", faults=0.0),
        make_trained(scaled=False, view="relative"),
    )
    assert not equal(
        make_trained(scaled=False, view="relative", faults=0.5),
        make_trained(scaled=False, view="relative"),
    )


def test_the_spread_is_of_windows_without_faults():
    trainer = make_last(epochs=1)
    rows = trainer.sampler.epoch_rows()[-1]
    [log] = list(trainer)
    with torch.no_grad():
        out = trainer.encoder.eval()(trainer.windows.take(torch.from_numpy(rows)).windows)
    assert log.pooled_spread == float(spread(out.pooled))
    assert log.projected_spread == float(spread(out.projected))


@pytest.mark.parametrize(
    "shares",
    [
        {"faults": 0.1},
        {"respiratory_arrhythmia": 0.1},
        {"faults": 0.1, "respiratory_arrhythmia": 0.1},
    ],
)
def test_augmentation_of_scaled_windows_is_refused(shares):
    with refused(TrainingError, "--protocol", *(f"augmentation.{key}" for key in shares)):
        make(**shares)
    make(**shares, scaled=False)


@pytest.mark.parametrize("done", [1, 3])
def test_a_run_with_faults_that_keeps_the_last_goes_on_to_the_bit(done):
    whole = make_last(epochs=4, per_step=True)
    logs = [timeless(log) for log in whole]
    broken = make_last(epochs=4, per_step=True)
    epochs = iter(broken)
    for _ in range(done):
        next(epochs)
    state = copy.deepcopy(broken.state_dict())
    broken.track = interrupted
    with pytest.raises(KeyboardInterrupt):
        next(epochs)
    resumed = make_last(epochs=4, per_step=True, weights=5)
    resumed.load_state_dict(state)
    assert [timeless(log) for log in resumed] == logs[done:]
    for name in ("encoder", "objective"):
        assert equal(getattr(resumed, name).state_dict(), getattr(whole, name).state_dict())
        assert equal(resumed.best[name], whole.best[name])
    assert resumed.stopping == whole.stopping
