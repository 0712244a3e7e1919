"""The window set that benchmarks of training use: a given one, LTAFDB's, or a simulated one."""

from pathlib import Path

from preparing import BUILD, cohort
from reading import DATA

PATIENTS = 24
"""Simulated, pooled: about as many windows as LTAFDB has."""


def find_windows(given: Path | None = None) -> Path:
    """What was given; else all SR and AF of LTAFDB or of simulated patients, prepared once."""
    if given is not None:
        return given
    real = (DATA / "ltafdb").is_dir()
    path = BUILD / ("windows-ltafdb" if real else f"windows-simulated-{PATIENTS}")
    if not path.exists():
        _prepare(DATA / "ltafdb" if real else cohort(PATIENTS), path)
    return path


def _prepare(records: Path, target: Path) -> None:
    from pacl.cohort import PooledProtocol
    from pacl.records import open_records
    from pacl.rr import prepare
    from pacl.windows import split_units

    target.parent.mkdir(parents=True, exist_ok=True)
    prepare(
        open_records(records),
        target,
        protocol=PooledProtocol(),
        divide=lambda strata, _: split_units(strata, seed=1),
    )
