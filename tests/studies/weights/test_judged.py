"""What each patient's own fold said of their windows, and the time that windows stand for."""

from dataclasses import replace

import numpy as np
import pytest

from pacl.cohort import AllBeatsProtocol
from pacl.evaluation import Predictions, Probe
from pacl.evaluation.embed import EmbeddingSet
from pacl.evaluation.platt import Platt
from pacl.records import Rhythm
from pacl.rr import Cut, RRWindowSet, prepare
from pacl.studies import RunError, RunFolder
from pacl.studies.weights import judge_out_of_fold
from pacl.studies.weights.measured import window_predictions
from pacl.window_sets import divide_folds
from pacl.windows import split_units
from support.recordings import Shelf, make_record
from support.refusals import refused

SR, AF, OTHER, UNKNOWN = Rhythm
RUNS = [(SR, 10), (OTHER, 5), (AF, 10)]


def cut(target, records, stride=5):
    prepare(
        Shelf(records),
        target,
        protocol=AllBeatsProtocol(),
        divide=lambda strata, _: split_units(strata, seed=0, counts=(1, 0, 0)),
        cut=Cut(window_beats=10, stride=stride),
    )
    return target


def drawn(number, runs=((SR, 30), (OTHER, 15), (AF, 40))):
    size = sum(beats for _, beats in runs)
    rr_ms = np.random.default_rng(number).integers(300, 1900, size)
    return make_record(runs, rr_ms, name=f"record_{number}", patient=f"patient_{number}")


# --------------------------------------------------------------------------------- one set alone


@pytest.mark.parametrize(("stride", "share"), [(5, 0.5), (10, 1.0), (2, 0.2)])
def test_by_hand(tmp_path, stride, share):
    record = make_record(RUNS, 500 + np.arange(25))
    windows = RRWindowSet.open(cut(tmp_path / "w", [record], stride))
    logit = np.arange(float(len(windows)))
    judged = window_predictions(windows, logit)
    starts = windows.table.raw_start.tolist()
    assert starts == {5: [0, 5, 15], 10: [0, 15], 2: [0, 2, 4, 15]}[stride]
    # beat i lasts 500 + i ms: ten of them from i on last 5,045 + 10 i ms
    assert judged.seconds == pytest.approx([share * (5.045 + at / 100) for at in starts])
    assert judged.labels.tolist() == [int(at == 15) for at in starts]
    assert judged.labels.dtype == np.int64
    assert judged.pure.tolist() == [at in (0, 15) for at in starts]
    assert judged.logit is logit
    assert judged.subject.to_list() == ["patient_0"] * len(starts)


def test_windows_whose_stride_is_not_known_stand_for_all_they_last(tmp_path):
    windows = RRWindowSet.open(cut(tmp_path / "w", [make_record(RUNS, 500 + np.arange(25))]))
    manifest = {key: value for key, value in windows.manifest.items() if key != "cut"}
    judged = window_predictions(replace(windows, manifest=manifest), np.zeros(3))
    assert judged.seconds == pytest.approx([5.045, 5.095, 5.195])


def test_time_is_that_of_the_recording_where_windows_lie_densely(tmp_path):
    """Windows overlap; what they stand for does not, but for the edges of an excerpt."""
    record = drawn(0, ((SR, 500), (AF, 700)))
    judged = window_predictions(
        RRWindowSet.open(cut(tmp_path / "w", [record], 2)), np.zeros(246 + 346)
    )
    for label, (first, stop) in enumerate(((0, 500), (500, 1200))):
        heard_s = judged.seconds[judged.labels == label].sum()
        assert heard_s == pytest.approx(record.seconds(first, stop), rel=0.03)


@pytest.mark.parametrize("seed", range(3))
def test_seconds_and_purity_by_a_loop_in_any_order(tmp_path, seed):
    windows = RRWindowSet.open(cut(tmp_path / "w", [drawn(10 * seed + one) for one in range(3)], 3))
    windows = windows.select(np.random.default_rng(seed).permutation(len(windows)))
    judged = window_predictions(windows, np.zeros(len(windows)))
    for row, start in enumerate(windows.table.start.tolist()):
        beats = range(start, start + 10)
        seconds = 0.3 * sum(float(windows.rr_ms[beat]) for beat in beats) / 1000
        assert judged.seconds[row] == pytest.approx(seconds, rel=1e-9)
        assert judged.pure[row] == all(windows.beat_rhythm[beat] != OTHER for beat in beats)
    assert judged.subject.to_list() == windows.table.patient.to_list()
    assert not judged.pure.all()


