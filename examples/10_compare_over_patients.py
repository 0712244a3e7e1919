"""Is one better? Two scores compared over patients, since windows of one patient are alike."""

import matplotlib.pyplot as plt
import numpy as np

from pacl.evaluation import compare_auroc, count_pairs, measure_auroc
from pacl.features import HRV_NAMES, hrv_features
from pacl.records import Rhythm
from pacl.records.simulate import simulate_cohort

rr_ms, labels, patients = [], [], []
for record in (made.record for made in simulate_cohort(patients=24, seed=5)):
    for run in record.rhythm_runs():
        for start in range(run.start, run.stop - 200, 2000):
            window_ms = record.rr_ms[start : start + 200]
            if window_ms.min() >= 200 and window_ms.max() <= 2000:
                rr_ms.append(window_ms)
                labels.append(run.rhythm == Rhythm.AF)
                patients.append(int(record.patient_id.removeprefix("patient_")))
labels, patients = np.array(labels, dtype=int), np.array(patients)
features = hrv_features(np.array(rr_ms, dtype=float))
entropy, steps = (features[:, HRV_NAMES.index(name)] for name in ("CoSEn", "pNN50"))

rng = np.random.default_rng(0)
found = compare_auroc(labels, entropy[None], steps[None], patients, rng).over_subjects
print(f"CoSEn less pNN50, over patients: {found}")

# What not to do: each window drawn by itself, as if it came from another patient.
draws = rng.integers(len(labels), size=(500, len(labels)))
alone = [
    measure_auroc(labels[rows], entropy[rows]) - measure_auroc(labels[rows], steps[rows])
    for rows in draws
]
low, high = np.quantile(alone, [0.025, 0.975])
print(f"over windows it would be [{low:.3f}, {high:.3f}]: too short, and here it misleads")

plt.style.use("pacl.style")
figure, (left, right) = plt.subplots(1, 2, width_ratios=[2, 3], layout="constrained")
own = [count_pairs(labels, score, patients).own for score in (steps, entropy)]
left.plot([0, 1], np.array(own), "0.6", marker="o", lw=0.8, ms=4)
left.set(xticks=[0, 1], xticklabels=["pNN50", "CoSEn"], xlim=(-0.3, 1.3), ylabel="AUROC")
left.set_title("Each patient")
for row, (colour, a, b) in enumerate((("C2", found.low, found.high), ("C6", low, high))):
    right.plot([a, b], [row, row], colour, lw=4, solid_capstyle="butt")
    right.plot(found.estimate, row, "o", color="#222222")
right.axvline(0, color="0.5", ls="--", lw=1)
right.set(yticks=[0, 1], yticklabels=["over\npatients", "over\nwindows"], ylim=(1.6, -0.6))
right.set(xlabel="difference of AUROC, 95 % interval", title="CoSEn less pNN50")
figure.savefig("10_compare_over_patients.png")
