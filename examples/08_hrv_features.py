"""Heart rate variability: 74 features of each window, and which of them separate AF best."""

import matplotlib.pyplot as plt
import numpy as np

from pacl.evaluation import measure_auroc
from pacl.features import HRV_NAMES, hrv_features
from pacl.records import Rhythm
from pacl.records.simulate import simulate_cohort

rr_ms, labels = [], []
for record in (made.record for made in simulate_cohort(patients=20, seed=1)):
    for run in record.rhythm_runs():
        for start in range(run.start, run.stop - 200, 4000):
            window_ms = record.rr_ms[start : start + 200]
            if window_ms.min() >= 200 and window_ms.max() <= 2000:  # without gaps and noise
                rr_ms.append(window_ms)
                labels.append(run.rhythm == Rhythm.AF)
labels = np.array(labels, dtype=int)
features = hrv_features(np.array(rr_ms, dtype=float))  # one row per window
print(f"{len(features)} windows of 200 beats, {labels.sum()} of them in AF")

auroc = np.array([measure_auroc(labels, column) for column in features.T])
separates = np.maximum(auroc, 1 - auroc)  # some are lower in AF
best = np.argsort(separates)[::-1][:8]
for at in best:
    print(
        f"{HRV_NAMES[at]:14} AUROC {separates[at]:.3f}, {'higher' if auroc[at] > 0.5 else 'lower'}"
    )

plt.style.use("pacl.style")
figure, (left, right) = plt.subplots(1, 2, width_ratios=[3, 2], layout="constrained")
for name, colour, kind in (("sinus rhythm", "C0", 0), ("AF", "C1", 1)):
    own = features[labels == kind]
    x, y = own[:, HRV_NAMES.index("RMSSD")], own[:, HRV_NAMES.index("SampEn")]
    left.plot(x, y, f"{colour}o", ms=3, alpha=0.5, label=name)
left.set(xlabel="RMSSD (ms)", ylabel="sample entropy", xlim=(0, None), title="Each window")
left.legend(loc="upper right")
names = [HRV_NAMES[at].replace("Symbolic_EqualProb4_", "Symbolic ") for at in best]
right.barh(names, separates[best], color="C2")
right.invert_yaxis()
right.set(xlim=(0.5, 1), xlabel="AUROC", title="Best 8 of 74")
figure.savefig("08_hrv_features.png")
