"""Softmax attention over time, which pools a sequence into one vector (Eq. 5)."""

import torch
from torch import Tensor, nn

from pacl.axes import Float


class AttentionPool(nn.Module):
    """z = sum_t alpha_t h_t, with alpha the softmax over time of w . h_t + b."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.score = nn.Conv1d(channels, 1, 1)

    def forward(
        self,
        h: Float[Tensor, "window channel time"],
        keep_scores: Float[Tensor, "window 1 time"] | None = None,
        keep_weights: Float[Tensor, "window 1 time"] | None = None,
    ) -> Float[Tensor, "window channel"]:
        """Pool; dropout masks, where given, multiply the scores and the weights."""
        # A convolution to one channel is a product with a row; as that it costs less than half.
        row = self.score.weight[:, :, 0].expand(h.shape[0], 1, -1)
        score = torch.bmm(row, h)
        if self.score.bias is not None:
            score = score + self.score.bias
        if keep_scores is not None:
            score = score * keep_scores
        alpha = score.softmax(dim=2)
        if keep_weights is not None:
            alpha = alpha * keep_weights
        return torch.bmm(h, alpha.to(h.dtype).transpose(1, 2)).squeeze(2)
