"""One person's own baseline: a few windows of rest adapt a classifier to a person never seen."""

import json

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import balanced_accuracy_score, log_loss

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
subjects = np.repeat(np.arange(20), 90)
classifier = AdaptiveClassifier(LinearDiscriminantAnalysis(), reference="rest")
classifier.fit(X, y, subjects=subjects)
found = classifier.prior_
print(f"log odds of rest are {found.reference:.1f} on average over people")
print(f"their standard deviation over people is {found.reference_sd:.1f}")

new, truth = record(resting=1.8, windows=50)  # a person who is tense at rest
later, answers = new[16:], truth[16:]  # the first windows are known to be rest
for count in (0, 1, 4, 16):
    eva = classifier.adapt(new[:count])
    called = classifier.predict(later, subject=eva)
    loss = log_loss(answers, classifier.predict_proba(later, subject=eva))
    score = balanced_accuracy_score(answers, called)
    print(f"{count:2d} windows of rest: log loss {loss:.2f}, balanced accuracy {score:.2f}")

wrong = np.flatnonzero(classifier.predict(new[:16]) != truth[:16])
told = classifier.adapt(corrections=(new[wrong], truth[wrong]))  # windows and their true class
loss = log_loss(answers, classifier.predict_proba(later, subject=told))
print(f"{len(wrong)} corrections and nothing else: log loss {loss:.2f}")

text = json.dumps(eva.to_dict())  # a few numbers and no windows: keep it with the person
eva = SubjectBaseline.from_dict(json.loads(text))  # to go on learning, or to predict
print(f"the baseline takes {len(text)} characters of JSON")

calm, _ = record(resting=-0.5, windows=50)
worn = classifier.adapt(unlabelled=calm[:75])  # without labels: from windows surely of rest
worn = classifier.adapt(unlabelled=calm[75:], baseline=worn)  # more of them, later
seen = worn.unlabelled
print(f"{seen.sure.amount:.0f} of {seen.amount:.0f} unlabelled windows are surely rest")
