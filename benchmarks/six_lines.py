"""The loss as it is called against the few lines that anyone would write, in small batches.

    python benchmarks/six_lines.py

Forward and backward on one thread, a learned temperature; the loss with its checks and its default
settings. The lines are stable, but they check nothing, and an anchor without positives makes them
infinite. Both take turns in one process; the ratio is one of medians, in brackets one of minima.
"""

import math
import statistics
import time
from collections.abc import Callable

import torch
from torch import Tensor

from pacl.objectives import Form, SubjectContrastiveLoss

FEATURES, TAU = 128, 0.05
WINDOWS, CLASSES, SUBJECTS = (128, 256), (2, 8), (8, 16)
TURNS, FIRST = 400, 20
"""Turns, of which the first do not count."""


def log_sum(rows: Tensor, labels: Tensor, subjects: Tensor, log_tau: Tensor) -> Tensor:
    """Eq. 3."""
    similarity = rows @ rows.T / log_tau.exp()
    alike = labels[:, None] == labels
    positive = alike & (subjects[:, None] == subjects) & ~torch.eye(len(rows), dtype=torch.bool)
    near = torch.logsumexp(similarity.masked_fill(~positive, -torch.inf), dim=1)
    every = torch.logsumexp(similarity.masked_fill(alike & ~positive, -torch.inf), dim=1)
    return (every - near).mean()


def mean_log(rows: Tensor, labels: Tensor, subjects: Tensor, log_tau: Tensor) -> Tensor:
    """L_out."""
    similarity = rows @ rows.T / log_tau.exp()
    alike = labels[:, None] == labels
    positive = alike & (subjects[:, None] == subjects) & ~torch.eye(len(rows), dtype=torch.bool)
    every = torch.logsumexp(similarity.masked_fill(alike & ~positive, -torch.inf), dim=1)
    near = (similarity * positive).sum(dim=1) / positive.sum(dim=1)
    return (every - near).mean()


LINES: dict[Form, Callable[..., Tensor]] = {"log_sum": log_sum, "mean_log": mean_log}


def drawn(windows: int, classes: int, subjects: int) -> tuple[Tensor, Tensor, Tensor]:
    """As many windows of each class of each subject, in any order; rows lean towards both."""
    generator = torch.Generator().manual_seed(0)
    order = torch.randperm(windows, generator=generator)
    labels, whose = order % classes, order // classes % subjects
    of_class, of_subject, rows = (
        torch.randn(count, FEATURES, generator=generator) for count in (classes, subjects, windows)
    )
    rows = rows + 0.6 * (of_class[labels] + of_subject[whose])
    return torch.nn.functional.normalize(rows, dim=1), labels, whose


def turns(windows: int, classes: int, subjects: int, form: Form) -> list[list[float]]:
    """Seconds of the loss, and of the lines."""
    rows, labels, whose = drawn(windows, classes, subjects)
    rows.requires_grad_()
    log_tau = torch.tensor(math.log(TAU), requires_grad=True)
    loss = SubjectContrastiveLoss(temperature=TAU, form=form)
    own = loss.temperature.log_tau
    steps: list[Callable[[], object]] = [
        lambda: torch.autograd.grad(loss(rows, labels, whose), (rows, own)),
        lambda: torch.autograd.grad(LINES[form](rows, labels, whose, log_tau), (rows, log_tau)),
    ]
    values = loss(rows, labels, whose), LINES[form](rows, labels, whose, log_tau)
    torch.testing.assert_close(*values, rtol=1e-4, atol=1e-5)
    taken: list[list[float]] = [[], []]
    for turn in range(TURNS):
        for which in (0, 1) if turn % 2 else (1, 0):
            began = time.process_time()
            steps[which]()
            taken[which].append(time.process_time() - began)
    return [times[FIRST:] for times in taken]


def table() -> str:
    """How many times longer the lines take."""
    torch.set_num_threads(1)
    lines = [
        "| windows | classes | subjects | form | loss, µs | six lines, µs | six lines / loss |",
        "|--:|--:|--:|---|--:|--:|--:|",
    ]
    for windows in WINDOWS:
        for classes in CLASSES:
            for subjects in SUBJECTS:
                if windows < 2 * classes * subjects:  # else anchors have no positives
                    continue
                for form in LINES:
                    taken = turns(windows, classes, subjects, form)
                    ours, theirs = (statistics.median(times) for times in taken)
                    best = min(taken[1]) / min(taken[0])
                    lines.append(
                        f"| {windows} | {classes} | {subjects} | {form} | {1e6 * ours:.0f} "
                        f"| {1e6 * theirs:.0f} | {theirs / ours:.2f}x ({best:.2f}x) |"
                    )
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
