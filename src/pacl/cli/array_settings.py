"""Settings of `pacl prepare` for arrays: continuous signals of any kind in .npz files."""

from dataclasses import asdict, fields
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter
from pydantic import Field

from pacl.cli.config import Count, PrepareSettings, Seconds, Settings
from pacl.errors import PaclError
from pacl.records import ReadOptions
from pacl.windows import ArrayCut, ArrayKeys, ArrayScale

Listed = Annotated[tuple[str, ...], Parameter(consume_multiple=True, show_default=False)]
"""Names in a row after one flag."""
KEYS, CUT, SCALE = ArrayKeys(), ArrayCut(), ArrayScale()
"""The defaults."""


class ArraysSettings(Settings):
    """The fields of `ArrayKeys`, `ArrayCut` and `ArrayScale`."""

    signal: str | None = KEYS.signal
    """Array of all channels, (time, channel) or (channel, time). [default: recognised]"""
    channels: Listed = KEYS.channels
    """Arrays of one channel each, instead of a signal. [default: recognised]"""
    labels: str | None = KEYS.labels
    """Array of the class of each sample. [default: recognised]"""
    subject: str | None = KEYS.subject
    """Array of the subject; '' takes the name of the file. [default: recognised]"""
    record: str | None = KEYS.record
    """Array in which a change begins a new recording; '' for none. [default: recognised]"""
    time: str | None = KEYS.time
    """Array of the time of each sample, to find gaps; '' for none. [default: recognised]"""
    length: Count | None = CUT.length
    """Samples in a window. [default: 200]"""
    length_s: Seconds | None = CUT.length_s
    """Seconds in a window, instead of length."""
    stride: Count | None = CUT.stride
    """Samples between the starts of two windows. [default: half a window]"""
    stride_s: Seconds | None = CUT.stride_s
    """Seconds between the starts of two windows, instead of stride."""
    sampling_hz: Annotated[float, Field(gt=0, le=1e9, allow_inf_nan=False)] | None = CUT.sampling_hz
    """Samples in a second, for lengths in seconds. [default: by the times, if in seconds]"""
    mixed: Literal["drop", "majority", "per-sample"] = CUT.mixed
    """What a window with several classes becomes: dropped, of the class of most samples, or all
    windows keep a label for each sample."""
    classes: Listed = CUT.classes
    """Classes to use, in order, each as value or value=name. [default: all]"""
    scale: Literal["none", "all", "reference"] = SCALE.by
    """Whether each channel is scaled by its median and IQR: of all samples, or of a class."""
    reference: str | None = SCALE.reference
    """The class to scale by; chooses --arrays.scale reference."""
    reference_samples: Annotated[int, Field(ge=2)] | None = SCALE.reference_samples
    """Scale by the first samples of the reference alone, which are then in no window."""
    scale_per: Literal["subject", "record"] = SCALE.per
    """What is scaled separately."""

    def keys(self) -> ArrayKeys:
        """Which arrays are what."""
        return ArrayKeys(**self._fields_of(KEYS))

    def cut(self) -> ArrayCut:
        """How windows are cut."""
        return ArrayCut(**self._fields_of(CUT))

    def scaling(self) -> ArrayScale:
        """How signals are scaled."""
        by = "reference" if self.reference is not None and self.scale == "none" else self.scale
        return ArrayScale(by, self.reference, self.reference_samples, self.scale_per)

    def _fields_of(self, default: ArrayKeys | ArrayCut) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(default)}


class AllPrepareSettings(PrepareSettings):
    """What `pacl prepare` does with recordings of beats, or with arrays."""

    arrays: ArraysSettings = ArraysSettings()


def are_arrays(source: Path, read: ReadOptions | None) -> bool:
    """Whether a source is to be read as arrays: by the layout chosen, or by its name."""
    if read is not None and read.layout is not None:
        return read.layout == "arrays"
    return source.suffix.lower() == ".npz"


def check_given(source: Path, chosen: PrepareSettings, read: ReadOptions | None) -> None:
    """Refuse settings that are for recordings of another kind."""
    arrays = are_arrays(source, read)
    apart = {"protocol", "episodes", "pooled", "all_beats", "window"} if arrays else {"arrays"}
    given = sorted(chosen.model_fields_set & apart)
    if arrays:
        options = asdict(read or ReadOptions()) | {"layout": None}
        given += [name for name, value in options.items() if value != getattr(ReadOptions(), name)]
    if given:
        kind = "arrays" if arrays else "recordings of beats; name the layout (--layout arrays)"
        raise PaclError(f"{source}: {', '.join(given)} do not apply to {kind}")
