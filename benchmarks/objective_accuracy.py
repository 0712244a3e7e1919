"""How far the contrastive loss in single precision is from double: tiles, kernels and all pairs.

    python benchmarks/objective_accuracy.py [--device cuda]

Errors are the norm of the difference by the norm of what is right, which all pairs in double
precision say, some anchors at a time. On a CPU tiles are looked at, on a GPU kernels.
"""

import argparse
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import normalize, softplus

from pacl.objectives import POLICIES, PairPolicy, negative, positive
from pacl.objectives.kernels import triton_losses
from pacl.objectives.pairs import NO_PAIR, kinds_between
from pacl.objectives.tiled import tiled_losses

RULES = {
    **POLICIES,
    "weighted": PairPolicy(positive(0.7), negative(2.0), positive(0.2), negative(0.5)),
}
PATIENTS, REMEMBERED, AT_ONCE = 8, 2048, 1024
HEADS = ("windows", "features", "policy", "form", "memory", "tau", "how", "value", "gradient")

Drawn = tuple[Tensor, Tensor, Tensor]


class Case(NamedTuple):
    """What is computed."""

    windows: int = 2048
    features: int = 128
    policy: str = "patient-aware"
    mean_log: bool = False
    memory: bool = False
    tau: float = 0.07


CASES = (
    *(Case(mean_log=mean_log) for mean_log in (False, True)),
    *(Case(4096, mean_log=mean_log, memory=True) for mean_log in (False, True)),
    Case(4096, policy="weighted", memory=True),
    Case(4096, policy="supcon"),
    *(Case(4096, features=features) for features in (64, 256)),
    *(Case(tau=tau) for tau in (0.01, 0.02, 0.05)),
    *(Case(16_384, mean_log=mean_log) for mean_log in (False, True)),
)


def drawn(case: Case, windows: int, seed: int, device: str) -> Drawn:
    """Embeddings that lean to their class and their patient."""
    generator = torch.Generator().manual_seed(seed)
    labels = torch.randint(2, (windows,), generator=generator)
    whose = torch.randint(PATIENTS, (windows,), generator=generator)
    centres = torch.Generator().manual_seed(99)
    of_class = torch.randn(2, case.features, generator=centres)
    of_patient = torch.randn(PATIENTS, case.features, generator=centres)
    rows = torch.randn(windows, case.features, generator=generator)
    rows = normalize(rows + 0.6 * (of_class[labels] + of_patient[whose]), dim=1)
    return rows.to(device), labels.to(device), whose.to(device)


def all_pairs(
    case: Case, rows: Tensor, tau: Tensor, given: Drawn, memory: Drawn | None, at: Tensor
) -> Tensor:
    """Losses of some anchors, in the precision of the rows."""
    _, labels, whose = given
    everyone, all_labels, all_whose = rows, labels, whose
    if memory is not None:
        everyone = torch.cat([rows, memory[0].to(rows)])
        all_labels, all_whose = (
            torch.cat(each) for each in ((labels, memory[1]), (whose, memory[2]))
        )
    kinds = kinds_between(labels[at], whose[at], all_labels, all_whose)
    kinds[torch.arange(len(at), device=at.device), at] = NO_PAIR
    weights = RULES[case.policy].weights_of(kinds, rows.dtype)
    similarity = rows[at] @ everyone.mT / tau
    near = torch.logsumexp(similarity + weights.positive, 1)
    far = torch.logsumexp(similarity + weights.negative, 1)
    if not case.mean_log:
        return softplus(far - near, threshold=1e9)
    share = weights.positive.exp()
    return torch.logaddexp(near, far) - (share * similarity).sum(1) / share.sum(1)


def found(
    case: Case, how: str, given: Drawn, memory: Drawn | None, weights: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Values, and gradients of embeddings and temperature."""
    dtype = torch.float64 if how == "exact" else torch.float32
    rows = given[0].to(dtype, copy=True).requires_grad_()
    tau = torch.tensor(case.tau, dtype=dtype, device=rows.device, requires_grad=True)
    if how in ("exact", "all pairs"):
        values, slope, of_tau = [], torch.zeros_like(rows), torch.zeros_like(tau)
        for at in torch.arange(len(rows), device=rows.device).split(AT_ONCE):
            value = all_pairs(case, rows, tau, given, memory, at)
            some = torch.autograd.grad((weights[at].to(dtype) * value).sum(), (rows, tau))
            values.append(value.detach())
            slope += some[0]
            of_tau += some[1]
        return torch.cat(values), slope, of_tau
    compute = tiled_losses if how == "tiles" else partial(triton_losses, fast=how == "fast")
    policy = RULES[case.policy]
    values, _ = compute(rows, *given[1:], policy, tau, mean_log=case.mean_log, memory=memory)
    return values.detach(), *torch.autograd.grad((weights * values).sum(), (rows, tau))


def rows_of(case: Case, hows: tuple[str, ...], device: str) -> Iterator[list[str]]:
    """A row for each way to compute a case."""
    given = drawn(case, case.windows, case.windows, device)
    memory = drawn(case, REMEMBERED, 7, device) if case.memory else None
    weights = torch.rand(case.windows, generator=torch.Generator().manual_seed(5)).to(device)
    weights = weights / case.windows
    expected = found(case, "exact", given, memory, weights)
    form = "mean_log" if case.mean_log else "log_sum"
    for how in hows:
        got = found(case, how, given, memory, weights)
        errors = [
            float((mine.double() - right).norm() / right.norm())
            for mine, right in zip(got, expected, strict=True)
        ]
        about = (f"{case.windows:,}", case.features, case.policy, form)
        yield [
            *map(str, about),
            f"{REMEMBERED:,}" if memory else "",
            f"{case.tau:g}",
            how,
            *(f"{error:.1e}" for error in errors),
        ]


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    device = parser.parse_args().device
    hows = ("kernels", "fast", "all pairs") if device == "cuda" else ("tiles", "all pairs")
    print(f"| {' | '.join((*HEADS, 'of tau'))} |\n|{'--:|' * (len(HEADS) + 1)}")
    for case in CASES:
        for row in rows_of(case, hows, device):
            print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
