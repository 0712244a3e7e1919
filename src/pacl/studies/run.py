"""One run: a loss and a seed, from a window set to an evaluated encoder (2.2-2.4, 3, App. B)."""

from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch

from pacl.axes import Array, UInt64
from pacl.evaluation import Predictions, ProbeScore, embed, fit_probe
from pacl.locks import sole_worker
from pacl.settings import Plan
from pacl.stored import fitted
from pacl.studies.errors import RunError
from pacl.studies.folder import RunFolder
from pacl.studies.provenance import WindowsOrigin, check_scaling, open_windows, seen_beats
from pacl.studies.study_folder import other_study
from pacl.training import (
    EpochLog,
    LabelledWindows,
    Trainer,
    load_checkpoint,
    planned_model,
    planned_trainer,
    save_checkpoint,
    usable_device,
)
from pacl.window_sets import AnyWindowSet

build_model = planned_model


@dataclass(frozen=True, eq=False, slots=True)
class LearningWindows:
    """Training and validation windows on a device, without windows of test patients."""

    train: AnyWindowSet
    on_device: LabelledWindows
    score: ProbeScore | None
    """On all training windows; None without validation windows."""
    seen: UInt64[Array, "print"]
    """Fingerprints of the beats of both parts."""
    on_samples: dict[int, ProbeScore] = field(default_factory=dict)
    """Scores on a sample, by its size: runs that share one are scored together."""

    @classmethod
    def of(
        cls, train: AnyWindowSet, validation: AnyWindowSet | None, device: torch.device
    ) -> "LearningWindows":
        """Copy both parts to a device; without validation windows there is no score."""
        on_device = LabelledWindows.of(train, device)
        if validation is None:
            return cls(train, on_device, None, seen_beats(train))
        score = ProbeScore(on_device, LabelledWindows.of(validation, device))
        return cls(train, on_device, score, seen_beats(train, validation))

    def score_of(self, plan: Plan) -> ProbeScore | None:
        """The score by which a plan chooses weights, the same for plans with the same sample."""
        most = plan.train.score_windows
        if self.score is None or most == 0:
            return self.score
        if most not in self.on_samples:
            self.on_samples[most] = ProbeScore(self.on_device, self.score.validation, most)
        return self.on_samples[most]


def build_trainer(plan: Plan, windows: LearningWindows) -> Trainer:
    """The trainer of a plan."""
    return planned_trainer(plan, windows.train, windows.on_device, windows.score_of(plan))


@dataclass(frozen=True, eq=False, slots=True)
class RunUnderWay:
    """A run's folder, its trainer, and the log of each epoch so far."""

    folder: RunFolder
    trainer: Trainer
    history: list[dict[str, Any]]

    @classmethod
    def start(
        cls,
        target: Path,
        plan: Plan,
        windows: LearningWindows,
        origin: WindowsOrigin,
        *,
        resume: bool,
    ) -> "RunUnderWay":
        """Make the folder of a run, or resume the one that is there."""
        trainer = build_trainer(plan, windows)
        device = windows.on_device.device
        if not (resume and (target / "config.json").exists()):
            folder = RunFolder.create(target, plan, seen=windows.seen, origin=origin, device=device)
            return cls(folder, trainer, [])
        folder = _folder_to_resume(target, plan, origin.digest)
        if not folder.checkpoint.exists():
            return cls(folder, trainer, [])
        state = load_checkpoint(folder.checkpoint, device)
        try:
            trainer.load_state_dict(state["trainer"])
            history = [asdict(log) for log in fitted(list[EpochLog], state["history"])]
            return cls(folder, trainer, history)
        except (LookupError, AttributeError, TypeError, ValueError, RuntimeError) as error:
            raise RunError(
                folder.checkpoint,
                f"not a state of this run ({error})",
                "remove the run's folder and train again",
            ) from error

    def save(self) -> None:
        """Keep all that is needed to resume from here."""
        state = {"trainer": self.trainer.state_dict(), "history": self.history}
        save_checkpoint(self.folder.checkpoint, state)
        self.folder.write_history(self.history)

    def finish(self, windows: AnyWindowSet) -> RunFolder:
        """Keep the best weights and evaluate them; the test patients are used here first.

        A run that is trained already is evaluated only if files of the evaluation are missing.
        """
        if not self.folder.trained:
            self.trainer.restore_best()
            self.folder.write_history(self.history)
            self.folder.write_model(self.trainer.encoder, self.trainer.objective)
        elif self.folder.finished:
            return self.folder
        judge(self.folder, windows, self.trainer.windows.device)
        self.folder.checkpoint.unlink(missing_ok=True)
        return self.folder


