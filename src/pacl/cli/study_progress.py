"""Progress of a study: how many runs are judged, and how far those under way have come."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pacl.cli.messages import counted
from pacl.cli.progress import shown

if TYPE_CHECKING:
    from pacl.training import EpochLog

LINE_EVERY_S = 10.0


class StudyProgress:
    """Hears of every epoch and every run that is judged; says nothing. Others say it."""

    def __init__(self, total: int) -> None:
        self.total, self.done = total, 0
        self.under_way: dict[str, EpochLog] = {}

    def tell(self, name: str, log: "EpochLog") -> None:
        """An epoch of a run is over."""
        self.under_way[name] = log
        self.show()

    def judged(self, name: str) -> None:
        """A run is trained and judged."""
        self.done += 1
        self.finished(name, self.under_way.pop(name, None))

    def elsewhere(self, done: int, total: int) -> None:
        """So many evaluations on other cohorts are done."""

    def finished(self, name: str, log: "EpochLog | None") -> None:
        """What is said of a run that is judged."""

    def show(self) -> None:
        """What is said of those under way."""

    def summary(self) -> str:
        """Those under way, in a line."""
        logs = list(self.under_way.items())
        if len(logs) > 3:
            epochs = [log.epoch for _, log in logs]
            scores = [log.score for _, log in logs if log.score is not None]
            told = f"{len(logs)} training, epochs {min(epochs)} to {max(epochs)}"
            if scores:
                told += f", validation AUROC {min(scores):.3f} to {max(scores):.3f}"
            return told
        return ", ".join(f"{name} epoch {log.epoch}{_score(log)}" for name, log in logs)


def _score(log: "EpochLog") -> str:
    return "" if log.score is None else f" {log.score:.4f}"


class _Lines(StudyProgress):
    """A line a run, and one now and then."""

    def __init__(self, total: int) -> None:
        super().__init__(total)
        self._said = time.monotonic()

    def finished(self, name: str, log: "EpochLog | None") -> None:
        how = counted(log.epoch, "epoch") if log else "was there already"
        print(f"run {self.done}/{self.total}: {name}, {how}", file=sys.stderr, flush=True)

    def show(self) -> None:
        if self._due():
            print(f"  {self.summary()}", file=sys.stderr, flush=True)

    def elsewhere(self, done: int, total: int) -> None:
        if done == total or self._due():
            print(f"judged on other cohorts: {done}/{total}", file=sys.stderr, flush=True)

    def _due(self) -> bool:
        now = time.monotonic()
        if now - self._said < LINE_EVERY_S:
            return False
        self._said = now
        return True


@contextmanager
def study_progress(total: int, *, quiet: bool) -> Iterator[StudyProgress]:
    """Show a study for as long as the block lasts."""
    if quiet:
        yield StudyProgress(total)
    elif sys.stderr.isatty():
        from rich import progress as bars
        from rich.console import Console

        columns = (
            bars.TextColumn("{task.fields[what]}"),
            bars.BarColumn(),
            bars.MofNCompleteColumn(),
            bars.TimeElapsedColumn(),
            bars.TextColumn("{task.description}"),
        )
        with shown(bars.Progress(*columns, console=Console(stderr=True))) as display:
            task = display.add_task("", total=total, what="runs")
            others = display.add_task("", total=None, what="on other cohorts", visible=False)

            class Live(StudyProgress):
                def finished(self, name: str, log: "EpochLog | None") -> None:
                    display.update(task, completed=self.done, description=self.summary())

                def show(self) -> None:
                    display.update(task, description=self.summary())

                def elsewhere(self, done: int, total: int) -> None:
                    display.update(others, completed=done, total=total, visible=True)

            yield Live(total)
    else:
        yield _Lines(total)
