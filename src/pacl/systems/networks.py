"""Networks that differ in the loss alone: the same encoder, batches, optimiser and probe.

The encoder is trained as `pacl train` trains it, then frozen, and a linear probe is fitted on the
embeddings of the training subjects (2.4).
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
import torch

from pacl.axes import Array, Float32, Float64
from pacl.evaluation import Probe, ProbeScore, embed, fit_probe
from pacl.models import Network
from pacl.registry import NoSettings
from pacl.settings import ComparisonSettings
from pacl.systems.system import Learn, Reads
from pacl.training import LabelledWindows, planned_trainer
from pacl.windows import WindowSet


@dataclass(frozen=True, eq=False, slots=True)
class Probed:
    """A frozen network and a linear probe on its embeddings.

    The probe learned the share of each class in the training windows; its probabilities are
    divided by it, so that all classes are equally probable beforehand, as in the other systems.
    """

    network: Network
    probe: Probe
    share: Float64[Array, "class"]
    device: torch.device

    def probability(self, windows: WindowSet) -> Float64[Array, "window class"]:
        """Of each class."""
        found = self.probe.probability(self.embed(windows))
        both = np.stack([1 - found, found], axis=1) if found.ndim == 1 else found
        weighed = both / self.share
        equal: Float64[Array, "window class"] = weighed / weighed.sum(axis=1, keepdims=True)
        return equal

    def embed(self, windows: WindowSet) -> Float32[Array, "window feature"]:
        """The pooled embeddings z-hat."""
        return embed(self.network, windows, device=self.device).pooled


@dataclass(frozen=True, slots=True)
class NetworkSystem:
    """A network trained with a registered loss."""

    loss: str
    title: str
    reads: Reads = "signal"
    random: bool = True

    def holds_out(self, settings: ComparisonSettings) -> bool:
        """Whether the weights of the best epoch are kept rather than the last."""
        return settings.train.keep == "best"

    def fit(self, learn: Learn) -> Probed:
        """Train the encoder, then fit the probe on the same windows."""
        plan = learn.settings.plan(self.loss, learn.seed)
        on_device = LabelledWindows.of(learn.train, learn.device)
        score = None
        if learn.validation is not None:
            validation = LabelledWindows.of(learn.validation, learn.device)
            score = ProbeScore(on_device, validation, plan.train.score_windows)
        trainer = planned_trainer(plan, learn.train, on_device, score)
        for log in trainer:
            learn.on_epoch(log)
        trainer.restore_best()
        labels = learn.train.table.labels
        known = embed(trainer.encoder, learn.train, device=learn.device)
        probe = fit_probe(known.pooled, labels, c=learn.settings.probe_c)
        share = np.bincount(labels, minlength=len(learn.train.class_names)) / len(labels)
        return Probed(trainer.encoder, probe, share, learn.device)


def _network(loss: str, title: str, settings: NoSettings) -> NetworkSystem:
    return NetworkSystem(loss, title)


subject_aware = partial(_network, "subject-aware", "Subject-aware")
supcon = partial(_network, "supcon", "SupCon")
cross_entropy = partial(_network, "cross-entropy", "Cross-entropy")
