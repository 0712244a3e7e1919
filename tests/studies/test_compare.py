import json
import statistics
from dataclasses import replace

import pytest

from pacl.evaluation import EvaluationError, read_evaluation
from pacl.studies import RunError, RunFolder
from pacl.studies.compare import RunScore, compare_runs
from pacl.studies.metric import METRICS, value_of
from support.planted_runs import TEN, planted_run
from support.refusals import refused
from support.small_runs import PLAN, copied, small_run

NAMES = [metric.key for metric in METRICS]


def made(path, *, plan=PLAN, title=None, digest=None, **values):
    """A run with other settings and results, written over a copy of a real one."""
    run = copied(small_run(), path)
    config = {**run.config, "plan": plan.to_dict()}
    if title:
        config |= {"plan": None, "title": title, "imported": {"sha256": "0"}}
    (path / "config.json").write_text(json.dumps(config))
    if digest:
        stated = json.loads((path / "windows.json").read_text())
        (path / "windows.json").write_text(json.dumps({**stated, "digest": digest}))
    evaluation = json.loads((path / "test" / "evaluation.json").read_text())
    for key, value in values.items():
        *parents, last = key.replace("__", ".").split(".")
        inner = evaluation
        for parent in parents:
            inner = inner[int(parent) if parent.isdigit() else parent]
        assert last in inner
        inner[last] = value
    (path / "test" / "evaluation.json").write_text(json.dumps(evaluation))
    return RunFolder.open(path)


def cell(comparison, column, key):
    return comparison.columns[column].scores[NAMES.index(key)]


def test_every_metric_is_in_an_evaluation():
    found = read_evaluation(small_run().path / "test")
    for metric in METRICS:
        value = value_of(found, metric.key)
        assert value is None or isinstance(value, float)
    assert len(set(NAMES)) == len({metric.name for metric in METRICS}) == len(METRICS)
    directions = {metric.key: metric.better for metric in METRICS}
    assert directions["detection.auroc"] == 1
    assert directions["detection.calibration.brier"] == -1
    assert directions["pooled.centroid_similarity"] == -1
    assert directions["pooled.classes.0.cohesion"] == 1


def test_one_run_has_its_own_numbers_and_no_deviation():
    comparison = compare_runs([small_run()])
    [column] = comparison.columns
    assert (column.title, column.runs, column.seeds) == (
        "subject-aware",
        ("subject-aware-1",),
        (1,),
    )
    measured = small_run().evaluated("test").measure()
    assert cell(comparison, 0, "detection.auroc") == RunScore(measured.detection.auroc, None)
    assert cell(comparison, 0, "pooled.classes.0.cohesion") == RunScore(
        measured.pooled.classes[0].cohesion, None
    )
    assert comparison.on == "test"


def test_seeds_become_mean_and_sample_deviation(tmp_path):
    values = (0.90, 0.94, 0.95)
    runs = [
        made(tmp_path / str(seed), plan=replace(PLAN, seed=seed), detection__auroc=value)
        for seed, value in enumerate(values)
    ]
    comparison = compare_runs(runs)
    [column] = comparison.columns
    assert column.seeds == (0, 1, 2)
    assert column.runs == ("0", "1", "2")
    found = cell(comparison, 0, "detection.auroc")
    assert found.mean == pytest.approx(0.93)
    assert found.deviation == pytest.approx(0.0264575131)  # sqrt((9 + 1 + 4) / 2) hundredths
    assert found.deviation == statistics.stdev(values)


def test_a_metric_without_value_in_some_run_has_none(tmp_path):
    runs = [
        made(
            tmp_path / str(seed), plan=replace(PLAN, seed=seed), detection__auroc_worst_tenth=value
        )
        for seed, value in enumerate((0.5, None))
    ]
    assert cell(compare_runs(runs), 0, "detection.auroc_worst_tenth") == RunScore(None, None)


def test_runs_are_grouped_by_everything_but_the_seed():
    runs = [small_run(1, "bce"), small_run(1), small_run(2, "bce"), small_run(2)]
    comparison = compare_runs(runs)
    assert [(column.title, column.seeds) for column in comparison.columns] == [
        ("bce", (1, 2)),
        ("subject-aware", (1, 2)),
    ]


