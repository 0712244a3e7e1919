"""What a study reports while it runs. The command line shows it; by default nothing is shown."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pacl.studies.tuning import Outcome, Tried
    from pacl.training import EpochLog


class StudyReport:
    """Takes what a study reports and shows nothing."""

    def on_stage(self, what: str, done: int, total: int) -> None:
        """Part of a stage is done, such as preparing windows."""

    def on_runs(self, total: int) -> None:
        """So many runs make up the study."""

    def on_epoch(self, name: str, log: "EpochLog") -> None:
        """A run has finished an epoch."""

    def on_finished(self, name: str) -> None:
        """A run is trained and evaluated, or was so before."""

    def on_trial(self, tried: "Tried", outcome: "Outcome") -> None:
        """A trial of a search has ended; `outcome` holds all trials so far."""

    def on_note(self, text: str) -> None:
        """A sentence for the user."""


SILENT = StudyReport()
