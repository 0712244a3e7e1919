"""Settings of `pacl prepare` for arrays: continuous signals of any kind in .npz files."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal

from pacl.cli.prepare_settings import PrepareSettings
from pacl.errors import PaclError
from pacl.records import ReadOptions
from pacl.stored import Between
from pacl.windows import ArrayCut, ArrayKeys, ArrayScale

SCALE = ArrayScale()
"""The defaults."""


@dataclass(frozen=True)
class ArraysSettings(ArrayCut, ArrayKeys):
    """What `ArrayKeys`, `ArrayCut` and `ArrayScale` take."""

    scale: Literal["none", "all", "reference"] = SCALE.by
    """Whether each channel is scaled by its median and IQR: of all samples, or of a class."""
    reference: str | None = SCALE.reference
    """The class to scale by; chooses --arrays.scale reference."""
    reference_samples: Annotated[int, Between(2, 10**12)] | None = SCALE.reference_samples
    """Scale by the first samples of the reference alone, which are then in no window."""
    scale_per: Literal["subject", "record"] = SCALE.per
    """What is scaled separately."""

    def keys(self) -> ArrayKeys:
        """Which arrays are what."""
        return ArrayKeys(**_fields_of(ArrayKeys, self))

    def cut(self) -> ArrayCut:
        """How windows are cut."""
        return ArrayCut(**_fields_of(ArrayCut, self))

    def scaling(self) -> ArrayScale:
        """How signals are scaled."""
        by = "reference" if self.reference is not None and self.scale == "none" else self.scale
        return ArrayScale(by, self.reference, self.reference_samples, self.scale_per)


@dataclass(frozen=True)
class AllPrepareSettings(PrepareSettings):
    """What `pacl prepare` does with recordings of beats, or with arrays."""

    arrays: ArraysSettings = ArraysSettings()


def are_arrays(source: Path, read: ReadOptions | None) -> bool:
    """Whether a source is to be read as arrays: by the layout chosen, or by its name."""
    if read is not None and read.layout is not None:
        return read.layout == "arrays"
    return source.suffix.lower() == ".npz"


def check_given(source: Path, stated: Mapping[str, Any], read: ReadOptions | None) -> None:
    """Refuse settings that are for recordings of another kind."""
    arrays = are_arrays(source, read)
    apart = {"protocol", "episodes", "pooled", "all_beats", "window"} if arrays else {"arrays"}
    given = sorted(stated.keys() & apart)
    if arrays:
        options = asdict(read or ReadOptions()) | {"layout": None}
        given += [name for name, value in options.items() if value != getattr(ReadOptions(), name)]
    if given:
        kind = "arrays" if arrays else "recordings of beats; name the layout (--layout arrays)"
        raise PaclError(f"{source}: {', '.join(given)} do not apply to {kind}")


def _fields_of(kind: type[Any], settings: ArraysSettings) -> dict[str, Any]:
    return {each.name: getattr(settings, each.name) for each in fields(kind)}
