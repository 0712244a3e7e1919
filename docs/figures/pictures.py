"""Draw the recordings that the documentation shows, and one simulated beside them."""

import os
import tempfile
from pathlib import Path

from pacl.cohort import CohortProtocol, EpisodesProtocol, PooledProtocol
from pacl.records import open_records
from pacl.records.simulate import write_cohort
from pacl.report import compute_tachogram, draw_tachogram

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("PACL_DATA", ROOT.parent / "shared" / "data"))
SIMULATED = "record_013"
SHOWN = {"ltafdb": "ltafdb/35", "ltafdb-gaps": "ltafdb/113", "afdb": "afdb/04015"}


def main() -> None:
    """Draw each into docs/assets."""
    for name, record in SHOWN.items():
        _draw(DATA / record, name, PooledProtocol())
    with tempfile.TemporaryDirectory() as folder:
        cohort = Path(folder) / "cohort"
        write_cohort(cohort, patients=16, seed=0)
        _draw(cohort / "iridia-af-records-v1.0.1" / SIMULATED, "simulated", EpisodesProtocol())


def _draw(path: Path, name: str, protocol: CohortProtocol) -> None:
    reader = open_records(path)
    (record_id,) = reader.record_ids
    target = ROOT / "docs" / "assets" / f"{name}.png"
    draw_tachogram(compute_tachogram(reader.read(record_id), protocol), target)
    print(target.relative_to(ROOT))


if __name__ == "__main__":
    main()
