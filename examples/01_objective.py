"""The subject-aware objective on any tensors: here four subjects, three classes, 16 features."""

import torch
from torch.nn.functional import normalize

from pacl import PairPolicy, SubjectContrastiveLoss
from pacl.objectives import negative, positive

embedded = normalize(torch.randn(48, 16), dim=1).requires_grad_()
subjects = torch.arange(48) % 4
labels = torch.arange(48) // 4 % 3

loss = SubjectContrastiveLoss("subject-aware", temperature=0.1)
loss(embedded, labels, subjects).backward()
print("gradient", embedded.grad.norm().item(), "of log tau", loss.temperature.log_tau.grad.item())

# Another policy is one line: other subjects of the same class attract too, a fifth as much.
softer = PairPolicy(positive(), negative(), positive(0.2), negative())
print("softer", SubjectContrastiveLoss(softer)(embedded, labels, subjects).item())
