"""Weights from recordings, from end to end, on patients that are quickly made."""

import json
from dataclasses import replace

import numpy as np
import onnxruntime
import pytest
import torch

import pacl
from pacl.errors import PaclError
from pacl.export.convert import to_onnx
from pacl.export.weights import Weights
from pacl.records import Record, Rhythm
from pacl.rr import RRAugmentationSettings, RRWindowSet
from pacl.studies import (
    BranchesSettings,
    ObjectiveSettings,
    Plan,
    RunError,
    RunFolder,
    SamplerSettings,
    TrainSettings,
    train_run,
)
from pacl.studies.weights import (
    NAME,
    RECIPE,
    MadeWeights,
    judge_out_of_fold,
    make_weights,
    measure_weights,
    write_made,
)
from pacl.studies.weights.measured import window_predictions
from support.recordings import Shelf, make_record
from support.refusals import refused
from support.reports import reporting
from support.small_runs import files_of
from support.traced_once import traced_once as traced_once

SR, AF, OTHER, UNKNOWN = Rhythm
ABOUT = {"data": "nobody", "licence": "MIT"}
FOLDS = 3
TINY = Plan(
    seed=5,
    sampler=SamplerSettings(subjects=3, windows=2, one_class=True, turns=4),
    objective=ObjectiveSettings(temperature=0.1),
    encoder=BranchesSettings(
        kernels=(3, 5), channels=(8, 8), pooled_features=8, projected_features=8, view="relative"
    ),
    augmentation=RRAugmentationSettings(faults=0.5),
    train=TrainSettings(lr=3e-2, epochs=2, patience=2, per_step=True, keep="last"),
)
ENDINGS = ("safetensors", "onnx", "json", "md", "map.json")


def person(number, prefix="", runs=((SR, 350), (AF, 400)), odd=None) -> Record:
    """Even beats in SR, uneven ones in AF; in an `odd` rhythm the other way round."""
    generator = np.random.default_rng([number, *prefix.encode()])
    parts = []
    for rhythm, size in runs:
        uneven = (rhythm is AF) != (rhythm is odd)
        wave_ms = 50 * np.sin(np.arange(size) / 3)  # as breathing makes it
        parts.append(
            generator.uniform(700, 900)
            + generator.normal(0, 150 if uneven else 8, size)
            + (0 if uneven else wave_ms)
        )
    rr_ms = np.concatenate(parts).clip(300, 1900).astype(np.int32)
    name = f"{prefix}{number:02d}"
    return make_record(runs, rr_ms, name=f"record_{name}", patient=f"p_{name}")


def cohort() -> list[Record]:
    """Most have both, which a threshold does not part; one has AF alone, one has none."""
    odd = {2: SR, 5: AF}
    both = [person(number, odd=odd.get(number)) for number in range(9)]
    none = person(10, runs=((SR, 250), (OTHER, 250)), odd=OTHER)
    return [*both, person(9, runs=((AF, 500),)), none]


def others() -> list[Record]:
    return [person(number, "other", ((SR, 300), (OTHER, 50), (AF, 300))) for number in range(3)]


def make(target, *, records=None, elsewhere=None, **more) -> MadeWeights:
    given = {"plan": TINY, "about": ABOUT, "folds": FOLDS, "device": "cpu", "processes": 1}
    found = {name: Shelf(shelf) for name, shelf in (elsewhere or {}).items()}
    return make_weights(Shelf(records or cohort()), target, others=found, **(given | more))


