"""One line per epoch while a model trains, and a bar within the epoch on a terminal."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from pacl.cli.progress import shown
from pacl.printable import printable

if TYPE_CHECKING:
    from pacl.training import EpochLog, Trainer

HEAD = f"{'epoch':>9} {'loss':>9} {'tau':>7} {'validation AUROC':>17} {'windows/s':>10}  time left"


class Display(Protocol):
    """What is shown of a training."""

    def on_start(self, trainer: "Trainer") -> None:
        """Before the first epoch."""

    def on_epoch(self, log: "EpochLog", trainer: "Trainer") -> None:
        """After each epoch."""


class Silent:
    """Shows nothing but warnings."""

    def __init__(self) -> None:
        self._warned: tuple[str, ...] = ()

    def on_start(self, trainer: "Trainer") -> None:
        """Nothing."""

    def on_epoch(self, log: "EpochLog", trainer: "Trainer") -> None:
        """Warn once that embeddings have collapsed."""
        if log.collapsed and log.collapsed != self._warned:
            self.show(
                f"epoch {log.epoch}: COLLAPSE, the {' and the '.join(log.collapsed)} embeddings "
                f"have shrunk to a point (spread {log.pooled_spread:.3f} pooled, "
                f"{log.projected_spread:.3f} projected, of at most 1); lower --train.lr, or raise "
                "--objective.temperature",
                "bold red",
            )
        self._warned = log.collapsed

    def show(self, line: str, style: str = "") -> None:
        """Put a line on standard error."""
        print(line, file=sys.stderr, flush=True)


class Lines(Silent):
    """One line per epoch."""

    def __init__(self) -> None:
        super().__init__()
        self._seconds = 0.0
        self._epochs = 0

    def on_start(self, trainer: "Trainer") -> None:
        """Patients that take no part, and the head of the table."""
        sampler = trainer.sampler
        for patient in sampler.ineligible:
            self.show(printable(f"not in any batch: {patient}"), "dim")
        if trainer.epoch:
            self.show(f"resuming after epoch {trainer.epoch}")
        self.show(HEAD, "bold")

    def on_epoch(self, log: "EpochLog", trainer: "Trainer") -> None:
        """The numbers of an epoch; time left is the most that it can take."""
        self._seconds += log.seconds + log.score_seconds
        self._epochs += 1
        left_s = self._seconds / self._epochs * (trainer.epochs - log.epoch)
        tau = f"{log.extra['tau']:.4f}" if "tau" in log.extra else "-"
        score = "-" if log.score is None else f"{log.score:.4f}"
        left = "done" if trainer.done else f"at most {_clock(left_s)}"
        self.show(
            f"{log.epoch:>5}/{trainer.epochs:<3} {log.loss:>9.4f} {tau:>7} "
            f"{score:>15} {'*' if log.best else ' '} "
            f"{log.windows / log.seconds:>10,.0f}  {left}",
            "" if log.best else "dim",
        )
        super().on_epoch(log, trainer)


@contextmanager
def epochs(*, quiet: bool) -> Iterator[Display]:
    """Show a training while the block runs; warnings are shown even if quiet."""
    if quiet:
        yield Silent()
    elif sys.stderr.isatty():
        from rich import progress as bars
        from rich.console import Console

        console = Console(stderr=True, highlight=False)
        columns = (bars.TextColumn("  steps"), bars.BarColumn(), bars.MofNCompleteColumn())
        with shown(bars.Progress(*columns, console=console, transient=True)) as display:
            task = display.add_task("steps", total=None)

            class Live(Lines):
                def on_start(self, trainer: "Trainer") -> None:
                    trainer.track = lambda done, total: display.update(
                        task, completed=done, total=total
                    )
                    super().on_start(trainer)

                def show(self, line: str, style: str = "") -> None:
                    console.print(line, style=style, markup=False, soft_wrap=True)

            yield Live()
    else:
        yield Lines()


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
