"""A running trial: one run per seed, and their results so far."""

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from pacl.errors import PaclError
from pacl.evaluation import ProbeScore
from pacl.training import EpochLog, Trainer

if TYPE_CHECKING:
    from optuna.study import Study
    from optuna.trial import Trial

LOWEST = 0.0
"""The value of a trial that diverged, collapsed or could not start."""

Ended = Literal["finished", "pruned", "failed"]


@dataclass(eq=False, slots=True)
class Attempt:
    """The runs of one trial; they end together."""

    trial: "Trial"
    trainers: Sequence[Trainer]
    loss: str
    score: ProbeScore | None = None
    best: dict[int, EpochLog] = field(default_factory=dict)
    """The best epoch of each run."""
    epochs: int = 0
    reported: int = 0
    """The last epoch that was reported."""
    ended: Ended | None = None
    reason: str = ""
    taken: bool = False
    """Whether the trial was given to another worker, because this one was silent for too long."""
    began: float = field(default_factory=time.perf_counter)

    def note(self, run: int, log: EpochLog) -> None:
        """Take note of an epoch of a run."""
        self.epochs = max(self.epochs, log.epoch)
        if log.best:
            self.best[run] = log

    def report(self) -> None:
        """Report the value so far, the mean over runs, and stop if other trials were better."""
        from optuna.exceptions import UpdateFinishedTrialError

        if self.ended is None and len(self.best) == len(self.trainers):
            try:
                if self.epochs > self.reported:
                    self.trial.report(self.value, self.epochs)
                self.reported = self.epochs
                if not self.done and self.trial.should_prune():
                    self.stop("pruned")
            except UpdateFinishedTrialError:
                self.taken = True
                self.stop("failed")

    @property
    def value(self) -> float:
        """The best validation AUROC, the mean over runs."""
        return statistics.fmean(log.score for log in self.best.values() if log.score is not None)

    @property
    def done(self) -> bool:
        """Whether all runs have ended."""
        return all(trainer.done for trainer in self.trainers)

    def stop(self, ended: Ended, reason: str = "") -> None:
        """End all runs here."""
        if self.ended is None:
            self.ended, self.reason = ended, reason
        for trainer in self.trainers:
            trainer.epochs = min(trainer.epochs, trainer.epoch)

    def fail(self, error: PaclError) -> None:
        """End all runs because one failed."""
        self.stop("failed", str(error).splitlines()[0])

    def close(self, study: "Study") -> bool:
        """Hand the result in; False if it is not wanted, because another worker has the trial."""
        from optuna.exceptions import UpdateFinishedTrialError
        from optuna.trial import TrialState

        if self.ended is None:
            self._judge()
        try:
            if not self.taken:
                self._hand_in(study)
        except (UpdateFinishedTrialError, ValueError):
            state = study.get_trials(deepcopy=False)[self.trial.number].state
            if not state.is_finished():
                raise
            # Else it was handed in before the connection was lost, and handed in again.
            self.taken = state == TrialState.FAIL
        return not self.taken

    def _hand_in(self, study: "Study") -> None:
        from optuna.trial import TrialState

        self.trial.set_user_attr("ended", self.ended)
        self.trial.set_user_attr("reason", self.reason)
        self.trial.set_user_attr("epochs", self.epochs)
        self.trial.set_user_attr("scores", [log.score for _, log in sorted(self.best.items())])
        self.trial.set_user_attr("seconds", round(time.perf_counter() - self.began, 3))
        if self.ended == "pruned":
            study.tell(self.trial, state=TrialState.PRUNED)
        else:
            study.tell(self.trial, self.value if self.ended == "finished" else LOWEST)

    def _judge(self) -> None:
        """An encoder whose best embeddings are a point has learned nothing, however it scores."""
        for _, log in sorted(self.best.items()):
            # The projection means nothing to a head that reads what comes before it.
            shrunk = [name for name in log.collapsed if self.loss != "bce" or name == "pooled"]
            if shrunk:
                self.stop(
                    "failed", f"epoch {log.epoch}: {' and '.join(shrunk)} embeddings collapsed"
                )
        self.ended = self.ended or "finished"
