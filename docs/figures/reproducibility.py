"""What can be run again within minutes: commands, seconds and digests, from PACL_DATA."""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
from places import DATA, need
from sections import write_section

from pacl.detect import bundled_folder

SHOWN = 16
"""Characters of a digest."""


def main() -> None:
    """Run everything once and write the tables."""
    need("ltafdb", "afdb", "mitdb")
    rows = ["| command | seconds | digest |", "|---|--:|---|"]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for name in ("ltafdb", "afdb", "mitdb"):
            (place / name).symlink_to(DATA / name)
        for command, digests in RUNS:
            began = time.perf_counter()
            subprocess.run(
                [sys.executable, "-m", *command.split(), "--quiet"],
                cwd=place,
                check=True,
                capture_output=True,
                env={**os.environ, "OMP_NUM_THREADS": "1"},
            )
            seconds = time.perf_counter() - began
            shown = ", ".join(f"{what} `{value[:SHOWN]}`" for what, value in digests(place))
            rows.append(f"| `{command}` | {seconds:.1f} | {shown} |")
            print(rows[-1], flush=True)
    write_section("docs/reproducibility.md", "reproducibility", "\n".join(rows))
    write_bundled()


def write_bundled() -> None:
    """The digests of the bundled weights."""
    rows = ["| file | sha256 |", "|---|---|"]
    folder = bundled_folder().parent
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".onnx", ".safetensors", ".bin"):
            rows.append(f"| `{path.relative_to(folder).as_posix()}` | `{_digest(path)}` |")
    write_section("docs/reproducibility.md", "bundled", "\n".join(rows))


Digests = Callable[[Path], list[tuple[str, str]]]


def _windows(name: str) -> Digests:
    def found(place: Path) -> list[tuple[str, str]]:
        manifest = json.loads((place / name / "manifest.json").read_text())
        return [
            ("split", manifest["split"]["digest"]),
            ("intervals", manifest["files"]["rr_ms.npy"]),
        ]

    return found


def _tables(name: str) -> Digests:
    """Records and times of episodes; other columns hold paths, and last digits of a network."""

    def found(place: Path) -> list[tuple[str, str]]:
        rows = pq.read_table(place / name / "episodes", columns=["record", "start_s", "end_s"])
        text = "\n".join(
            f"{one['record']} {one['start_s']:.2f} {one['end_s']:.2f}" for one in rows.to_pylist()
        )
        return [(f"{rows.num_rows} episodes", hashlib.sha256(text.encode()).hexdigest())]

    return found


def _folder(name: str) -> Digests:
    def found(place: Path) -> list[tuple[str, str]]:
        files = sorted((place / name).rglob("*.csv"))
        return [
            ("csv files", hashlib.sha256("".join(map(_digest, files)).encode()).hexdigest()),
        ]

    return found


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


RUNS: tuple[tuple[str, Digests], ...] = (
    ("pacl simulate nights --layout text --patients 8", _folder("nights")),
    ("pacl prepare ltafdb -o LTAFDB --protocol pooled", _windows("LTAFDB")),
    ("pacl prepare afdb -o AFDB --protocol pooled", _windows("AFDB")),
    ("pacl detect mitdb -o mitdb-af --workers 1", _tables("mitdb-af")),
    ("pacl detect afdb -o afdb-af --workers 2", _tables("afdb-af")),
)


if __name__ == "__main__":
    main()
