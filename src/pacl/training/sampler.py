"""Subject-aware mini-batches: P subjects, n windows of each class from each (2.2)."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pacl.axes import Array, Int, Int64
from pacl.settings import SamplerSettings
from pacl.training.epoch_plan import plan, pool, turns_of
from pacl.training.errors import SamplerError
from pacl.windows import Windows

DEFAULT = SamplerSettings()
NEW_SETTINGS = {"one_class": 0, "most_turns": 0}
"""Values of settings that older states do not contain."""

FORMER_KEYS = {"patients_per_batch": "subjects_per_batch"}
"""Settings under the names that older states give them."""

NAMED = 10
"""Largest number of subjects that an error names."""


@dataclass(frozen=True, slots=True)
class Ineligible:
    """A subject with too few windows for a batch, and the number of windows of each class."""

    subject: str
    counts: Mapping[int, int]
    needed: int
    class_names: Mapping[int, str] = field(default_factory=dict)

    def __str__(self) -> str:
        lacking = [
            f"{n} {self.class_names[label]} windows"
            if label in self.class_names
            else f"{n} of class {label}"
            for label, n in self.counts.items()
            if n < self.needed
        ]
        name = self.subject.removeprefix("subject_")
        return f"subject {name}: {' and '.join(lacking)}, the sampler needs {self.needed}"


class SubjectSampler:
    """Batches of P subjects with n windows of each class, no window twice in an epoch.

    In each step P distinct subjects are drawn from those with at least n unused windows of every
    class; each gives n of each class, drawn without replacement. The epoch ends when fewer than P
    such subjects are left, so its length depends on the draws. A batch is ordered by subject, then
    by class.

    Iterating continues from `position`, the number of batches already given in this epoch, and
    sets it to 0 at the end. An interrupted loop can thus be resumed, also in another process
    through `state_dict`. A `DataLoader` that prefetches moves the position ahead of the training.

    Parameters
    ----------
    generator
        Used once, for the number from which all epochs are derived.
    subjects_per_batch, windows_per_class
        P and n. With n = 1 no window has a positive under the paper's pair policy.
    one_class
        Whether subjects with fewer than n windows of some class are used: they give as many
        windows as others, all of their largest class.
    most_turns
        Maximum number of batches of one epoch that a subject is in. Without it only subjects with
        many windows are left at the end of an epoch.
    names, class_names
        Name of each subject code and of each class, for messages.

    Attributes
    ----------
    ineligible
        Subjects with too few windows: they are in no batch.
    epoch, position
        The epoch, and the number of its batches already given.
    """

    def __init__(
        self,
        labels: Int[Array, "window"],
        subjects: Int[Array, "window"],
        *,
        generator: np.random.Generator,
        subjects_per_batch: int = DEFAULT.subjects,
        windows_per_class: int = DEFAULT.windows,
        one_class: bool = DEFAULT.one_class,
        most_turns: int | None = DEFAULT.turns,
        names: Sequence[str] | None = None,
        class_names: Mapping[int, str] | None = None,
    ) -> None:
        _check(labels, subjects, subjects_per_batch, windows_per_class, most_turns, names)
        pools = pool(labels, subjects)
        if pools.classes.size < 2:
            raise SamplerError(
                f"all windows are of class {pools.classes[0]}; give windows of two or more classes"
            )
        eligible = np.all(pools.counts >= windows_per_class, axis=1)
        if one_class:
            eligible = turns_of(pools, windows_per_class) > 0
        self.ineligible = tuple(
            Ineligible(
                str(code) if names is None else names[code],
                dict(zip(pools.classes.tolist(), counts.tolist(), strict=True)),
                windows_per_class,
                class_names or {},
            )
            for code, counts in zip(pools.subjects[~eligible], pools.counts[~eligible], strict=True)
        )
        if np.count_nonzero(eligible) < subjects_per_batch:
            raise SamplerError(_too_few(pools.counts, subjects_per_batch, self.ineligible))
        self.subjects_per_batch = subjects_per_batch
        self.windows_per_class = windows_per_class
        self.one_class, self.most_turns = one_class, most_turns
        self.epoch = self.position = 0
        self._pools = pools.of(eligible)
        self._base = int(generator.integers(2**53))  # every reader of JSON has 53 bits
        self._planned: tuple[tuple[int, int], Array] | None = None

    @classmethod
    def of(
        cls,
        windows: Windows,
        *,
        generator: np.random.Generator,
        subjects_per_batch: int = DEFAULT.subjects,
        windows_per_class: int = DEFAULT.windows,
        one_class: bool = DEFAULT.one_class,
        most_turns: int | None = DEFAULT.turns,
    ) -> "SubjectSampler":
        """Batches of a window set, usually of its part `train` alone."""
        return cls(
            windows.table.labels,
            windows.table.subject.codes,
            generator=generator,
            subjects_per_batch=subjects_per_batch,
            windows_per_class=windows_per_class,
            one_class=one_class,
            most_turns=most_turns,
            names=windows.table.subject.names,
            class_names=dict(enumerate(windows.class_names)),
        )

    @property
    def batch_size(self) -> int:
        """Windows in a batch."""
        return self.subjects_per_batch * self.windows_per_class * int(self._pools.classes.size)

    @property
    def longest(self) -> int:
        """Upper bound of the number of batches in an epoch."""
        turns = turns_of(self._pools, self.windows_per_class)
        if self.most_turns is not None:
            turns = np.minimum(turns, self.most_turns)
        return int(turns.sum()) // self.subjects_per_batch

    def set_epoch(self, epoch: int) -> None:
        """Go to the beginning of another epoch; the current epoch keeps its position.

        A loop that sets each epoch can thus resume one that is half done.
        """
        if epoch < 0:
            raise SamplerError(f"epoch {epoch}; count epochs from 0")
        if epoch != self.epoch:
            self.epoch, self.position = epoch, 0

    def __len__(self) -> int:
        """Number of batches of the epoch, independent of the position."""
        return len(self._rows(self._base, self.epoch))

    def __iter__(self) -> Iterator[Int64[Array, "batch"]]:
        while self.position < len(self):
            self.position += 1
            yield self._rows(self._base, self.epoch)[self.position - 1].copy()
        self.position = 0

    def epoch_rows(self) -> Int64[Array, "step batch"]:
        """The batches from the position to the end of the epoch, one row per batch."""
        rows: Int64[Array, "step batch"] = self._rows(self._base, self.epoch)[self.position :]
        return rows.copy()

    def state_dict(self) -> dict[str, int]:
        """Epoch, position and settings, as plain numbers.

        After the last batch of an epoch the position is 0 in the same epoch; `set_epoch` starts
        the next one.
        """
        where = {"base": self._base, "epoch": self.epoch, "position": self.position}
        return {**where, **self._settings()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Resume from the state of a sampler of the same windows and settings."""
        settings = self._settings()
        state = {FORMER_KEYS.get(key, key): value for key, value in state.items()}
        for key in ("base", "epoch", "position", *settings):
            found = state.get(key, NEW_SETTINGS.get(key))
            if not isinstance(found, int) or found < 0:
                raise SamplerError(
                    f"{key} of the sampler's state is {found!r}, expected a number from 0 up; "
                    "give what state_dict returned"
                )
            if found != settings.get(key, found):
                raise SamplerError(
                    f"the state is of another sampler: {key} {found}, here {settings[key]}; "
                    "make the sampler with the windows and settings that the state was saved with"
                )
        steps = len(self._rows(state["base"], state["epoch"]))
        if state["position"] > steps:
            raise SamplerError(
                f"position {state['position']} in epoch {state['epoch']}, which has {steps} "
                "batches; give what state_dict returned"
            )
        self._base, self.epoch, self.position = state["base"], state["epoch"], state["position"]

    def _settings(self) -> dict[str, int]:
        """What must be equal for equal batches; the windows as a digest."""
        pools, digest = self._pools, hashlib.sha256()
        for part in (pools.subjects, pools.classes, pools.counts, pools.rows):
            digest.update(np.ascontiguousarray(part).data)
        return {
            "subjects_per_batch": self.subjects_per_batch,
            "windows_per_class": self.windows_per_class,
            "one_class": int(self.one_class),
            "most_turns": self.most_turns or 0,
            "windows": int.from_bytes(digest.digest()[:6], "big"),
        }

    def _rows(self, base: int, epoch: int) -> Int64[Array, "step batch"]:
        """An epoch, planned from base and epoch only; the last one is cached."""
        if self._planned is None or self._planned[0] != (base, epoch):
            seeds = np.random.SeedSequence(base, spawn_key=(epoch,))
            shape = (self.subjects_per_batch, self.windows_per_class)
            rows = plan(self._pools, *shape, np.random.default_rng(seeds), self.most_turns)
            self._planned = ((base, epoch), rows)
        return self._planned[1]


