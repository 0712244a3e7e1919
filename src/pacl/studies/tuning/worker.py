"""Processes that try settings for one study, and the trials of those that were killed.

Each worker holds a lock on its own file while it runs. A file without the lock means that its
worker was killed; the others then try its trials again.
"""

import os
import socket
import time
import uuid
from collections.abc import Mapping, Set
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pacl.locks import held, is_free, take

if TYPE_CHECKING:
    from optuna.study import Study
    from optuna.trial import FrozenTrial, Trial

SILENT_S = 3600.0
"""A worker on another machine is taken as lost after this time without an epoch."""
UNCLAIMED_S = 30.0
"""A trial without a worker's name after this time belongs to a killed worker."""
SIGN_EVERY_S = 60.0
ROSTER = ".workers.lock"
"""Held while workers are counted, and while one is added."""


class Worker:
    """A process that tries settings.

    Parameters
    ----------
    folder
        Where its file is.
    among_others
        Whether there may be workers on other machines.
    """

    def __init__(self, folder: Path, *, among_others: bool = False) -> None:
        self.folder, self.among_others = folder, among_others
        self.name = f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        with held(folder / ROSTER):  # else another worker could find the file before it is locked
            self._lock = take(_place(folder, self.name))

    def claim(self, trial: "Trial") -> None:
        """Mark a trial as one of this worker."""
        trial.set_user_attr("worker", self.name)
        self.sign(trial)

    def sign(self, trial: "Trial") -> None:
        """Mark a trial as still running, now and then."""
        if time.time() - trial.user_attrs.get("sign", 0.0) > SIGN_EVERY_S:
            trial.set_user_attr("sign", time.time())

    def close(self, study: "Study", keys: Set[str]) -> None:
        """End this worker, and have its interrupted trials tried again."""
        try:
            for trial in _running(study):
                if trial.user_attrs.get("worker") == self.name:
                    give_up(study, trial.number, trial.params, keys)
            with suppress(OSError):  # some systems remove it on release
                _place(self.folder, self.name).unlink()
        finally:
            self._lock.release()

    def give_up_dead(self, study: "Study", keys: Set[str]) -> bool:
        """Have trials of killed workers tried again; whether a trial has no worker's name yet."""
        with held(self.folder / ROSTER):
            names = {path.name[1 : -len(".worker")] for path in self.folder.glob(".*.worker")}
            dead = {name for name in names if is_free(_place(self.folder, name))}
        alone = not self.among_others and names - dead == {self.name}
        unclaimed = False
        for trial in _running(study):
            if self._left(trial, dead, alone):
                give_up(study, trial.number, trial.params, keys)
            else:
                unclaimed |= "worker" not in trial.user_attrs
        for name in dead:
            _place(self.folder, name).unlink(missing_ok=True)
        return unclaimed

    def _left(self, trial: "FrozenTrial", dead: Set[str], alone: bool) -> bool:
        """Whether the worker of a trial was killed."""
        name = trial.user_attrs.get("worker")
        if name is None:
            began = trial.datetime_start or datetime.now()
            return alone or (datetime.now() - began).total_seconds() > UNCLAIMED_S
        if name not in dead and _place(self.folder, name).exists():
            return False
        return name in dead or time.time() - trial.user_attrs.get("sign", 0.0) > SILENT_S


def give_up(study: "Study", number: int, kept: Mapping[str, Any], keys: Set[str]) -> None:
    """End an interrupted trial, and have the same settings tried again.

    If not all settings were chosen yet, they are chosen again.
    """
    from optuna.exceptions import UpdateFinishedTrialError
    from optuna.trial import TrialState

    with suppress(UpdateFinishedTrialError, ValueError):  # another worker was faster
        study.tell(number, state=TrialState.FAIL)
        if kept.keys() == keys:
            study.enqueue_trial(dict(kept))


def _running(study: "Study") -> "list[FrozenTrial]":
    from optuna.trial import TrialState

    return study.get_trials(deepcopy=False, states=(TrialState.RUNNING,))


def _place(folder: Path, name: str) -> Path:
    return folder / f".{name}.worker"
