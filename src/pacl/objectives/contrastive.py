"""The subject-aware contrastive loss for any pair policy (Eq. 3), and Khosla's L_out."""

from typing import get_args

import torch
from torch import Tensor

from pacl.axes import Bool, Float
from pacl.objectives.all_pairs import anchor_losses, mean_of
from pacl.objectives.errors import ObjectiveError
from pacl.objectives.kind_weights import kind_weights
from pacl.objectives.memory import CrossBatchMemory
from pacl.objectives.objective import Codes, Embeddings, Objective, in_full_precision
from pacl.objectives.pairs import PairPolicy, pair_kinds
from pacl.objectives.temperature import Temperature
from pacl.objectives.tiled import AnchorLosses, tiled_losses
from pacl.objectives.uncompiled import uncompiled
from pacl.objectives.written_gradient import MeanLoss, can_be_written, mean_of_all_pairs
from pacl.settings import Form, WithoutPositives

TILED_FROM = 1024
"""Batch size from which tiles are faster than a matrix of all pairs, on a CPU and with kernels on
a GPU. With a memory, a batch size with as many pairs."""

TILED_FROM_ON_GPU = 16_384
"""On a GPU without kernels: tiles are slower there, but all pairs would need 11 GiB and more."""

MOST_NUMBER = 2**31 - 1
"""Largest number of a class or subject for kernels."""

UNIT_TOLERANCE = 1e-2
"""Allowed deviation of a row's length from 1: bf16 has three digits."""


class SubjectContrastiveLoss(Objective):
    """Attracts anchors to their positives and repels them from their negatives.

    Parameters
    ----------
    policy
        A `PairPolicy` or the name of one: `subject-aware`, `supcon`, `subject-class`, `subject`.
    temperature, learnable, floor
        Initial tau, whether it is learned, and its lower bound.
    form
        `log_sum` is Eq. 3: one logarithm of the sum over positives. `mean_log` is L_out of
        Khosla et al. (2020): the mean over positives of their logarithms.
    without_positives
        For anchors without a positive in their batch: `error` refuses the batch, `skip` leaves them
        out of the mean; `skipped` counts them over all calls.
    check
        Check each batch before computing. Switch it off under `torch.compile` or `vmap`: then
        anchors without positives are left out uncounted, whatever `without_positives` is, and a
        batch of such anchors is NaN. Tiles are not compiled.
    tiled
        Whether pairs are computed in tiles, so that memory grows with the batch and not with its
        square; by default where it is faster: from 1,024 windows on, or as many pairs; on a GPU
        without Triton from 16,384 on. The result is the same up to rounding. Tiles can be
        differentiated once, and not be transformed by `torch.func`.
    memory
        Windows of past batches, which are further candidates for each anchor: they attract and
        repel by the policy, but are no anchors and get no gradient. In training, each batch is
        remembered after its loss. The older embedding of a window is a candidate like any other.
    fast
        Dot products in half precision in the kernels of a GPU: within 1e-3 for tau from 0.05 on.

    Notes
    -----
    With s_ij = e_i . e_j / tau and w the weights of the policy (1 in the paper),

    - `log_sum`: L_i = log sum_{P and N} w_ij exp(s_ij) - log sum_P w_ij exp(s_ij)
    - `mean_log`: L_i = log sum_{P and N} w_ij exp(s_ij) - sum_P w_ij s_ij / sum_P w_ij

    and the loss is the mean over anchors. All sums of exponentials are log-sum-exps in at least
    single precision, whatever the precision of the input. On a CPU, gradients of all pairs at once
    are computed along with the value, if they are wanted.

    Examples
    --------
    >>> loss = SubjectContrastiveLoss("subject-aware")
    >>> projected = torch.nn.functional.normalize(torch.randn(8, 16), dim=1)
    >>> labels = torch.tensor([0, 0, 1, 1, 0, 0, 1, 1])
    >>> subjects = torch.tensor([7, 7, 7, 7, 9, 9, 9, 9])
    >>> loss(projected, labels, subjects).backward()
    """

    def __init__(
        self,
        policy: PairPolicy | str = "subject-aware",
        temperature: float = 0.05,
        learnable: bool = True,
        form: Form = "log_sum",
        *,
        floor: float = 0.01,
        without_positives: WithoutPositives = "error",
        check: bool = True,
        tiled: bool | None = None,
        memory: CrossBatchMemory | None = None,
        fast: bool = False,
    ) -> None:
        super().__init__()
        if form not in get_args(Form):
            raise ObjectiveError(f"no form {form!r}; use {' or '.join(get_args(Form))}")
        if without_positives not in get_args(WithoutPositives):
            raise ObjectiveError(f"without_positives={without_positives!r}; use error or skip")
        self.reads = "projected"
        self.policy = PairPolicy.named(policy) if isinstance(policy, str) else policy
        if not isinstance(self.policy, PairPolicy):
            raise ObjectiveError(f"policy {policy!r}; give a PairPolicy or the name of one")
        self.temperature = Temperature(temperature, learnable=learnable, floor=floor)
        self.form: Form = form
        self.without_positives: WithoutPositives = without_positives
        self.check, self.tiled, self.fast = check, tiled, fast
        self.memory = memory
        self.skipped = 0

    def forward(self, embedded: Embeddings, labels: Codes, subjects: Codes) -> Float[Tensor, ""]:
        """The mean loss of the anchors of a batch; rows of `embedded` are of unit length."""
        if self.check:
            _check_batch(embedded, labels, subjects)
        if self.memory is not None:
            self.memory.check(embedded)
        mean, valid = self._mean(embedded, labels, subjects)
        if self.check and valid is not None:
            self._check_positives(valid, labels, subjects)
        if self.memory is not None and self.training:
            self.memory.remember(embedded, labels, subjects)
        return mean

    def _mean(self, embedded: Embeddings, labels: Codes, subjects: Codes) -> MeanLoss:
        """All pairs at once, or in tiles."""
        if self._uses_tiles(embedded):
            with torch.autocast(embedded.device.type, enabled=False):
                losses, valid = self._in_tiles(in_full_precision(embedded), labels, subjects)
            return mean_of(losses, valid), valid
        past = None if self.memory is None else self.memory.embedded
        if can_be_written(embedded, self.temperature.log_tau):
            exact, of = in_full_precision(embedded), (self.policy, self.form)
            weights = kind_weights(labels, subjects, *of, exact.dtype, self.memory)
            return mean_of_all_pairs(exact, weights, self.temperature, self.form, past)
        kinds = pair_kinds(labels, subjects)
        if self.memory is not None:
            kinds = torch.cat([kinds, self.memory.kinds(labels, subjects)], dim=1)
        pairs = self.policy.weights_of(kinds, in_full_precision(embedded[:0]).dtype)
        valid = pairs.positive.isfinite().any(dim=1)
        losses = anchor_losses(embedded, pairs, self.temperature(), self.form, past)
        return mean_of(losses, valid), valid

    def _uses_tiles(self, embedded: Embeddings) -> bool:
        if self.tiled is not None:
            return self.tiled
        held = 0 if self.memory is None else self.memory.windows
        without_kernels = embedded.is_cuda and not _has_kernels(embedded)
        least = TILED_FROM_ON_GPU if without_kernels else TILED_FROM
        return len(embedded) * (len(embedded) + held) >= least**2

    @uncompiled
    def _in_tiles(self, exact: Embeddings, labels: Codes, subjects: Codes) -> AnchorLosses:
        """With kernels if the device has them, else with torch."""
        given = (exact, labels, subjects, self.policy, self.temperature())
        mean_log = self.form == "mean_log"
        memory = None if self.memory is None else self.memory.remembered()
        if _has_kernels(exact):
            # deferred: the kernels are only needed on a GPU
            from pacl.objectives.kernels import triton_losses

            if self.check:
                _check_numbers(labels=labels, subjects=subjects)
                if memory is not None and len(memory.labels):
                    _check_numbers(labels=memory.labels, subjects=memory.subjects)
            losses, valid = triton_losses(*given, mean_log=mean_log, memory=memory, fast=self.fast)
        else:
            losses, valid = tiled_losses(*given, mean_log=mean_log, memory=memory)
        return losses, valid

    def _check_positives(
        self, valid: Bool[Tensor, "window"], labels: Codes, subjects: Codes
    ) -> None:
        lonely = (~valid).nonzero().flatten()
        if not lonely.numel():
            return
        if self.without_positives == "skip" and lonely.numel() < labels.numel():
            self.skipped += int(lonely.numel())
            return
        first = int(lonely[0])
        raise ObjectiveError(
            f"{lonely.numel()} of {labels.numel()} anchors have no positive, the first is window "
            f"{first} (subject {int(subjects[first])}, class {int(labels[first])}); give at least "
            "two windows of each subject and class, or choose without_positives='skip' "
            "(which needs some anchor to have one)"
        )

    def after_step(self) -> None:
        """Keep the parameter of tau at or above its floor."""
        self.temperature.project()

    def report(self) -> dict[str, float]:
        """Tau, and the number of skipped anchors where that is allowed."""
        found = {"tau": float(self.temperature().detach())}
        if self.without_positives == "skip":
            found["skipped"] = float(self.skipped)
        return found

    def extra_repr(self) -> str:
        """For `print`."""
        return f"form={self.form}, without_positives={self.without_positives}"


