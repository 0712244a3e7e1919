"""One training step on a CPU, beside the same model written plainly in eager PyTorch.

Both take turns in one process, so that what else the machine does meets both alike.
"""

import multiprocessing
import time
from collections.abc import Callable

from measure import Cost, Row

BATCH, BEATS, TURNS = 256, 200, 40


def rows() -> list[Row]:
    """A step of AdamW on a batch of 256 windows."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        ours, peer, floor = pool.apply(_measure)
    return [
        Row(
            what="train a step",
            amount=f"{BATCH} windows, forward, backward, AdamW",
            ours=Cost(ours, 0),
            peer_name="plain eager PyTorch",
            peer=Cost(peer, 0),
            floor_name="as many multiplications in one matrix product",
            floor=Cost(floor, 0),
        )
    ]


def _measure() -> tuple[float, float, float]:
    import os

    import torch

    torch.set_num_threads(len(os.sched_getaffinity(0)))
    works = [_ours(), _plain(), _floor()]
    times: list[list[float]] = [[], [], []]
    for turn in range(TURNS + 3):
        for work, spent in zip(works, times, strict=True):
            began = time.perf_counter()
            work()
            if turn >= 3:
                spent.append(time.perf_counter() - began)
    return tuple(sorted(spent)[len(spent) // 4] for spent in times)


def _batch() -> tuple:
    import torch

    x = torch.randn(BATCH, BEATS, generator=torch.Generator().manual_seed(0))
    return x, torch.arange(BATCH) // 16 % 2, torch.arange(BATCH) // 32


def _ours() -> Callable[[], None]:
    import torch

    from pacl import Encoder, SubjectContrastiveLoss
    from pacl.training import make_adamw

    encoder, loss = Encoder().train(), SubjectContrastiveLoss()
    optimiser = make_adamw(encoder, loss, lr=1e-4, weight_decay=1e-4)
    generator = torch.Generator().manual_seed(0)
    x, labels, patients = _batch()

    def step() -> None:
        out = encoder(x, encoder.draw_masks(BATCH, BEATS, generator))
        optimiser.zero_grad()
        loss(out.projected, labels, patients).backward()
        optimiser.step()

    return step


def _plain() -> Callable[[], None]:
    """The encoder as the paper names its layers: torch's own modules, one after the other."""
    import torch
    from torch import nn
    from torch.nn.functional import normalize

    from pacl import SubjectContrastiveLoss

    def branch(kernel: int) -> nn.Sequential:
        layers: list[nn.Module] = []
        for before, after in ((1, 16), (16, 32), (32, 64)):
            layers += [
                nn.Conv1d(before, after, kernel, stride=2, padding=kernel // 2),
                nn.GroupNorm(8, after),
                nn.ReLU(),
            ]
        return nn.Sequential(*layers)

    branches = nn.ModuleList(branch(kernel) for kernel in (3, 5, 7))
    mix = nn.Sequential(nn.Conv1d(192, 192, 1), nn.GroupNorm(8, 192), nn.ReLU(), nn.Dropout(0.12))
    score = nn.Sequential(nn.Conv1d(192, 1, 1), nn.Dropout(0.12))
    drop = nn.Dropout(0.12)
    to_pooled = nn.Sequential(nn.Linear(192, 128), nn.Dropout(0.12))
    project = nn.Sequential(nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 128))
    loss = SubjectContrastiveLoss()
    whole = nn.ModuleList([branches, mix, score, to_pooled, project, loss])
    optimiser = torch.optim.AdamW(whole.parameters(), lr=1e-4)
    x, labels, patients = _batch()

    def step() -> None:
        h = mix(torch.cat([one(x[:, None]) for one in branches], dim=1))
        alpha = drop(score(h).softmax(dim=2))
        projected = normalize(project(to_pooled((h * alpha).sum(dim=2))), dim=1)
        optimiser.zero_grad()
        loss(projected, labels, patients).backward()
        optimiser.step()

    return step


def _floor() -> Callable[[], None]:
    """3 x 4.32 MFLOP a window, in one product of matrices that is as fast as this CPU can."""
    import torch

    size = 1024
    products = round(3 * 4.32e6 * BATCH / (2 * size**3) * 1000) / 1000
    one = torch.randn(size, size)
    other = torch.randn(size, round(size * products))

    def multiply() -> None:
        torch.mm(one, other)

    return multiply


if __name__ == "__main__":
    from measure import markdown

    print(markdown(rows()))
