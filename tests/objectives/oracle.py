"""Eqs. 1-3, and L_out of Khosla et al. (2020), as loops over anchors and pairs in float64."""

import math
from collections.abc import Callable

import numpy as np
import torch
from hypothesis import assume
from hypothesis import strategies as st

from pacl.objectives import IGNORED, PairPolicy, Role, negative, positive

Pairs = Callable[[bool, bool], tuple[str, float]]
"""Same subject? same class? -> role and weight."""

NAMED: dict[str, Pairs] = {
    # Eq. 1: j != i, same subject and same class; Eq. 2: j != i, another class
    "subject-aware": lambda subject, label: (
        ("positive", 1.0) if subject and label else ("ignored", 1.0) if label else ("negative", 1.0)
    ),
    # Khosla et al.: P(i) are the others of the same label, A(i) all others
    "supcon": lambda subject, label: ("positive" if label else "negative", 1.0),
    "subject-class": lambda subject, label: ("positive" if label and subject else "negative", 1.0),
    "subject": lambda subject, label: ("positive" if subject else "negative", 1.0),
}
FORMS = ("log_sum", "mean_log")


class Anchors:
    """Loss of each anchor, and the gradient of their mean for embeddings and tau, by loops.

    With `anchors`, only so many of the first windows are anchors; all are candidates.
    """

    def __init__(
        self, embedded, labels, subjects, pairs: Pairs, tau: float, form: str, anchors=None
    ) -> None:
        e = np.asarray(embedded, dtype=np.float64)
        n = len(e)
        anchors = n if anchors is None else anchors
        self.losses: dict[int, float] = {}
        d_similarity = np.zeros((n, n))
        s = np.array([[float(e[i] @ e[j]) / tau for j in range(n)] for i in range(n)])
        for i in range(anchors):
            positives, negatives = [], []
            for j in range(n):
                if j == i:
                    continue
                role, weight = pairs(bool(subjects[i] == subjects[j]), bool(labels[i] == labels[j]))
                if role == "positive":
                    positives.append((j, weight))
                elif role == "negative":
                    negatives.append((j, weight))
            if not positives:
                continue
            above = sum(w * math.exp(s[i, j]) for j, w in positives)
            below = above + sum(w * math.exp(s[i, k]) for k, w in negatives)
            total = sum(w for _, w in positives)
            for j, w in [*positives, *negatives]:
                d_similarity[i, j] += w * math.exp(s[i, j]) / below
            if form == "log_sum":
                self.losses[i] = -math.log(above / below)
                for j, w in positives:
                    d_similarity[i, j] -= w * math.exp(s[i, j]) / above
            else:
                self.losses[i] = 0.0
                for j, w in positives:
                    self.losses[i] -= w / total * math.log(math.exp(s[i, j]) / below)
                    d_similarity[i, j] -= w / total
        count = max(len(self.losses), 1)
        self.lonely = anchors - len(self.losses)
        self.mean = sum(self.losses.values()) / count
        self.d_embedded = np.zeros_like(e)
        self.d_tau = 0.0
        for i in range(n):
            for j in range(n):
                self.d_embedded[i] += d_similarity[i, j] * e[j] / tau / count
                self.d_embedded[j] += d_similarity[i, j] * e[i] / tau / count
                self.d_tau -= d_similarity[i, j] * s[i, j] / tau / count


def unit(rows: int, features: int, seed: int, dtype=torch.float64) -> torch.Tensor:
    """Random directions."""
    drawn = torch.from_numpy(np.random.default_rng(seed).standard_normal((rows, features)))
    return torch.nn.functional.normalize(drawn, dim=1).to(dtype)


Batch = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


@st.composite
def batches(draw: st.DrawFn, lonely: bool = True) -> Batch:
    """Embeddings, labels and subjects: ragged groups, 2 to 4 classes, in any order."""
    classes, people = draw(st.integers(2, 4)), draw(st.integers(1, 4))
    count = st.integers(0, 3) if lonely else st.sampled_from([0, 2, 3])
    kinds = [(y, p) for y in range(classes) for p in range(people) for _ in range(draw(count))]
    assume(len(kinds) >= 2)
    order = draw(st.permutations(kinds))
    names = draw(st.permutations([-5, 0, 3, 1000]))
    labels = torch.tensor([y for y, _ in order])
    subjects = torch.tensor([names[p] for _, p in order])
    return unit(len(order), draw(st.integers(2, 5)), draw(st.integers(0, 999))), labels, subjects


@st.composite
def policies(draw: st.DrawFn) -> tuple[PairPolicy, Pairs]:
    """Any policy that has positives and negatives, with its weights."""
    weight = st.floats(0.1, 8.0)
    role = st.one_of(weight.map(positive), weight.map(negative), st.just(IGNORED))
    roles: list[Role] = [draw(role) for _ in range(4)]
    assume({"positive", "negative"} <= {one.name for one in roles})
    kinds = [(True, True), (True, False), (False, True), (False, False)]
    table = dict(zip(kinds, roles, strict=True))
    return PairPolicy(*roles), lambda *same: (table[same].name, table[same].weight)
