"""Draw the recordings that the documentation shows, and one simulated beside them."""

import tempfile
from pathlib import Path

from places import DATA, ROOT, need

from pacl.cohort import CohortProtocol, EpisodesProtocol, PooledProtocol
from pacl.records import open_records
from pacl.records.simulate import write_cohort
from pacl.report import compute_recording_picture, draw_recording_picture

SIMULATED = "record_013"
SHOWN = {"ltafdb": "ltafdb/35", "ltafdb-gaps": "ltafdb/113", "afdb": "afdb/04015"}


def main() -> None:
    """Draw each into docs/assets."""
    need("ltafdb", "afdb")
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
    draw_recording_picture(compute_recording_picture(reader.read(record_id), protocol), target)
    print(target.relative_to(ROOT))


if __name__ == "__main__":
    main()
