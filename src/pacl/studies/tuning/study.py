"""The Optuna study of a search: where its trials are kept, and its name."""

import hashlib
import json
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pacl.errors import PaclError
from pacl.rr import Cut
from pacl.settings import LOSSES, Plan
from pacl.stored import build
from pacl.studies.errors import TuningError
from pacl.studies.study_folder import FILE, start_study
from pacl.studies.tuning.space import flat_settings
from pacl.studies.tuning.storage_url import masked

if TYPE_CHECKING:
    from optuna.pruners import BasePruner
    from optuna.samplers import BaseSampler
    from optuna.storages import BaseStorage
    from optuna.study import Study

Pruner = Literal["median", "halving", "none"]
WARMUP_EPOCHS = 3
"""No trial is pruned before."""
EARLY = {"windows", "workers", "journal.log", "journal.lock"}
"""What other workers on the same folder may have made already."""


@contextmanager
def quiet_optuna() -> Iterator[None]:
    """Silence Optuna's own log for a while."""
    from optuna import logging

    before = logging.get_verbosity()
    logging.set_verbosity(logging.ERROR)  # it warns of lost connections, for which we wait
    try:
        yield
    finally:
        logging.set_verbosity(before)


def open_study(
    target: Path,
    about: Mapping[str, Any],
    *,
    url: str | None,
    sampler: "BaseSampler",
    pruner: Pruner,
) -> "Study":
    """Open the study of a folder, or start it; refuses a study with other settings.

    Its name follows from `about`, so that workers with the same settings and windows share it.
    """
    import optuna

    name = study_name(about)
    start_study(target, "tune", {"study": name, **about}, results=None, upgrade=_upgraded)
    with warnings.catch_warnings(), _refusing(target / "journal.log", url):
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        return optuna.create_study(
            storage=_open_storage(target, url),
            study_name=name,
            direction="maximize",
            load_if_exists=True,
            sampler=sampler,
            pruner=_pruner(pruner),
        )


def check_target(target: Path) -> None:
    """Refuse a folder that holds other things than a search."""
    if target.is_file():
        raise TuningError(target, "it is a file", "name a folder for the search")
    if target.is_dir() and not (target / FILE).exists():
        names = {path.name for path in target.iterdir() if not path.name.startswith(".")}
        if others := sorted(names - EARLY):
            raise TuningError(target, f"it holds {others[0]}", "name a new or an empty folder")


def study_name(about: Mapping[str, Any]) -> str:
    """The name of a study, the same as in earlier versions for the same settings."""
    stated = dict(about)
    former = {today: old for old, today in LOSSES.aliases.items()}
    stated["loss"] = loss = former.get(stated["loss"], stated["loss"])
    stated["sampler.patients"] = stated.pop("sampler.subjects")
    for old in ("respiratory_arrhythmia", "faults"):
        share = stated.pop(f"augmentation.{old}", 0.0)
        stated["train.breath" if old != "faults" else "train.faults"] = share
    for key, usual in {"encoder.name": "branches", "augmentation.name": None}.items():
        if stated.get(key) in (usual, "none", "rr"):
            del stated[key]
    # The first version had no memory, and no sample of windows in the score.
    for key in ("objective.memory", "objective.memory_begins", "train.score_windows"):
        if not stated.get(key, 1):
            del stated[key]
    text = json.dumps(stated, sort_keys=True, default=str)
    return f"pacl {loss} {about['space']} {hashlib.sha256(text.encode()).hexdigest()[:12]}"


def _upgraded(then: dict[str, Any]) -> dict[str, Any]:
    """The identity in a folder as this version writes it: new settings have their defaults."""
    nested: dict[str, Any] = {key: then.pop(key) for key in ("loss", "seed") if key in then}
    for key in list(then):
        part, dot, name = key.partition(".")
        if dot:
            nested.setdefault(part, {})[name] = then.pop(key)
    cut = build(Cut, nested.pop("window", {}))
    plan = Plan.from_dict(nested)
    return {**flat_settings(plan, cut), **then, "loss": LOSSES.canonical(plan.loss)}


def _open_storage(target: Path, url: str | None) -> "BaseStorage":
    if url is None:
        from pacl.studies.tuning.journal import open_journal

        return open_journal(target / "journal.log")
    from pacl.studies.tuning.storage import open_storage

    return open_storage(url)


@contextmanager
def _refusing(journal: Path, url: str | None) -> Iterator[None]:
    """Name the storage that cannot be used: each kind has its own errors."""
    try:
        yield
    except (PaclError, OSError):
        raise
    except Exception as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        if url is None:
            raise TuningError(
                journal, f"cannot be read ({reason})", "name another folder"
            ) from error
        raise TuningError(
            f"storage {masked(url)}",
            f"cannot be used ({type(error).__name__})",
            "if another program made it, name another database",
        ) from None


def _pruner(name: Pruner) -> "BasePruner":
    from optuna import pruners

    if name == "median":
        return pruners.MedianPruner(n_startup_trials=5, n_warmup_steps=WARMUP_EPOCHS)
    if name == "halving":
        return pruners.SuccessiveHalvingPruner(min_resource=WARMUP_EPOCHS)
    return pruners.NopPruner()