@pytest.fixture(scope="module", autouse=True)
def mapped():
    """These patients have a few windows each; they are mapped all the same."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pacl.detect.learned_map.LEAST_WINDOWS", 3)
        yield


@pytest.fixture
def at_once(monkeypatch):
    """The names of the runs that were trained."""
    trained = []

    def train(windows, target, plan, **options):
        trained.append(target.name)
        return train_run(windows, target, plan, **options)

    monkeypatch.setattr("pacl.studies.scheduler.train_run", train)
    return trained


@pytest.fixture
def without_int8(monkeypatch, whole):
    """What is said of int8 is that of before, without quantising anew."""
    monkeypatch.setattr("pacl.studies.weights.make.make_int8", lambda *_: whole[1].int8)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Made once; where, what, and what was reported."""
    torch.set_num_threads(1)
    target = tmp_path_factory.mktemp("whole") / "made"
    told, judged = [], []
    made = make(
        target,
        elsewhere={"other": others()},
        report=reporting(
            on_epoch=lambda name, log: told.append((name, log.epoch)), on_finished=judged.append
        ),
    )
    return target, made, told, judged


def run_names() -> list[str]:
    return [*(f"fold-{fold}" for fold in range(FOLDS)), "all"]


def test_everybody_is_cut_in_ms_and_learned_from(whole):
    target, made, _, _ = whole
    windows = RRWindowSet.open(target / "windows")
    assert windows.count().keys() == {"train"}
    assert len(windows.table.patient.present()) == len(cohort())
    assert (windows.window_beats, windows.manifest["cut"]["stride"]) == (200, 50)
    assert windows.manifest["protocol"] == {"name": "AllBeatsProtocol", "others": "not-af"}
    assert np.all(windows.table.scale_ms == 1)
    everybody = RunFolder.open(target / "runs" / "all")
    assert {entry["patient"] for entry in everybody.origin.records} == {
        record.patient_id for record in cohort()
    }
    assert made.weights.window_beats == 200


def test_each_patient_is_held_out_once_and_nothing_is_chosen(whole):
    target, _, told, judged = whole
    held = []
    for fold in range(FOLDS):
        split = json.loads((target / "folds" / f"fold-{fold}" / "split.json").read_text())
        assert split["parts"]["validation"] == []
        held += split["parts"]["test"]
    assert sorted(held) == sorted(record.patient_id for record in cohort())
    assert sorted(judged) == sorted(run_names())
    assert sorted(told) == sorted((name, epoch) for name in run_names() for epoch in (1, 2))
    for name in run_names():
        assert RunFolder.open(target / "runs" / name).plan == TINY


def test_the_weights_are_those_of_everybody_calibrated_out_of_fold(whole):
    target, made, _, _ = whole
    weights, run = made.weights, RunFolder.open(target / "runs" / "all")
    assert weights.name == NAME
    assert weights.probe.to_dict() == run.probe().to_dict()
    ours, theirs = weights.encoder.state_dict(), run.encoder().state_dict()
    assert all(torch.equal(ours[key], theirs[key]) for key in theirs)
    windows = RRWindowSet.open(target / "windows")
    folds = [RunFolder.open(target / "runs" / f"fold-{fold}") for fold in range(FOLDS)]
    raw = judge_out_of_fold(windows, folds)
    calibrated = raw.calibrated(weights.platt)
    assert made.out_of_fold == measure_weights(calibrated)
    af = raw.labels == 1
    probability = weights.platt.probability(raw.logit)
    share = (probability[af].mean() + probability[~af].mean()) / 2
    assert share == pytest.approx(0.5, abs=1e-9)
    assert dict(weights.about) == {
        **ABOUT,
        "pacl": pacl.__version__,
        "plan": weights.about["plan"],
    }
    assert Plan.from_dict(json.loads(weights.about["plan"])) == TINY


