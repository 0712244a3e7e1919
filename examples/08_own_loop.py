"""Sampler and loss in your own PyTorch loop: any Dataset, DataLoader, network and optimiser."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from pacl import SubjectContrastiveLoss, SubjectSampler

rng = np.random.default_rng(0)
labels, people = np.tile(np.arange(3), 200), np.repeat(np.arange(10), 60)
x = torch.from_numpy(rng.normal(size=(600, 2, 40))).float()
x[:, 0] += torch.from_numpy(labels)[:, None]

sampler = SubjectSampler(
    labels, people, generator=rng, subjects_per_batch=4, windows_per_class=8
)  # 4 people, 8 windows of each of the 3 classes: batches of 96
dataset = TensorDataset(x, torch.from_numpy(labels), torch.from_numpy(people))
loader = DataLoader(dataset, batch_sampler=sampler)

network = nn.Sequential(nn.Conv1d(2, 32, 5), nn.ReLU(), nn.AdaptiveAvgPool1d(1), nn.Flatten())
loss = SubjectContrastiveLoss("subject-aware", temperature=0.1)
optimiser = torch.optim.AdamW([*network.parameters(), *loss.parameters()], lr=1e-3)
for epoch in range(3):
    sampler.set_epoch(epoch)
    for windows, classes, subjects in loader:
        embedded = nn.functional.normalize(network(windows), dim=1)
        value = loss(embedded, classes, subjects)
        optimiser.zero_grad()
        value.backward()
        optimiser.step()
        loss.after_step()  # keeps the temperature above its floor
    print(f"epoch {epoch + 1}: loss {value.item():.3f}, tau {loss.report()['tau']:.3f}")
