"""Encoders by their settings or names, for windows of any number of channels."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

import torch

from pacl.models.encoder import Encoder
from pacl.models.errors import ModelError
from pacl.models.network import Network
from pacl.models.residual import ResidualEncoder
from pacl.models.signal_encoder import as_encoder
from pacl.registry import RegistryError
from pacl.settings import ENCODERS, BranchesSettings, ResidualSettings

PAPERS = "branches"
"""The name of the paper's encoder; files of earlier versions name none."""


def make_encoder(
    settings: Any = None, *, in_channels: int = 1, generator: torch.Generator | None = None
) -> Network:
    """An encoder for windows of `in_channels` channels.

    Parameters
    ----------
    settings
        Of any registered encoder, or its name; by default those of the paper's.
    in_channels
        Channels of the windows.
    generator
        For the initial weights; by default torch's own.

    Examples
    --------
    >>> from pacl.settings import ResidualSettings
    >>> encoder = make_encoder(ResidualSettings(width=16), in_channels=3)
    >>> encoder(torch.randn(4, 3, 50)).pooled.shape
    torch.Size([4, 128])
    >>> encoder.config["name"]
    'residual'
    """
    try:
        if isinstance(settings, str):
            settings = ENCODERS.named(settings).settings()
        settings = BranchesSettings() if settings is None else settings
        name = ENCODERS.name_of(settings)
        entry = ENCODERS.named(name)
    except RegistryError as error:
        raise ModelError(str(error)) from error
    with _drawing_from(generator):
        made = entry.make(settings, in_channels=in_channels, generator=generator)
    if not isinstance(made, Network):
        stated = asdict(settings)
        if "pooled_features" not in stated:
            raise ModelError(
                f"encoder {name!r}: it gives a plain module, so its settings need a field "
                "pooled_features, the length of the vectors"
            )
        features = {key: stated[key] for key in FEATURES if key in stated}
        made = as_encoder(made, **features, generator=generator)
    if name != PAPERS:
        kept = {key: made.config[key] for key in (*FEATURES, "dropout", "view")}
        made.config = {"name": name, "in_channels": in_channels, "settings": asdict(settings)}
        made.config |= kept
    return made


def papers_encoder(network: Network) -> Encoder:
    """The network as the paper's encoder, for what can use no other."""
    if not isinstance(network, Encoder):
        name = network.config.get("name", type(network).__name__)
        raise ModelError(f"encoder {name!r}: only the paper's, {PAPERS}, can be used for this")
    return network


FEATURES = ("pooled_features", "projected_features")


def branches(
    settings: BranchesSettings, *, in_channels: int, generator: torch.Generator | None
) -> Encoder:
    """The paper's encoder."""
    return Encoder(in_channels, **asdict(settings), generator=generator)


def residual(
    settings: ResidualSettings, *, in_channels: int, generator: torch.Generator | None
) -> ResidualEncoder:
    """The plain residual network."""
    return ResidualEncoder(in_channels, **asdict(settings), generator=generator)


@contextmanager
def _drawing_from(generator: torch.Generator | None) -> Iterator[None]:
    """Let modules that draw their weights from torch's own generator draw what the seed gives."""
    if generator is None:
        yield
        return
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(generator.initial_seed())
        yield
