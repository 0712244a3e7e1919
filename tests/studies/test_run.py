"""One run: the same every time, however often it was interrupted, and blind to test patients."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors import safe_open

from pacl.atomic_write import TargetError
from pacl.evaluation import ProbeScore, embed, fit_probe, measure_auroc
from pacl.report.figures.curves import compute_curves, draw_curves
from pacl.rr import RRAugmentationSettings, RRWindowSet
from pacl.studies import ObjectiveSettings, RunError, RunFolder, SamplerSettings, train_run
from pacl.studies.provenance import seen_beats
from pacl.studies.run import LearningWindows, build_model, build_trainer, parts_to_learn
from pacl.training import SamplerError, TrainingError
from pacl.training.loop import Seeds
from support.refusals import refused
from support.small_runs import (
    PLAN,
    files_of,
    place,
    plan,
    rewritten,
    same_but_for_time,
    small_run,
    small_windows,
    timeless,
)


def train(target, chosen=PLAN, *, windows=None, **options):
    return train_run(windows or small_windows(), target, chosen, device="cpu", **options)


def learning(windows):
    parts = windows.part("train"), windows.part("validation")
    return LearningWindows.of(*parts, torch.device("cpu"))


def weights(run):
    return (run.path / "model.safetensors").read_bytes()


def stop_after(epochs):
    def tell(log, trainer):
        if log.epoch == epochs:
            raise KeyboardInterrupt

    return tell


def stop_within(epoch):
    def begin(trainer):
        def track(done, total):
            if trainer.epoch + 1 == epoch and done == 2:
                raise KeyboardInterrupt

        trainer.track = track

    return begin


@pytest.mark.parametrize("loss", ["patient-aware", "bce"])
def test_the_same_seed_gives_the_same_bits(tmp_path, loss):
    assert same_but_for_time(train(tmp_path / "run", plan(loss=loss)).path, small_run(1, loss).path)


def test_another_seed_gives_others():
    assert weights(small_run(2)) != weights(small_run(1))
    assert timeless(small_run(2).history()) != timeless(small_run(1).history())


def test_global_random_states_neither_matter_nor_move(tmp_path):
    np.random.seed(5)  # noqa: NPY002 - it is what others may have done
    torch.manual_seed(5)
    states = np.random.get_state(), torch.get_rng_state()  # noqa: NPY002
    for loss in ("patient-aware", "bce"):
        run = train(tmp_path / loss, plan(loss=loss))
        run.encoder()
        assert same_but_for_time(run.path, small_run(1, loss).path)
    assert np.array_equal(np.random.get_state()[1], states[0][1])  # noqa: NPY002
    assert torch.equal(torch.get_rng_state(), states[1])


def test_three_streams_follow_from_the_seed():
    one, other = Seeds.of(1), Seeds.of(2)
    drawn = [one.weights, one.batches, one.dropout, other.weights, other.batches, other.dropout]
    assert len(set(drawn)) == 6
    assert Seeds.of(1) == one
    assert all(0 <= value < 2**63 for value in drawn)


@pytest.mark.parametrize(("head_on", "features"), [("projected_raw", 8), ("pooled_raw", 6)])
def test_the_head_fits_what_it_reads(head_on, features):
    encoder = replace(PLAN.encoder, pooled_features=6)
    chosen = replace(
        PLAN, loss="bce", encoder=encoder, objective=ObjectiveSettings(head_on=head_on)
    )
    _, objective = build_model(chosen)
    assert objective.head.in_features == features
    assert objective.reads == head_on


@pytest.mark.parametrize("head_on", ["projected_raw", "pooled_raw"])
def test_a_memory_fits_what_is_remembered(head_on):
    encoder = replace(PLAN.encoder, pooled_features=6)
    objective = ObjectiveSettings(head_on=head_on, memory=50)
    memory = build_model(replace(PLAN, encoder=encoder, objective=objective))[1].memory
    assert (memory.windows, memory.features) == (50, 8)


def test_a_run_with_a_memory_goes_on_to_the_bit_and_keeps_it_out_of_its_weights(tmp_path):
    chosen = replace(PLAN, objective=ObjectiveSettings(memory=60))
    whole = train(tmp_path / "whole", chosen)
    for stop in ({"on_epoch": stop_after(1)}, {"on_start": stop_within(3)}):
        with pytest.raises(KeyboardInterrupt):
            train(tmp_path / "run", chosen, resume=True, **stop)
    with refused(RunError, "objective.memory 60 / 0"):
        train(tmp_path / "run", PLAN, resume=True)
    run = train(tmp_path / "run", chosen, resume=True)
    assert same_but_for_time(run.path, whole.path)
    assert run.plan.objective.memory == 60
    assert weights(run) != weights(small_run())
    with safe_open(run.path / "model.safetensors", "pt") as file:
        of_objective = [key for key in file.keys() if key.startswith("objective.")]  # noqa: SIM118
    assert of_objective == ["objective.temperature.log_tau"]


def test_each_stream_goes_where_it_belongs():
    windows = RRWindowSet.open(small_windows())
    trainer = build_trainer(PLAN, learning(windows))
    seeds = Seeds.of(PLAN.seed)
    assert trainer.generator.initial_seed() == seeds.dropout
    base = int(np.random.default_rng(seeds.batches).integers(2**53))
    assert trainer.sampler.state_dict()["base"] == base


def test_baselines_begin_with_the_same_encoder_and_batches():
    windows = RRWindowSet.open(small_windows())
    shared = learning(windows)
    ours, theirs = (build_trainer(plan(loss=loss), shared) for loss in ("patient-aware", "bce"))
    for mine, other in zip(ours.encoder.parameters(), theirs.encoder.parameters(), strict=True):
        assert torch.equal(mine, other)
    assert np.array_equal(ours.sampler.epoch_rows(), theirs.sampler.epoch_rows())


@pytest.mark.parametrize("epochs", [1, 2, 3])
def test_a_run_stopped_between_epochs_goes_on_to_the_bit(tmp_path, epochs):
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "run", on_epoch=stop_after(epochs))
    begun = RunFolder.open(tmp_path / "run")
    assert not begun.finished
    assert [epoch["epoch"] for epoch in begun.history()] == list(range(1, epochs + 1))
    told = []
    run = train(tmp_path / "run", resume=True, on_epoch=lambda log, _: told.append(log.epoch))
    assert told == list(range(epochs + 1, 4))
    assert same_but_for_time(run.path, small_run().path)


@pytest.mark.parametrize("epoch", [1, 2])
def test_a_run_stopped_within_an_epoch_goes_on_to_the_bit(tmp_path, epoch):
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "run", on_start=stop_within(epoch))
    assert len(RunFolder.open(tmp_path / "run").history()) == epoch - 1
    run = train(tmp_path / "run", resume=True)
    assert same_but_for_time(run.path, small_run().path)


@pytest.mark.parametrize("step", ["write_model", "write_probe", "write_evaluated"])
def test_a_run_stopped_while_it_is_judged_goes_on_to_the_bit(tmp_path, monkeypatch, step):
    def stopped(self, *args, **more):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(RunFolder, step, stopped)
        with pytest.raises(KeyboardInterrupt):
            train(tmp_path / "run")
    assert not RunFolder.open(tmp_path / "run").finished
    told = []
    run = train(tmp_path / "run", resume=True, on_epoch=lambda *log: told.append(log))
    assert told == []
    assert same_but_for_time(run.path, small_run().path)


def test_a_stopped_run_goes_on_by_its_checkpoint_if_metrics_were_not_yet_written(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "run", on_epoch=stop_after(3))
    (tmp_path / "run" / "metrics.jsonl").unlink()
    assert same_but_for_time(train(tmp_path / "run", resume=True).path, small_run().path)


def test_resuming_a_finished_run_does_nothing(tmp_path):
    run = train(tmp_path / "run")
    before = files_of(run.path)
    times = {name: (run.path / name).stat().st_mtime_ns for name in before}
    called = []
    again = train(tmp_path / "run", resume=True, on_start=called.append, on_epoch=called.append)
    assert again == run
    assert called == []
    assert files_of(run.path) == before
    assert {name: (run.path / name).stat().st_mtime_ns for name in before} == times


def test_resuming_what_was_not_begun_begins(tmp_path):
    (tmp_path / "run").mkdir()
    run = train(tmp_path / "run", resume=True)
    assert same_but_for_time(run.path, small_run().path)


def test_other_settings_are_refused_with_both_values(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "run", on_epoch=stop_after(1))
    before = files_of(tmp_path / "run")
    other = plan(seed=7, lr=0.25)
    with refused(RunError, tmp_path / "run", "seed 1 / 7", "train.lr 0.003 / 0.25"):
        train(tmp_path / "run", other, resume=True)
    assert files_of(tmp_path / "run") == before


def as_before_samples(run):
    """Leave the run as a version without samples left it, which scored all windows."""
    path = run / "config.json"
    stated = json.loads(path.read_text())
    assert stated["plan"]["train"].pop("score_windows") == 0
    path.write_text(json.dumps(stated))


def test_a_run_from_before_there_were_samples_goes_on_with_all_windows(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "run", on_epoch=stop_after(1))
    as_before_samples(tmp_path / "run")
    with refused(RunError, tmp_path / "run", "train.score_windows 0 / 20"):
        train(tmp_path / "run", plan(score_windows=20), resume=True)
    held = []
    run = train(tmp_path / "run", PLAN, resume=True, on_start=lambda t: held.append(t.score))
    assert len(held[0].train) == len(RRWindowSet.open(small_windows()).part("train"))
    assert run.plan == PLAN
    assert weights(run) == weights(small_run())


def test_the_probe_of_the_score_has_a_sample_and_the_one_that_is_kept_all_windows(tmp_path):
    windows = RRWindowSet.open(small_windows())
    shared = learning(windows)
    few, same = (build_trainer(plan(seed=seed, score_windows=20), shared) for seed in (1, 2))
    assert few.score is same.score
    assert len(few.score.train) == 20
    assert few.score.c == len(windows.part("train")) / 20
    assert len(few.score.validation) == len(windows.part("validation"))
    assert build_trainer(PLAN, shared).score is shared.score
    run = train(tmp_path / "run", plan(score_windows=20))
    scores, usual = ([e["score"] for e in one.history()] for one in (run, small_run()))
    assert scores != usual
    assert scores == pytest.approx(usual, abs=0.2)
    known = embed(run.encoder(), windows.part("train"))
    assert run.probe().to_dict() == fit_probe(known.pooled, known.labels).to_dict()


def test_other_windows_are_refused_and_the_same_elsewhere_are_not(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "run", on_epoch=stop_after(2))
    with refused(RunError, tmp_path / "run", "windows "):
        train(tmp_path / "run", windows=small_windows(split=2), resume=True)
    moved = rewritten(small_windows(), tmp_path / "windows", lambda windows: windows)
    for name, content in files_of(small_windows()).items():
        (moved / name).write_bytes(content)
    run = train(tmp_path / "run", windows=moved, resume=True)
    assert weights(run) == weights(small_run())


@pytest.mark.parametrize("resume", [False, True])
def test_nothing_is_overwritten(tmp_path, resume):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "thesis.txt").write_text("mine")
    with refused(TargetError, tmp_path / "run"):
        train(tmp_path / "run", resume=resume)
    assert files_of(tmp_path / "run") == {"thesis.txt": b"mine"}


def test_a_run_is_not_overwritten_unless_resumed(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "run", on_epoch=stop_after(1))
    before = files_of(tmp_path / "run")
    with refused(TargetError, tmp_path / "run"):
        train(tmp_path / "run")
    assert files_of(tmp_path / "run") == before


def test_a_damaged_checkpoint_is_told(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "run", on_epoch=stop_after(1))
    path = tmp_path / "run" / "checkpoint.pt"
    path.write_bytes(path.read_bytes()[:-100])
    with refused(TrainingError, "run/checkpoint.pt"):
        train(tmp_path / "run", resume=True)


def poisoned(windows):
    """Nonsense in every beat that test windows reach and no other does."""
    reached = np.zeros(windows.rr_ms.size, dtype=bool)
    rows = windows.table.split.is_("test")
    for start in windows.table.start[rows]:
        reached[start : start + windows.window_beats] = True
    for start in windows.table.start[~rows]:
        assert not reached[start : start + windows.window_beats].any()
    return replace(windows, rr_ms=np.where(reached, 123_456.0, windows.rr_ms).astype(np.float32))


def other_scales(windows):
    table, rows = windows.table, windows.table.split.is_("test")
    return replace(
        windows,
        table=replace(
            table,
            scale_ms=np.where(rows, 1e-3, table.scale_ms).astype(np.float32),
            rhythm=np.where(rows, 1 - table.rhythm, table.rhythm).astype(np.int8),
        ),
    )


def without_test(windows):
    return windows.select(~windows.table.split.is_("test"))


@pytest.mark.parametrize("change", [poisoned, other_scales, without_test])
def test_test_patients_never_reach_the_training(tmp_path, change):
    windows = rewritten(small_windows(), tmp_path / "windows", change)
    run, usual = train(tmp_path / "run", windows=windows), small_run()
    assert weights(run) == weights(usual)
    assert timeless(run.history()) == timeless(usual.history())
    for name in ("probe.json", "validation/evaluation.json", "validation/pooled.npy"):
        assert (run.path / name).read_bytes() == (usual.path / name).read_bytes()
    if change is without_test:
        assert list(run.evaluations()) == ["validation"]
    else:
        mine, theirs = (one.path / "test" / "evaluation.json" for one in (run, usual))
        assert mine.read_bytes() != theirs.read_bytes()


def test_the_trainer_holds_no_test_patient():
    windows = RRWindowSet.open(small_windows())
    parts = {part: windows.part(part) for part in ("train", "validation")}
    trainer = build_trainer(PLAN, learning(windows))
    assert isinstance(trainer.score, ProbeScore)
    assert trainer.windows is trainer.score.train
    for held, part in ((trainer.windows, "train"), (trainer.score.validation, "validation")):
        own = set(parts[part].table.patient.codes.tolist())
        assert set(held.subjects.tolist()) == own
        assert len(held) == len(parts[part])


def test_the_best_epoch_is_kept_and_patience_ends_the_run(tmp_path):
    seen = {}

    def tell(log, trainer):
        seen[log.epoch] = {k: v.clone() for k, v in trainer.encoder.state_dict().items()}

    run = train(tmp_path / "run", plan(seed=1, epochs=8, patience=2, lr=0.02), on_epoch=tell)
    history = run.history()
    scores = [epoch["score"] for epoch in history]
    best = scores.index(max(scores)) + 1
    assert [epoch["epoch"] for epoch in history if epoch["best"]][-1] == best
    assert len(history) == min(8, best + 2)
    assert best < len(history)
    kept = run.encoder().state_dict()
    assert all(torch.equal(kept[key], seen[best][key]) for key in kept)
    assert not all(torch.equal(kept[key], seen[len(history)][key]) for key in kept)
    judged = run.evaluated("validation")
    auroc = measure_auroc(judged.embeddings.labels, judged.probability)
    assert auroc == pytest.approx(max(scores), abs=1e-3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda w: w.select(~w.table.split.is_("validation")), "validation"),
        (lambda w: w.select(~(w.table.split.is_("train") & (w.table.rhythm == 1))), "no AF"),
        (lambda w: w.select(~(w.table.split.is_("test") & (w.table.rhythm == 1))), "test"),
    ],
)
def test_windows_that_cannot_be_learned_from_or_judged_on_are_refused(tmp_path, change, message):
    windows = rewritten(small_windows(), tmp_path / "windows", change)
    with refused(RunError, windows, message, "--split.seed"):
        train(tmp_path / "run", windows=windows)
    assert not (tmp_path / "run").exists()


def test_too_few_windows_for_a_batch_are_told_before_anything_is_written(tmp_path):
    with refused(SamplerError, 8):
        train(tmp_path / "run", replace(PLAN, sampler=replace(PLAN.sampler, subjects=8)))
    assert not (tmp_path / "run").exists()


# ---------------------------------------------------------------- nothing chosen, and faults

LAST = replace(
    PLAN,
    sampler=SamplerSettings(subjects=2, windows=4, one_class=True, turns=3),
    encoder=replace(PLAN.encoder, view="relative"),
    augmentation=RRAugmentationSettings(faults=0.5),
    train=replace(PLAN.train, keep="last", patience=1),
)


def without(*parts):
    def change(windows):
        kept = np.ones(len(windows), dtype=bool)
        for part in parts:
            kept &= ~windows.table.split.is_(part)
        return windows.select(kept)

    return change


def windows_in_ms(*lacking, change=lambda windows: windows):
    """The small windows, scaled by nobody and without some parts."""

    def unscaled(windows):
        windows = change(without(*lacking)(windows))
        nothing = np.zeros(len(windows), np.float32)
        table = replace(windows.table, centre_ms=nothing, scale_ms=nothing + 1)
        return replace(windows, table=table)

    path = place() / "-".join(["windows-in-ms", change.__name__.strip("<>"), *lacking])
    return path if path.exists() else rewritten(small_windows(), path, unscaled)


def last_run():
    """A finished run whose windows have no validation part; not to be changed."""
    path = place() / "last-weights"
    if path.exists():
        return RunFolder.open(path)
    return train(path, LAST, windows=windows_in_ms("validation"))


def test_a_run_that_keeps_its_last_weights_needs_no_validation(tmp_path):
    seen = []

    def tell(log, trainer):
        assert trainer.score is None
        seen.append({k: v.clone() for k, v in trainer.encoder.state_dict().items()})

    run = train(tmp_path / "run", LAST, windows=windows_in_ms("validation"), on_epoch=tell)
    assert run.finished
    assert [epoch["score"] for epoch in run.history()] == [None] * 3
    assert all(epoch["best"] for epoch in run.history())
    kept = run.encoder().state_dict()
    assert run.encoder().config["view"] == "relative"
    assert all(torch.equal(kept[key], seen[-1][key]) for key in kept)
    assert not all(torch.equal(kept[key], seen[0][key]) for key in kept)
    assert list(run.evaluations()) == ["test"]
    judged = run.evaluated("test")
    probability = run.probe().probability(judged.embeddings.pooled)
    assert np.allclose(judged.probability, probability, rtol=0, atol=1e-6)
    assert 0 <= measure_auroc(judged.embeddings.labels, judged.probability) <= 1
    assert same_but_for_time(run.path, last_run().path)


def test_a_run_without_anybody_to_judge_on_is_finished_with_its_probe(tmp_path):
    run = train(tmp_path / "run", LAST, windows=windows_in_ms("validation", "test"))
    assert run.finished
    assert run.evaluations() == {}
    assert weights(run) == weights(last_run())
    assert (run.path / "probe.json").read_bytes() == (last_run().path / "probe.json").read_bytes()


def test_validation_patients_do_not_reach_a_run_that_keeps_its_last_weights(tmp_path):
    run = train(tmp_path / "run", LAST, windows=windows_in_ms())
    assert weights(run) == weights(last_run())
    assert timeless(run.history()) == timeless(last_run().history())
    assert sorted(run.evaluations()) == ["test", "validation"]  # but they are judged on
    windows = RRWindowSet.open(windows_in_ms())
    trained, chosen_by = parts_to_learn(windows, windows_in_ms(), choose=False)
    assert chosen_by is None
    held = LearningWindows.of(trained, chosen_by, torch.device("cpu"))
    assert held.score is None
    assert np.array_equal(held.seen, seen_beats(windows.part("train")))
    assert set(held.seen.tolist()) < set(learning(windows).seen.tolist())
    own = set(windows.part("train").table.patient.codes.tolist())
    assert set(build_trainer(LAST, held).windows.subjects.tolist()) == own


@pytest.mark.parametrize("stop", [{"on_epoch": stop_after(2)}, {"on_start": stop_within(2)}])
def test_a_run_with_faults_that_keeps_its_last_weights_goes_on_to_the_bit(tmp_path, stop):
    windows = windows_in_ms("validation")
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "run", LAST, windows=windows, **stop)
    assert not RunFolder.open(tmp_path / "run").finished
    run = train(tmp_path / "run", LAST, windows=windows, resume=True)
    assert same_but_for_time(run.path, last_run().path)


def test_what_is_kept_and_faults_are_settings_like_others(tmp_path):
    windows = windows_in_ms()
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "run", LAST, windows=windows, on_epoch=stop_after(1))
    train_best = replace(LAST.train, keep="best")
    other = replace(LAST, train=train_best, augmentation=RRAugmentationSettings(0.1, 0.25))
    with refused(RunError, "train.keep last / best", "augmentation.faults 0.5 / 0.25"):
        train(tmp_path / "run", other, windows=windows, resume=True)


def test_each_new_setting_goes_where_it_belongs():
    windows = RRWindowSet.open(windows_in_ms())
    trainer = build_trainer(LAST, learning(windows))
    assert (trainer.sampler.one_class, trainer.sampler.most_turns) == (True, 3)
    assert (trainer.augmentation.faults, trainer.score) == (0.5, None)
    assert trainer.encoder.config["view"] == "relative"
    plain = build_trainer(PLAN, learning(windows))
    assert (plain.sampler.one_class, plain.sampler.most_turns, plain.augmentation) == (
        False,
        None,
        None,
    )
    assert isinstance(plain.score, ProbeScore)


def test_the_best_weights_cannot_be_kept_without_validation():
    train_part = RRWindowSet.open(small_windows()).part("train")
    held = LearningWindows.of(train_part, None, torch.device("cpu"))
    with refused(TrainingError, "'best'", "score"):
        build_trainer(PLAN, held)


def test_scaled_windows_for_a_relative_view_are_told_before_anything_is_written(tmp_path):
    with refused(RunError, "relative", "--protocol"):
        train(tmp_path / "run", LAST)
    assert not (tmp_path / "run").exists()


def test_faults_in_scaled_windows_are_told_before_anything_is_written(tmp_path):
    given = replace(LAST, encoder=replace(LAST.encoder, view="given"))
    with refused(TrainingError, "--protocol"):
        train(tmp_path / "run", given)
    assert not (tmp_path / "run").exists()


def only_sr_in(part):
    def change(windows):
        table = windows.table
        return windows.select(~(table.split.is_(part) & (table.rhythm == 1)))

    change.__name__ = f"only-sr-in-{part}"
    return change


@pytest.mark.parametrize("part", ["train", "validation", "test"])
def test_a_part_of_one_class_is_refused_also_where_nothing_is_chosen(tmp_path, part):
    """All parts that are there are judged on in the end, which needs both classes."""
    windows = windows_in_ms(change=only_sr_in(part))
    with refused(RunError, part, "no AF"):
        train(tmp_path / "run", LAST, windows=windows)
    assert not (tmp_path / "run").exists()


def test_a_run_without_scores_can_be_drawn():
    histories = {"patient-aware": [last_run().history()], "bce": [small_run().history()]}
    curves = compute_curves(histories)
    (curve,) = curves["patient-aware"]
    assert curve.epochs == (1, 2, 3)
    assert np.isnan(curve.score).all()
    assert np.isfinite(curve.loss).all()
    assert curve.best == 3
    figure = draw_curves(curves)
    assert len(figure.axes) == 4
    alone = draw_curves(compute_curves({"patient-aware": [last_run().history()]}))
    assert len(alone.axes) == 2


def test_the_shared_runs_were_left_alone():
    """Whoever changes a run that all tests share should hear of it."""
    assert small_run().path.parent == place()
    assert small_run().finished
