"""Recordings judged by other processes, for `pacl detect`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from pacl.cli.progress import progress
from pacl.cli.tables import WorkerOptions
from pacl.errors import PaclError
from pacl.records import Reader, narrowed

if TYPE_CHECKING:
    from pacl.detect import Detection, DetectorSettings, Mode
    from pacl.work import Say


@dataclass(frozen=True, eq=False, slots=True)
class _Recording:
    """A recording to judge, with a reader of it alone."""

    reader: Reader
    record_id: str


def detect_by_workers(
    detector: "DetectorSettings",
    mode: "Mode",
    readers: Sequence[Reader],
    who: WorkerOptions,
    *,
    quiet: bool,
) -> "Iterator[Detection | PaclError]":
    """Judge all recordings; results, or why there is none, in their order."""
    from pacl.work import in_order

    total = sum(len(one.record_ids) for one in readers)
    tasks = (
        _Recording(narrowed(one, [record_id]), record_id)
        for one in readers
        for record_id in one.record_ids
    )
    work = partial(_judge, detector.elsewhere(), mode)
    with who.open() as workers, progress("detecting", quiet=quiet) as advance:
        for done, ended in enumerate(in_order(workers, work, tasks), start=1):
            advance(done, total)
            yield PaclError(ended.failure) if ended.result is None else ended.result


def _judge(detector: "DetectorSettings", mode: "Mode", task: _Recording, say: "Say") -> "Detection":
    return detector.open().detect(task.reader.read(task.record_id), mode)