def train_run(
    windows: Path | str,
    target: Path | str,
    plan: Plan | None = None,
    *,
    device: str = "auto",
    resume: bool = False,
    on_start: Callable[[Trainer], None] | None = None,
    on_epoch: Callable[[EpochLog, Trainer], None] | None = None,
) -> RunFolder:
    """Train, fit the probe, evaluate on validation and test patients; keep all in a folder.

    Parameters
    ----------
    windows
        A window set, as `prepare` wrote it.
    target
        Folder of the run; new or empty, unless resumed.
    plan
        What to train; the paper's defaults if not given.
    device
        `cpu`, `cuda`, or `auto`: a GPU where there is one.
    resume
        Resume an interrupted run; start one if there is none.
    on_start, on_epoch
        Called before the first epoch, and after each.
    """
    on = usable_device(device)
    found, origin = open_windows(Path(windows))
    plan = plan or Plan()
    check_scaling(plan.view, found, Path(windows))
    choose = plan.train.keep == "best"
    learning = LearningWindows.of(*parts_to_learn(found, Path(windows), choose=choose), on)
    with sole_worker(target):
        run = RunUnderWay.start(Path(target), plan, learning, origin, resume=resume)
        if run.folder.trained:
            return run.finish(found)
        if on_start is not None:
            on_start(run.trainer)
        for log in run.trainer:
            run.history.append(asdict(log))
            run.save()
            if on_epoch is not None:
                on_epoch(log, run.trainer)
        return run.finish(found)


def judge(run: RunFolder, windows: AnyWindowSet, device: torch.device) -> None:
    """Fit the probe on the training windows, and evaluate on the other parts."""
    encoder = run.encoder(device)
    known = embed(encoder, windows.part("train"), device=device)
    probe = fit_probe(known.pooled, known.labels)
    run.write_probe(probe)
    for part in ("validation", "test"):
        if part in windows.table.split.present():
            unseen = embed(encoder, windows.part(part), device=device)
            run.write_evaluated(part, Predictions.by_probe(probe, unseen))


def parts_to_learn(
    windows: AnyWindowSet, path: Path, *, choose: bool = True
) -> tuple[AnyWindowSet, AnyWindowSet | None]:
    """The training part, and the validation part if weights are chosen by it.

    Refuses a set on which the run could not be evaluated in the end.
    """
    needed = {"train", "validation"} if choose else {"train"}
    check_parts(windows, path, needed | windows.count().keys())
    return windows.part("train"), windows.part("validation") if choose else None


def check_parts(windows: AnyWindowSet, path: Path, needed: Collection[str]) -> None:
    """Refuse a set of which a part has no windows of a class."""
    counts = windows.count()
    for part in ("train", "validation", "test"):
        found = counts.get(part, dict.fromkeys(windows.class_names, 0))
        lacking = [name for name, count in found.items() if not count]
        if part in needed and lacking:
            raise RunError(
                path,
                f"its {part} part has no {' and no '.join(lacking)} windows",
                "prepare it with another --split.seed, or with more patients",
            )


def _folder_to_resume(target: Path, plan: Plan, digest: str) -> RunFolder:
    run = RunFolder.open(target)
    differ = run.plan.differences(plan)
    if run.origin is None or run.origin.digest != digest:
        differ.append(f"windows {run.origin and run.origin.digest} / {digest}")
    if differ:
        raise other_study(target, differ)
    return run
