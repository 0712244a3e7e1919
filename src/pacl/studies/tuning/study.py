"""The study of a tuning: where its trials are kept, and what it must be to be gone on with."""

import hashlib
import json
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from pacl.atomic_write import atomic_write
from pacl.errors import PaclError
from pacl.stored import as_read, read_json
from pacl.studies.provenance import as_json
from pacl.studies.tuning.errors import TuningError

if TYPE_CHECKING:
    from optuna.pruners import BasePruner
    from optuna.samplers import BaseSampler
    from optuna.storages import BaseStorage
    from optuna.study import Study

Pruner = Literal["median", "halving", "none"]
WARMUP_EPOCHS = 3
"""No trial is pruned before."""


@contextmanager
def quiet_optuna() -> Iterator[None]:
    """Keep Optuna from telling what is told here, and leave it as it was found."""
    from optuna import logging

    before = logging.get_verbosity()
    logging.set_verbosity(logging.WARNING)
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
    """Open the study of a folder, or begin it; refuses one that was begun with other settings.

    Its name follows from `about`, so that workers given the same settings and windows share it.
    """
    import optuna

    _check_same(target, about)
    text = json.dumps(about, sort_keys=True, default=str)
    name = f"pacl {about['loss']} {about['space']} {hashlib.sha256(text.encode()).hexdigest()[:12]}"
    with warnings.catch_warnings(), _refusing(target, url):
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        study = optuna.create_study(
            storage=_open_storage(target, url),
            study_name=name,
            direction="maximize",
            load_if_exists=True,
            sampler=sampler,
            pruner=_pruner(pruner),
        )
    atomic_write(target / "study.json", as_json({"study": name, "about": about}))
    return study


def _check_same(target: Path, about: Mapping[str, Any]) -> None:
    path = target / "study.json"
    if not path.exists():
        return
    then = read_json(path, _Stated, _other_folder)["about"]
    now = as_read(about)
    differ = [
        f"{key} {then.get(key)} / {now.get(key)}"
        for key in {**then, **now}
        if then.get(key) != now.get(key)
    ]
    if differ:
        raise TuningError(
            target,
            f"it was begun with other settings (then / now): {', '.join(differ)}",
            "give the same settings, or another folder",
        )


class _Stated(TypedDict):
    """What study.json holds."""

    about: dict[str, Any]


def _other_folder(path: Path, what: str) -> TuningError:
    return TuningError(path, what, "give another folder")


def _open_storage(target: Path, url: str | None) -> "BaseStorage":
    if url is None:
        from pacl.studies.tuning.journal import open_journal

        return open_journal(target / "journal.log")
    from optuna.storages import get_storage

    return get_storage(url)


@contextmanager
def _refusing(target: Path, url: str | None) -> Iterator[None]:
    """Say which storage cannot be used: each kind has errors of its own."""
    try:
        yield
    except (PaclError, OSError):
        raise
    except Exception as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        if url is None:
            raise _other_folder(target / "journal.log", f"cannot be read ({reason})") from error
        raise TuningError(
            f"storage {url}", f"cannot be opened ({reason})", "see Optuna on storage URLs"
        ) from error


def _pruner(name: Pruner) -> "BasePruner":
    from optuna import pruners

    if name == "median":
        return pruners.MedianPruner(n_startup_trials=5, n_warmup_steps=WARMUP_EPOCHS)
    if name == "halving":
        return pruners.SuccessiveHalvingPruner(min_resource=WARMUP_EPOCHS)
    return pruners.NopPruner()
