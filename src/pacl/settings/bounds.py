"""Bounds of settings: above all practical values, within what a computer can do."""

from typing import Annotated

from pacl.stored import Between, Odd, Several

Seed = Annotated[int, Between(0, 2**63 - 1)]
Count = Annotated[int, Between(1, 1_000_000)]
CountFrom0 = Annotated[int, Between(0, 1_000_000)]
Width = Annotated[int, Between(1, 16_384)]
"""Channels of a layer, features of an embedding."""
Seconds = Annotated[float, Between(0, 1e9, without_low=True)]
Rate = Annotated[float, Between(0, 10, without_low=True)]
"""A learning rate or a weight decay."""
RateFrom0 = Annotated[float, Between(0, 10)]
Temperature = Annotated[float, Between(0, 1000, without_low=True)]
Share = Annotated[float, Between(0, 1)]
ShareBelow1 = Annotated[float, Between(0, 1, without_high=True)]
KernelSize = Annotated[int, Between(1, 16_383), Odd()]
Widths = Annotated[tuple[Width, ...], Several(1, 16)]