def _has_kernels(embedded: Tensor) -> bool:
    """Whether kernels can compute the tiles: in single precision or less."""
    if not embedded.is_cuda or embedded.dtype == torch.float64:
        return False
    # deferred: the kernels are only needed on a GPU
    from pacl.objectives.kernels import available

    return available(embedded.device, embedded.shape[1])


def _check_numbers(**groups: Tensor) -> None:
    """Refuse numbers that are too large for the kernels."""
    for name, numbers in groups.items():
        largest = max(int(numbers.max()), -int(numbers.min()))
        if largest > MOST_NUMBER:
            raise ObjectiveError(
                f"{name} up to {largest:,}; the kernels take 32 bits, renumber them: "
                f"torch.unique({name}, return_inverse=True)[1]"
            )


def _check_batch(embedded: Tensor, labels: Tensor, subjects: Tensor) -> None:
    shape = embedded.shape
    if not (len(shape) == 2 and shape[0] and labels.shape == subjects.shape == shape[:1]):
        raise ObjectiveError(
            f"embeddings of shape {tuple(shape)}, labels {tuple(labels.shape)}, subjects "
            f"{tuple(subjects.shape)}; give a row, a label and a subject for each window, "
            "and at least one window"
        )
    length = torch.linalg.vector_norm(embedded.detach().float(), dim=1)
    shortest, longest = (one.item() for one in length.aminmax())
    if not (shortest >= 1 - UNIT_TOLERANCE and longest <= 1 + UNIT_TOLERANCE):  # also NaN
        off = (length - 1).abs()
        row = int(off.nan_to_num(nan=torch.inf).argmax())
        raise ObjectiveError(
            f"window {row} has an embedding of length {float(length[row]):.4g}, expected 1; "
            "normalise them first: torch.nn.functional.normalize(embedded, dim=1)"
        )
