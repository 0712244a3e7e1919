"""The scikit-learn way: a classifier that knows whose window it is, tested on people never seen."""

import numpy as np
from sklearn.model_selection import GroupKFold, cross_val_score

from pacl import SubjectContrastiveClassifier
from pacl.settings import ResidualSettings

rng = np.random.default_rng(0)
y = np.tile(["rest", "fist"], 240)
people = np.repeat([f"person {n}" for n in range(8)], 60)
pace = np.repeat(rng.normal(0, 0.5, 8), 60) + np.where(y == "fist", 7.0, 4.0)  # each has their own
waves = np.sin(2 * np.pi * pace[:, None] * np.arange(50) / 50 + rng.uniform(0, 6, (480, 1)))
X = rng.normal(size=(480, 2, 50)) + 1.5 * waves[:, None]

classifier = SubjectContrastiveClassifier(
    encoder=ResidualSettings(width=16, blocks=(1, 1)), lr=3e-3, epochs=3, random_state=0
)
scores = cross_val_score(
    classifier, X, y, cv=GroupKFold(4), groups=people, params={"subjects": people}
)
print(f"people never seen: accuracy {scores.mean():.2f}, folds {scores.round(2)}")

classifier.fit(X, y, subjects=people)  # some people are held out, to choose the epoch by
print(f"held out: {', '.join(classifier.validation_subjects_)}")
print(f"embeddings of {classifier.transform(X[:3]).shape[1]} numbers, of unit length")
