"""A folder of recordings: AF burden of each, and the one to review first."""

import tempfile
from pathlib import Path

from pacl.detect import Detector
from pacl.records import open_records
from pacl.records.simulate import simulate_cohort

folder = Path(tempfile.mkdtemp())
for made in simulate_cohort(patients=3, seed=1):  # your own files would already be there
    lines = "\n".join(f"{rr_ms:g}" for rr_ms in made.record.rr_ms[:30_000])
    (folder / f"{made.record.record_id}.txt").write_text(lines + "\n")

detector, reader = Detector(), open_records(folder)
found = [detector.detect(reader.read(name)) for name in reader.record_ids]
for one in found:
    burden = "inconclusive" if one.af_burden is None else f"{one.af_burden:.1%} AF"
    print(f"{one.record_id}: {burden}, {len(one.episodes)} episodes, {one.judged_s / 3600:.1f} h")
most = max(found, key=lambda one: one.af_burden or 0.0)
print(f"review first: {most.record_id}" if most.af_burden else "no AF found in any of them")
