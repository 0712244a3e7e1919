"""The scikit-learn way: a classifier that knows whose window it is, tested on people never seen."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GroupKFold, cross_val_predict

from pacl import SubjectContrastiveClassifier
from pacl.settings import ResidualSettings

# EMG-like: a fist is a faster wave than rest, but how fast differs between people.
rng = np.random.default_rng(0)
y = np.tile(["rest", "fist"], 160)
people = np.repeat([f"P{n}" for n in range(8)], 40)
pace = np.repeat(rng.normal(0, 0.7, 8), 40) + np.where(y == "fist", 6.5, 4.5)
waves = np.sin(2 * np.pi * pace[:, None] * np.arange(50) / 50 + rng.uniform(0, 6, (320, 1)))
X = rng.normal(size=(320, 2, 50)) + 1.2 * waves[:, None]

spectrum = np.log(np.abs(np.fft.rfft(X)).mean(axis=1))  # features to compare with
folds = {"cv": GroupKFold(4), "groups": people}
network = SubjectContrastiveClassifier(
    encoder=ResidualSettings(width=16, blocks=(1, 1)),
    subjects_per_batch=4,
    windows_per_class=8,
    lr=3e-3,
    epochs=4,
    random_state=0,
)
called = {
    "spectrum, logistic regression": cross_val_predict(LogisticRegression(), spectrum, y, **folds),
    "network, subject-aware": cross_val_predict(
        network, X, y, params={"subjects": people}, **folds
    ),
}

plt.style.use("pacl.style")
figure, axes = plt.subplots(layout="constrained")
each = np.unique(people)
for at, (name, answers) in enumerate(called.items()):
    own = [accuracy_score(y[people == one], answers[people == one]) for one in each]
    axes.bar(np.arange(8) + 0.4 * at - 0.2, own, width=0.36, color=f"C{6 - 4 * at}", label=name)
    print(f"{name}: {np.mean(own):.2f} on people never seen, at worst {min(own):.2f}")
axes.axhline(0.5, color="0.4", ls="--", lw=1)
axes.set(xticks=range(8), xticklabels=each, ylim=(0, 1.3), yticks=[0, 0.5, 1], ylabel="accuracy")
axes.set_title("Eight people, each tested unseen")
axes.legend(loc="upper center", ncols=2, fontsize=10)
figure.savefig("12_scikit_learn.png")
