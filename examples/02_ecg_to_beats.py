"""From an ECG to beats: where they are, and where noise hides them."""

import sys

import matplotlib.pyplot as plt
import numpy as np

from pacl.detect import Detector
from pacl.ecg import Ecg, Segment, find_beats
from pacl.records import open_records, read_ecg, record_from_beats
from pacl.testing import made_ecg

if len(sys.argv) > 1:  # your own ECG: EDF, WFDB, or text with a sampling rate
    reader = open_records(sys.argv[1])
    ecg = read_ecg(reader, reader.record_ids[0])
else:  # five minutes, with an electrode that comes loose
    rng = np.random.default_rng(0)
    beats_s = np.cumsum(rng.normal(0.8, 0.04, 374))
    signal = made_ecg(beats_s, fs_hz=250.0, duration_s=300.0, noise_mv=0.03)
    signal[:, 45_000:46_000] += rng.normal(0, 0.5, 1_000)
    ecg = Ecg(250.0, ("II",), (Segment(0.0, signal),), digest="made", source="made")

parts = find_beats(ecg)  # one for each stretch without a gap
found = Detector().detect(record_from_beats(ecg, parts, "my ECG", "me"))
print(f"{sum(part.at_s.size for part in parts)} beats in lead {parts[0].lead}: {found.verdict}")
for one in found.not_judged:
    print(f"  {one.start_s:.0f} to {one.end_s:.0f} s are not judged: {one.why}")

plt.style.use("pacl.style")
figure, axes = plt.subplots(layout="constrained")
middle_s = parts[0].not_judged[0].start_s if parts[0].not_judged else ecg.duration_s / 2
part, start = ecg.segments[0], max(int((middle_s - 4) * ecg.fs_hz), 0)
shown_mv = part.millivolts[0, start : start + int(16 * ecg.fs_hz)]
time_s = part.onset_s + (start + np.arange(shown_mv.size)) / ecg.fs_hz
axes.plot(time_s, shown_mv, "0.3", lw=0.8)
here_s = parts[0].at_s[(parts[0].at_s > time_s[0]) & (parts[0].at_s < time_s[-1])]
trusted = [not any(n.start_s < at <= n.end_s for n in found.not_judged) for at in here_s]
height_mv = np.interp(here_s, time_s, shown_mv)
axes.plot(here_s[trusted], height_mv[trusted] + 0.15, "C0v", label="beat")
for n, one in enumerate(found.not_judged):
    axes.axvspan(one.start_s, one.end_s, color="0.88", label="" if n else f"not judged: {one.why}")
axes.set(xlim=(time_s[0], time_s[-1]), xlabel="seconds", ylabel=f"{parts[0].lead} (mV)")
axes.set_title(f"{ecg.duration_s / 60:.0f} min of ECG, 16 s of it")
figure.legend(loc="outside lower center", ncols=2)
figure.savefig("02_ecg_to_beats.png")