def test_the_other_cohort_is_judged_by_the_weights_themselves(whole):
    target, made, _, _ = whole
    assert list(made.elsewhere) == ["other"]
    windows = RRWindowSet.open(target / "elsewhere" / "other")
    assert windows.count().keys() == {"test"}
    scorer = made.weights.scorer()
    said = scorer(torch.from_numpy(windows.windows())).logit.numpy()
    found = made.elsewhere["other"]
    assert found.patients == 3
    assert found.windows == len(windows)
    af, not_af = (said[windows.table.rhythm == kind] for kind in (AF, SR))
    wins = sum(float(a > b) for a in af for b in not_af) / (af.size * not_af.size)
    assert found.auroc.estimate == pytest.approx(wins, abs=1e-3)
    assert found.false_af_h_others is not None
    calibrated = measure_weights(window_predictions(windows, said.astype(np.float64)))
    assert found.expected_error == pytest.approx(calibrated.expected_error, abs=1e-3)
    assert found.sensitivity.estimate == pytest.approx(calibrated.sensitivity.estimate, abs=1e-3)


def test_the_map_is_of_those_learned_from_as_the_weights_see_them(whole):
    target, made, _, _ = whole
    windows = RRWindowSet.open(target / "windows")
    scores = made.weights.scorer()(torch.from_numpy(windows.windows()))
    codes, af = windows.table.patient.codes, windows.table.rhythm == AF
    expected = [
        scores.pooled[torch.from_numpy((codes == code) & (af == kind))].mean(dim=0).numpy()
        for code in range(len(windows.table.patient.names))
        for kind in (False, True)
        if np.sum((codes == code) & (af == kind)) >= 3
    ]
    np.testing.assert_allclose(made.reference.centres, expected, atol=2e-4)
    x = made.reference.place(scores.pooled.numpy())[:, 0]
    assert np.mean((x > 0) == (scores.logit.numpy() > 0)) > 0.99


def test_those_who_are_too_few_are_not_mapped(whole, tmp_path):
    places = write_made(replace(whole[1], reference=None), tmp_path, "card")
    assert list(places) == ["safetensors", "onnx", "json", "md"]
    assert not (tmp_path / f"{NAME}.map.json").exists()


def test_what_is_left_out_now_does_not_stay_from_before(whole, tmp_path):
    made, older = whole[1], [tmp_path / f"{NAME}.{kind}" for kind in ("int8.onnx", "map.json")]
    for path in older:
        path.write_bytes(b"of other weights")
    worse = replace(made.int8, figures=replace(made.int8.figures, int8_auroc=0.0))
    write_made(replace(made, reference=None, int8=worse), tmp_path, "card")
    assert not [path for path in older if path.exists()]


def test_the_examples_come_from_all_over(whole):
    target, made, _, _ = whole
    windows = RRWindowSet.open(target / "windows")
    assert made.examples.shape == (64, 200)
    assert made.examples.dtype == np.float32
    assert np.array_equal(made.examples[[0, -1]], windows.windows(np.array([0, len(windows) - 1])))
    assert made.examples.min() >= 200  # in ms


def test_everything_is_written_and_the_files_agree(whole, tmp_path):
    _, made, _, _ = whole
    places = write_made(made, tmp_path, "# Card \u00e4\n")
    assert places == {kind: tmp_path / f"{NAME}.{kind}" for kind in ENDINGS}
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in places.values()}
    assert places["md"].read_text("utf-8") == "# Card \u00e4\n"
    figures = json.loads(places["json"].read_text())
    assert figures["out_of_fold"] == json.loads(json.dumps(made.out_of_fold.to_dict()))
    assert figures["elsewhere"].keys() == {"other"}
    weights = Weights.read(places["safetensors"])
    session = onnxruntime.InferenceSession(places["onnx"], providers=["CPUExecutionProvider"])
    said = session.run(["logit"], {"rr": made.examples})[0]
    logit = weights.scorer()(torch.from_numpy(made.examples)).logit.numpy()
    assert said == pytest.approx(logit, abs=1e-5)
    stated = session.get_modelmeta().custom_metadata_map
    assert stated["name"] == NAME
    assert {key: stated[key] for key in ABOUT} == ABOUT
    assert stated["window_beats"] == "200"


