"""A memory of past batches: more candidates for each anchor than one batch has (XBM).

After "Cross-Batch Memory for Embedding Learning" (Wang, Zhang, Huang and Scott, 2020): an encoder
changes slowly, so embeddings of recent steps are still valid.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from pacl.axes import Float, Int
from pacl.objectives.errors import ObjectiveError
from pacl.objectives.objective import Codes, Embeddings
from pacl.objectives.pairs import NO_PAIR, kinds_between

FORMER_SUBJECTS = "patients"
"""The buffer of subjects in states that earlier versions saved."""


class Remembered(NamedTuple):
    """Windows of past batches, in any order."""

    embedded: Float[Tensor, "past feature"]
    labels: Int[Tensor, "past"]
    subjects: Int[Tensor, "past"]


class CrossBatchMemory(nn.Module):
    """A ring buffer of the last embedded windows, without gradients.

    Its contents are part of its state, so that a resumed training is exactly equal. They are kept
    in single precision, also if the module is cast.

    Parameters
    ----------
    windows
        Capacity.
    features
        Length of an embedding.
    begins
        Number of first batches that are not kept: an untrained encoder changes fast.

    Examples
    --------
    >>> memory = CrossBatchMemory(windows=1024, features=128)
    >>> len(memory.remembered().labels)
    0
    """

    embedded: Tensor
    labels: Tensor
    subjects: Tensor
    filled: Tensor
    following: Tensor
    passed: Tensor

    def __init__(self, windows: int, features: int, begins: int = 0) -> None:
        super().__init__()
        if begins < 0:
            raise ObjectiveError(f"a memory that begins at batch {begins}; give 0 for the first")
        if windows < 1 or features < 1:
            raise ObjectiveError(
                f"a memory of {windows} windows, {features} features each; give at least one of "
                "both, or no memory"
            )
        self.windows, self.features, self.begins = windows, features, begins
        self.register_buffer("embedded", torch.zeros(windows, features, dtype=torch.float32))
        for name in ("labels", "subjects"):
            self.register_buffer(name, torch.zeros(windows, dtype=torch.int64))
        for name in ("filled", "following", "passed"):
            self.register_buffer(name, torch.zeros((), dtype=torch.int64))

    @torch.no_grad()
    def remember(self, embedded: Embeddings, labels: Codes, subjects: Codes) -> None:
        """Replace the oldest windows by a batch, or by the last windows of a larger batch.

        The first `begins` batches do not count.
        """
        self.check(embedded)
        batch = [each[-self.windows :] for each in (embedded.detach(), labels, subjects)]
        count = len(batch[1])
        places = (self.following + torch.arange(count, device=labels.device)) % self.windows
        for held, new in zip((self.embedded, self.labels, self.subjects), batch, strict=True):
            held.index_copy_(0, places, new.to(held.dtype))
        # Counters stay on the device, without synchronisation.
        kept = count * (self.passed >= self.begins)
        self.filled.copy_((self.filled + kept).clamp(max=self.windows))
        self.following.copy_((self.following + kept) % self.windows)
        self.passed += 1

    def check(self, embedded: Float[Tensor, "window _"]) -> None:
        """Refuse embeddings of another length."""
        if embedded.shape[1] != self.features:
            raise ObjectiveError(
                f"embeddings of {embedded.shape[1]} features, the memory has "
                f"{self.features}; use CrossBatchMemory({self.windows}, {embedded.shape[1]})"
            )

    def remembered(self) -> Remembered:
        """A copy of the contents."""
        held = (self.embedded, self.labels, self.subjects)
        return Remembered(*(each[: int(self.filled)].clone() for each in held))

    def kinds(self, labels: Codes, subjects: Codes) -> Int[Tensor, "window past"]:
        """The kind of each pair of a batch and all places; `NO_PAIR` for empty places."""
        found = kinds_between(labels, subjects, self.labels, self.subjects)
        empty = torch.arange(self.windows, device=labels.device) >= self.filled
        return torch.where(empty, NO_PAIR, found)

    def forget(self) -> None:
        """Clear the memory."""
        for held in self.buffers():
            held.zero_()

    def extra_repr(self) -> str:
        """For `print`."""
        begins = f", begins={self.begins}" if self.begins else ""
        return f"windows={self.windows}, features={self.features}{begins}"

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *rest: Any) -> None:
        former = f"{prefix}{FORMER_SUBJECTS}"
        if former in state_dict:
            state_dict[f"{prefix}subjects"] = state_dict.pop(former)
        super()._load_from_state_dict(state_dict, prefix, *rest)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> "CrossBatchMemory":
        exact = self.embedded
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        if self.embedded.dtype != exact.dtype:  # cast along with the weights around it
            self.embedded = exact.to(self.embedded.device)
        return self
