"""Sampler and loss in PyTorch Lightning (`pip install pytorch-lightning`)."""

import logging

import matplotlib.pyplot as plt
import numpy as np
import pytorch_lightning as lightning
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from pacl import SubjectContrastiveLoss, SubjectSampler

logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)


class Contrastive(lightning.LightningModule):
    """A small network, trained by the subject-aware loss."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.network = nn.Sequential(
            nn.Conv1d(channels, 32, 5), nn.ReLU(), nn.AdaptiveAvgPool1d(1), nn.Flatten()
        )
        self.loss = SubjectContrastiveLoss("subject-aware", temperature=0.1)
        self.seen: list[tuple[float, float]] = []

    def training_step(self, batch: list[torch.Tensor], _: int) -> torch.Tensor:
        windows, classes, subjects = batch
        return self.loss(nn.functional.normalize(self.network(windows), dim=1), classes, subjects)

    def on_train_batch_end(self, outputs: dict, batch: list[torch.Tensor], _: int) -> None:
        self.loss.after_step()
        self.seen.append((float(outputs["loss"]), self.loss.report()["tau"]))

    def on_train_epoch_start(self) -> None:
        self.trainer.train_dataloader.batch_sampler.set_epoch(self.current_epoch)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.AdamW(self.parameters(), lr=3e-3)


rng = np.random.default_rng(0)
torch.manual_seed(0)
labels, people = np.tile(np.arange(3), 200), np.repeat(np.arange(10), 60)
x = torch.from_numpy(rng.normal(size=(600, 2, 40))).float()
x[:, 0] += torch.from_numpy(labels)[:, None] / 2
sampler = SubjectSampler(labels, people, generator=rng, subjects_per_batch=4, windows_per_class=8)
dataset = TensorDataset(x, torch.from_numpy(labels), torch.from_numpy(people))

module = Contrastive(channels=2)
lightning.Trainer(
    max_epochs=8,
    accelerator="cpu",
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
    use_distributed_sampler=False,
).fit(module, DataLoader(dataset, batch_sampler=sampler))
loss, tau = zip(*module.seen, strict=True)
print(f"after {len(loss)} batches: loss {loss[-1]:.3f}, temperature {tau[-1]:.3f}")

plt.style.use("pacl.style")
figure, (left, right) = plt.subplots(1, 2, layout="constrained")
left.plot(loss, "C0")
left.set(xlabel="batch", title="Loss")
right.plot(tau, "C1")
right.set(xlabel="batch", title="Temperature, learned as well")
figure.savefig("15_lightning.png")
