"""One run: a loss and a seed, from a window set to a judged encoder (2.2-2.4, 3, App. B)."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch

from pacl.evaluation import Evaluated, ProbeScore, embed, fit_probe
from pacl.models import Encoder
from pacl.objectives import Objective, make_objective
from pacl.studies.errors import RunError
from pacl.studies.folder import RunFolder
from pacl.studies.plan import Plan
from pacl.studies.provenance import open_windows, usable_device
from pacl.training import (
    EpochLog,
    LabelledWindows,
    PatientSampler,
    Trainer,
    load_checkpoint,
    save_checkpoint,
)
from pacl.windows import WindowSet

Tell = Callable[[EpochLog, Trainer], None]
"""Called after each epoch."""


@dataclass(frozen=True, slots=True)
class Seeds:
    """The three sources of chance in a run, each with a stream of its own."""

    weights: int
    batches: int
    dropout: int

    @classmethod
    def of(cls, seed: int) -> "Seeds":
        """Streams that all follow from one seed."""
        state = np.random.SeedSequence(seed).generate_state(3, np.uint64)
        return cls(*(int(value >> np.uint64(1)) for value in state))


def build_model(plan: Plan) -> tuple[Encoder, Objective]:
    """The encoder and the objective before the first step."""
    generator = torch.Generator().manual_seed(Seeds.of(plan.seed).weights)
    encoder = Encoder(**asdict(plan.encoder), generator=generator)
    objective = make_objective(
        plan.loss,
        **asdict(plan.objective),
        features=(
            plan.encoder.pooled_features
            if plan.objective.head_on == "pooled_raw"
            else plan.encoder.projected_features
        ),
        generator=generator,
    )
    return encoder, objective


def build_trainer(
    plan: Plan, train: WindowSet, validation: WindowSet, device: torch.device
) -> Trainer:
    """All that learns, and the windows it may see: never those of test patients."""
    seeds = Seeds.of(plan.seed)
    encoder, objective = build_model(plan)
    windows = LabelledWindows.of(train, device)
    return Trainer(
        encoder,
        objective,
        windows,
        PatientSampler.of(
            train,
            generator=np.random.default_rng(seeds.batches),
            patients_per_batch=plan.sampler.patients,
            windows_per_class=plan.sampler.windows,
        ),
        ProbeScore(windows, LabelledWindows.of(validation, device)),
        generator=torch.Generator(device).manual_seed(seeds.dropout),
        **asdict(plan.train),
    )


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
    target, plan = Path(target), plan or Plan()
    on = usable_device(device)
    found, origin = open_windows(Path(windows))
    train, validation = _parts_to_learn(found, Path(windows))
    trainer = build_trainer(plan, train, validation, on)
    if resume and (target / "config.json").exists():
        run = _run_to_resume(target, plan, origin.digest)
    else:
        run = RunFolder.create(target, plan, origin=origin, device=on)
    if run.finished:
        return run
    history: list[dict[str, object]] = []
    if run.checkpoint.exists():
        state = load_checkpoint(run.checkpoint, on)
        trainer.load_state_dict(state["trainer"])
        history = state["history"]
    if begin is not None:
        begin(trainer)
    for log in trainer:
        history.append(asdict(log))
        save_checkpoint(run.checkpoint, {"trainer": trainer.state_dict(), "history": history})
        run.write_history(history)
        if tell is not None:
            tell(log, trainer)
    trainer.restore_best()
    run.write_history(history)
    run.write_model(trainer.encoder, trainer.objective)
    judge(run, found, on)
    run.checkpoint.unlink(missing_ok=True)
    return run


def judge(run: RunFolder, windows: WindowSet, device: torch.device) -> None:
    """Fit the probe on the training windows, and judge on every other part."""
    encoder = run.encoder(device)
    known = embed(encoder, windows.part("train"), device=device)
    probe = fit_probe(known.pooled, known.labels)
    run.write_probe(probe)
    for part in ("validation", "test"):
        if part in windows.table.split.present():
            unseen = embed(encoder, windows.part(part), device=device)
            run.write_evaluated(part, Evaluated.by(probe, unseen))


def _parts_to_learn(windows: WindowSet, path: Path) -> tuple[WindowSet, WindowSet]:
    """What to train on; refuses a set on which the run could not be judged in the end."""
    counts = windows.count()
    for part in ("train", "validation", *({"test"} & counts.keys())):
        lacking = [
            name for name, count in counts.get(part, {"SR": 0, "AF": 0}).items() if not count
        ]
        if lacking:
            raise RunError(
                path,
                f"its {part} part has no {' and no '.join(lacking)} windows",
                "prepare it with another --split.seed, or with more patients",
            )
    return windows.part("train"), windows.part("validation")


def _run_to_resume(target: Path, plan: Plan, digest: str) -> RunFolder:
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
