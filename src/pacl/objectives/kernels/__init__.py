"""The subject-aware contrastive loss as GPU kernels, without the pair matrix."""

from pacl.objectives.kernels.losses import available, triton_losses

__all__ = ["available", "triton_losses"]
