"""One run: a loss and a seed, from a window set to a judged encoder (2.2-2.4, 3, App. B)."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from pacl.axes import Array, UInt64
from pacl.evaluation import Predictions, ProbeScore, embed, fit_probe
from pacl.models import Encoder
from pacl.objectives import Objective, make_objective
from pacl.stored import fitted
from pacl.studies.errors import RunError
from pacl.studies.folder import RunFolder
from pacl.studies.lock import sole_worker
from pacl.studies.plan import Plan
from pacl.studies.provenance import (
    WindowsOrigin,
    check_scaling,
    open_windows,
    seen_beats,
    usable_device,
)
from pacl.training import (
    EpochLog,
    LabelledWindows,
    PatientSampler,
    Trainer,
    load_checkpoint,
    save_checkpoint,
)
from pacl.training.loop import Seeds
from pacl.windows import WindowSet

Tell = Callable[[EpochLog, Trainer], None]
"""Called after each epoch."""


def build_model(plan: Plan) -> tuple[Encoder, Objective]:
    """The encoder and the objective before the first step."""
    generator = Seeds.of(plan.seed).of_weights()
    encoder = Encoder(**asdict(plan.encoder), generator=generator)
    objective = make_objective(
        plan.loss,
        **asdict(plan.objective),
        features=(
            plan.encoder.pooled_features
            if plan.loss == "bce" and plan.objective.head_on == "pooled_raw"
            else plan.encoder.projected_features
        ),
        generator=generator,
    )
    return encoder, objective


@dataclass(frozen=True, eq=False, slots=True)
class LearningWindows:
    """What runs may learn from and be chosen by, on a device once: no window of a test patient."""

    train: WindowSet
    on_device: LabelledWindows
    score: ProbeScore | None
    seen: UInt64[Array, "print"]
    """Fingerprints of the beats of both parts."""

    @classmethod
    def of(
        cls, train: WindowSet, validation: WindowSet | None, device: torch.device
    ) -> "LearningWindows":
        """Copy both parts to a device; without validation nothing can be chosen."""
        on_device = LabelledWindows.of(train, device)
        if validation is None:
            return cls(train, on_device, None, seen_beats(train))
        score = ProbeScore(on_device, LabelledWindows.of(validation, device))
        return cls(train, on_device, score, seen_beats(train, validation))


def build_trainer(plan: Plan, windows: LearningWindows) -> Trainer:
    """All that learns, and the windows it may see."""
    seeds = Seeds.of(plan.seed)
    encoder, objective = build_model(plan)
    return Trainer(
        encoder,
        objective,
        windows.on_device,
        PatientSampler.of(
            windows.train,
            generator=np.random.default_rng(seeds.batches),
            patients_per_batch=plan.sampler.patients,
            windows_per_class=plan.sampler.windows,
            one_class=plan.sampler.one_class,
            most_turns=plan.sampler.turns,
        ),
        windows.score if plan.train.keep == "best" else None,
        generator=torch.Generator(windows.on_device.device).manual_seed(seeds.dropout),
        **asdict(plan.train),
    )


@dataclass(frozen=True, eq=False, slots=True)
class RunUnderWay:
    """A run's folder, what trains in it, and what came of each epoch so far."""

    folder: RunFolder
    trainer: Trainer
    history: list[dict[str, Any]]

    @classmethod
    def begin(
        cls,
        target: Path,
        plan: Plan,
        windows: LearningWindows,
        origin: WindowsOrigin,
        *,
        resume: bool,
    ) -> "RunUnderWay":
        """Make the folder of a run, or go on with one that is there."""
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
        """Keep everything that is needed to go on from here."""
        state = {"trainer": self.trainer.state_dict(), "history": self.history}
        save_checkpoint(self.folder.checkpoint, state)
        self.folder.write_history(self.history)

    def finish(self, windows: WindowSet) -> RunFolder:
        """Keep the best weights and judge them; now the test patients are looked at.

        A run that is trained already is judged only if a part of that was lost.
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
    begin: Callable[[Trainer], None] | None = None,
    tell: Tell | None = None,
) -> RunFolder:
    """Train, fit the probe, judge on validation and test patients, and keep it all in a folder.

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
        Go on with a run that was interrupted; begin one if there is none.
    begin, tell
        Called before the first epoch, and after each.
    """
    on = usable_device(device)
    found, origin = open_windows(Path(windows))
    plan = plan or Plan()
    check_scaling(plan.encoder.view, found, Path(windows))
    choose = plan.train.keep == "best"
    learning = LearningWindows.of(*parts_to_learn(found, Path(windows), choose=choose), on)
    with sole_worker(target):
        run = RunUnderWay.begin(Path(target), plan, learning, origin, resume=resume)
        if run.folder.trained:
            return run.finish(found)
        if begin is not None:
            begin(run.trainer)
        for log in run.trainer:
            run.history.append(asdict(log))
            run.save()
            if tell is not None:
                tell(log, run.trainer)
        return run.finish(found)


def judge(run: RunFolder, windows: WindowSet, device: torch.device) -> None:
    """Fit the probe on the training windows, and judge on every other part."""
    encoder = run.encoder(device)
    known = embed(encoder, windows.part("train"), device=device)
    probe = fit_probe(known.pooled, known.labels)
    run.write_probe(probe)
    for part in ("validation", "test"):
        if part in windows.table.split.present():
            unseen = embed(encoder, windows.part(part), device=device)
            run.write_evaluated(part, Predictions.by_probe(probe, unseen))


def parts_to_learn(
    windows: WindowSet, path: Path, *, choose: bool = True
) -> tuple[WindowSet, WindowSet | None]:
    """What to train on, and what to choose weights by if that is to be done.

    Refuses a set on which the run could not be judged in the end.
    """
    counts = windows.count()
    needed = {"train", "validation"} if choose else {"train"}
    for part in ("train", "validation", "test"):
        if part not in needed | counts.keys():
            continue
        lacking = [
            name for name, count in counts.get(part, {"SR": 0, "AF": 0}).items() if not count
        ]
        if lacking:
            raise RunError(
                path,
                f"its {part} part has no {' and no '.join(lacking)} windows",
                "prepare it with another --split.seed, or with more patients",
            )
    return windows.part("train"), windows.part("validation") if choose else None


def _folder_to_resume(target: Path, plan: Plan, digest: str) -> RunFolder:
    run = RunFolder.open(target)
    if differ := run.plan.differences(plan):
        raise RunError(
            target,
            f"it was begun with other settings (then / now): {', '.join(differ)}",
            "give the same settings, or another folder",
        )
    if run.origin is None or run.origin.digest != digest:
        raise RunError(
            target, "it was begun on other windows", "give the same window set, or another folder"
        )
    return run
