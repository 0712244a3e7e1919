from dataclasses import replace

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from pacl.evaluation import ProbeScore
from pacl.models import Encoder
from pacl.rr import RRWindowSet
from pacl.training import LabelledWindows
from support.small_runs import small_windows


@pytest.fixture(scope="module")
def parts():
    windows = RRWindowSet.open(small_windows())
    return {part: windows.part(part) for part in ("train", "validation")}


@pytest.fixture(scope="module")
def encoder():
    generator = torch.Generator().manual_seed(0)
    return Encoder(channels=(8, 8, 8), pooled_features=6, generator=generator).eval()


def test_it_is_the_auroc_on_validation_of_a_probe_fitted_on_training(parts, encoder):
    score = ProbeScore(*(LabelledWindows.of(part) for part in parts.values()))
    with torch.no_grad():
        pooled = {
            name: encoder(torch.from_numpy(part.windows())).pooled.double().numpy()
            for name, part in parts.items()
        }
    peer = LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000)
    peer.fit(pooled["train"], parts["train"].table.rhythm)
    expected = roc_auc_score(
        parts["validation"].table.rhythm, peer.decision_function(pooled["validation"])
    )
    assert score(encoder) == pytest.approx(expected, abs=2e-3)
    assert abs(score(encoder) - 0.5) > 0.01


def test_the_roles_of_the_parts_are_not_mixed_up(parts, encoder):
    train, validation = (LabelledWindows.of(part) for part in parts.values())
    score = ProbeScore(train, validation)(encoder)
    turned = ProbeScore(train, replace(validation, labels=1 - validation.labels))(encoder)
    assert turned == pytest.approx(1 - score, abs=1e-9)
    assert ProbeScore(validation, train)(encoder) != score


def test_it_holds_training_and_validation_windows_and_no_others(parts, encoder):
    train, validation = (LabelledWindows.of(part) for part in parts.values())
    score = ProbeScore(train, validation)
    assert vars(score) == {"train": train, "validation": validation, "c": 1.0}
    everyone = RRWindowSet.open(small_windows()).table
    test = set(everyone.subject[everyone.split.is_("test")].present())
    assert test
    names = everyone.subject.names
    for held in (score.train, score.validation):
        assert not test & {names[code] for code in np.unique(held.subjects.numpy())}


def test_of_three_classes_it_is_the_mean_of_each_against_the_rest(parts, encoder):
    three = {
        name: replace(LabelledWindows.of(part), labels=torch.arange(len(part)) % 3)
        for name, part in parts.items()
    }
    with torch.no_grad():
        pooled = {
            name: encoder(torch.from_numpy(part.windows())).pooled.double().numpy()
            for name, part in parts.items()
        }
    peer = LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000)
    peer.fit(pooled["train"], three["train"].labels.numpy())
    expected = roc_auc_score(
        three["validation"].labels.numpy(),
        peer.predict_proba(pooled["validation"]),
        multi_class="ovr",
    )
    assert ProbeScore(*three.values())(encoder) == pytest.approx(expected, abs=2e-3)
