"""Processes that try settings for one study, and the trials of those that were killed.

Each worker holds a lock on its own file while it runs. A file without the lock means that its
worker was killed; the others then try its trials again. Workers that have no folder in common, but
a storage, are known by their signs of life (`pacl.studies.tuning.signs`).
"""

import os
import socket
import time
import uuid
from collections.abc import Set
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pacl.locks import held, is_free, take
from pacl.studies.tuning.retries import give_up, queue_again
from pacl.studies.tuning.signs import UNCLAIMED_S, Signs
from pacl.studies.tuning.storage import StorageLostError

if TYPE_CHECKING:
    from optuna.study import Study
    from optuna.trial import FrozenTrial, Trial

SILENT_S = 3600.0
"""In a journal on a disk that machines share, a worker on another machine is taken as lost after
this time without an epoch."""
SIGN_EVERY_S = 60.0
ROSTER = ".workers.lock"
"""Held while workers are counted, and while one is added."""


class Worker:
    """A process that tries settings.

    Parameters
    ----------
    folder
        Where its file is.
    signs
        Its signs of life, if there may be workers with other folders.
    """

    def __init__(self, folder: Path, signs: Signs | None = None) -> None:
        self.folder, self.signs = folder, signs
        self.name = f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        with held(folder / ROSTER):  # else another worker could find the file before it is locked
            self._lock = take(_place(folder, self.name))

    def claim(self, trial: "Trial") -> None:
        """Mark a trial as one of this worker."""
        trial.set_user_attr("worker", self.name)
        if self.signs is not None:
            self.signs.add(trial)
        else:
            self.sign(trial)

    def sign(self, trial: "Trial") -> None:
        """Mark a trial as still running, now and then."""
        from optuna.exceptions import UpdateFinishedTrialError

        if self.signs is None and time.time() - trial.user_attrs.get("sign", 0.0) > SIGN_EVERY_S:
            with suppress(UpdateFinishedTrialError):  # its result will be refused
                trial.set_user_attr("sign", time.time())

    def close(self, study: "Study", keys: Set[str]) -> None:
        """End this worker, and have its interrupted trials tried again."""
        try:
            if self.signs is not None:
                self.signs.close()
            for trial in _running(study):
                if trial.user_attrs.get("worker") == self.name:
                    give_up(study, trial, keys, died=False)
            with suppress(OSError):  # some systems remove it on release
                _place(self.folder, self.name).unlink()
        except StorageLostError:  # who comes next finds its file, without the lock
            return
        finally:
            self._lock.release()

    def give_up_dead(self, study: "Study", keys: Set[str]) -> bool:
        """Have trials of killed workers tried again; whether a trial has no worker's name yet."""
        with held(self.folder / ROSTER):
            names = {path.name[1 : -len(".worker")] for path in self.folder.glob(".*.worker")}
            dead = {name for name in names if is_free(_place(self.folder, name))}
        alone = self.signs is None and names - dead == {self.name}
        unclaimed = False
        for trial in _running(study):
            if self._left(trial, dead, alone):
                give_up(study, trial, keys, died=True)
            else:
                unclaimed |= "worker" not in trial.user_attrs
        queue_again(study)  # of workers that died while they gave up others
        for name in dead:
            _place(self.folder, name).unlink(missing_ok=True)
        return unclaimed

    def _left(self, trial: "FrozenTrial", dead: Set[str], alone: bool) -> bool:
        """Whether the worker of a trial was killed."""
        name = trial.user_attrs.get("worker")
        if name in dead:
            return True
        if self.signs is not None:
            return self.signs.silent(trial)
        if name is None:
            began = trial.datetime_start or datetime.now()
            return alone or (datetime.now() - began).total_seconds() > UNCLAIMED_S
        if _place(self.folder, name).exists():
            return False
        return time.time() - float(trial.user_attrs.get("sign", 0.0)) > SILENT_S


def _running(study: "Study") -> "list[FrozenTrial]":
    from optuna.trial import TrialState

    return study.get_trials(deepcopy=False, states=(TrialState.RUNNING,))


def _place(folder: Path, name: str) -> Path:
    return folder / f".{name}.worker"
