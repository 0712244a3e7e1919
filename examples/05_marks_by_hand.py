"""Marks by hand: say what is not AF, or noise; the verdict follows, and all can be taken back."""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt

from pacl.detect import Detector
from pacl.edits import Edit, append
from pacl.records.simulate import Population, draw_patients, simulate_patient

patient = draw_patients(60, seed=0, population=Population())[45]  # has many extra beats
record = next(simulate_patient(patient, Population())).record
detector = Detector()
looked = detector.look(record)  # the networks: once
before = detector.decide(looked)

# Whoever has seen the ECG says: the doubtful episodes were no AF, and an hour was noise.
doubtful = [one for one in before.episodes if one.confidence < 0.95]
edits = [Edit("not-af", one.start_s, one.end_s, note="extra beats") for one in doubtful]
edits.append(Edit("exclude", 20 * 3600, 21 * 3600, note="electrode loose"))
file = Path(tempfile.mkdtemp()) / "record.edits.jsonl"  # edits_path(record) is beside a recording
log = append(file, record, edits)  # the file only grows, so that all can be taken back
after = detector.decide(looked, log.marks)  # some hundredths of a second

plt.style.use("pacl.style")
figure, axes = plt.subplots(layout="constrained")
for row, (name, found) in enumerate({"detector": before, "with marks": after}.items()):
    hours = [(one.start_s / 3600, one.duration_s / 3600) for one in found.episodes]
    aside = [(n.start_s / 3600, (n.end_s - n.start_s) / 3600) for n in found.not_judged]
    whole, bar = (0, found.duration_s / 3600), (row - 0.25, 0.5)
    axes.broken_barh([whole], bar, color="C0", alpha=0.25, label="_" * row + "no AF")
    axes.broken_barh(hours, bar, color="C1", label="_" * row + "AF")
    axes.broken_barh(aside, bar, color="C6", label="_" * row + "not judged")
    text = f"{name}: {len(found.episodes)} episodes, burden {found.af_burden:.1%}"
    axes.text(0, row - 0.32, text)
    print(text, "-", found.verdict)
for edit in edits:
    middle_h = (edit.start_s + edit.end_s) / 7200
    axes.plot(middle_h, 1.33, "C0^" if edit.kind == "not-af" else "C6^", clip_on=False)
axes.text(0, 1.55, "marks: not AF (blue), exclude (grey)")
axes.set(ylim=(1.95, -0.6), yticks=[], xlabel="hours from the start")
axes.spines["left"].set_visible(False)
axes.legend(loc="lower right", ncols=3)
axes.set_title(f"{len(log.marks)} marks, in a file beside the recording")
figure.savefig("05_marks_by_hand.png")
