"""Does a person's rest adapt a classifier of gestures? One of 13 people is left out at a time.

    python benchmarks/adaptation_emg.py DATA/myo-emg

LDA on time-domain features of windows of 0.8 s. The person who is left out gives the first windows
of rest, and is scored on all windows after `--first` of them: the same windows in all rows. Windows
overlap by a half, so the next one is left out. Prints means over people, and in brackets the
difference to no windows with 95 % intervals over people (bootstrap, BCa).
"""

import argparse
import tempfile
import warnings
from pathlib import Path

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pacl import AdaptiveClassifier, open_windows
from pacl.evaluation import mean_interval
from pacl.systems import time_domain_features
from pacl.windows import ArrayCut, ArrayScale, prepare_arrays

CUT = ArrayCut(length=160, stride=80)
SCORES = (
    "log loss",
    "log loss, mean of classes",
    "balanced accuracy",
    "recall of rest",
    "recall of gestures",
)


def windows_of(folder: Path, scale: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features, gestures and people of all windows; those of a person in order of time."""
    with tempfile.TemporaryDirectory() as target:
        prepare_arrays(folder, Path(target) / "windows", cut=CUT, scale=ArrayScale(scale))
        windows = open_windows(Path(target) / "windows")
        table = windows.table
        x = time_domain_features(windows.take()).reshape(len(windows), -1).astype(np.float64)
        who = np.array([table.subject.names[code] for code in table.subject.codes])
        order = np.lexsort((table.start, table.record.codes, who))
        return x[order], np.array(windows.class_names)[table.labels][order], who[order]


def classifier(name: str, classes: int) -> object:
    """Classes count equally."""
    if name == "lda":
        return LinearDiscriminantAnalysis(
            solver="lsqr", shrinkage="auto", priors=np.full(classes, 1 / classes)
        )
    return make_pipeline(
        StandardScaler(), LogisticRegression(C=0.01, class_weight="balanced", max_iter=300)
    )


def scores(truth: np.ndarray, probability: np.ndarray, classes: np.ndarray) -> list[float]:
    """Of one person; gestures that the person lacks do not count."""
    called, rest = classes[probability.argmax(axis=1)], truth == "0"
    loss = -np.log(
        np.maximum(probability[np.arange(len(truth)), classes.searchsorted(truth)], 1e-6)
    )
    return [
        float(loss.mean()),
        float(np.mean([loss[truth == one].mean() for one in np.unique(truth)])),
        balanced_accuracy_score(truth, called),
        float((called == truth)[rest].mean()),
        balanced_accuracy_score(truth[~rest], called[~rest]),
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--scale", choices=("none", "all"), default="none")
    parser.add_argument("--classifier", choices=("lda", "logistic"), default="lda")
    parser.add_argument("--windows", type=int, nargs="+", default=[0, 4, 16, 64])
    parser.add_argument("--first", type=int, default=64)
    given = parser.parse_args()
    warnings.filterwarnings("ignore", message="y_pred contains classes not in y_true")
    x, y, who = windows_of(given.folder, given.scale)
    model = classifier(given.classifier, len(np.unique(y)))
    rows: dict[str, list[list[float]]] = {}
    for person in np.unique(who):
        own = np.flatnonzero(who == person)
        fitted = AdaptiveClassifier(model, reference="0", folds=6)
        fitted.fit(x[who != person], y[who != person], subjects=who[who != person])
        rest = own[y[own] == "0"][: given.first]
        later = own[own > rest[-1] + 1]
        baselines = {f"{n} of rest": fitted.adapt(x[rest[:n]]) for n in given.windows}
        seen = own[own <= rest[-1]] if fitted.prior_.unlabelled else own[:0]
        baselines["unlabelled"] = fitted.adapt(unlabelled=x[seen])
        for name, baseline in baselines.items():
            probability = fitted.predict_proba(x[later], subject=baseline)
            rows.setdefault(name, []).append(scores(y[later], probability, fitted.classes_))
    print(
        f"{len(np.unique(who))} people, {len(y)} windows, {given.classifier}, scale {given.scale}"
    )
    none = np.array(next(iter(rows.values())))
    for name, found in rows.items():
        line = []
        for at, score in enumerate(SCORES):
            values = np.array(found)[:, at]
            line.append(f"{score} {values.mean():.3f}")
            if (values != none[:, at]).any():
                change = mean_interval(
                    values - none[:, at], np.random.default_rng(0), method="bca", bounds=None
                )
                line[-1] += f" ({change.low:+.3f} to {change.high:+.3f})"
        print(f"{name:12s} " + " | ".join(line))


if __name__ == "__main__":
    main()
