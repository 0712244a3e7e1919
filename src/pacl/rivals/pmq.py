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

from pacl.axes import Bool, Float, Int
from pacl.models import EncoderOutput, Network
from pacl.rivals.byol import follow, slow_copy
from pacl.rivals.pretraining import Start, TwoViews
from pacl.rivals.system import BATCH, Kind, Learn, Probed, Settings, System

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
) -> Float[Tensor, ""]:
    """Mean over queries of log sum_{all} exp(s) - mean_{positives} s, with s = cosine / tau.

    Parameters
    ----------
    query, key
        Each view, and the key of the other view of the window; of unit length.
    queue
        Stored keys, of unit length where present.
    same
        Which entries belong to the patient of the view.
    there
        Which places of the queue are filled; the others are ignored.
    tau
        The temperature.
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

    def loss(
        self,
        embedded: EncoderOutput,
        views: Float[Tensor, "view beat"],
        patients: Int[Tensor, "window"],
    ) -> Float[Tensor, ""]:
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


class Pmq:
    """Contrast between patients, with a memory."""

    name = "pmq"
    title = "PMQ-style"
    kind: Kind = "self-supervised"
    trials: tuple[Settings, ...] = (
        {"lr": 1e-3, "temperature": 0.1, "momentum": 0.99},
        {"lr": 3e-4, "temperature": 0.1, "momentum": 0.99},
        {"lr": 3e-3, "temperature": 0.1, "momentum": 0.99},
        {"lr": 1e-3, "temperature": 0.5, "momentum": 0.99},
    )

    def fit(self, learn: Learn, settings: Settings) -> Probed:
        """Train with patients as classes, then fit a probe with labels."""
        start = Start.of(learn)
        method = Memory(
            start.encoder,
            len(learn.windows),
            momentum=float(settings["momentum"]),
            temperature=float(settings["temperature"]),
        )
        return start.learned(learn, method, float(settings["lr"]))


SYSTEMS: tuple[System, ...] = (Pmq(),)
