"""What is done in other processes: tasks, and how each of them ended."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from pacl.errors import PaclError

Task = TypeVar("Task")
Result = TypeVar("Result")

Say = Callable[[Any], None]
"""Sends a message about a task to the process that gave it out."""

Work = Callable[[Task, Say], Result]
"""Does a task. It must be a function of a module, or a `partial` of one."""

OnMessage = Callable[[str, Any], None]
"""Called with the name of a task and a message about it."""

MOST_DEATHS = 3
"""A task whose process ended this often has failed."""


@dataclass(frozen=True, slots=True)
class Ended(Generic[Result]):
    """A task that has ended, with its result or with the reason why it failed."""

    name: str
    result: Result | None = None
    failure: str | None = None


class BrokenTaskError(RuntimeError):
    """A fault of the program itself, with the traceback of the process that found it."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(f"{name} broke off:\n{text}")


@runtime_checkable
class Workers(Protocol):
    """Processes that do tasks for this one: in it, beside it, or on other machines."""

    def run(
        self,
        work: Work[Task, Result],
        tasks: Iterable[tuple[str, Task]],
        *,
        on_message: OnMessage = ...,
        most_deaths: int = MOST_DEATHS,
    ) -> Iterator[Ended[Result]]:
        """Do all tasks, each with a name; they are given in the order in which they end.

        Few tasks are taken ahead, so that an endless number of them needs no memory. A task whose
        process is killed is done again, and has failed if that happens `most_deaths` times.
        """

    def close(self) -> None:
        """End the processes."""


def no_message(name: str, message: Any) -> None:
    """Drop a message."""


def attempt(name: str, work: Work[Task, Result], task: Task, say: Say) -> Ended[Result]:
    """Do a task; errors that a user can correct are its failure."""
    try:
        return Ended(name, result=work(task, say))
    except (PaclError, OSError) as error:
        return Ended(name, failure=str(error))
