"""What files of recordings hold: a first reading, before windows are cut."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pacl.axes import Array, Bool
from pacl.windows.errors import WindowSetError
from pacl.windows.prepare.cut import ArrayCut
from pacl.windows.prepare.keys import ArrayKeys
from pacl.windows.prepare.recordings import ArrayFile, Stretch
from pacl.windows.prepare.scale import ArrayScale, ChannelScale, Reference, ScaleFit


@dataclass(frozen=True, eq=False, slots=True)
class Survey:
    """The classes, channels and sampling rate of all files, and the scales of their signals."""

    keys: ArrayKeys
    channels: int
    sampling_hz: float | None
    class_of: Mapping[str, str]
    scales: Mapping[str, ChannelScale | str]
    """The scale of each subject or recording, or why it is left out."""

    @property
    def class_names(self) -> tuple[str, ...]:
        """The classes that are used, in order."""
        return tuple(dict.fromkeys(self.class_of.values()))

    def classes(self, file: ArrayFile) -> Array:
        """The number of the class of each label of a file; -1 for one that is not used."""
        number = {name: at for at, name in enumerate(self.class_names)}
        return np.array(
            [
                number[self.class_of[one]] if one in self.class_of else -1
                for one in file.labels.names
            ],
            dtype=np.int32,
        )


def survey_files(
    files: Mapping[str, Path],
    folder: Path,
    keys: ArrayKeys,
    cut: ArrayCut,
    scale: ArrayScale,
    track: Callable[[int, int], None],
) -> Survey:
    """Read all files once; `folder` is for samples that scales are fitted on."""
    values: Counter[str] = Counter()
    first: ArrayFile | None = None
    steps: list[float] = []
    reference, fit = Reference(scale), None
    for done, (name, path) in enumerate(files.items(), start=1):
        file = ArrayFile.read(path, name, keys)
        first = first or file
        if file.signal.shape[1] != first.signal.shape[1]:
            raise WindowSetError(
                path,
                f"{file.signal.shape[1]} channels, {first.path.name} has {first.signal.shape[1]}",
                "prepare recordings with other channels by themselves",
            )
        values.update(file.labels.names)
        steps += [] if file.step_s is None else [file.step_s]
        fit = fit or ScaleFit(folder, file.signal.shape[1])
        if scale.by != "none":
            named = _reference_values(file, cut, scale)
            for stretch in file.stretches():
                chosen = reference.mask(stretch, named[stretch.labels])
                fit.add(scale.whose(stretch), stretch.signal[chosen])
        track(done, 2 * len(files))
    if first is None or fit is None:
        raise WindowSetError("recordings", "there is no file", "give a file or a folder")
    class_of = cut.class_of(values)
    if scale.by == "reference" and scale.reference not in class_of.values():
        raise WindowSetError(
            "scale",
            f"no class {scale.reference!r}",
            f"name one of {', '.join(dict.fromkeys(class_of.values()))}",
        )
    return Survey(
        keys=first.keys,
        channels=first.signal.shape[1],
        sampling_hz=_sampling_hz(cut, steps),
        class_of=class_of,
        scales=fit.fit(scale.reference_samples or 2),
    )


def fitted_on(
    file: ArrayFile, stretch: Stretch, cut: ArrayCut, reference: Reference
) -> Bool[Array, "time"]:
    """Samples of a stretch that are in no window, as the scale was fitted on them alone."""
    if reference.scale.reference_samples is None:
        return np.zeros(len(stretch.labels), dtype=bool)
    named = _reference_values(file, cut, reference.scale)
    return reference.mask(stretch, named[stretch.labels])


def _reference_values(file: ArrayFile, cut: ArrayCut, scale: ArrayScale) -> Bool[Array, "value"]:
    """Which labels of a file are the reference class."""
    renamed = {value: name or value for value, _, name in (c.partition("=") for c in cut.classes)}
    found: Bool[Array, "value"] = np.array(
        [
            renamed.get(one, "" if cut.classes else one) == scale.reference
            for one in file.labels.names
        ]
    )
    return found


def _sampling_hz(cut: ArrayCut, steps: list[float]) -> float | None:
    """As given, or of the times of samples, where all files have the same."""
    if cut.sampling_hz is not None:
        return cut.sampling_hz
    if not steps or max(steps) > 1.01 * min(steps):
        return None
    return 1 / float(np.median(steps))
