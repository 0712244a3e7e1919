"""Signal files of one WFDB record: their sizes, and samples of some signals in millivolts."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

import numpy as np

from pacl.axes import Array, Float32, Int
from pacl.records.errors import FormatError, LayoutError
from pacl.records.signals.source_file import MAX_FILE_BYTES, SourceFile
from pacl.records.signals.units import is_unknown_unit, millivolts_per
from pacl.records.signals.wfdb_formats import FORMATS, WHOLE_BLOCKS, SignalFormat
from pacl.records.signals.wfdb_header import SignalLine, WfdbHeader

_CHUNK_SAMPLES = 2**19
_LONGEST_NAME = 200
_MOST_SAMPLES_A_FRAME = 100_000


def beside(folder: Path, name: str, source: str) -> Path:
    """A file that a header names: only a plain name, of a file beside the header, is accepted."""
    plain = name.strip() == name and not set(name) & set('/\\:\0"') and name.strip(".-~")
    if not plain or len(name) > _LONGEST_NAME:
        raise LayoutError(
            source,
            f"it names the file {name[:60]!r}, expected the name of a file beside it",
            "put the file into the folder of the header, and its bare name into the header",
        )
    return folder / name


@dataclass(frozen=True, slots=True)
class SignalFile:
    """A file with its signals; `rows` are those to read, by the row they are read into."""

    path: Path
    format: SignalFormat
    lines: tuple[SignalLine, ...]
    rows: dict[int, int] = field(default_factory=dict)

    @property
    def frame(self) -> int:
        """Samples of all signals in one frame."""
        return sum(line.samples_per_frame for line in self.lines)

    def size(self) -> int:
        """Bytes of the file."""
        with SourceFile(self.path) as file:
            return file.size

    def frames_in(self, size: int) -> int:
        """Frames that are complete in some bytes."""
        return self.format.samples_in(max(0, size - self.offset)) // self.frame

    @property
    def offset(self) -> int:
        """Bytes before the first sample."""
        return self.lines[0].byte_offset

    def read_into(self, millivolts: Float32[Array, "lead sample"], frames: int) -> bytes:
        """Decode the chosen signals into their rows; gives the file's fingerprint.

        Rows are written wholly: what a skew leaves over is NaN.
        """
        starts = [0, *accumulate(line.samples_per_frame for line in self.lines)]
        before = {at: self.lines[at].initial for at in self.rows}
        step = max(1, _CHUNK_SAMPLES // self.frame // WHOLE_BLOCKS) * WHOLE_BLOCKS
        with SourceFile(self.path) as file:
            file.skip(self.offset)
            for first in range(0, frames, step):
                here = min(step, frames - first)
                count = here * self.frame
                content = file.read_exactly(self.format.bytes_for(count))
                table = self.format.samples(content, count).reshape(here, self.frame)
                for at, row in self.rows.items():
                    line = self.lines[at]
                    numbers = table[:, starts[at] : starts[at + 1]].reshape(-1)
                    if line.format == "8":
                        numbers = np.cumsum(numbers, dtype=np.int64) + before[at]
                        before[at] = int(numbers[-1])
                    start = (first - line.skew) * line.samples_per_frame
                    numbers = numbers[max(0, -start) :]
                    start = max(0, start)
                    into = millivolts[row, start : start + numbers.size]
                    _convert(numbers, line, self.format, into)
            for at, row in self.rows.items():
                line = self.lines[at]
                if line.skew:
                    left = max(0, frames - line.skew) * line.samples_per_frame
                    millivolts[row, left:] = np.nan
            return file.fingerprint()


def _convert(
    numbers: Int[Array, "sample"],
    line: SignalLine,
    form: SignalFormat,
    into: Float32[Array, "sample"],
) -> None:
    """Numbers of the converter as millivolts; the lowest of the format is a missing sample."""
    scale = (millivolts_per(line.units) or 1.0) / line.gain
    exact = form.bits <= 16 and line.format != "8" and abs(line.baseline) < 2**23
    if exact:
        np.subtract(numbers, np.float32(line.baseline), out=into, dtype=np.float32)
        into *= np.float32(scale)
    else:
        into[:] = (numbers.astype(np.float64) - line.baseline) * scale
    if form.lowest is not None:
        missing = numbers == form.lowest
        if missing.any():
            into[missing] = np.nan


def files_of(
    folder: Path, header: WfdbHeader, chosen: Sequence[int | None], source: str
) -> list[SignalFile]:
    """The files that hold the chosen signals; `chosen` has the signal of each row, or nothing."""
    rows = {at: row for row, at in enumerate(chosen) if at is not None}
    found = []
    for name in dict.fromkeys(header.signals[at].file for at in rows):
        within = [at for at, line in enumerate(header.signals) if line.file == name]
        lines = tuple(header.signals[at] for at in within)
        if len({(line.format, line.byte_offset) for line in lines}) > 1:
            raise FormatError(
                source,
                f"signals of {name[:60]!r} have different formats or byte offsets",
                "repair the header: signals of one file are stored alike",
            )
        form = FORMATS.get(lines[0].format)
        if form is None:
            raise FormatError(
                source,
                f"{name[:60]!r} has format {lines[0].format}, expected one of {', '.join(FORMATS)}",
                "convert it with xform of the WFDB software, to format 16",
            )
        file = SignalFile(
            beside(folder, name, source),
            form,
            lines,
            {within.index(at): row for at, row in rows.items() if at in within},
        )
        if file.frame > _MOST_SAMPLES_A_FRAME or file.offset > MAX_FILE_BYTES:
            raise FormatError(
                source,
                f"{file.frame:,} samples a frame from byte {file.offset:,} on",
                "repair the header",
            )
        found.append(file)
    return found


def check_units(line: SignalLine, layout: SignalLine, source: str) -> None:
    """Refuse a signal that is no voltage, or whose unit is known only in some segments."""
    unit = millivolts_per(line.units)
    known = unit is not None or is_unknown_unit(line.units)
    if not known or (unit is None) != (millivolts_per(layout.units) is None):
        raise FormatError(
            source,
            f"{line.name!r} is in {line.units[:20]!r}, elsewhere in {layout.units[:20]!r}",
            "read the segments one by one, or choose another lead with --lead",
        )


def count_frames(
    files: Sequence[SignalFile], sizes: Sequence[int], promised: int | None, source: str
) -> int:
    """Frames of a record: those of its header, which its files must have, else those of the files.

    Files without a promise may differ by what fills up their last block.
    """
    there = [file.frames_in(size) for file, size in zip(files, sizes, strict=True)]
    if promised is not None:
        for file, frames in zip(files, there, strict=True):
            if frames < promised:
                raise FormatError(
                    file.path,
                    f"{frames:,} samples for each signal, the header promises {promised:,}",
                    "fetch the file again, it is cut off",
                )
        return promised
    if max(there) - min(there) > 2:
        raise FormatError(
            source,
            f"its files have {min(there):,} and {max(there):,} samples for each signal",
            "write the number of samples into the header",
        )
    if not min(there):
        raise FormatError(files[0].path, "no sample", "fetch the file again")
    return min(there)
