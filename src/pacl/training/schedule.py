"""Learning rate along a half cosine, and AdamW to use it (App. B)."""

import math

import torch
from torch import nn


def cosine(base: float, lowest: float, done: float) -> float:
    """The rate when the share `done` of a training is over: `base` at 0, `lowest` at 1."""
    return lowest + (base - lowest) * (1 + math.cos(math.pi * min(done, 1.0))) / 2


def make_adamw(*modules: nn.Module, lr: float, weight_decay: float) -> torch.optim.AdamW:
    """AdamW over all parameters that learn; single numbers, such as log tau, do not decay."""
    learned = [p for module in modules for p in module.parameters() if p.requires_grad]
    groups = [
        {"params": [p for p in learned if p.ndim > 0], "weight_decay": weight_decay},
        {"params": [p for p in learned if p.ndim == 0], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW([group for group in groups if group["params"]], lr=lr)
