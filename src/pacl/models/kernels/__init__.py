"""GPU kernels for stacked encoders; imported only where there is a GPU."""

from pacl.models.kernels.embed import can_fuse, fused_pool
from pacl.models.kernels.normalise import fused_normalise_relu
from pacl.models.kernels.stretches import fused_stretches

__all__ = ["can_fuse", "fused_normalise_relu", "fused_pool", "fused_stretches"]
