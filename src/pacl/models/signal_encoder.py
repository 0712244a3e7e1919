"""Any network that maps windows to vectors, as an encoder: projection, unit length, dropout.

```
x (channel, time) --- module --- z --+--- pooled = z / |z|
                                     +--- Linear, ReLU, Linear --- e --- projected = e / |e|
```
"""

import inspect
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from pacl.axes import Float
from pacl.models.dropout import Masks
from pacl.models.errors import ModelError
from pacl.models.network import EncoderOutput, Network, draw_weights
from pacl.settings import Place

SEED = "seed"
"""Key of the mask that seeds the random layers of a module, such as its own dropout."""


class SignalEncoder(Network):
    """A module that maps windows (window, channel, time) to vectors (window, `pooled_features`).

    Parameters
    ----------
    module
        Takes any batch of windows, also of one, and treats each window by itself in evaluation.
    pooled_features, projected_features
        Length of z, which is what the module gives, and of e.
    dropout
        Probability of dropout on z, besides what the module does itself.
    generator
        For the initial weights of the projection; by default torch's own.

    Examples
    --------
    >>> module = nn.Sequential(nn.Conv1d(3, 16, 5), nn.AdaptiveAvgPool1d(1), nn.Flatten())
    >>> encoder = SignalEncoder(module, pooled_features=16)
    >>> encoder(torch.randn(4, 3, 100)).projected.shape
    torch.Size([4, 128])
    """

    def __init__(
        self,
        module: nn.Module,
        pooled_features: int,
        projected_features: int = 128,
        *,
        dropout: float = 0.0,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        self.config = {
            "pooled_features": pooled_features,
            "projected_features": projected_features,
            "dropout": dropout,
            "view": "given",
        }
        if min(pooled_features, projected_features) < 1 or not 0 <= dropout < 1:
            raise ModelError(f"encoder: {self.config}; features are above 0, dropout below 1")
        self.module = module
        with torch.random.fork_rng(devices=[]):  # layers draw weights, which are replaced below
            self.project = nn.Sequential(nn.Linear(pooled_features, projected_features), nn.ReLU())
            self.project_out = nn.Linear(projected_features, projected_features)
        for part in (self.project, self.project_out):
            draw_weights(part, generator)
        self._random = any(_is_random(layer) for layer in module.modules())

    def forward(
        self,
        x: Float[Tensor, "window time"] | Float[Tensor, "window channel time"],
        masks: Masks | None = None,
    ) -> EncoderOutput:
        """Embed windows; see `Network`."""
        if x.ndim == 2:
            x = x[:, None]
        if masks is None:
            masks = self.draw_masks(len(x), x.shape[-1]) if self.training else {}
        with _seeded(masks.get(SEED), x.device):
            z = self._module(x)
        z = z * masks["pooled"] if "pooled" in masks else z
        e = self.project_out(self.project(z))
        return EncoderOutput(normalize(z, dim=1), normalize(e, dim=1), z, e)

    def mask_shapes(self, windows: int, samples: int) -> dict[Place, tuple[int, ...]]:
        """Only z has dropout."""
        if not self.config["dropout"]:
            return {}
        return {"pooled": (windows, self.config["pooled_features"])}

    def draw_masks(
        self, windows: int, samples: int, generator: torch.Generator | None = None
    ) -> Masks:
        """Dropout on z, and a seed for the random layers of the module, if it has any."""
        masks = super().draw_masks(windows, samples, generator)
        if self._random:
            device = next(self.parameters()).device
            masks[SEED] = torch.randint(2**62, (1,), generator=generator, device=device)
        return masks

    def _module(self, x: Tensor) -> Tensor:
        try:
            z: Tensor = self.module(x)
        except (RuntimeError, ValueError, IndexError) as error:
            raise ModelError(
                f"{type(self.module).__name__}: windows of shape {tuple(x.shape)}: {error}"
            ) from error
        wanted = (len(x), self.config["pooled_features"])
        if tuple(z.shape) != wanted:
            raise ModelError(
                f"{type(self.module).__name__}: a result of shape {tuple(z.shape)} for windows of "
                f"shape {tuple(x.shape)}; expected {wanted}, a vector for each window"
            )
        return z


def as_encoder(
    module: nn.Module,
    pooled_features: int,
    projected_features: int = 128,
    *,
    generator: torch.Generator | None = None,
) -> Network:
    """The encoder of a module; an encoder is given back as it is."""
    if isinstance(module, Network):
        return module
    return SignalEncoder(module, pooled_features, projected_features, generator=generator)


def _is_random(layer: nn.Module) -> bool:
    """Whether a layer draws random numbers while training, as far as can be told."""
    if isinstance(layer, nn.modules.dropout._DropoutNd | nn.RReLU):
        return True
    dropout = getattr(layer, "dropout", 0.0)  # of recurrent layers and attention
    return isinstance(dropout, float) and dropout > 0 and not inspect.isclass(layer)


@contextmanager
def _seeded(seed: Tensor | None, device: torch.device) -> Iterator[None]:
    """Torch's own random numbers from a seed, and as they were after it."""
    if seed is None:
        yield
        return
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(int(seed))
        yield
