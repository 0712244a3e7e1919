"""Windows cut from recordings as a search needs them, all with one split of the patients.

The split is made for the windows of the base settings. A split for each length could differ,
because a patient may have no window of some length: a test patient could become a training patient.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pacl.atomic_write import TargetError, atomic_write
from pacl.cohort import CohortProtocol
from pacl.records import Reader, RecordError
from pacl.rr import Cut, Divide, RRWindowSet, prepare
from pacl.studies.progress import SILENT, StudyReport
from pacl.studies.tuning.windows import parts_to_tune
from pacl.threads import Threads
from pacl.windows import Split, read_split


@dataclass(frozen=True, eq=False)
class Recordings:
    """Recordings, and how windows are made of them.

    Parameters
    ----------
    reader
        The recordings.
    protocol, divide, cut
        See `prepare`; the cut is that of the first trial.
    stated
        The same as settings of `pacl prepare`, to be written with the best cut.
    cache
        Folder of the window sets, each named by its recordings and settings.
    skip_bad, read_as, threads
        See `prepare`.
    report
        Gets the progress of cutting windows.
    """

    reader: Reader
    protocol: CohortProtocol
    divide: Divide
    cut: Cut
    stated: Mapping[str, Any]
    cache: Path
    skip_bad: bool = False
    read_as: Mapping[str, Any] = field(default_factory=dict)
    threads: int = 1
    report: StudyReport = SILENT
    cuts = True

    def parts(self, cut: Cut) -> tuple[RRWindowSet, RRWindowSet]:
        """The training and the validation windows."""
        return parts_to_tune(self.windows(cut))

    def settings(self, cut: Cut) -> Mapping[str, Any]:
        """What `pacl prepare` takes to cut such windows and divide patients in the same way."""
        return {
            **self.stated,
            "window": asdict(cut),
            "split": {"file": str(self._split_file.resolve())},
        }

    def windows(self, cut: Cut) -> Path:
        """Cut windows, unless they are in the cache; those of test patients are not kept."""
        target = self.cache / f"{cut.window_beats}-{cut.stride}-{self._key(cut)}"
        if cut != self.cut:
            self.windows(self.cut)  # makes the split
        if (target / "manifest.json").exists():
            return target
        what = f"cutting windows of {cut.window_beats} beats every {cut.stride}"
        try:
            prepare(
                self.reader,
                target,
                protocol=self.protocol,
                divide=self._divide if cut == self.cut else lambda *_: without_test(self.split),
                cut=cut,
                skip_bad=self.skip_bad,
                read_as=self.read_as,
                threads=self.threads,
                track=lambda done, total: self.report.on_stage(what, done, total),
            )
        except TargetError:
            if not (target / "manifest.json").exists():
                raise  # otherwise another process was faster
        return target

    @property
    def split(self) -> Split:
        """The training, validation and test patients."""
        return read_split(self._split_file)

    @property
    def _split_file(self) -> Path:
        return self.cache / f"split-{self._key(self.cut)}.json"

    def _divide(self, strata: Mapping[str, str], patients: Mapping[str, str]) -> Split:
        split = self.divide(strata, patients)
        atomic_write(self._split_file, split.to_json().encode())
        return without_test(split)

    def _key(self, cut: Cut) -> str:
        """The same for the same recordings, settings and split."""
        protocol = {"name": type(self.protocol).__name__, **asdict(self.protocol)}  # type: ignore[call-overload]
        base = [asdict(self.cut), protocol, self.stated, dict(self.read_as), self._content]
        text = json.dumps([asdict(cut), *base], sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    @cached_property
    def _content(self) -> list[str]:
        """A digest a recording."""
        with Threads(self.threads) as pool:
            return list(pool.map(self._digest, self.reader.record_ids))

    def _digest(self, record_id: str) -> str:
        try:
            found = self.reader.read(record_id)
        except RecordError as error:
            if not self.skip_bad:
                raise
            return f"{record_id}: {error}"
        return f"{found.patient_id} {record_id}: {found.digest}"


def without_test(split: Split) -> Split:
    """The split without test patients."""
    kept = {who: part for who, part in split.part_of.items() if part != "test"}
    return replace(split, part_of=kept)
