"""Systems that look at labels: they fit, repeat, make do with few patients, and say when not."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import torch

from pacl.objectives import BinaryCrossEntropyLoss, make_objective
from pacl.records import Rhythm
from pacl.rivals import Learn, Probed
from pacl.rivals.batches import batch_shape, batches_of
from pacl.rivals.contrastive import BCE, DEFAULTS, PATIENT_AWARE, SUPCON
from pacl.rivals.end_to_end import EndToEnd
from pacl.rivals.fine_tuned import FINE_TUNED, head_of
from pacl.rivals.learning import numbers, train
from pacl.rivals.published_networks import (
    ANDERSEN,
    FAUST,
    PATIENT_AWARE_ANDERSEN,
    PATIENT_AWARE_FAUST,
)
from pacl.rr import RRWindowSet
from pacl.training import LabelledWindows, SamplerError, TrainingError
from pacl.training.loop import Seeds, make_adamw
from support.refusals import refused
from support.window_sets import make_set

SYSTEMS = (
    PATIENT_AWARE,
    SUPCON,
    BCE,
    ANDERSEN,
    FAUST,
    FINE_TUNED,
    PATIENT_AWARE_ANDERSEN,
    PATIENT_AWARE_FAUST,
)
END_TO_END = (ANDERSEN, FAUST, FINE_TUNED)
CPU = torch.device("cpu")

each = pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def cohort(patients: int = 2, seed: int = 0) -> RRWindowSet:
    """In ms; sinus rhythm is steady, AF is not."""
    made = make_set(seed, patients=patients, window_beats=200, stride=20, records=2)
    table = made.table
    nothing, one = np.zeros_like(table.centre_ms), np.ones_like(table.scale_ms)
    spread = np.where(made.beat_rhythm == Rhythm.AF, 150.0, 15.0)
    rr_ms = 800 + spread * np.random.default_rng(seed).standard_normal(spread.size)
    return replace(
        made,
        rr_ms=rr_ms.astype(np.float32),
        table=replace(table, centre_ms=nothing, scale_ms=one),
    )


def of_counts(*counts: tuple[int, int]) -> RRWindowSet:
    """Windows of patients with so many of SR and of AF; beats do not matter."""
    made = cohort(patients=len(counts))
    pools = [
        (patient, rhythm)
        for patient, of_class in enumerate(counts)
        for rhythm, count in enumerate(of_class)
        for _ in range(count)
    ]
    table = made.select(np.zeros(len(pools), dtype=np.int64)).table
    codes, rhythm = np.array(pools, dtype=np.int32).reshape(-1, 2).T
    names = replace(table.patient, codes=codes.copy())
    return replace(made, table=replace(table, patient=names, rhythm=rhythm.astype(np.int8)))


def learn(windows: RRWindowSet, steps: int = 3, seed: int = 1) -> Learn:
    return Learn(windows, seed, steps, CPU)


@pytest.fixture(scope="module")
def tiny() -> RRWindowSet:
    return cohort()


# ------------------------------------------------------------------------------------- each of them


@each
def test_fits_and_repeats(system, tiny):
    torch.manual_seed(3)
    before = torch.get_rng_state()
    fitted, again = (system.fit(learn(tiny), system.trials[0]) for _ in range(2))
    assert torch.equal(torch.get_rng_state(), before)
    logit, embedded = fitted.logit(tiny), fitted.embed(tiny)
    assert logit.shape == (len(tiny),)
    assert np.isfinite(logit).all()
    assert np.array_equal(logit, again.logit(tiny))
    np.testing.assert_allclose(np.linalg.norm(embedded, axis=1), 1, rtol=1e-5)
    other = system.fit(learn(tiny, steps=1, seed=2), system.trials[0])
    assert not np.array_equal(other.logit(tiny), logit)


@each
def test_another_probe_on_the_same_embeddings(system, tiny):
    fitted = system.fit(learn(tiny, steps=1), {})
    some = tiny.select(np.arange(0, len(tiny), 2))
    probed = fitted.probed(some)
    assert isinstance(probed, Probed)
    assert np.array_equal(probed.embed(tiny), fitted.embed(tiny))
    by_hand = Probed.on(fitted.network, some, CPU).probe
    np.testing.assert_allclose(probed.logit(tiny), by_hand.logit(fitted.embed(tiny)))


def test_names_kinds_and_trials():
    assert [system.name for system in SYSTEMS] == [
        *("patient-aware", "supcon", "bce", "andersen-style", "faust-style", "fine-tuned"),
        *("patient-aware-andersen", "patient-aware-faust"),
    ]
    assert {system.name for system in SYSTEMS if system.kind == "end-to-end"} == {
        system.name for system in END_TO_END
    }
    for system in SYSTEMS:
        assert 1 < len(system.trials) <= 4
        assert len({tuple(sorted(trial.items())) for trial in system.trials}) == len(system.trials)


@pytest.mark.parametrize("system", [BCE, ANDERSEN, FINE_TUNED], ids=lambda system: system.name)
def test_trials_make_a_difference(system, tiny):
    found = [system.fit(learn(tiny, steps=4), trial).logit(tiny) for trial in system.trials]
    for at, one in enumerate(found):
        assert np.isfinite(one).all()
        assert not any(np.array_equal(one, other) for other in found[:at])


def test_a_temperature_is_heard(tiny):
    cold, warm = (PATIENT_AWARE.fit(learn(tiny), {"temperature": tau}) for tau in (0.05, 0.1))
    assert not np.array_equal(cold.logit(tiny), warm.logit(tiny))


@each
def test_other_settings_are_refused(system, tiny):
    with refused(TrainingError, "rate = 1.0", "lr = 'low'"):
        system.fit(learn(tiny), {"rate": 1.0, "lr": "low"})


def test_settings_by_default():
    assert numbers({"lr": 3e-3}, DEFAULTS) == {**DEFAULTS, "lr": 3e-3}


def test_scaled_windows_are_refused(tiny):
    scaled = replace(tiny, table=replace(tiny.table, scale_ms=tiny.table.scale_ms * 50))
    with refused(TrainingError, "ms", "--protocol"):
        PATIENT_AWARE.fit(learn(scaled), {})


# -------------------------------------------------------------------------------------- end to end


@pytest.mark.parametrize("system", [ANDERSEN, FAUST], ids=lambda system: system.name)
def test_the_logit_is_the_heads(system, tiny):
    fitted = system.fit(learn(tiny), {})
    z = fitted.network(torch.from_numpy(tiny.windows())).pooled_raw.detach().double().numpy()
    head = fitted.head.head
    by_hand = z @ head.weight.detach().numpy()[0] + head.bias.item()
    np.testing.assert_allclose(fitted.logit(tiny), by_hand, rtol=1e-4, atol=1e-5)


def test_fine_tuning_begins_where_the_probe_stands(tiny):
    probed = PATIENT_AWARE.fit(learn(tiny), {})
    started = FINE_TUNED.start(learn(tiny), {})
    assert np.array_equal(started.embed(tiny), probed.embed(tiny))
    np.testing.assert_allclose(started.logit(tiny), probed.logit(tiny), rtol=1e-4, atol=1e-5)
    tuned = FINE_TUNED.fit(learn(tiny, steps=6), {})
    assert np.abs(tuned.embed(tiny) - probed.embed(tiny)).max() > 1e-5
    assert not np.allclose(tuned.logit(tiny), probed.logit(tiny), rtol=1e-4)


def test_fine_tuning_halves_the_steps(tiny, monkeypatch):
    told = []

    def note(network, objective, given, chance, **rates):
        told.append((type(objective).__name__, given.steps, chance, rates["lr"]))
        return []

    monkeypatch.setattr("pacl.rivals.contrastive.train", note)
    monkeypatch.setattr("pacl.rivals.fine_tuned.train", note)
    FINE_TUNED.fit(learn(tiny, steps=7), {"lr": 3e-3, "fine_lr": 3e-5})
    assert told == [
        ("SubjectContrastiveLoss", 3, Seeds.of(1), 3e-3),
        ("BinaryCrossEntropyLoss", 4, Seeds.of(1, stage=1), 3e-5),
    ]
    assert Seeds.of(1) != Seeds.of(1, stage=1) != Seeds.of(2, stage=1)


def test_a_head_says_what_a_probe_says(tiny):
    probed = PATIENT_AWARE.fit(learn(tiny, steps=1), {})
    fitted = EndToEnd(probed.network, head_of(probed.probe), CPU)
    np.testing.assert_allclose(fitted.logit(tiny), probed.logit(tiny), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    "system", [PATIENT_AWARE_ANDERSEN, PATIENT_AWARE_FAUST], ids=lambda one: one.name
)
def test_the_proposed_objective_teaches_other_networks(system, tiny):
    network = system.make(generator=torch.Generator().manual_seed(0)).eval()
    objective = make_objective("patient-aware", learnable=False)
    optimiser = make_adamw(network, lr=1e-3, weight_decay=0.0)
    batch = LabelledWindows.of(tiny).take(torch.arange(len(tiny)))
    losses = []
    for _ in range(8):
        loss = objective(network(batch.windows).projected, batch.labels, batch.subjects)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < 0.5 * losses[0]


def test_steps_are_whole_epochs_and_one_at_least(tiny):
    epoch = len(batches_of(tiny, np.random.default_rng(Seeds.of(1).batches)))
    for steps, epochs in ((0, 1), (1, 1), (3 * epoch, 3)):
        network = ANDERSEN.make(generator=torch.Generator().manual_seed(0))
        head = BinaryCrossEntropyLoss(reads="pooled_raw", generator=torch.Generator())
        given = learn(tiny, steps)
        losses = train(network, head, given, Seeds.of(1), lr=1e-3, weight_decay=0.0)
        assert len(losses) == epochs
        assert not network.training


# ------------------------------------------------------------------------------------ few patients


@each
def test_one_patient_with_both_classes(system):
    alone = cohort(patients=1)
    assert len(alone.table.patient.present()) == 1
    assert np.isfinite(system.fit(learn(alone, steps=2), {}).logit(alone)).all()


@pytest.mark.parametrize(
    ("counts", "shape"),
    [
        ([(200, 200)] * 20, (16, 8)),
        ([(200, 200)] * 16, (16, 8)),
        ([(200, 200)] * 15, (15, 8)),
        ([(200, 200)] * 4, (4, 32)),
        ([(200, 200)], (1, 128)),
        ([(40, 50)], (1, 40)),
        ([(3, 90)], (1, 3)),
        ([(90, 0), (0, 70)], (2, 35)),  # one class each: twice as many of it
        ([(90, 2), (0, 70)], (2, 35)),  # too few of AF to be asked for them
        ([(90, 90), (9, 200), (1, 1)], (2, 9)),  # the third is in no batch
        ([(4, 4), (7, 7)], (1, 7)),
        ([(0, 300), (5, 300)], (2, 5)),  # n falls until there is SR in a batch
        ([(4, 0), (0, 4)], (2, 2)),
    ],
)
def test_batches_shrink_with_the_patients(counts, shape):
    windows = of_counts(*counts)
    assert batch_shape(windows) == shape
    sampler = batches_of(windows, np.random.default_rng(0))
    assert (sampler.subjects_per_batch, sampler.windows_per_class) == shape
    rows = next(iter(sampler))
    assert len(rows) == 2 * shape[0] * shape[1]
    assert set(windows.table.rhythm[rows]) == {0, 1}


@pytest.mark.parametrize("counts", [[(1, 300)], [(3, 0), (0, 3)], [(300, 0), (300, 0)]])
def test_no_batch_with_both_classes_is_refused(counts):
    windows = of_counts(*counts)
    with pytest.raises(SamplerError) as caught:
        batches_of(windows, np.random.default_rng(0))
    first, *named = str(caught.value).splitlines()
    assert first == (
        f"no batch of {len(counts)} patients' windows holds both classes; give a patient with 2 or "
        "more windows of each, or one with 4 of SR and another with 4 of AF"
    )
    assert named == [
        f"  patient {at}: {sr} SR windows, {af} AF windows" for at, (sr, af) in enumerate(counts)
    ]


def test_an_error_names_ten_patients_and_counts_the_others():
    with refused(SamplerError, "patient 0: 1 SR", "and 2 more"):
        batch_shape(of_counts(*[(1, 1)] * 12))
