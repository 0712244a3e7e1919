"""The protocol from end to end with systems that are quickly fitted."""

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
import pyarrow.parquet as pq
import pytest

from pacl.evaluation import measure_auroc
from pacl.rivals import Kind, Learn, Settings
from pacl.rivals.registry import SYSTEMS
from pacl.studies import RunError
from pacl.studies.rivals import RivalsProtocol, run_rivals
from pacl.studies.rivals.job import JobResult, RivalJob
from support.refusals import refused
from support.reports import reporting
from support.window_sets import make_set

FITTED: list[tuple[str, int, frozenset[str]]] = []
PROBED: list[frozenset[str]] = []


@dataclass(frozen=True, eq=False)
class Guess:
    """Says how much a window varies, with a sign, and some noise of its seed."""

    sign: float
    noise: float
    seed: int
    embeds: bool

    def logit(self, windows):
        rr_ms = windows.windows(np.arange(len(windows)))
        random = np.random.default_rng(self.seed)
        # Labels are looked at so that there is something to find in made-up beats.
        known = 2.0 * windows.table.rhythm - 1.0 + 0.001 * rr_ms.std(axis=1)
        return self.sign * known + random.normal(0, self.noise, len(windows))

    def embed(self, windows):
        if not self.embeds:
            return None
        angle = self.logit(windows)
        return np.stack([np.cos(angle), np.sin(angle)], axis=1).astype(np.float32)

    def probed(self, windows):
        PROBED.append(frozenset(windows.table.patient.present()))
        return replace(self, noise=self.noise + 5 / len(set(windows.table.patient.present())))


@dataclass(frozen=True)
class GuessSystem:
    name: str
    kind: Kind
    noise: float
    title: str = "A guess"
    trials: tuple[Settings, ...] = ({"sign": -1.0}, {"sign": 1.0})

    def fit(self, learn: Learn, settings: Settings) -> Guess:
        FITTED.append((self.name, learn.seed, frozenset(learn.windows.table.patient.present())))
        noise = self.noise + 0.01 * learn.seed
        return Guess(float(settings["sign"]), noise, learn.seed, self.kind != "features")


@pytest.fixture(autouse=True)
def systems():
    FITTED.clear()
    PROBED.clear()
    before = dict(SYSTEMS)
    SYSTEMS.clear()
    for one in (
        GuessSystem("patient-aware", "supervised", 0.5),
        GuessSystem("unlabelled", "self-supervised", 1.0),
        GuessSystem("statistics", "features", 2.0),
    ):
        SYSTEMS[one.name] = one
    yield
    SYSTEMS.clear()
    SYSTEMS.update(before)


@pytest.fixture
def cohorts(tmp_path):
    found = {}
    for seed, name in enumerate(("here", "there")):
        windows = make_set(seed=seed, patients=12, window_beats=20, stride=5)
        folder = tmp_path / name
        folder.mkdir()
        windows.write(folder)
        found[name] = folder
    return found


PROTOCOL = {
    "seeds": (1, 2),
    "folds": 3,
    "trials": 2,
    "few": (1, 4),
    "learning_from_few": ("patient-aware", "statistics"),
    "leaking": ("patient-aware",),
}


def protocol(**changes):
    return RivalsProtocol(methods=tuple(SYSTEMS), **{**PROTOCOL, **changes})


def rows(path):
    return pq.read_table(path).to_pylist()


def test_from_windows_to_frames(cohorts, tmp_path):
    target = tmp_path / "study"
    told: list[tuple[str, int, int]] = []
    run_rivals(
        cohorts, target, protocol(), report=reporting(on_stage=lambda *one: told.append(one))
    )
    results, pooled, differences, inflation = (
        rows(target / f"{name}.parquet")
        for name in ("results", "pooled", "differences", "inflation")
    )
    main = [row for row in results if row["study"] == "main"]
    each = Counter((row["method"], row["seed"], row["patient"]) for row in main)
    assert set(each.values()) == {1}
    assert len(each) == 3 * 2 * 12
    assert {row["study"] for row in pooled} == {"main", "labels", "elsewhere", "leak"}
    by = {(r["study"], r["condition"], r["method"], r["seed"]): r for r in pooled}
    assert by["main", "", "patient-aware", 1]["auroc"] > by["main", "", "statistics", 1]["auroc"]
    assert (
        by["labels", "1 patient", "unlabelled", 1]["auroc"]
        < by["labels", "all patients", "unlabelled", 1]["auroc"]
    )
    assert ("labels", "4 patients", "patient-aware", 2) in by
    assert ("labels", "4 patients", "unlabelled", 2) in by
    assert ("elsewhere", "here to there", "patient-aware", 2) in by
    assert ("elsewhere", "there to here", "statistics", 1) in by
    assert ("leak", "windows apart", "patient-aware", 1) in by
    assert ("leak", "windows", "statistics", 1) not in by
    assert (
        by["leak", "patients", "patient-aware", 2]["auroc"]
        == by["main", "", "patient-aware", 2]["auroc"]
    )
    assert np.isnan(by["main", "", "statistics", 1]["sr_cohesion"])
    assert by["main", "", "patient-aware", 1]["sr_cohesion"] <= 1
    assert 0 < by["main", "", "patient-aware", 1]["centroid_distance"] <= 2
    labels = {r["condition"] for r in differences if r["study"] == "labels"}
    assert labels == {"1 patient", "4 patients"}
    found = {(r["study"], r["method"], r["reference"], r["measure"]) for r in differences}
    assert ("labels", "unlabelled", "patient-aware", "all windows") in found
    assert ("main", "unlabelled", "patient-aware", "all windows") in found
    assert ("main", "patient-aware", "statistics", "within patients") in found
    more = {(r["dataset"], r["condition"], r["method"], r["measure"]): r for r in inflation}
    assert set(more) == {
        ("here", condition, "patient-aware", measure)
        for condition in ("windows", "windows apart")
        for measure in ("all windows", "within patients")
    }
    assert told[-1][1] == told[-1][2]


