"""A fleet: each run becomes what it would have become alone, whoever trains beside it."""

import copy
import math
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch

from pacl.af import RRAugmentation
from pacl.evaluation import ProbeScore
from pacl.evaluation.stacked_probe import StackedProbeScore
from pacl.models import Encoder, ModelError
from pacl.objectives import Objective, ObjectiveError, make_objective
from pacl.rr import RRWindowSet
from pacl.training import EpochLog, LabelledWindows, SubjectSampler, Trainer, TrainingError
from pacl.training.fleet import Fleet
from support.refusals import refused
from support.small_runs import small_windows

EVERYWHERE = ("mix", "scores", "weights", "pooled", "projection")


class Scripted:
    """Gives scores as told, by the epoch."""

    def __init__(self, *scores):
        self.scores, self.calls = scores, 0

    def __call__(self, encoder):
        self.calls += 1
        return self.scores[self.calls - 1] if self.scores else float(self.calls)


class Each:
    """Judges every run by its own score, on an encoder made of its weights."""

    def __init__(self, trainers):
        self.trainers = trainers
        self.asked = []

    def __call__(self, config, weights, runs):
        self.asked.append(list(runs))
        found = []
        for row, run in enumerate(runs):
            encoder = Encoder(**config, generator=torch.Generator())
            encoder.to(next(iter(weights.values())).dtype)
            encoder.load_state_dict({name: value[row] for name, value in weights.items()})
            found.append(self.trainers[run].score(encoder.eval()))
        return found


class Strange(Objective):
    """Not one that can be stacked."""

    reads = "projected"

    def forward(self, embedded, labels, subjects):
        return embedded.sum()


@cache
def fold(split=1, beats=40, dtype=torch.float64, scaled=True):
    """Training windows and a score; the beats are in double precision, for the encoder's sake."""
    windows = RRWindowSet.open(small_windows(split=split, beats=beats))
    if not scaled:
        nothing = np.zeros(len(windows), np.float32)
        table = replace(windows.table, centre_ms=nothing, scale_ms=nothing + 1)
        windows = replace(windows, table=table)
    parts = [LabelledWindows.of(windows.part(part)) for part in ("train", "validation")]
    train, validation = (
        replace(part, tensors=replace(part.tensors, rr_ms=part.tensors.rr_ms.to(dtype)))
        for part in parts
    )
    return windows.part("train"), train, ProbeScore(train, validation)


def make(
    loss="subject-aware",
    *,
    seed=0,
    split=1,
    beats=40,
    dtype=torch.float64,
    subjects=2,
    n=2,
    score=None,
    objective=None,
    encoder=None,
    scaled=True,
    options=None,
    **settings,
):
    """A run as it would be trained alone; each call makes the same one anew."""
    windows, on_device, judge = fold(split, beats, dtype, scaled)
    if settings.get("keep") == "last":
        judge = None
    shape = {"channels": (8, 8), "kernels": (3, 5), "groups": 4, "pooled_features": 8}
    generator = torch.Generator().manual_seed(seed)
    shape |= {"projected_features": 8, "dropout": 0.12} | (encoder or {})
    made = Encoder(**shape, generator=generator).to(dtype)
    objective = {"features": 8, "generator": generator} | (objective or {})
    augmentation = RRAugmentation.of(
        settings.pop("respiratory_arrhythmia", 0.0), settings.pop("faults", 0.0)
    )
    return Trainer(
        made,
        make_objective(loss, **objective).to(dtype),
        on_device,
        SubjectSampler.of(
            windows,
            generator=np.random.default_rng(seed + 100),
            subjects_per_batch=subjects,
            windows_per_class=n,
            **(options or {}),
        ),
        judge if score is None else Scripted(*score),
        generator=torch.Generator().manual_seed(seed + 200),
        augmentation=augmentation,
        **{"epochs": 4, "lr": 3e-3} | settings,
    )


