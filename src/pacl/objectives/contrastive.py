"""The subject-aware contrastive loss for any pair policy (Eq. 3), and Khosla's L_out."""

from typing import Literal, get_args

import torch
from torch import Tensor

from pacl.axes import Bool, Float
from pacl.objectives.errors import ObjectiveError
from pacl.objectives.memory import CrossBatchMemory
from pacl.objectives.objective import Codes, Embeddings, Objective, in_full_precision
from pacl.objectives.pairs import PairPolicy, PairWeights, pair_kinds
from pacl.objectives.temperature import Temperature
from pacl.objectives.tiled import AnchorLosses, tiled_losses

Form = Literal["log_sum", "mean_log"]
WithoutPositives = Literal["error", "skip"]
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
    single precision, whatever the precision of the input.

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
        losses, valid = self._losses(embedded, labels, subjects)
        if self.check:
            self._check_positives(valid, labels, subjects)
        if self.memory is not None and self.training:
            self.memory.remember(embedded, labels, subjects)
        return torch.where(valid, losses, 0).sum() / valid.sum()

    def _losses(self, embedded: Embeddings, labels: Codes, subjects: Codes) -> AnchorLosses:
        """All pairs at once, or in tiles."""
        if self._uses_tiles(embedded):
            with torch.autocast(embedded.device.type, enabled=False):
                losses, valid = self._in_tiles(in_full_precision(embedded), labels, subjects)
            return losses, valid
        kinds, past = pair_kinds(labels, subjects), None
        if self.memory is not None:
            kinds = torch.cat([kinds, self.memory.kinds(labels, subjects)], dim=1)
            past = self.memory.embedded
        weights = self.policy.weights_of(kinds, in_full_precision(embedded[:0]).dtype)
        valid = weights.positive.isfinite().any(dim=1)
        return anchor_losses(embedded, weights, self.temperature(), self.form, past), valid

    def _uses_tiles(self, embedded: Embeddings) -> bool:
        if self.tiled is not None:
            return self.tiled
        held = 0 if self.memory is None else self.memory.windows
        without_kernels = embedded.is_cuda and not _has_kernels(embedded)
        least = TILED_FROM_ON_GPU if without_kernels else TILED_FROM
        return len(embedded) * (len(embedded) + held) >= least**2

    @torch.compiler.disable  # type: ignore[untyped-decorator]
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


def anchor_losses(
    embedded: Float[Tensor, "*run window feature"],
    weights: PairWeights,
    tau: Float[Tensor, "*run"],
    form: Form,
    past: Float[Tensor, "*run past feature"] | None = None,
) -> Float[Tensor, "*run window"]:
    """The loss of each anchor; that of an anchor without positives is finite, but meaningless.

    There may be leading axes, such as one for the run. `past` are further candidates, whose
    weights come after those of the windows themselves.
    """
    with torch.autocast(embedded.device.type, enabled=False):
        exact = in_full_precision(embedded)
        others = exact if past is None else torch.cat([exact, past.to(exact.dtype)], dim=-2)
        similarity = exact @ others.mT / tau[..., None, None]
    # A row of minus infinities has no gradient: for anchors without positives take any finite row.
    positive = torch.where(_any_pair(weights.positive), weights.positive, 0)
    if form == "log_sum":
        repels = _any_pair(weights.negative)
        negative = torch.where(repels, weights.negative, 0)
        far = torch.logsumexp(similarity + negative, dim=-1)
        near = torch.logsumexp(similarity + positive, dim=-1)
        # log(P + N) - log(P) as log(1 + N / P): exact also where almost nothing is left to learn.
        odds = far - near
        return torch.where(repels[..., 0], torch.logaddexp(odds, torch.zeros_like(odds)), 0)
    everything = torch.logsumexp(similarity + torch.maximum(positive, weights.negative), dim=-1)
    return everything - (positive.softmax(dim=-1) * similarity).sum(dim=-1)


def _any_pair(log_weights: Tensor) -> Tensor:
    """Which anchors have a pair of the kind."""
    return log_weights.isfinite().any(dim=-1, keepdim=True)


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
    shape = tuple(embedded.shape)
    if embedded.ndim != 2 or not shape[0] or {labels.shape, subjects.shape} != {shape[:1]}:
        raise ObjectiveError(
            f"embeddings of shape {shape}, labels {tuple(labels.shape)}, subjects "
            f"{tuple(subjects.shape)}; give a row, a label and a subject for each window, "
            "and at least one window"
        )
    length = embedded.detach().float().norm(dim=1)
    off = (length - 1).abs()
    if not bool((off <= UNIT_TOLERANCE).all()):
        row = int(off.nan_to_num(nan=torch.inf).argmax())
        raise ObjectiveError(
            f"window {row} has an embedding of length {float(length[row]):.4g}, expected 1; "
            "normalise them first: torch.nn.functional.normalize(embedded, dim=1)"
        )
