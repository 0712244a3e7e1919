"""Losses under `torch.compile` are those without it: run as a program, with the backend's name.

A program of its own, because what checks axes while testing cannot be compiled.
"""

import copy
import sys
from itertools import product

import torch
from torch.nn.functional import normalize

from pacl.objectives import CrossBatchMemory, SubjectContrastiveLoss


def batch(seed):
    generator = torch.Generator().manual_seed(seed)
    embedded = normalize(torch.randn(24, 8, generator=generator), dim=1).requires_grad_()
    return embedded, torch.arange(24) % 2, torch.arange(24) // 2 % 3


def step(loss, call, seed):
    given = batch(seed)
    value = call(*given)
    tau = loss.temperature.log_tau
    return value.detach(), *torch.autograd.grad(value, (given[0], tau)), *loss.buffers()


def main(backend):
    torch.set_num_threads(1)
    for form, tiled, held in product(("log_sum", "mean_log"), (False, True), (0, 40)):
        memory = CrossBatchMemory(held, 8) if held else None
        plain = SubjectContrastiveLoss(form=form, check=False, tiled=tiled, memory=memory)
        loss = copy.deepcopy(plain)
        torch.compiler.reset()
        compiled = torch.compile(loss, fullgraph=not tiled, backend=backend)
        for seed in range(3):
            for got, expected in zip(
                step(loss, compiled, seed), step(plain, plain, seed), strict=True
            ):
                torch.testing.assert_close(got, expected)
        sys.stdout.write(f"{form} {tiled} {held}\n")


if __name__ == "__main__":
    main(sys.argv[1])
