"""Learn one person: a little of their own sinus rhythm, or a few corrections, and less is wrong."""

import matplotlib.pyplot as plt
import numpy as np

import pacl
from pacl.detect import Detection, Detector
from pacl.records import Rhythm
from pacl.records.simulate import Population, draw_patients, simulate_patient

# One of 60 simulated patients who gains: sinus rhythm with many extra beats. Most gain little.
patient = draw_patients(60, seed=0, population=Population())[45]
record = next(simulate_patient(patient, Population())).record
truly_af = record.rhythm() == Rhythm.AF
detector = Detector()


def wrong_h(found: Detection) -> tuple[float, float]:
    """Hours of false AF and of missed AF after the third hour."""
    beat = np.searchsorted(record.onset_s(), found.start_s + 0.001) - 1
    hours = np.where(found.start_s > 3 * 3600, (found.end_s - found.start_s) / 3600, 0)
    return hours[found.af & ~truly_af[beat]].sum(), hours[~found.af & truly_af[beat]].sum()


everybody = detector.detect(record)
false_s = [(one.start_s, one.end_s) for one in everybody.episodes if one.start_s < 3 * 3600]
rest = pacl.adapt(record, sinus=[(1800, 3600)])  # known sinus rhythm: your word, a 12-lead ECG
told = pacl.adapt(record, not_af=false_s, person=rest)  # and a correction
print(f"the profile: {len(told.to_json()):,} characters of JSON, no recording in it")

names = ["everybody's\ndetector", "30 min of\nsinus rhythm", f"and {len(false_s)} correction"]
results = [everybody, detector.of(rest).detect(record), detector.of(told).detect(record)]
wrong = np.array([wrong_h(one) for one in results])
for name, (false, missed) in zip(names, wrong, strict=True):
    print(f"{' '.join(name.split())}: {false:.2f} h of false AF, {missed:.2f} h of missed AF")

plt.style.use("pacl.style")
figure, axes = plt.subplots(layout="constrained")
axes.bar(names, wrong[:, 0], width=0.5, color="C1", label="false AF")
axes.bar(names, wrong[:, 1], width=0.5, color="C0", bottom=wrong[:, 0], label="missed AF")
axes.set(ylabel="hours called wrong", title="One patient, from the third hour on")
axes.legend()
figure.savefig("06_one_person.png")
