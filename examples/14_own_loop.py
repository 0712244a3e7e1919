"""The objective and the sampler in your own PyTorch loop: any Dataset, network and optimiser."""

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from pacl import SubjectContrastiveLoss, SubjectSampler

rng = np.random.default_rng(0)
torch.manual_seed(1)
labels, people = np.tile(np.arange(3), 200), np.repeat(np.arange(10), 60)
x = torch.from_numpy(rng.normal(size=(600, 2, 40)) + rng.normal(0, 1, (10, 2, 1))[people]).float()
x += torch.tensor([[0.0, 1.5], [1.5, -1.0], [-1.5, -1.0]])[labels][:, :, None]

# The objective alone, on any tensors: unit vectors, their classes, their subjects.
loss = SubjectContrastiveLoss("subject-aware", temperature=0.1)
some = nn.functional.normalize(torch.randn(60, 2), dim=1)
print("random vectors:", loss(some, torch.arange(60) % 3, torch.arange(60) // 15).item())

sampler = SubjectSampler(
    labels, people, generator=rng, subjects_per_batch=4, windows_per_class=8
)  # 4 people, 8 windows of each of the 3 classes: batches of 96
dataset = TensorDataset(x, torch.from_numpy(labels), torch.from_numpy(people))
loader = DataLoader(dataset, batch_sampler=sampler)
network = nn.Sequential(
    *(nn.Conv1d(2, 32, 5), nn.ReLU(), nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(32, 2))
)
optimiser = torch.optim.AdamW([*network.parameters(), *loss.parameters()], lr=3e-3)
before, values = network(x).detach(), []
for epoch in range(8):
    sampler.set_epoch(epoch)
    for windows, classes, subjects in loader:
        embedded = nn.functional.normalize(network(windows), dim=1)
        value = loss(embedded, classes, subjects)
        optimiser.zero_grad()
        value.backward()
        optimiser.step()
        loss.after_step()  # keeps the temperature above its floor
        values.append(value.item())
print(f"loss {values[0]:.2f} to {values[-1]:.2f}, temperature {loss.report()['tau']:.3f}")

plt.style.use("pacl.style")
figure, axes = plt.subplots(1, 3, figsize=(6, 2.8), width_ratios=[3, 3, 4], layout="constrained")
for one, found, title in zip(
    axes, (before, network(x).detach()), ("Before", "After"), strict=False
):
    place = nn.functional.normalize(found, dim=1) * torch.linspace(0.7, 1, 600)[:, None]
    one.scatter(*place.T, c=[f"C{kind}" for kind in labels], s=3, alpha=0.6, lw=0)
    one.add_patch(plt.Circle((0, 0), 1.05, fill=False, ec="0.8"))
    one.set(aspect="equal", xlim=(-1.1, 1.1), ylim=(-1.1, 1.1), title=title)
    one.axis("off")
figure.suptitle("Three classes of ten people on the circle", x=0.02, ha="left")
axes[2].plot(values, "0.3")
axes[2].set(xlabel="batch", title="Loss")
figure.savefig("14_own_loop.png")
