"""PMQ-style: contrast with a long memory of patients' windows (Sun et al. 2025).

```
views -- encoder -- query ----+-- positive: key of the other view, queued keys of the patient
views -- slow copy -- key ----+-- negative: queued keys of other patients
                       |
                       +--> queue of 16,384 keys, each with its patient; the oldest leave
```

From the paper: the momentum encoder, the queue with patients, and its positives. Not stated there,
or our choices: the loss over several positives, which is the mean of their logarithms; both views
are queries, and the key of one of them enters the queue, so each window has one key; the views; no
dropout in the copy; a queue no longer than the number of windows.
"""

import torch
from torch import Tensor

from pacl.axes import Bool, Float
from pacl.models import EncoderOutput, Network
from pacl.rivals.byol import follow, slow_copy
from pacl.rivals.pretraining import (
    TEMPERED,
    Codes,
    Loss,
    SelfSupervised,
    Start,
    TwoViews,
    Views,
)
from pacl.rivals.system import BATCH, Learn, Settings, System

QUEUE = 16_384
EMPTY = -1
"""Patient code of an empty place in the queue."""


def queue_loss(
    query: Float[Tensor, "view feature"],
    key: Float[Tensor, "view feature"],
    queue: Float[Tensor, "entry feature"],
    same: Bool[Tensor, "view entry"],
    there: Bool[Tensor, "entry"],
    tau: Float[Tensor, ""],
) -> Loss:
    """Mean over queries of log sum_{all} exp(s) - mean_{positives} s, with s = cosine / tau.

    `key` is that of the other view of the window. `same` are entries of the patient of the view,
    `there` the filled places of the queue. Embeddings are of unit length.
    """
    own = (query * key).sum(dim=1, keepdim=True) / tau
    remembered = query @ queue.T / tau
    everything = torch.cat([own, remembered.masked_fill(~there, -torch.inf)], dim=1)
    positive = (same & there).to(query.dtype)
    near = own[:, 0] + (remembered * positive).sum(dim=1)
    return (everything.logsumexp(dim=1) - near / (1.0 + positive.sum(dim=1))).mean()


class Memory(TwoViews):
    """A slow copy of the encoder, and a queue of its keys."""

    tau: Tensor
    queue: Tensor
    whose: Tensor

    def __init__(
        self, encoder: Network, windows: int, *, momentum: float, temperature: float
    ) -> None:
        super().__init__(windows)
        self.momentum, self.place = momentum, 0
        batch = min(BATCH // 2, windows)
        # A multiple of the batch, so that no batch crosses the end.
        entries = min(QUEUE, windows) // batch * batch
        self.slow = slow_copy(encoder)
        self.register_buffer("tau", torch.tensor(temperature))
        self.register_buffer("queue", torch.zeros(entries, encoder.config["projected_features"]))
        self.register_buffer("whose", torch.full((entries,), EMPTY))
        self.latest: tuple[Tensor, Tensor] | None = None

    def loss(self, embedded: EncoderOutput, views: Views, patients: Codes) -> Loss:
        """Contrast of each view with the other view and with the queue."""
        with torch.no_grad():
            keys = self.slow(views, {}).projected
        self.latest = keys[: len(patients)], patients
        same = patients.repeat(2)[:, None] == self.whose
        other = keys.roll(len(patients), dims=0)
        return queue_loss(
            embedded.projected, other, self.queue, same, self.whose != EMPTY, self.tau
        )

    @torch.no_grad()
    def after_step(self, encoder: Network) -> None:
        """Replace the oldest keys by those of the batch, and update the slow copy."""
        if self.latest is not None:
            keys, patients = self.latest
            places = slice(self.place, self.place + len(keys))
            self.queue[places], self.whose[places] = keys, patients
            self.place = (self.place + len(keys)) % len(self.queue)
        follow(self.slow, encoder, self.momentum)


def _memory(start: Start, learn: Learn, chosen: dict[str, float]) -> Memory:
    return Memory(
        start.encoder,
        len(learn.windows),
        momentum=chosen["momentum"],
        temperature=chosen["temperature"],
    )


TRIALS: tuple[Settings, ...] = tuple({**each, "momentum": 0.99} for each in TEMPERED)
SYSTEMS: tuple[System, ...] = (SelfSupervised("pmq", "PMQ-style", _memory, TRIALS),)
