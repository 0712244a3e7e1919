"""From an ECG to beats: where they are, and most of the time in which noise hides them."""

import sys

import matplotlib.pyplot as plt
import numpy as np

from pacl.detect import Detector
from pacl.ecg import Ecg, Segment, find_beats
from pacl.records import open_records, read_ecg, record_from_beats

if len(sys.argv) > 1:  # your own ECG: EDF, WFDB, or text with a sampling rate
    reader = open_records(sys.argv[1])
    ecg = read_ecg(reader, reader.record_ids[0])
else:  # five minutes, with an electrode that comes loose
    rng = np.random.default_rng(0)
    waves = [(-0.17, 0.1, 0.02), (0, 1, 0.011), (0.03, -0.25, 0.01), (0.25, 0.25, 0.045)]
    time_s = np.arange(75_000) / 250
    signal = rng.normal(0, 0.03, (1, time_s.size))
    for beat_s in np.cumsum(rng.normal(0.8, 0.04, 373)):  # P, R, S and T of each beat
        for after_s, mv, width_s in waves:
            signal += mv * np.exp(-0.5 * ((time_s - beat_s - after_s) / width_s) ** 2)
    signal = signal.astype(np.float32)
    signal[:, 45_000:47_500] += rng.normal(0, 1.0, 2_500)
    ecg = Ecg(250.0, ("II",), (Segment(0.0, signal),), digest="made", source="made")

parts = find_beats(ecg)  # one for each stretch without a gap
found = Detector().detect(record_from_beats(ecg, parts, "my ECG", "me"))
print(f"{sum(part.at_s.size for part in parts)} beats in lead {parts[0].lead}: {found.verdict}")
for one in found.not_judged:
    print(f"  {one.start_s:.0f} to {one.end_s:.0f} s are not judged: {one.why}")

plt.style.use("pacl.style")
figure, axes = plt.subplots(layout="constrained")
middle_s = parts[0].not_judged[0].start_s if parts[0].not_judged else ecg.duration_s / 2
part, start = ecg.segments[0], max(int((middle_s - 6) * ecg.fs_hz), 0)
shown_mv = part.millivolts[0, start : start + int(20 * ecg.fs_hz)]
time_s = part.onset_s + (start + np.arange(shown_mv.size)) / ecg.fs_hz
axes.plot(time_s, shown_mv, "0.3", lw=0.8)
here_s = parts[0].at_s[(parts[0].at_s > time_s[0]) & (parts[0].at_s < time_s[-1])]
trusted = [not any(n.start_s < at <= n.end_s for n in found.not_judged) for at in here_s]
height_mv = np.interp(here_s, time_s, shown_mv)
axes.plot(here_s[trusted], height_mv[trusted] + 0.15, "C0v", label="beat")
for n, one in enumerate(found.not_judged):
    axes.axvspan(one.start_s, one.end_s, color="0.88", label="" if n else f"not judged: {one.why}")
axes.set(xlim=(time_s[0], time_s[-1]), xlabel="seconds", ylabel=f"{parts[0].lead} (mV)")
axes.set_title(f"{ecg.duration_s / 60:.0f} min of ECG, 20 s of it")
figure.legend(loc="outside lower center", ncols=2)
figure.savefig("02_ecg_to_beats.png")
