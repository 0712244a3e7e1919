"""A folder of recordings: the AF burden of each, and which one to look at first."""

import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from pacl.detect import Detector
from pacl.records import open_records
from pacl.records.simulate import simulate_cohort

if len(sys.argv) > 1:  # your own folder, of any files that pacl can read
    folder = Path(sys.argv[1])
else:
    folder = Path(tempfile.mkdtemp())
    for made in simulate_cohort(patients=8, seed=4):
        np.savetxt(folder / f"{made.record.patient_id}.txt", made.record.rr_ms[:60_000], fmt="%d")

reader, detector = open_records(folder), Detector()
found = [detector.detect(reader.read(name)) for name in reader.record_ids]
found.sort(key=lambda one: one.af_burden or 0.0, reverse=True)
for one in found:
    burden = "cannot tell" if one.af_burden is None else f"{one.af_burden:6.1%}"
    print(f"{one.record_id:12} {burden} {len(one.episodes):3} episodes  {one.verdict}")
print(f"look first at {found[0].record_id}")

plt.style.use("pacl.style")
figure, axes = plt.subplots(figsize=(6, 1.2 + 0.28 * len(found)), layout="constrained")
burdens = [100 * (one.af_burden or 0.0) for one in found]
bars = axes.barh([one.record_id for one in found], burdens, color="C1")
axes.bar_label(
    bars, [f"{100 * (one.af_burden or 0):.1f} %, {one.verdict}" for one in found], padding=4
)
axes.invert_yaxis()
axes.set(xticks=range(0, 101, 20), xlim=(0, 1 + 1.5 * max(burdens)))
axes.set_xlabel("AF burden (% of the judged time)")
axes.set_title(f"{len(found)} recordings, {sum(one.judged_s for one in found) / 3600:.0f} h judged")
figure.savefig("07_folder_of_recordings.png")
