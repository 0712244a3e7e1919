"""Made-up networks with a logit for every beat, and beats for them."""

from functools import cache

import numpy as np
import torch

from pacl.af.networks.beat_network import BeatNetwork

SMALL = {"channels": 6, "kernel": 3, "dilations": (1, 2, 4), "mean_beats": 5}
SMALL_STREAM = {**SMALL, "widest_ahead": 1}


@cache
def made_network(**config: object) -> BeatNetwork:
    """A network whose norms are neither 1 nor 0, as if it had learned."""
    network = BeatNetwork(**config, generator=torch.Generator().manual_seed(0))
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for block in network.blocks:
            for tensor, low, high in (
                (block.norm.running_mean, -0.3, 0.3),
                (block.norm.running_var, 0.3, 1.5),
                (block.norm.weight, 0.5, 1.5),
                (block.norm.bias, -0.3, 0.3),
            ):
                tensor.uniform_(low, high, generator=generator)
        network.head.weight.mul_(4.0)
    return network.eval()


def beats(count: int, seed: int = 0) -> np.ndarray:
    """Intervals in ms of several rhythms, one after the other."""
    generator = np.random.default_rng(seed)
    spread = np.repeat(generator.choice([0.01, 0.05, 0.25], count // 40 + 1), 40)[:count]
    base = np.repeat(generator.uniform(400, 1300, count // 40 + 1), 40)[:count]
    return (base * np.exp(spread * generator.normal(size=count))).astype(np.float32)


def torch_logits(
    network: BeatNetwork, rr_ms: np.ndarray, present: np.ndarray | None = None
) -> np.ndarray:
    """Of every beat but the last `ahead`: before the first there is nothing."""
    there = np.ones(rr_ms.size, np.bool_) if present is None else present
    before = np.zeros(network.behind, np.bool_)
    with torch.no_grad():
        found = network(
            torch.from_numpy(np.append(before.astype(np.float32), rr_ms))[None],
            torch.from_numpy(np.append(before, there))[None],
        )
    return found[0].numpy()
