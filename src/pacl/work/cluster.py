"""Tasks on a Dask cluster: on this machine, under SLURM, on Kubernetes, as its users start one.

The scheduler is asked for as few tasks as keep its workers busy, and forgets those that have ended,
so that its memory does not grow with the number of tasks. Dask gives a task of a worker that was
killed to another one. If the scheduler itself is gone, its return is waited for, and the tasks that
were under way are given out again.
"""

import math
import pickle
import queue
import time
import traceback
import warnings
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pacl
from pacl.errors import PaclError
from pacl.work.connection import ClusterError, connect, disconnect, lost
from pacl.work.tasks import (
    MOST_DEATHS,
    BrokenTaskError,
    Ended,
    OnMessage,
    Result,
    Task,
    Work,
    attempt,
    no_message,
)

if TYPE_CHECKING:
    from distributed import Future

LOOK_EVERY_S = 1.0
"""Signals, and workers that have joined, are noticed at least this often."""
ALONE_S = 10.0
"""After this time without a worker there is a warning."""
PATIENCE_S = 600.0
"""A scheduler that is gone is waited for as long as this."""
DEATHS_OF_DASK = 4
"""Dask gives a task up when its worker has ended this often."""


@dataclass(eq=False, slots=True)
class _Flight:
    """Tasks that are on the cluster, by the key of their future."""

    tasks: dict[str, tuple[str, Any]] = field(default_factory=dict)
    futures: "dict[str, Future]" = field(default_factory=dict)


