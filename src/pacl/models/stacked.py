"""Many encoders of one shape as one program: stacked weights, batched matrix products (App. B).

The arithmetic is the encoder's. Values are kept as (run, window, time, channel), so that a strided
convolution is a matrix product of neighbouring samples with stacked weights, for all runs at once.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import normalize

from pacl.axes import Float
from pacl.models.dropout import Masks
from pacl.models.encoder import MIN_LENGTH, Encoder
from pacl.models.errors import ModelError
from pacl.models.network import EncoderOutput, Network, seen
from pacl.models.stacked_layers import convolve, multiply, normalise_relu


def why_alone(encoder: Network) -> str | None:
    """Why an encoder cannot be stacked with others; None if it can."""
    if not isinstance(encoder, Encoder):
        return f"{type(encoder).__name__} cannot be stacked; train runs apart"
    if encoder.config["norm"] == "batch":
        return "batch normalisation cannot be stacked; use group, or train runs apart"
    return None


def stack_weights(encoders: Sequence[Network]) -> dict[str, Tensor]:
    """The weights of encoders of one shape, each name once, with a leading axis for the run."""
    for encoder in encoders:
        if reason := why_alone(encoder):
            raise ModelError(reason)
    if any(encoder.config != encoders[0].config for encoder in encoders):
        raise ModelError("encoders of different shapes cannot be stacked; train them apart")
    named = [dict(encoder.named_parameters()) for encoder in encoders]
    return {name: torch.stack([one[name].detach() for one in named]) for name in named[0]}


def embed_stacked(
    config: Mapping[str, Any],
    weights: Mapping[str, Tensor],
    x: Float[Tensor, "run window time"] | Float[Tensor, "run window channel time"],
    masks: Masks | None = None,
) -> EncoderOutput:
    """Embed each run's windows with each run's weights, as `stack_weights` gives them.

    Outputs are (run, window, feature); masks have a leading axis for the run.
    """
    channels = 1 if x.ndim == 3 else x.shape[2]
    if channels != config["in_channels"] or x.shape[-1] < MIN_LENGTH:
        raise ModelError(
            f"windows of shape {tuple(x.shape[1:])}; expected (window, {config['in_channels']}, "
            f"time) with at least {MIN_LENGTH} samples"
        )
    masks = masks or {}
    x = seen(config["view"], x)
    last = x[..., None] if x.ndim == 3 else x.transpose(2, 3).contiguous()
    branches = []
    for branch in range(len(config["kernels"])):
        h = last
        for depth in range(len(config["channels"])):
            at, norm = (f"branches.{branch}.{3 * depth + layer}" for layer in (0, 1))
            h = _normalise(config, weights, convolve(h, weights[f"{at}.weight"]), at, norm)
        branches.append(h)
    h = torch.cat(branches, dim=3)
    matrix = weights["mix.0.weight"].squeeze(3).transpose(1, 2)
    mixed = multiply(h.flatten(1, 2), matrix, h.shape[1]).view(*h.shape[:3], -1)
    h = _normalise(config, weights, mixed, "mix.0", "mix.1", masks.get("mix"))
    z = _to_pooled(config, weights, _attend(weights, h, masks))
    if "pooled" in masks:
        z = z * masks["pooled"]
    e = _linear(z, weights["project.0.weight"], weights["project.0.bias"]).relu()
    if "projection" in masks:
        e = e * masks["projection"]
    e = _linear(e, weights["project_out.weight"], weights["project_out.bias"])
    return EncoderOutput(normalize(z, dim=2), normalize(e, dim=2), z, e)


@torch.no_grad()
def pool_stacked(
    config: Mapping[str, Any],
    weights: Mapping[str, Tensor],
    x: Float[Tensor, "window time"] | Float[Tensor, "window channel time"],
) -> Float[Tensor, "run window feature"]:
    """The pooled embeddings, z-hat, of the same windows with each run's weights."""
    attended = _attend_fused(config, weights, x) if x.is_cuda and x.dtype == torch.float32 else None
    if attended is not None:
        return normalize(_to_pooled(config, weights, attended), dim=2)
    runs = len(weights["mix.0.bias"])
    return embed_stacked(config, weights, x.expand(runs, *x.shape)).pooled


def _attend_fused(
    config: Mapping[str, Any], weights: Mapping[str, Tensor], x: Tensor
) -> Float[Tensor, "run window channel"] | None:
    """The attended mean by GPU kernels; None if they do not support such encoders."""
    # deferred: Triton is optional
    from pacl.models.kernels.embed import can_fuse, fused_pool

    if not can_fuse(config):
        return None
    return fused_pool(config, weights, seen(config["view"], x)[None])


def _to_pooled(
    config: Mapping[str, Any],
    weights: Mapping[str, Tensor],
    attended: Float[Tensor, "run window channel"],
) -> Float[Tensor, "run window feature"]:
    """From the attended mean to z."""
    if config["pooled_by"] != "linear":
        return attended
    return _linear(attended, weights["to_pooled.weight"], weights["to_pooled.bias"])


def _linear(
    values: Float[Tensor, "run row feature"],
    weight: Float[Tensor, "run out feature"],
    bias: Float[Tensor, "run out"],
) -> Float[Tensor, "run row out"]:
    return torch.baddbmm(bias[:, None], values, weight.transpose(1, 2))


def _normalise(
    config: Mapping[str, Any],
    weights: Mapping[str, Tensor],
    h: Float[Tensor, "run window time channel"],
    convolution: str,
    norm: str,
    mask: Float[Tensor, "run window channel time"] | None = None,
) -> Float[Tensor, "run window time channel"]:
    """The convolution's bias, group normalisation, ReLU and dropout."""
    bias = weights[f"{convolution}.bias"]
    if config["norm"] == "none":
        h = (h + bias[:, None, None]).relu()
        return h if mask is None else h * mask.transpose(2, 3)
    scale, shift = weights[f"{norm}.weight"], weights[f"{norm}.bias"]
    return normalise_relu(h, bias, scale, shift, config["groups"], mask)


def _attend(
    weights: Mapping[str, Tensor], h: Float[Tensor, "run window time channel"], masks: Masks
) -> Float[Tensor, "run window channel"]:
    """Attention over time (Eq. 5)."""
    score_weight = weights["attention.score.weight"].squeeze(3)
    score = _linear(h.flatten(1, 2), score_weight, weights["attention.score.bias"])
    score = score.view(h.shape[:3])
    if "scores" in masks:
        score = score * masks["scores"].squeeze(2)
    alpha = score.softmax(dim=2)
    if "weights" in masks:
        alpha = alpha * masks["weights"].squeeze(2)
    return torch.einsum("rwtc,rwt->rwc", h, alpha)
