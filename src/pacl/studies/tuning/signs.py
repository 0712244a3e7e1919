"""Signs of life: a worker signs its trials every few seconds and watches the signs of others.

A trial whose sign has not changed for `SILENT_S` belongs to a worker that has died or cannot reach
the storage. The time is that of the one who watches, and only while it could read the storage: the
clocks of machines may differ, and after a pause of the database nobody is taken for dead.

Optuna has heartbeats of its own. They are experimental, need `study.optimize`, and the gRPC proxy
does not pass them on; a sign is an attribute of the trial, which each storage keeps.
"""

import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pacl.errors import PaclError
from pacl.interrupts import uninterrupted

if TYPE_CHECKING:
    from optuna.study import Study
    from optuna.trial import FrozenTrial, Trial

SIGN_EVERY_S = 15.0
SILENT_S = 105.0
"""With the time between signs, a dead worker is noticed within two minutes."""
UNCLAIMED_S = 30.0
"""The same for a trial that was begun and has no sign yet."""


class Watch:
    """Since when the sign of each running trial is the same."""

    def __init__(self) -> None:
        self._seen: dict[int, tuple[Any, float]] = {}
        self._looked = time.monotonic()

    def look(self, running: "list[FrozenTrial]") -> None:
        """Take note of all signs."""
        now = time.monotonic()
        before = self._seen if now - self._looked < SILENT_S / 2 else {}
        signs = {trial.number: trial.user_attrs.get("sign") for trial in running}
        self._seen = {
            number: before[number]
            if number in before and before[number][0] == sign
            else (sign, now)
            for number, sign in signs.items()
        }
        self._looked = now

    def silent(self, trial: "FrozenTrial") -> bool:
        """Whether a trial has had the same sign for too long."""
        sign, since = self._seen.get(trial.number, (None, time.monotonic()))
        patience = UNCLAIMED_S if "worker" not in trial.user_attrs else SILENT_S
        return sign == trial.user_attrs.get("sign") and time.monotonic() - since > patience


class Signs:
    """A thread that signs the trials of this process and watches those of others.

    Parameters
    ----------
    study
        In a storage that threads may share.
    """

    def __init__(self, study: "Study") -> None:
        self._study, self._own = study, dict[int, "Trial"]()
        self._watch, self._ended = Watch(), threading.Event()
        self._thread = threading.Thread(target=self._work, name="pacl signs", daemon=True)
        with uninterrupted():
            self._thread.start()

    def add(self, trial: "Trial") -> None:
        """Sign a trial from now on, until it has ended."""
        trial.set_user_attr("sign", time.time())
        self._own[trial.number] = trial

    def silent(self, trial: "FrozenTrial") -> bool:
        """Whether the worker of a trial has been silent for too long."""
        return trial.number not in self._own and self._watch.silent(trial)

    def beat(self) -> None:
        """Sign and watch once."""
        from optuna.exceptions import UpdateFinishedTrialError
        from optuna.trial import TrialState

        for number, trial in list(self._own.items()):
            try:
                trial.set_user_attr("sign", time.time())
            except UpdateFinishedTrialError:
                self._own.pop(number, None)
        running = (TrialState.RUNNING,)
        self._watch.look(self._study.get_trials(deepcopy=False, states=running))

    def close(self) -> None:
        """Sign no more."""
        self._ended.set()
        with uninterrupted():
            self._thread.join(timeout=5.0)

    def _work(self) -> None:
        while not self._ended.wait(SIGN_EVERY_S):
            with suppress(PaclError):  # the search itself meets it, too
                self.beat()