# Patience ends the third after three epochs, and others end after two and three.
RUNS = (
    {},
    {"loss": "supcon", "seed": 1, "lr": 1e-2, "objective": {"temperature": 0.2}},
    {"loss": "bce", "seed": 2, "lr": 5e-3, "patience": 1, "score": (0.5, 0.7, 0.6, 0.9)},
    {"loss": "bce", "seed": 3, "objective": {"head_on": "pooled_raw"}, "weight_decay": 0.3},
    {"loss": "subject", "seed": 4, "split": 2, "per_step": True, "score": (0.9, 0.8, 0.95, 0.1)},
    {"loss": "subject-class", "seed": 5, "objective": {"learnable": False}, "epochs": 2},
    {"loss": "subject-aware", "seed": 5, "objective": {"form": "mean_log"}, "epochs": 3},
    {"loss": "supcon", "seed": 6, "subjects": 4, "n": 1, "lowest_lr": 1e-3, "per_step": True},
    {"seed": 12, "objective": {"temperature": 0.56, "floor": 0.55}, "lr": 0.03},
)

# The same in larger batches, of which an epoch has half as many.
FEW = tuple({**run, "n": 2 * run.get("n", 2)} for run in RUNS)


def with_dropout(runs, dropout, places=EVERYWHERE):
    return [{**run, "encoder": {"dropout": dropout, "dropout_places": places}} for run in runs]


ALONE = {}


def train_alone(run):
    """Once for all tests that ask: it must not be changed."""
    if repr(run) not in ALONE:
        trainer = make(**run)
        ALONE[repr(run)] = trainer, list(trainer)
    return ALONE[repr(run)]


def train_together(runs, **options):
    trainers = [make(**run) for run in runs]
    logs = [[] for _ in runs]
    chosen = any(trainer.score is not None for trainer in trainers)
    for told in Fleet(trainers, Each(trainers) if chosen else None, **options):
        for at, log in told.items():
            logs[at].append(log)
    return list(zip(trainers, logs, strict=True))


@cache
def usual():
    """The first five, together; not to be changed either."""
    return train_together(FEW[:5])


def told(log, within):
    """What an epoch says, but for how long it took."""
    numbers = ["loss", "lr", "pooled_spread", "projected_spread"]
    numbers += [] if log.score is None else ["score"]
    return {
        "score": None,
        **{name: pytest.approx(getattr(log, name), rel=within, abs=within) for name in numbers},
        **{name: getattr(log, name) for name in ("epoch", "best", "windows")},
        "extra": pytest.approx(log.extra, rel=within, abs=within),
    }


def check_same(found, expected, within=1e-8):
    """Weights, best weights, moments, steps, stopping and history."""
    (ours, our_logs), (theirs, their_logs) = found, expected
    plain = [{name: getattr(log, name) for name in told(log, 0)} for log in our_logs]
    assert plain == [told(log, within) for log in their_logs]
    assert (ours.epoch, ours.done, ours.stopping.best_epoch, ours.stopping.last_epoch) == (
        theirs.epoch,
        theirs.done,
        theirs.stopping.best_epoch,
        theirs.stopping.last_epoch,
    )
    assert ours.best.keys() == theirs.best.keys()
    for part, weights in theirs.best.items():
        assert ours.best[part].keys() == weights.keys()
        for name, value in weights.items():
            assert torch.allclose(ours.best[part][name], value, rtol=0, atol=within), name
    mine, parameters = ours.named_parameters(), theirs.named_parameters()
    assert mine.keys() == parameters.keys()
    for name, parameter in parameters.items():
        assert torch.allclose(mine[name], parameter, rtol=0, atol=within), name
        if parameter not in theirs.optimiser.state:
            continue
        state = ours.optimiser.state[mine[name]]
        for key, value in theirs.optimiser.state[parameter].items():
            assert torch.allclose(state[key], value, rtol=within, atol=within), (name, key)