def test_titles_tell_settings_apart(tmp_path):
    faster = replace(PLAN, train=replace(PLAN.train, lr=0.5))
    warmer = replace(PLAN, seed=4, objective=replace(PLAN.objective, temperature=0.1))
    runs = [
        made(tmp_path / "a"),
        made(tmp_path / "b", plan=faster),
        made(tmp_path / "c", plan=replace(faster, seed=2)),
        made(tmp_path / "d", plan=warmer),
        small_run(1, "bce"),
        made(tmp_path / "e", title="released"),
    ]
    comparison = compare_runs(runs)
    titles = [column.title for column in comparison.columns]
    assert titles == [
        "subject-aware, train.lr 0.003, objective.temperature 0.05",
        "subject-aware, train.lr 0.5, objective.temperature 0.05",
        "subject-aware, objective.temperature 0.1, train.lr 0.003",
        "bce",
        "released",
    ]
    assert [column.seeds for column in comparison.columns] == [(1,), (1, 2), (4,), (1,), ()]


def best(comparison, key):
    return [column.scores[NAMES.index(key)].best for column in comparison.columns]


def planted(tmp_path, on=TEN, **runs):
    """A column for each loss, by the arguments of its runs."""
    each = [
        planted_run(tmp_path / f"{loss}-{at}", loss=loss.replace("_", "-"), **one)
        for loss, members in runs.items()
        for at, one in enumerate(members)
    ]
    return compare_runs(each, on)


def test_the_better_of_two_is_best_where_patients_show_it(tmp_path):
    found = planted(
        tmp_path, bce=[{"wrong": 0.05, "noise": 1}], supcon=[{"wrong": 0.4, "noise": 2}]
    )
    assert found.enough
    assert found.patients == 10
    for key in ("detection.auroc", "detection.accuracy", "detection.calibration.brier"):
        assert best(found, key) == [True, False], key
    for key in (
        "pooled.classes.0.cohesion",
        "pooled.classes.0.global_cohesion",
    ):  # equal, without a better side
        assert best(found, key) == [False, False], key


def test_two_patients_show_nothing_however_far_apart_scores_are(tmp_path):
    found = planted(
        tmp_path, "test", bce=[{"wrong": 0.0, "noise": 1}], supcon=[{"wrong": 0.4, "noise": 2}]
    )
    assert (found.patients, found.enough) == (2, False)
    assert cell(found, 0, "detection.auroc").mean > cell(found, 1, "detection.auroc").mean + 0.1
    for column in found.columns:
        assert not any(one.best or one.interval for one in column.scores)


@pytest.mark.parametrize("perfect", [False, True])
def test_equal_scores_have_no_best(tmp_path, perfect):
    same = {"noise": 1, "perfect": perfect}
    found = planted(tmp_path, bce=[same], supcon=[same])
    assert not any(one.best for column in found.columns for one in column.scores)
    assert (cell(found, 0, "detection.auroc").interval is None) == perfect


def test_scores_that_differ_by_chance_have_no_best(tmp_path):
    found = planted(tmp_path, bce=[{"noise": 1}], supcon=[{"noise": 2}])
    aurocs = [cell(found, at, "detection.auroc") for at in (0, 1)]
    assert aurocs[0].mean != aurocs[1].mean
    assert best(found, "detection.auroc") == [False, False]


def test_three_columns_have_a_best_only_if_it_beats_both(tmp_path):
    found = planted(
        tmp_path,
        bce=[{"wrong": 0.05, "noise": 1}],
        patient=[{"wrong": 0.05, "noise": 3}],
        supcon=[{"wrong": 0.4, "noise": 2}],
    )
    assert best(found, "detection.auroc") == [False, False, False]


def test_the_geometry_of_a_collapsed_run_is_neither_best_nor_compared(tmp_path):
    found = planted(tmp_path, bce=[{"noise": 1}], supcon=[{"noise": 2, "collapsed": True}])
    assert [column.collapsed for column in found.columns] == [(), ("supcon-0",)]
    for key in ("pooled.classes.0.cohesion", "pooled.classes.1.cohesion"):
        assert cell(found, 1, key).mean == pytest.approx(1)
        assert cell(found, 1, key).interval is None
        assert best(found, key) == [False, False]


def test_seeds_that_collapsed_are_left_out_of_geometry_but_not_of_detection(tmp_path):
    found = planted(
        tmp_path,
        bce=[{"seed": 1, "noise": 1}, {"seed": 2, "noise": 2}],
        supcon=[{"seed": 1, "noise": 3, "collapsed": True}, {"seed": 2, "noise": 4}],
    )
    assert found.columns[1].collapsed == ("supcon-0",)
    assert cell(found, 1, "pooled.classes.0.cohesion").mean < 0.999
    assert cell(found, 1, "pooled.classes.0.cohesion").deviation is None
    assert cell(found, 1, "detection.auroc").deviation is not None


