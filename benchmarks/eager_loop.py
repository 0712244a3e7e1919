"""The peer of the fleet: an ordinary training loop, one run after the other, batches from the host.

Eager PyTorch, pinned batches copied without blocking, torch.optim.AdamW, the same encoder,
objective, batches, schedule and probe: what a careful person writes on the first day.
"""

import time

import numpy as np
import torch

from pacl.evaluation import fit_probe, measure_auroc
from pacl.rr import RRWindowSet
from pacl.studies import Plan
from pacl.studies.run import build_model
from pacl.training import Seeds, SubjectSampler, cosine, make_adamw


def train_one(
    plan: Plan, train: RRWindowSet, validation: RRWindowSet, device: torch.device, epochs: int
) -> dict[str, float]:
    """Train for so many epochs; seconds of the steps and of the validation, and the last AUROC."""
    seeds = Seeds.of(plan.seed)
    encoder, objective = (module.to(device) for module in build_model(plan))
    optimiser = make_adamw(
        encoder, objective, lr=plan.train.lr, weight_decay=plan.train.weight_decay
    )
    sampler = SubjectSampler.of(
        train,
        generator=np.random.default_rng(seeds.batches),
        subjects_per_batch=plan.sampler.subjects,
        windows_per_class=plan.sampler.windows,
    )
    sets = {name: _host(part) for name, part in (("train", train), ("validation", validation))}
    pinned = device.type == "cuda"
    spent = {"steps": 0.0, "validation": 0.0, "auroc": 0.0}
    for epoch in range(epochs):
        began = time.perf_counter()
        encoder.train()
        sampler.set_epoch(epoch)
        for group in optimiser.param_groups:
            group["lr"] = cosine(plan.train.lr, plan.train.lowest_lr, epoch / plan.train.epochs)
        for rows in sampler:
            batch = [tensor[rows] for tensor in sets["train"]]
            if pinned:
                batch = [tensor.pin_memory() for tensor in batch]
            x, labels, patients = (tensor.to(device, non_blocking=True) for tensor in batch)
            out = encoder(x)
            loss = objective(getattr(out, objective.reads), labels, patients)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            objective.after_step()
        _wait(device)
        stepped = time.perf_counter()
        encoder.eval()
        pooled = {name: _embed(encoder, part[0], device) for name, part in sets.items()}
        probe = fit_probe(pooled["train"], sets["train"][1].numpy())
        logit = probe.logit(pooled["validation"])
        spent["auroc"] = measure_auroc(sets["validation"][1].numpy(), logit)
        spent["steps"] += stepped - began
        spent["validation"] += time.perf_counter() - stepped
    return spent


def _host(part: RRWindowSet) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    return (
        torch.from_numpy(part.windows()),
        torch.from_numpy(part.table.rhythm.astype(np.int64)),
        torch.from_numpy(part.table.patient.codes.astype(np.int64)),
    )


@torch.inference_mode()
def _embed(encoder: torch.nn.Module, x: torch.Tensor, device: torch.device) -> np.ndarray:
    parts = []
    for batch in torch.split(x, 1024):
        held = batch.pin_memory() if device.type == "cuda" else batch
        parts.append(encoder(held.to(device, non_blocking=True)).pooled)
    return torch.cat(parts).cpu().numpy()


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
