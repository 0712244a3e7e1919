"""One person's own baseline: a few windows of rest adapt a classifier to a person never seen."""

import json

import matplotlib.pyplot as plt
import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import balanced_accuracy_score

from pacl import AdaptiveClassifier, SubjectBaseline

rng = np.random.default_rng(0)
gestures = np.array(["rest", "fist", "wave"])


def record(resting: float, windows: int) -> tuple[np.ndarray, np.ndarray]:
    """Log amplitudes of two muscles; how tense a person is at rest differs."""
    kind = np.repeat([0, 1, 2], windows)
    level = np.array([[resting, 0.0], [3.0, 0.5], [2.5, 2.5]])[kind]
    return rng.normal(level, 0.6), gestures[kind]


people = [record(resting, 30) for resting in rng.normal(0, 0.8, 20)]
X, y = (np.concatenate(part) for part in zip(*people, strict=True))
classifier = AdaptiveClassifier(LinearDiscriminantAnalysis(), reference="rest")
classifier.fit(X, y, subjects=np.repeat(np.arange(20), 90))
print(f"log odds of rest differ between people by {classifier.prior_.reference_sd:.1f}")

new, truth = record(resting=1.8, windows=50)  # a person who is tense at rest
later, answers = new[16:], truth[16:]  # the first windows are known to be rest
counts = [0, 1, 2, 4, 8, 16]
scores = []
for count in counts:
    eva = classifier.adapt(new[:count])
    scores.append(balanced_accuracy_score(answers, classifier.predict(later, subject=eva)))
    print(f"{count:2d} windows of rest: balanced accuracy {scores[-1]:.2f}")
text = json.dumps(eva.to_dict())  # a few numbers and no windows: keep it with the person
eva = SubjectBaseline.from_dict(json.loads(text))  # to go on learning, or to predict

plt.style.use("pacl.style")
figure, (left, right) = plt.subplots(1, 2, layout="constrained")
for at, one in enumerate(gestures):
    left.plot(*X[y == one].T, f"C{at}.", ms=2, alpha=0.25)
    left.plot(*new[truth == one].T, f"C{at}o", ms=3, label=one)
left.set(xlabel="log amplitude, muscle 1", ylabel="muscle 2", title="Large: the new person")
left.legend(loc="upper left")
right.plot(counts, scores, "C2o-")
right.set(xlabel="windows of rest", ylabel="balanced accuracy", ylim=(0.5, 1), title="Adapted")
figure.savefig("13_subject_baseline.png")