class Cluster:
    """Does tasks on the cluster of a Dask scheduler.

    All workers need the same version of pacl, and see the same files under the same paths.

    Parameters
    ----------
    address
        Of the scheduler, such as `tcp://node01:8786`, or a file that it wrote (`--scheduler-file`).
    patience_s
        How long to wait for a scheduler that is gone.
    """

    def __init__(self, address: str, *, patience_s: float = PATIENCE_S) -> None:
        self.address, self.patience_s = address, patience_s
        self._client = connect(address)
        self._alone_since: float | None = None

    def run(
        self,
        work: Work[Task, Result],
        tasks: Iterable[tuple[str, Task]],
        *,
        on_message: OnMessage = no_message,
        most_deaths: int = MOST_DEATHS,
    ) -> Iterator[Ended[Result]]:
        """Do all tasks; they are given in the order in which they end."""
        waiting, again = iter(tasks), deque[tuple[str, Task]]()
        deaths: Counter[str] = Counter()
        all_given = False
        came: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        topic, content, flight = f"pacl {uuid4().hex}", pickle.dumps(work), _Flight()

        def listen() -> None:
            self._client.subscribe_topic(topic, lambda event: came.put(("message", event[1])))

        def give() -> None:
            """Give out tasks until each worker has one, and one that waits."""
            nonlocal all_given
            try:
                room = self._room()
                while len(flight.tasks) < room:
                    task = again.popleft() if again else next(waiting, None)
                    if task is None:
                        all_given = True
                        return
                    flight.tasks[key := f"{task[0]}-{uuid4().hex}"] = task
                    future = self._submit(key, task, content, topic)
                    flight.futures[key] = future
                    future.add_done_callback(lambda one: came.put(("ended", one.key)))
            except lost():
                came.put(("lost", flight))

        listen()
        try:
            give()
            while flight.tasks or again or not all_given:
                try:
                    kind, what = came.get(timeout=LOOK_EVERY_S)
                except queue.Empty:
                    if self._client.status != "running":
                        came.put(("lost", flight))
                    give()
                    self._tell_of_no_workers()
                    continue
                if kind == "lost":
                    if what is not flight:
                        continue  # noticed already
                    self._reconnect()
                    again.extend(flight.tasks.values())
                    flight = _Flight()
                    listen()
                    give()
                    continue
                if kind == "message":
                    on_message(*pickle.loads(what))  # noqa: S301 - of our own tasks
                    continue
                if what not in flight.tasks:
                    continue  # of a scheduler that is gone
                future = flight.futures[what]
                if future.status == "cancelled":  # with its scheduler
                    came.put(("lost", flight))
                    continue
                try:
                    ended = self._ended(future, flight.tasks[what][0])
                except lost():
                    came.put(("lost", flight))
                    continue
                task, _ = flight.tasks.pop(what), flight.futures.pop(what)
                if ended is None:
                    deaths[task[0]] += DEATHS_OF_DASK
                    if deaths[task[0]] < most_deaths:
                        again.append(task)
                        give()
                        continue
                    ended = Ended(task[0], failure=_died(deaths[task[0]]))
                future.release()
                give()
                yield ended
        finally:
            if self._client.status == "running":
                self._client.cancel(list(flight.futures.values()), force=True)

    def _submit(self, key: str, task: tuple[str, Any], work: bytes, topic: str) -> "Future":
        payload = pickle.dumps(task)
        return self._client.submit(
            do_task, pacl.__version__, work, payload, topic, key=key, pure=False
        )

    def _room(self) -> int:
        """How many tasks keep the cluster busy; at least one, which waits for a worker."""
        threads: dict[str, int] = self._client.nthreads()
        if threads:
            self._alone_since = None
        elif self._alone_since is None:
            self._alone_since = time.monotonic()
        return max(1, sum(threads.values()) + len(threads))

    def _tell_of_no_workers(self) -> None:
        """Say once that no worker has joined for some time: they may come later."""
        if self._alone_since is not None and time.monotonic() - self._alone_since > ALONE_S:
            self._alone_since = math.inf
            warnings.warn(
                f"--scheduler {self.address}: it has no workers; waiting for some to join "
                f"(dask worker {self.address} --nthreads 1)",
                stacklevel=2,
            )

    def _ended(self, future: "Future", name: str) -> Ended[Any] | None:
        """How a task has ended; None if its workers were killed."""
        from distributed import KilledWorker

        if future.status == "error":
            error = future.exception()
            if isinstance(error, KilledWorker):
                return None
            raise BrokenTaskError(name, f"{type(error).__name__}: {error}")
        ended, broken = future.result()
        if broken is not None:
            raise BrokenTaskError(name, broken)
        found: Ended[Any] = ended
        return found

    def _reconnect(self) -> None:
        """Wait for the scheduler to be there again."""
        self.close()
        until = time.monotonic() + self.patience_s
        while True:
            try:
                self._client = connect(self.address)
                return
            except ClusterError as error:
                if time.monotonic() > until:
                    raise ClusterError(
                        self.address,
                        f"the scheduler has been gone for {self.patience_s:g} s",
                        "start it again; what is finished is kept, and the same command goes on",
                    ) from error
                time.sleep(LOOK_EVERY_S)

    def close(self) -> None:
        """Leave the cluster, which goes on."""
        disconnect(self._client)


def _died(times: int) -> str:
    return (
        f"its worker ended {times} times, as if it was killed, most likely because memory ran out; "
        "give workers more memory (--memory-limit of dask worker)"
    )


def do_task(
    version: str, work: bytes, payload: bytes, topic: str
) -> tuple[Ended[Any] | None, str | None]:
    """Do a task on a worker: how it ended, or a traceback."""
    from distributed import get_worker

    name, task = "", None

    def say(message: Any) -> None:
        get_worker().log_event(topic, pickle.dumps((name, message)))

    try:
        if version != pacl.__version__:
            raise PaclError(
                f"the worker {get_worker().address} has pacl {pacl.__version__}, this is pacl "
                f"{version}; install the same version on all workers"
            )
        name, task = pickle.loads(payload)  # noqa: S301 - from the client of this cluster
        return attempt(name, pickle.loads(work), task, say), None  # noqa: S301
    except PaclError as error:
        return Ended(name, failure=str(error)), None
    except Exception:
        return None, traceback.format_exc()
