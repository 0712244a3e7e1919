"""Many runs trained as a fleet; each folder is as if the run was trained alone."""

import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

from pacl.atomic_write import check_new
from pacl.evaluation import StackedProbeScore
from pacl.locks import sole_worker
from pacl.settings import Plan
from pacl.studies.errors import RunError
from pacl.studies.folder import RunFolder, check_name
from pacl.studies.provenance import check_scaling, open_windows
from pacl.studies.run import LearningWindows, RunUnderWay, build_trainer, parts_to_learn
from pacl.training import EpochLog, Fleet, TrainingError, check_fleet, usable_device

SAVE_EVERY_S = 30.0


def train_fleet(
    windows: Path | str | Mapping[str, Path],
    target: Path | str,
    plans: Mapping[str, Plan],
    *,
    device: str = "auto",
    resume: bool = False,
    save_every_s: float = SAVE_EVERY_S,
    on_epoch: Callable[[dict[str, EpochLog]], None] | None = None,
    on_finished: Callable[[str], None] | None = None,
) -> dict[str, RunFolder]:
    """Train several plans at once and evaluate each, in a folder of its name in `target`.

    Parameters
    ----------
    windows
        A window set, as `prepare` wrote it; or the set of each run by its name, such as folds.
    target
        Where the runs' folders go.
    plans
        What to train, by the name of its folder. Their encoders and batch sizes agree.
    device
        `cpu`, `cuda`, or `auto`: a GPU where there is one.
    resume
        Resume interrupted runs, and start the others.
    save_every_s
        Seconds between two checkpoints.
    on_epoch
        Called after each epoch of the fleet with the logs of all runs still training.
    on_finished
        Called with the name of each run that is trained and evaluated.
    """
    on = usable_device(device)
    if isinstance(windows, Mapping) and (lacking := sorted(plans.keys() - windows.keys())):
        raise RunError(Path(target), f"no windows for {', '.join(lacking)}", "name a set for each")
    of_run = {
        name: Path(windows[name] if isinstance(windows, Mapping) else windows) for name in plans
    }
    found = {path: open_windows(path) for path in dict.fromkeys(of_run.values())}
    for name, plan in plans.items():
        check_scaling(plan.view, found[of_run[name]][0], of_run[name])
    choose = any(plan.train.keep == "best" for plan in plans.values())
    learning = {
        path: LearningWindows.of(*parts_to_learn(one, path, choose=choose), on)
        for path, (one, _) in found.items()
    }
    for name in plans:
        check_name(name, Path(target) / name)
        if not resume:
            check_new(Path(target) / name)
    trainers = [build_trainer(plan, learning[of_run[name]]) for name, plan in plans.items()]
    check_fleet(trainers, list(plans))
    with ExitStack() as alone:
        for name in plans:
            alone.enter_context(sole_worker(Path(target) / name))
        started = {}
        for name, plan in plans.items():
            path = of_run[name]
            started[name] = RunUnderWay.start(
                Path(target) / name, plan, learning[path], found[path][1], resume=resume
            )
        under_way = {name: run for name, run in started.items() if not run.folder.trained}
        scores = [learning[of_run[name]].score_of(plans[name]) for name in under_way]
        judges = [one for one in scores if one is not None]
        score = StackedProbeScore(judges) if choose else None
        failed = _train(under_way, score, save_every_s, on_epoch) if under_way else {}
        for name, run in started.items():
            if name not in failed:
                run.finish(found[of_run[name]][0])
                if on_finished is not None:
                    on_finished(name)
        if failed:
            raise RunError(
                Path(target),
                f"{len(failed)} of {len(plans)} runs failed: "
                + "; ".join(str(error) for error in failed.values()),
                "the others are finished; give these other settings, in folders of their own",
            )
        return {name: run.folder for name, run in started.items()}


def _train(
    runs: Mapping[str, RunUnderWay],
    score: StackedProbeScore | None,
    save_every_s: float,
    on_epoch: Callable[[dict[str, EpochLog]], None] | None,
) -> dict[str, TrainingError]:
    """Train all; the errors of runs that failed."""
    names = list(runs)
    fleet = Fleet([run.trainer for run in runs.values()], score, names=names)
    saved = time.monotonic()
    for logs in fleet:
        for at, log in logs.items():
            runs[names[at]].history.append(asdict(log))
        if time.monotonic() - saved > save_every_s:
            fleet.sync()
            for at, run in enumerate(runs.values()):
                if at not in fleet.failed:
                    run.save()
            saved = time.monotonic()
        if on_epoch is not None:
            on_epoch({names[at]: log for at, log in logs.items()})
    for at, run in enumerate(runs.values()):
        if at not in fleet.failed:
            run.save()
    return {names[at]: error for at, error in fleet.failed.items()}