def identical(one, other):
    """To the bit, weights, best weights, optimiser and history."""
    (ours, our_logs), (theirs, their_logs) = one, other
    skip = ("seconds", "score_seconds")
    for mine, log in zip(our_logs, their_logs, strict=True):
        for name in EpochLog.__slots__:
            assert name in skip or getattr(mine, name) == getattr(log, name)
    for part in ("weights", "best"):
        states = [trainer.state_dict()[part] for trainer in (ours, theirs)]
        for module, values in states[0].items():
            for name, value in values.items():
                assert torch.equal(value, states[1][module][name])
    return ours.stopping == theirs.stopping


# ---------------------------------------------------------------------------------- equality


@pytest.mark.parametrize("dropout", [0.0, 0.25])
def test_every_run_becomes_what_it_would_have_become_alone(dropout):
    runs = with_dropout(RUNS, dropout)
    together = train_together(runs)
    steps = [sum(log.windows for log in logs) // 8 for _, logs in together]
    assert steps[0] >= 50
    assert steps[1] >= 50
    assert [len(logs) for _, logs in together] == [4, 4, 3, 4, 4, 2, 3, 4, 4]
    assert len(set(steps)) > 4
    for run, found in zip(runs, together, strict=True):
        check_same(found, train_alone(run))
        assert found[0].done
    if not dropout:  # with so much of it tau only rises
        assert together[8][1][-1].extra["tau"] == pytest.approx(0.55)  # at its floor
    assert together[5][1][-1].extra["tau"] == pytest.approx(0.05)  # fixed


@pytest.mark.parametrize(
    "encoder",
    [
        {"pooled_by": "mix", "norm": "none", "dropout_places": ("projection",)},
        {"kernels": (7,), "channels": (4, 12), "groups": 2, "dropout_places": ("scores", "pooled")},
    ],
)
def test_encoders_of_other_shapes(encoder):
    runs = [{**run, "encoder": encoder, "epochs": 2} for run in FEW[:4]]
    for run, found in zip(runs, train_together(runs), strict=True):
        check_same(found, train_alone(run))


@pytest.mark.parametrize("head_on", ["projected_raw", "pooled_raw"])
def test_heads_where_z_and_e_differ_in_length(head_on):
    encoder = {"pooled_features": 12}
    head = {"head_on": head_on, "features": 12 if head_on == "pooled_raw" else 8}
    runs = [
        {"loss": "bce", "encoder": encoder, "epochs": 2, "objective": head, "weight_decay": 0.2},
        {"loss": "bce", "encoder": encoder, "epochs": 2, "objective": head, "seed": 1},
    ]
    for chosen in (runs, [*runs, {"encoder": encoder, "epochs": 2}]):
        for run, found in zip(chosen, train_together(chosen), strict=True):
            check_same(found, train_alone(run))


@pytest.mark.parametrize("at", range(4))
def test_a_fleet_of_one(at):
    run = FEW[at] | {"epochs": 2}
    (found,) = train_together([run])
    check_same(found, train_alone(run))


@pytest.mark.parametrize("order", [(4, 2, 0), (1, 5, 6, 2, 7, 8, 3, 0, 4), (0,)])
def test_size_and_order_of_the_fleet_change_nothing(order):
    whole = usual()
    for at, found in zip(order, train_together([FEW[at] for at in order]), strict=True):
        if at < 5:
            check_same(found, whole[at], within=1e-12)


def test_the_same_fleet_is_the_same_to_the_bit():
    for one, other in zip(train_together(FEW[:5]), usual(), strict=True):
        assert identical(one, other)


def test_in_single_precision_it_is_close():
    runs = [{**run, "dtype": torch.float32, "epochs": 2} for run in FEW[:5]]
    for run, (ours, logs) in zip(runs, train_together(runs), strict=True):
        theirs, expected = train_alone(run)
        assert [log.loss for log in logs] == pytest.approx([x.loss for x in expected], rel=1e-3)
        for mine, other in zip(ours.encoder.parameters(), theirs.encoder.parameters(), strict=True):
            assert mine.dtype == torch.float32
            assert torch.allclose(mine, other, atol=2e-3)


def test_folds_keep_to_their_own_windows():
    runs = [{"epochs": 2, "seed": seed, "split": split} for seed, split in enumerate((2, 1, 2))]
    together = train_together(runs)
    for run, found in zip(runs, together, strict=True):
        check_same(found, train_alone(run))
    trainers = [trainer for trainer, _ in together]
    fleet = Fleet(trainers, Each(trainers))
    assert len(fleet.windows) == len(fold(1)[1]) + len(fold(2)[1])  # each fold once
    assert fleet.offsets == [0, len(fold(2)[1]), 0]


def test_runs_are_judged_by_the_stacked_probe_as_by_their_own():
    runs = [{"split": split, "seed": split, "epochs": 3} for split in (1, 2, 1)]
    trainers = [make(**run) for run in runs]
    fleet = Fleet(trainers, StackedProbeScore([trainer.score for trainer in trainers]))
    logs = list(fleet)
    for at, run in enumerate(runs):
        check_same((trainers[at], [told[at] for told in logs]), train_alone(run))


# ---------------------------------------------------------------- nothing chosen, and faults

# Seen by their own mean; one is done before the others, some have subjects who come seldom.
KEPT = {"keep": "last", "scaled": False, "n": 4, "epochs": 3, "encoder": {"view": "relative"}}
LAST = (
    KEPT,
    KEPT | {"loss": "supcon", "seed": 1, "lr": 1e-2, "per_step": True},
    KEPT | {"loss": "bce", "seed": 2, "epochs": 2, "options": {"most_turns": 2}},
    KEPT | {"seed": 3, "patience": 1, "split": 2, "options": {"one_class": True}},
)


def check_kept(found, expected):
    """As the run alone, and nothing was chosen."""
    check_same(found, expected)
    trainer, logs = found
    assert [log.score for log in logs] == [None] * trainer.epochs
    assert all(log.best for log in logs)
    assert trainer.stopping.best_score is None
    for name, value in trainer.encoder.state_dict().items():
        assert torch.equal(trainer.best["encoder"][name], value)


@pytest.mark.parametrize(("faults", "breath"), [(0.0, 0.0), (0.5, 0.6)])
def test_runs_that_keep_their_last_weights_become_what_they_would_alone(faults, breath):
    runs = [{**run, "faults": faults, "respiratory_arrhythmia": breath} for run in LAST]
    together = train_together(runs)
    assert [len(logs) for _, logs in together] == [3, 3, 2, 3]
    for run, found in zip(runs, together, strict=True):
        check_kept(found, train_alone(run))


@pytest.mark.parametrize("what", ["faults", "respiratory_arrhythmia"])
def test_faults_and_breath_matter_in_a_fleet(what):
    losses = []
    for share in (0.0, 0.5):
        ((_, (log,)),) = train_together([{**KEPT, what: share, "epochs": 1}])
        losses.append(log.loss)
    assert losses[0] != pytest.approx(losses[1], rel=1e-6)


def test_runs_with_faults_may_be_chosen_by_a_score():
    runs = [KEPT | {"keep": "best", "faults": 0.5, "epochs": 2, "seed": seed} for seed in range(2)]
    for run, found in zip(runs, train_together(runs), strict=True):
        check_same(found, train_alone(run))
        assert all(log.score is not None for log in found[1])


def test_the_order_of_runs_with_faults_changes_nothing():
    runs = [{**run, "faults": 0.5} for run in LAST]
    for one, other in zip(train_together(runs), train_together(runs[::-1])[::-1], strict=True):
        check_same(one, other, within=1e-12)


def test_runs_that_keep_their_last_weights_go_on_in_a_fleet():
    runs = [{**run, "faults": 0.5} for run in LAST[:2]]
    trainers = [make(**run) for run in runs]
    logs = [[trainer.run_epoch()] for trainer in trainers]
    states = [copy.deepcopy(trainer.state_dict()) for trainer in trainers]
    trainers = [make(**run) for run in runs]
    for trainer, state in zip(trainers, states, strict=True):
        trainer.load_state_dict(state)
    fleet = Fleet(trainers, None)
    for at, log in fleet.run_epoch().items():
        logs[at].append(log)
    fleet.sync()
    for run, trainer, history in zip(runs, trainers, logs, strict=True):  # and then alone again
        check_kept((trainer, history + list(trainer)), train_alone(run))


# ---------------------------------------------------------------------------------- packing


def test_the_fleet_is_packed_anew_as_runs_finish():
    runs = [{"epochs": epochs, "seed": epochs, "score": ()} for epochs in (1, 2, 2, 4)]
    trainers = [make(**run) for run in runs]
    score = Each(trainers)
    fleet = Fleet(trainers, score)
    rows = [list(fleet.rows) for _ in fleet]
    # three of four are more than LEFT: no need to pack; one of four is less
    assert rows == [[0, 1, 2, 3], [0, 1, 2, 3], [3], [3]]
    assert score.asked == [[0, 1, 2, 3], [1, 2, 3], [3], [3]]
    assert fleet.running == []
    for run, trainer in zip(runs, trainers, strict=True):
        alone, _ = train_alone(run)
        for mine, other in zip(
            trainer.encoder.parameters(), alone.encoder.parameters(), strict=True
        ):
            assert torch.allclose(mine, other, rtol=0, atol=1e-8)


def test_a_run_that_is_done_before_is_left_as_it_is():
    done, fresh = make(epochs=1), make(seed=1, epochs=2)
    list(done)
    before = copy.deepcopy(done.state_dict())
    trainers = [done, fresh]
    logs = list(Fleet(trainers, Each(trainers)))
    assert [list(told) for told in logs] == [[1], [1]]
    for name, value in before["weights"]["encoder"].items():
        assert torch.equal(done.encoder.state_dict()[name], value)
    check_same((fresh, [told[1] for told in logs]), train_alone({"seed": 1, "epochs": 2}))


def test_a_fleet_of_finished_runs_has_nothing_to_do():
    trainers = [make(epochs=1, seed=seed) for seed in range(2)]
    for trainer in trainers:
        list(trainer)
    before = [copy.deepcopy(trainer.encoder.state_dict()) for trainer in trainers]
    fleet = Fleet(trainers, Each(trainers))
    assert list(fleet) == []
    fleet.sync()
    for trainer, weights in zip(trainers, before, strict=True):
        for name, value in trainer.encoder.state_dict().items():
            assert torch.equal(value, weights[name])


# ---------------------------------------------------------------------------------- going on


@pytest.mark.parametrize("done", [1, 3])
def test_a_run_taken_up_from_a_state_goes_on_in_a_fleet_as_alone(done):
    runs = [FEW[0], FEW[2], FEW[4], FEW[3]]
    states = []
    for run in runs:
        trainer = make(**run)
        for _ in range(done):
            trainer.run_epoch()
        states.append((copy.deepcopy(trainer.state_dict()), trainer.score))
    trainers = [make(**run) for run in runs]
    for trainer, (state, score) in zip(trainers[:3], states, strict=False):
        trainer.load_state_dict(copy.deepcopy(state))
        trainer.score = score
    logs = list(Fleet(trainers, Each(trainers)))  # the last run begins anew
    for at, run in enumerate(runs):
        alone, expected = train_alone(run)
        ours = [told[at] for told in logs if at in told]
        check_same((trainers[at], ours), (alone, expected[done:] if at < 3 else expected))


def test_sync_lets_a_run_go_on_alone():
    trainers = [make(**run) for run in FEW[:5]]
    fleet = Fleet(trainers, Each(trainers))
    logs = [fleet.run_epoch() for _ in range(2)]
    fleet.sync()
    for at, trainer in enumerate(trainers):
        history = [told[at] for told in logs] + list(trainer)
        check_same((trainer, history), train_alone(FEW[at]))


def test_a_state_taken_after_sync_goes_on_in_another_trainer():
    trainers = [make(**run) for run in FEW[:5]]
    fleet = Fleet(trainers, Each(trainers))
    logs = [fleet.run_epoch() for _ in range(2)]
    fleet.sync()
    for at, trainer in enumerate(trainers):
        other = make(**FEW[at])
        other.load_state_dict(copy.deepcopy(trainer.state_dict()))
        other.score = trainer.score
        history = [told[at] for told in logs] + list(other)
        check_same((other, history), train_alone(FEW[at]))


def test_sync_changes_nothing_for_the_fleet():
    trainers = [make(**run) for run in FEW[:5]]
    fleet, logs = Fleet(trainers, Each(trainers)), [[] for _ in trainers]
    for told in fleet:
        for at, log in told.items():
            logs[at].append(log)
        fleet.sync()
        saved = [copy.deepcopy(trainer.best) for trainer in trainers]
    for found, expected in zip(zip(trainers, logs, strict=True), usual(), strict=True):
        assert identical(found, expected)
    for trainer, best in zip(trainers, saved, strict=True):
        for name, value in best["encoder"].items():
            assert torch.equal(trainer.best["encoder"][name], value)


def test_before_sync_a_trainer_holds_what_it_held():
    trainers = [make(seed=seed) for seed in range(2)]
    before = copy.deepcopy(trainers[0].encoder.state_dict())
    fleet = Fleet(trainers, Each(trainers))
    fleet.run_epoch()
    assert torch.equal(trainers[0].encoder.mix[0].weight, before["mix.0.weight"])
    fleet.sync()
    assert not torch.equal(trainers[0].encoder.mix[0].weight, before["mix.0.weight"])
    after = trainers[0].encoder.mix[0].weight.detach().clone()
    fleet.run_epoch()
    assert torch.equal(trainers[0].encoder.mix[0].weight, after)  # a copy, not a view


def test_global_random_states_neither_matter_nor_move():
    usual()
    np.random.seed(7)  # noqa: NPY002 - it is what others may have done
    torch.manual_seed(7)
    states = np.random.get_state(), torch.get_rng_state()  # noqa: NPY002
    for found, expected in zip(train_together(FEW[:5]), usual(), strict=True):
        assert identical(found, expected)
    assert np.array_equal(np.random.get_state()[1], states[0][1])  # noqa: NPY002
    assert torch.equal(torch.get_rng_state(), states[1])


# ---------------------------------------------------------------------------------- refused


def refusal(*runs):
    trainers = [make(**run) for run in runs]
    with pytest.raises(TrainingError) as caught:
        Fleet(trainers, Each(trainers))
    return str(caught.value)


def test_a_fleet_of_no_runs_is_refused():
    with refused(TrainingError, "fleet"):
        Fleet([], Each([]))


@pytest.mark.parametrize(
    ("other", "what"),
    [
        ({"encoder": {"pooled_features": 12}}, "encoder"),
        ({"encoder": {"dropout": 0.5}}, "encoder"),
        ({"n": 4}, "windows in a batch"),
        ({"beats": 48}, "samples in a window"),
        ({"dtype": torch.float32}, "precision"),
        ({"n": 4, "encoder": {"kernels": (3,)}}, "encoder, windows in a batch"),
        ({"encoder": {"view": "bent"}}, "encoder"),
        ({"faults": 0.5, "scaled": False}, "augmentation"),
        ({"keep": "last"}, "a score"),
    ],
)
def test_runs_that_cannot_share_a_program_are_refused(other, what):
    said = refusal({}, {"seed": 1}, other)
    assert said.startswith(f"run 0 and run 2 differ in {what};")


def test_runs_with_different_shares_of_faults_are_refused():
    said = refusal(*({"scaled": False, "faults": faults} for faults in (0.5, 0.25)))
    assert said.startswith("run 0 and run 1 differ in augmentation;")


def test_runs_on_different_devices_are_refused():
    here, there = make(), make()
    there.windows = replace(there.windows, labels=there.windows.labels.to("meta"))
    with refused(TrainingError, "run 0", "run 1", "device"):
        Fleet([here, there], Each([]))


def test_batch_normalisation_and_strange_objectives_are_refused():
    trainers = [make(encoder={"norm": "batch"})]
    with refused(ModelError, "batch normalisation"):
        Fleet(trainers, Each(trainers))
    trainers = [make(), make()]
    trainers[1].objective = Strange()
    with refused(ObjectiveError, "Strange"):
        Fleet(trainers, Each(trainers))
    trainers = [make(), make(objective={"memory": 16, "features": 8})]
    with refused(ObjectiveError, "memory"):
        Fleet(trainers, Each(trainers))
    assert len(trainers[1].objective.memory.remembered().labels) == 0


@pytest.mark.parametrize("without_positives", ["error", "skip"])
def test_batches_without_positives_are_refused_as_alone(without_positives):
    run = {"subjects": 4, "n": 1, "objective": {"without_positives": without_positives}}
    with refused(ObjectiveError, "8 of 8 anchors"):
        list(make(**run))
    trainers = [make(), make(**run)]
    with refused(ObjectiveError, "8 of 8 anchors"):
        Fleet(trainers, Each(trainers))


def test_skipped_anchors_are_reported_as_alone():
    run = {"objective": {"without_positives": "skip"}, "epochs": 1}
    (found, _) = train_together([run, {"epochs": 1}])
    check_same(found, train_alone(run))
    assert found[1][0].extra.keys() == {"tau", "skipped"}


@pytest.mark.parametrize("lr", [1e4, 1e200])
@pytest.mark.parametrize("loss", ["subject-aware", "supcon", "bce"])
def test_a_run_that_diverges_is_named_with_its_epoch(loss, lr):
    wild = {"loss": loss, "lr": lr, "encoder": {"norm": "none"}, "score": ()}
    trainers = [make(**run) for run in ({**wild, "lr": 1e-3}, {**wild, "seed": 1})]
    says = rf"^run 1, epoch \d: the loss is (nan|inf); lower the learning rate \(it was {lr:g}\)"
    fleet = Fleet(trainers, Each(trainers))
    list(fleet)
    [error] = fleet.failed.values()
    assert re.search(says.replace("+", r"\+"), str(error))
    alone = make(**{**wild, "lr": 1e-3})
    list(alone)
    assert trainers[0].done  # the other goes on and becomes what it would have become
    assert trainers[0].epoch == alone.epoch
    for mine, other in zip(
        trainers[0].encoder.parameters(), alone.encoder.parameters(), strict=True
    ):
        assert torch.allclose(mine, other, rtol=0, atol=1e-8)


def test_a_score_that_is_no_number_is_named_by_the_name_given():
    trainers = [
        make(score=(0.5, 0.6), epochs=2),
        make(seed=1, score=(0.5, math.nan), epochs=2),
    ]
    fleet = Fleet(trainers, Each(trainers), names=["supcon-0", "supcon-1"])
    list(fleet)
    assert str(fleet.failed[1]).startswith("supcon-1, epoch 2: the score is nan; lower")
    assert trainers[0].epoch == 2


def test_the_time_of_an_epoch_is_shared_among_the_runs():
    trainers = [make(seed=seed, epochs=1) for seed in range(3)]
    (told,) = Fleet(trainers, Each(trainers))
    assert len({log.seconds for log in told.values()}) == 1
    assert all(log.seconds > 0 and log.score_seconds > 0 for log in told.values())
