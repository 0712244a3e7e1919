"""One training step on a CPU, beside the same model written plainly in eager PyTorch.

Each runs in a process of its own, as ours keeps freed memory, which concerns a whole process; the
processes take turns, so that what else the machine does meets both alike.
"""

import multiprocessing
import os
import time
from collections.abc import Callable, Sequence

from measure import Cost, Row, peak_mib

BATCH, BEATS, TURNS, ROUNDS = 256, 200, 20, 3


def rows() -> list[Row]:
    """A step of AdamW on a batch of 256 windows."""
    threads = len(os.sched_getaffinity(0))
    times: dict[Callable, list[float]] = {make_ours: [], make_plain: [], _make_floor: []}
    for _ in range(ROUNDS):
        for make, spent in times.items():
            spent += _apart(times_of, make, BATCH, threads)
    ours, peer, floor = (sorted(spent)[len(spent) // 4] for spent in times.values())
    return [
        Row(
            what="train a step",
            amount=f"{BATCH} windows, forward, backward, AdamW",
            ours=Cost(ours, _apart(peak_of, make_ours, BATCH, threads)),
            peer_name="plain eager PyTorch",
            peer=Cost(peer, _apart(peak_of, make_plain, BATCH, threads)),
            floor_name="as many multiplications in one matrix product",
            floor=Cost(floor, 0),
        )
    ]


def take_turns(
    works: Sequence[Callable[[], None]], turns: int, most_s: float = 60.0
) -> list[list[float]]:
    """Seconds of each work in so many turns, fewer if they last too long; three do not count."""
    times: list[list[float]] = [[] for _ in works]
    ends = time.perf_counter() + most_s
    for turn in range(turns + 3):
        if turn > 3 and time.perf_counter() > ends:
            break
        for work, spent in zip(works, times, strict=True):
            began = time.perf_counter()
            work()
            if turn >= 3:
                spent.append(time.perf_counter() - began)
    return times


def peak_of(make: Callable[[int], Callable[[], None]], batch: int, threads: int) -> float | None:
    """Most MiB a step takes above what model, optimiser and torch hold before the first."""
    import torch

    torch.set_num_threads(threads)
    step = make(batch)
    before = peak_mib(reset=True)
    for _ in range(5):
        step()
    after = peak_mib()
    return None if before is None or after is None else after - before


def _apart(work: Callable, *args: object) -> object:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work, args)


def times_of(make: Callable[[int], Callable[[], None]], batch: int, threads: int) -> list[float]:
    """Seconds of one step after the other."""
    import torch

    torch.set_num_threads(threads)
    (found,) = take_turns([make(batch)], TURNS)
    return found


def _batch(size: int) -> tuple:
    import torch

    x = torch.randn(size, BEATS, generator=torch.Generator().manual_seed(0))
    return x, torch.arange(size) // 16 % 2, torch.arange(size) // 32


def make_ours(batch: int) -> Callable[[], None]:
    """A step as `Trainer` takes it."""
    import torch

    from pacl import Encoder, SubjectContrastiveLoss
    from pacl.training import keep_freed_memory, make_adamw

    keep_freed_memory()  # as every command that trains does
    encoder, loss = Encoder().train(), SubjectContrastiveLoss()
    optimiser = make_adamw(encoder, loss, lr=1e-4, weight_decay=1e-4)
    generator = torch.Generator().manual_seed(0)
    x, labels, patients = _batch(batch)

    def step() -> None:
        out = encoder(x, encoder.draw_masks(batch, BEATS, generator))
        optimiser.zero_grad()
        loss(out.projected, labels, patients).backward()
        optimiser.step()

    return step


def make_plain(batch: int) -> Callable[[], None]:
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
    x, labels, patients = _batch(batch)

    def step() -> None:
        h = mix(torch.cat([one(x[:, None]) for one in branches], dim=1))
        alpha = drop(score(h).softmax(dim=2))
        projected = normalize(project(to_pooled((h * alpha).sum(dim=2))), dim=1)
        optimiser.zero_grad()
        loss(projected, labels, patients).backward()
        optimiser.step()

    return step


def _make_floor(batch: int) -> Callable[[], None]:
    """3 x 4.32 MFLOP a window, in one product of matrices that is as fast as this CPU can."""
    import torch

    size = 1024
    products = round(3 * 4.32e6 * batch / (2 * size**3) * 1000) / 1000
    one = torch.randn(size, size)
    other = torch.randn(size, round(size * products))

    def multiply() -> None:
        torch.mm(one, other)

    return multiply


if __name__ == "__main__":
    from measure import markdown

    print(markdown(rows()))
