"""Progress of a study: its stages, how many runs are finished, and the epochs of the others."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pacl.cli.messages import counted
from pacl.cli.progress import Due, shown
from pacl.printable import printable
from pacl.studies import StudyReport

if TYPE_CHECKING:
    from pacl.studies.tuning import Outcome, Tried
    from pacl.training import EpochLog

SHORT = ("train.lr", "objective.temperature", "window.window_beats", "window.stride")
"""Settings that are shown in the line of a trial, by their last word."""


class StudyProgress(StudyReport):
    """Counts runs and shows nothing but notes; others show more."""

    def __init__(self) -> None:
        self.total, self.done = 0, 0
        self.training: dict[str, EpochLog] = {}

    def on_runs(self, total: int) -> None:
        """So many runs make up the study."""
        self.total = total

    def on_epoch(self, name: str, log: "EpochLog") -> None:
        """A run has finished an epoch."""
        self.training[name] = log
        self.show()

    def on_finished(self, name: str) -> None:
        """A run is trained and evaluated."""
        self.done += 1
        self.show_finished(name, self.training.pop(name, None))

    def on_note(self, text: str) -> None:
        """A sentence for the user."""
        print(printable(text), file=sys.stderr, flush=True)

    def show_finished(self, name: str, log: "EpochLog | None") -> None:
        """Show a finished run."""

    def show(self) -> None:
        """Show the runs that are training."""

    def summary(self) -> str:
        """The runs that are training, in one line."""
        logs = list(self.training.items())
        if len(logs) > 3:
            epochs = [log.epoch for _, log in logs]
            scores = [log.score for _, log in logs if log.score is not None]
            text = f"{len(logs)} training, epochs {min(epochs)} to {max(epochs)}"
            if scores:
                text += f", validation AUROC {min(scores):.3f} to {max(scores):.3f}"
            return text
        return ", ".join(f"{name} epoch {log.epoch}{_score(log)}" for name, log in logs)


class Lines(StudyProgress):
    """One line per finished run or trial, and a line now and then."""

    def __init__(self) -> None:
        super().__init__()
        self._due = Due()

    def on_stage(self, what: str, done: int, total: int) -> None:
        """Part of a stage is done."""
        if done >= total or self._due():
            self.on_note(f"{what}: {done}/{total}")

    def on_trial(self, tried: "Tried", outcome: "Outcome") -> None:
        """One line per trial."""
        self.on_note(trial_line(tried, outcome))

    def show_finished(self, name: str, log: "EpochLog | None") -> None:
        """One line per finished run."""
        how = counted(log.epoch, "epoch") if log else "finished"
        self.on_note(f"run {self.done}/{self.total}: {name}, {how}")

    def show(self) -> None:
        """A line now and then."""
        if self._due():
            self.on_note(f"  {self.summary()}")


@contextmanager
def study_progress(output: Path, *, quiet: bool) -> Iterator[StudyProgress]:
    """Show a study while the block runs; after Ctrl-C, say how to resume it."""
    try:
        with _display(quiet=quiet) as display:
            yield display
    except KeyboardInterrupt:
        if any(output.glob("**/study.json")):
            kept = f"{output}: finished work is kept; the same command resumes the study"
            print(printable(kept), file=sys.stderr)
        raise


@contextmanager
def _display(*, quiet: bool) -> Iterator[StudyProgress]:
    if quiet or not sys.stderr.isatty():
        yield StudyProgress() if quiet else Lines()
        return
    from rich import progress as bars
    from rich.console import Console

    console = Console(stderr=True, highlight=False)
    columns = (
        bars.TextColumn("{task.fields[what]}", markup=False),
        bars.BarColumn(),
        bars.MofNCompleteColumn(),
        bars.TimeElapsedColumn(),
        bars.TextColumn("{task.description}", markup=False),
    )
    with shown(bars.Progress(*columns, console=console)) as display:
        tasks: dict[str, bars.TaskID] = {}

        class Live(Lines):
            def on_stage(self, what: str, done: int, total: int) -> None:
                if what not in tasks:
                    tasks[what] = display.add_task("", total=None, what=printable(what))
                display.update(tasks[what], completed=done, total=total)

            def on_note(self, text: str) -> None:
                console.print(printable(text), markup=False, soft_wrap=True)

            def show_finished(self, name: str, log: "EpochLog | None") -> None:
                self.show()

            def show(self) -> None:
                self.on_stage("runs", self.done, self.total)
                display.update(tasks["runs"], description=self.summary())

        yield Live()


def trial_line(tried: "Tried", outcome: "Outcome") -> str:
    """A trial in one line: its value, the best so far, epochs, time and main settings."""
    best = outcome.best
    value = "failed" if tried.value is None else f"{tried.value:.4f}"
    mark = "*" if best is tried else " "
    settings = [
        f"{key.split('.')[1]} {setting_text(value)}"
        for key, value in tried.settings.items()
        if key in SHORT
    ]
    so_far = "" if best is None else f"best {best.value:.4f} (trial {best.number})"
    pruned = "pruned after " * (tried.ended == "pruned")
    words = [
        f"{pruned}{tried.epochs} epochs, {tried.seconds:.1f} s",
        ", ".join(settings),
        tried.reason,
    ]
    text = "; ".join(word for word in words if word)
    return f"trial {tried.number:>4} {value:>7} {mark} {so_far:<23}  {text}"


def setting_text(value: object) -> str:
    """A setting for people."""
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _score(log: "EpochLog") -> str:
    return "" if log.score is None else f" {log.score:.4f}"