def test_some_of_the_windows_and_calibrated(tmp_path):
    windows = RRWindowSet.open(cut(tmp_path / "w", [make_record(RUNS, 500 + np.arange(25))]))
    judged = window_predictions(windows, np.array([-1.0, 0.5, 2.0]))
    some = judged.select(judged.pure)
    assert some.logit.tolist() == [-1.0, 2.0]
    assert some.labels.tolist() == [0, 1]
    assert some.seconds == pytest.approx([2.5225, 2.5975])
    assert some.pure.all()
    assert len(some.subject) == 2
    calibrated = judged.calibrated(Platt(2.0, -1.0))
    assert calibrated.logit.tolist() == [-3.0, 0.0, 3.0]
    assert judged.logit.tolist() == [-1.0, 0.5, 2.0]
    assert calibrated.seconds is judged.seconds


# ----------------------------------------------------------------------------------- out of fold


@pytest.fixture
def windows(tmp_path) -> RRWindowSet:
    return RRWindowSet.open(cut(tmp_path / "windows", [drawn(number) for number in range(7)]))


def probe_of(fold: int) -> Probe:
    return Probe(np.random.default_rng(100 + fold).normal(size=4), float(fold))


def pooled_of(starts) -> np.ndarray:
    """Embeddings that tell which window they are of."""
    rows = [np.random.default_rng(abs(int(start))).normal(size=4) for start in starts]
    return np.array([row / np.linalg.norm(row) for row in rows], dtype=np.float32)


def judged_by(path, fold, found: RRWindowSet) -> RunFolder:
    """A run that was never trained, judged on some windows."""
    path.mkdir(parents=True)
    run, probe, pooled = RunFolder(path, {}), probe_of(fold), pooled_of(found.table.start)
    run.write_probe(probe)
    run.write_evaluated(
        "test", Predictions.by_probe(probe, EmbeddingSet(pooled, pooled, found.table))
    )
    return run


@pytest.fixture
def runs(tmp_path, windows) -> list[RunFolder]:
    """Three folds, the windows of each in an order of their own."""
    generator = np.random.default_rng(0)
    made = []
    folds = divide_folds(
        tmp_path / "windows", tmp_path / "folds", folds=3, seed=2, validation=False
    )
    for fold, path in folds.items():
        found = RRWindowSet.open(path).part("test")
        found = found.select(generator.permutation(len(found)))
        made.append(judged_by(tmp_path / "runs" / f"fold-{fold}", fold, found))
    return made


def fold_of(runs) -> dict[str, int]:
    return {
        who: fold
        for fold, run in enumerate(runs)
        for who in run.evaluated("test").embeddings.table.subject.present()
    }


@pytest.mark.parametrize("order", [None, 1, 2])
@pytest.mark.parametrize("turned", [False, True])
def test_each_window_by_its_own_fold_in_any_order(windows, runs, order, turned):
    if order is not None:
        windows = windows.select(np.random.default_rng(order).permutation(len(windows)))
    judged = judge_out_of_fold(windows, runs[::-1] if turned else runs)
    fold = fold_of(runs)
    assert sorted(fold) == list(windows.table.subject.present())
    for row, who in enumerate(windows.table.subject.to_list()):
        pooled = pooled_of(windows.table.start[[row]])
        expected = probe_of(fold[who]).logit(pooled)[0]
        assert judged.logit[row] == pytest.approx(expected, abs=1e-9)
    assert judged.labels.tolist() == windows.table.rhythm.tolist()
    assert judged.subject.to_list() == windows.table.patient.to_list()


@pytest.mark.parametrize("missing", [0, 1, 2])
def test_a_fold_that_is_missing_is_told(windows, runs, missing):
    fold = fold_of(runs)
    left = sum(fold[who] == missing for who in windows.table.subject.to_list())
    kept = [run for at, run in enumerate(runs) if at != missing]
    with refused(RunError, f"{left} windows", runs[0].path.parent):
        judge_out_of_fold(windows, kept)


@pytest.mark.parametrize("shift", [1, 10_000, -3])
def test_runs_on_other_windows_are_refused(windows, runs, tmp_path, shift):
    found = windows.select(windows.table.subject.is_(windows.table.patient.present()[0]))
    start = found.table.start + shift
    start[0] = found.table.start[0]  # one may happen to lie alike
    moved = replace(found, table=replace(found.table, start=start))
    other = judged_by(tmp_path / "runs" / "other", 2, moved)
    with refused(RunError, other.path, "windows"):
        judge_out_of_fold(windows, [*runs[:2], other])


def test_a_run_that_was_not_judged_is_told(windows, runs, tmp_path):
    (tmp_path / "empty").mkdir()
    with refused(RunError, tmp_path / "empty", "'test'"):
        judge_out_of_fold(windows, [*runs, RunFolder(tmp_path / "empty", {})])
