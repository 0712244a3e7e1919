"""Windows of any signal on disk, and files they are cut from, for `mutation_run`."""

import io
import shutil
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from pacl.studies.provenance import open_windows
from pacl.window_sets import audit_folder
from pacl.windows import ArrayCut, WindowSet, prepare_arrays
from support.array_sets import made_set, write_recording
from support.mutate import damaged
from support.mutate_packed import odd_array, odd_table
from support.mutate_values import odd_values
from support.mutation_target import Target

DAMAGE = {".json": odd_values, ".npy": odd_array, ".parquet": odd_table}
FILES = ("manifest.json", "windows.parquet", "x.npy", "labels.npy")


def _windows(name: str) -> Callable[[Path], Sequence[Path]]:
    def write(folder: Path) -> Sequence[Path]:
        of_samples = {"labels": np.arange(360).reshape(36, 10) % 3}
        made_set(**(of_samples if name == "labels.npy" else {})).write(folder / "windows")
        return [folder / "windows" / name]

    return write


def _audit(folder: Path) -> None:
    """Look at a set as far as it opens, whoever changed it."""
    audit_folder(folder / "windows")
    found = WindowSet.open(folder / "windows", verify=False)
    found.take(), found.with_window_labels("majority"), repr(found)


def _learn(folder: Path) -> None:
    open_windows(folder / "windows")


def _recordings(folder: Path) -> Sequence[Path]:
    for number in range(4):
        more = {"time_s": np.arange(100.0), "take": np.arange(100) // 60}
        write_recording(folder / "in" / f"{number}.npz", samples=100, seed=number, **more)
    return [folder / "in" / "1.npz"]


def _odd_members(content: bytes, cases: int, seed: int) -> Iterator[bytes]:
    """The archive with one of its arrays replaced by an odd one."""
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        arrays = {name: packed.read(name) for name in packed.namelist()}
    for number, name in enumerate(arrays):
        for odd in odd_array(arrays[name], -(-cases // len(arrays)), seed + number):
            buffer = io.BytesIO()
            with zipfile.ZipFile(buffer, "w") as packed:
                for other, array in (arrays | {name: odd}).items():
                    packed.writestr(other, array)
            yield buffer.getvalue()


def _prepare(folder: Path) -> None:
    cut = ArrayCut(length=10, classes=("0", "1"))
    shutil.rmtree(folder / "out", ignore_errors=True)
    with np.errstate(all="ignore"):
        prepare_arrays(folder / "in", folder / "out", cut=cut)


ARRAY_TARGETS = (
    *(
        Target(f"arrays/{use}-{name}", _windows(name), open_, DAMAGE[Path(name).suffix])
        for name in FILES
        for use, open_ in (("audit", _audit), ("learn", _learn))
    ),
    Target("arrays/recordings", _recordings, _prepare, _odd_members),
    Target("arrays/recordings-bytes", _recordings, _prepare, damaged),
)
