"""What a watch or a strap exports: all recordings of a file, each with its date and its gaps."""

import sys
import tempfile
from datetime import datetime, timedelta
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from pacl.detect import Detector
from pacl.records import open_records
from pacl.records.simulate import simulate_cohort

if len(sys.argv) > 1:  # your own: FIT, Apple Health, Polar, Movesense, Suunto, text, zips of these
    path = Path(sys.argv[1])
else:  # a strap's table: the night of a simulated patient
    path = Path(tempfile.mkdtemp()) / "night.csv"
    made = next(simulate_cohort(patients=1, seed=3)).record
    rr_ms = made.rr_ms[55_000:95_000].astype(float)
    rr_ms[20_000] = 25 * 60_000  # the strap was off for 25 minutes
    began = datetime(2026, 3, 14, 22, 10) + np.cumsum(rr_ms) * timedelta(milliseconds=1)
    rows = [f"{at.isoformat()},{one:.0f}" for at, one in zip(began, rr_ms, strict=True)]
    path.write_text("\n".join(["time,rr_ms", *rows]) + "\n")

reader, detector = open_records(path), Detector()
nights = [reader.read(name) for name in reader.record_ids]
for left_out in reader.left_out:
    print("left out:", left_out)

plt.style.use("pacl.style")
figure, all_axes = plt.subplots(min(len(nights), 3), squeeze=False, layout="constrained")
for axes, night in zip(all_axes[:, 0], nights, strict=False):
    found = detector.detect(night)
    print(f"{night.record_id} of {night.started}: {found.verdict} {found.reason or ''}")
    print(f"  {found.judged_s / 60:.0f} min judged, {len(night.gaps())} gaps")
    rr_ms = 1000 * (found.end_s - found.start_s)  # of each judged beat
    for colour, own in (("C0", ~found.af), ("C1", found.af)):
        axes.plot(found.start_s[own] / 3600, rr_ms[own], f"{colour}.", ms=1)
    for gap in night.gaps():
        left_h = night.onset_s()[gap] / 3600
        axes.axvspan(left_h, left_h + night.rr_ms[gap] / 3.6e6, fc="0.95", ec="0.7", hatch="//")
    day = f", {night.started:%a %d %b %Y %H:%M}" if night.started else ""
    axes.set(ylim=(200, 2000), ylabel="RR (ms)", title=f"{found.verdict}{day}")
all_axes[-1, 0].set_xlabel("hours from the start (hatched: nothing was recorded)")
figure.savefig("03_watch_export.png")