def test_weights_from_elsewhere_that_collapsed_are_recognised_by_their_embeddings(tmp_path):
    runs = []
    for name, collapsed in (("sound", False), ("fallen", True)):
        run = planted_run(tmp_path / name, collapsed=collapsed)
        config = {**run.config, "plan": None, "title": name, "imported": {"sha256": name}}
        (run.path / "config.json").write_text(json.dumps(config))
        runs.append(RunFolder.open(run.path))
    assert [column.collapsed for column in compare_runs(runs, TEN).columns] == [(), ("fallen",)]


def test_intervals_are_over_patients_and_around_the_mean(tmp_path):
    found = planted(tmp_path, bce=[{"seed": 1, "noise": 1}, {"seed": 2, "noise": 2}])
    having = [metric.key for metric in METRICS if cell(found, 0, metric.key).interval]
    assert {"detection.auroc", "detection.classes.1.f1", "pooled.classes.0.cohesion"} <= set(having)
    assert "pooled.centroid_distance" not in having
    for key in having:
        one = cell(found, 0, key)
        assert one.interval.estimate == pytest.approx(one.mean)
        assert one.interval.low < one.mean < one.interval.high


def test_runs_without_a_common_seed_are_compared_as_they_are(tmp_path):
    found = planted(
        tmp_path,
        bce=[{"seed": 1, "wrong": 0.05, "noise": 1}, {"seed": 2, "wrong": 0.05, "noise": 2}],
        supcon=[{"seed": 3, "wrong": 0.4, "noise": 3}],
    )
    assert best(found, "detection.auroc") == [True, False]


def test_runs_judged_on_other_windows_are_refused(tmp_path):
    runs = [small_run(), small_run(2), made(tmp_path / "other", digest="0" * 64)]
    with pytest.raises(RunError) as caught:
        compare_runs(runs)
    assert str(caught.value) == (
        f"{tmp_path / 'other'}: its 'test' windows are not those of {small_run().path}; "
        "compare runs that were judged on the same window set"
    )


def test_folders_of_the_same_name_are_not_mistaken_for_each_other(tmp_path):
    runs = [made(tmp_path / "a" / "run"), made(tmp_path / "b" / "run", digest="0" * 64)]
    with refused(RunError, "'test'"):
        compare_runs(runs)


def test_a_run_that_was_not_judged_there_is_named():
    with pytest.raises(RunError) as caught:
        compare_runs([small_run(), small_run(2)], "ltafdb")
    assert str(caught.value) == (
        f"{small_run().path}: it was not evaluated on 'ltafdb', but on validation, test; "
        "evaluate it with --windows, or name one of these"
    )


def test_another_part_can_be_compared():
    comparison = compare_runs([small_run(), small_run(2)], "validation")
    measured = [small_run(seed).evaluated("validation").measure() for seed in (1, 2)]
    mean = statistics.fmean(one.detection.auroc for one in measured)
    assert cell(comparison, 0, "detection.auroc").mean == mean


def test_a_damaged_evaluation_is_named(tmp_path):
    run = made(tmp_path / "run")
    (run.path / "test" / "evaluation.json").write_text("{}")
    with refused(EvaluationError, "evaluation.json"):
        compare_runs([run])


def test_a_run_is_not_averaged_with_itself():
    run = small_run()
    with refused(RunError, 2, "seed"):
        compare_runs([run, run])


def test_runs_on_other_training_windows_are_not_averaged(tmp_path):
    runs = [made(tmp_path / "a"), made(tmp_path / "b", plan=replace(PLAN, seed=2))]
    for run, digest in zip(runs, ("one", "two"), strict=True):
        stated = (run.path / "windows.json").read_text()
        run_windows = json.loads(stated) | {"digest": digest, "path": f"/somewhere/{digest}"}
        (run.path / "test" / "windows.json").write_text(stated)  # judged on the same windows
        (run.path / "windows.json").write_text(json.dumps(run_windows))
    titles = [column.title for column in compare_runs(runs).columns]
    assert titles == ["subject-aware, trained on one", "subject-aware, trained on two"]


def test_a_number_that_evaluations_lack_is_named():
    found = read_evaluation(small_run().path / "test")
    for key in ("detection.classes.1.f2", "detection.classes", "detection.classes.7.f1"):
        with refused(EvaluationError, "evaluation.json", key):
            value_of(found, key)
