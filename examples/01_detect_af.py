"""Detect AF in a recording: the intervals of a day, the episodes, and how likely AF is."""

import sys

import matplotlib.pyplot as plt

from pacl.detect import Detector
from pacl.records import open_records
from pacl.records.simulate import simulate_cohort

if len(sys.argv) > 1:  # your own file: an ECG, an export of a watch, RR intervals as text, ...
    reader = open_records(sys.argv[1])
    record = reader.read(reader.record_ids[0])
else:
    record = next(simulate_cohort(patients=1, seed=3)).record

found = Detector().detect(record)
print(f"{found.verdict}: AF burden {found.af_burden or 0:.1%} of {found.judged_s / 3600:.1f} h")
for one in found.episodes:
    print(f"  {one.start_s / 3600:5.2f} h for {one.duration_s / 60:4.0f} min, {one.confidence:.2f}")

plt.style.use("pacl.style")
figure, (top, bottom) = plt.subplots(2, sharex=True, height_ratios=[3, 1], layout="constrained")
rr_ms = 1000 * (found.end_s - found.start_s)  # of each judged beat
for name, colour, own in (("no AF", "C0", ~found.af), ("AF", "C1", found.af)):
    top.plot(found.start_s[own] / 3600, rr_ms[own], f"{colour}.", ms=0.8)
    top.plot([], [], f"{colour}o", label=name)
bottom.plot(found.end_s / 3600, found.probability, "0.4", lw=0.6)
for one in found.episodes:
    bottom.axvspan(one.start_s / 3600, one.end_s / 3600, color="C1", alpha=0.3, lw=0)
top.set(ylim=(200, 2000), ylabel="RR (ms)")
top.set_title(f"{found.verdict}: burden {found.af_burden or 0:.0%}, {len(found.episodes)} episodes")
top.legend(loc="upper right", ncols=2)
bottom.set(ylim=(0, 1), ylabel="P(AF)", xlabel="hours from the start")
figure.savefig("01_detect_af.png")