@pytest.mark.slow
def test_the_same_again_is_the_same_to_the_bit(whole, tmp_path, at_once, monkeypatch):
    """Elsewhere and in another process, and once more where everything is there already."""
    monkeypatch.setattr("pacl.export.onnx.to_onnx", to_onnx)  # traced each time
    target, made, _, _ = whole
    first = write_made(made, tmp_path / "first", "card")
    anew = make(tmp_path / "anew", elsewhere={"other": others()})
    assert at_once == run_names()
    second = write_made(anew, tmp_path / "second", "card")
    before = files_of(target / "runs")
    judged = []
    again = make(target, elsewhere={"other": others()}, report=reporting(on_finished=judged.append))
    assert at_once == run_names()  # nothing was trained
    assert sorted(judged) == sorted(run_names())
    assert files_of(target / "runs") == before
    again.weights.write(tmp_path / "again.safetensors")
    assert (tmp_path / "again.safetensors").read_bytes() == first["safetensors"].read_bytes()
    for kind in ENDINGS:
        assert first[kind].read_bytes() == second[kind].read_bytes()


@pytest.mark.parametrize("when", [("fold-1", 2)])
@pytest.mark.usefixtures("without_int8")
def test_an_interrupted_one_goes_on(whole, tmp_path, at_once, when):
    def stop(name, log):
        if (name, log.epoch) == when:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make(tmp_path / "made", report=reporting(on_epoch=stop))
    at = run_names().index(when[0])
    assert at_once == run_names()[: at + 1]
    epochs = []
    report = reporting(on_epoch=lambda name, log: epochs.append((name, log.epoch)))
    made = make(tmp_path / "made", report=report)
    assert at_once[at + 1 :] == run_names()[at:]
    left = [(name, epoch) for name in run_names()[at:] for epoch in (1, 2)]
    assert epochs == left[when[1] :]  # those that are over are not gone through again
    for place, weights in (("one", made.weights), ("other", whole[1].weights)):
        weights.write(tmp_path / place)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()
    assert made.out_of_fold == whole[1].out_of_fold


def renamed(record: Record) -> Record:
    return replace(record, record_id="else", patient_id="somebody else", digest="another")


@pytest.mark.parametrize("change", [lambda record: record, renamed], ids=["same", "renamed"])
def test_a_cohort_that_shares_recordings_is_refused(whole, at_once, change):
    target, _, _, _ = whole
    shared = [*others(), change(cohort()[4])]
    with refused(RunError, "1 of ") as told:
        make(target, elsewhere={shared[-1].record_id: shared})
    assert str(target / "elsewhere" / shared[-1].record_id) in str(told.value)
    assert at_once == []


@pytest.mark.parametrize("place", ["windows", "elsewhere/other"])
def test_what_somebody_else_put_there_is_not_thrown_away(tmp_path, at_once, place):
    """Such as windows that were prepared in the same folder before."""
    precious = tmp_path / "made" / place / "notes.txt"
    precious.parent.mkdir(parents=True)
    precious.write_text("mine")
    with refused(PaclError, precious.parent):
        make(tmp_path / "made", elsewhere={"other": others()})
    assert precious.read_text() == "mine"


@pytest.mark.usefixtures("without_int8")
def test_a_folder_of_another_cohort_is_refused(whole, at_once):
    target, _, _, _ = whole
    before = files_of(target / "runs")
    fewer = cohort()[:-1]
    with refused(PaclError, target):
        make(target, records=fewer)
    assert files_of(target / "runs") == before
    make(target)  # the right recordings are cut again
    assert at_once == []


def test_another_plan_in_the_same_folder_is_refused(whole, at_once):
    other = replace(TINY, seed=6)
    with refused(RunError, "seed 5 / 6"):
        make(whole[0], plan=other)


def test_the_recipe_is_fixed():
    assert RECIPE.train.keep == "last"
    assert RECIPE.encoder.view == "relative"
    assert RECIPE.sampler.one_class
    assert 0 < RECIPE.augmentation.faults <= 1