def _check(
    labels: Array,
    subjects: Array,
    subjects_per_batch: int,
    windows_per_class: int,
    most_turns: int | None,
    names: Sequence[str] | None,
) -> None:
    for name, number in (
        ("subjects_per_batch", subjects_per_batch),
        ("windows_per_class", windows_per_class),
        ("most_turns", most_turns),
    ):
        if number is not None and number < 1:
            raise SamplerError(f"{name} is {number}; the minimum is 1")
    if labels.shape != subjects.shape or labels.ndim != 1 or not labels.size:
        raise SamplerError(
            f"labels of shape {labels.shape}, subjects of shape {subjects.shape}; "
            "give one label and one subject per window, and at least one window"
        )
    if labels.dtype.kind not in "iu" or subjects.dtype.kind not in "iu":
        raise SamplerError(
            f"labels are {labels.dtype}, subjects {subjects.dtype}; give both as integers"
        )
    if subjects.min() < 0:
        row = int(np.argmin(subjects))
        raise SamplerError(f"window {row}: subject {subjects[row]}; number subjects from 0 up")
    if names is not None and subjects.max() >= len(names):
        row = int(np.argmax(subjects))
        raise SamplerError(
            f"window {row}: subject {subjects[row]}, but {len(names)} names; name all subjects"
        )


def _too_few(
    counts: Int64[Array, "subject class"], wanted: int, ineligible: Sequence[Ineligible]
) -> str:
    """The message for too few subjects: how many, the remedies, and who lacks windows."""
    ready = len(counts) - len(ineligible)
    found = f"{ready} of {len(counts)} subjects have enough windows, a batch needs {wanted}"
    # The n of the last subject needed makes just enough subjects eligible; with n = 1 no window
    # would have a positive.
    enough = np.sort(counts.min(axis=1))[::-1][wanted - 1 : wanted]
    windows = "windows_per_class (--sampler.windows)"
    subjects = "subjects_per_batch (--sampler.subjects)"
    remedies = [f"{windows} to {n}" for n in enough.tolist() if n > 1]
    remedies += [f"{subjects} to {ready}"] if ready else []
    advice = " or ".join(remedies) or f"{windows} and {subjects}, or add subjects"
    lacking = [f"  {subject}" for subject in ineligible[:NAMED]]
    if len(ineligible) > NAMED:
        lacking.append(f"  and {len(ineligible) - NAMED} more")
    return "\n".join([f"{found}; lower {advice}", *lacking])