def test_settings_are_chosen_on_validation_patients(cohorts, tmp_path):
    target = tmp_path / "study"
    run_rivals(cohorts, target, protocol())
    for row in rows(target / "pooled.parquet"):
        assert row["auroc"] > 0.5, "the sign that orders windows the wrong way was chosen"


def test_pooled_is_what_the_windows_say(cohorts, tmp_path):
    from pacl.rr import RRWindowSet

    target = tmp_path / "study"
    run_rivals({"here": cohorts["here"]}, target, protocol())
    windows = RRWindowSet.open(cohorts["here"])
    logit, folds = np.full(len(windows), np.nan), []
    for fold in range(3):
        job = RivalJob("main", "here", "here", "", "patient-aware", 1, 2, fold, 0, 1000)
        found = JobResult.read(target / job.path)
        logit[found.rows] = found.logit
        folds.append(found)
    (row,) = (
        row
        for row in rows(target / "pooled.parquet")
        if (row["study"], row["method"], row["seed"]) == ("main", "patient-aware", 2)
    )
    labels = windows.table.rhythm.astype(np.int64)
    assert row["auroc_across_models"] == measure_auroc(labels, logit)
    parts = [found.rows for found in folds]
    counts = [(labels[r] == 1).sum() * (labels[r] == 0).sum() for r in parts]
    aurocs = [measure_auroc(labels[r], logit[r]) for r in parts]
    assert row["auroc"] == pytest.approx(np.average(aurocs, weights=counts))
    assert row["windows"] == len(windows)


def test_what_is_done_is_not_done_again(cohorts, tmp_path):
    target = tmp_path / "study"
    run_rivals(cohorts, target, protocol())
    before = (target / "pooled.parquet").read_bytes()
    FITTED.clear()
    run_rivals(cohorts, target, protocol())
    assert not FITTED
    assert (target / "pooled.parquet").read_bytes() == before


@pytest.mark.parametrize("change", ["steps", "settings"])
def test_what_was_fitted_otherwise_is_not_taken_for_it(cohorts, tmp_path, change):
    target, here = tmp_path / "study", {"here": cohorts["here"]}
    run_rivals(here, target, protocol())
    if change == "settings":
        for name, one in list(SYSTEMS.items()):
            SYSTEMS[name] = replace(one, trials=({"sign": -2.0}, {"sign": 2.0}))
    fact = "steps 1000 / 7" if change == "steps" else "settings.sign"
    with refused(RunError, ".npz", fact):
        run_rivals(here, target, protocol(steps=7 if change == "steps" else 1000))


def test_test_patients_are_not_in_training(cohorts, tmp_path):
    run_rivals({"here": cohorts["here"]}, tmp_path / "study", protocol(leaking=()))
    sizes = Counter(len(who) for _, _, who in FITTED)
    assert max(sizes) == 4, "a third of twelve is judged, a third chosen by"


def test_few_labels_are_of_the_same_patients_whoever_learns(cohorts, tmp_path):
    run_rivals({"here": cohorts["here"]}, tmp_path / "study", protocol(leaking=(), few=(1, 2)))
    few = {who for name, _, who in FITTED if name == "patient-aware" and len(who) < 4}
    assert {who for who in PROBED if len(who) < 4} >= few
    assert len(few) > 3, "every fold draws others"


def test_a_broken_result_is_named(cohorts, tmp_path):
    target = tmp_path / "study"
    run_rivals({"here": cohorts["here"]}, target, protocol())
    path = next((target / "jobs").rglob("*.npz"))
    for content in (b"", path.read_bytes()[:100]):
        path.write_bytes(content)
        with refused(RunError, path):
            JobResult.read(path)


def test_a_fit_that_fails_is_named_and_the_others_kept(cohorts, tmp_path, monkeypatch):
    def fail(self, learn, settings):
        raise RunError("here", "no", "none")

    monkeypatch.setattr(GuessSystem, "fit", fail)
    with refused(RunError, "18 of 18", "jobs/main/here/all/"):
        run_rivals({"here": cohorts["here"]}, tmp_path / "study", protocol())


def test_few_patients_can_be_drawn_with_some_seeds_alone(cohorts, tmp_path):
    target = tmp_path / "study"
    run_rivals({"here": cohorts["here"]}, target, protocol(few_seeds=(2,)))
    found = [row for row in rows(target / "pooled.parquet") if row["study"] == "labels"]
    assert {row["seed"] for row in found} == {2}
    assert {row["method"] for row in found} == set(SYSTEMS)


def test_more_labelled_patients_than_there_are(cohorts, tmp_path):
    with refused(RunError, "few", 4):
        run_rivals({"here": cohorts["here"]}, tmp_path / "study", protocol(few=(1, 5)))
