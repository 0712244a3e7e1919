"""Numbers that settings may be: far beyond what anybody needs, short of what no computer can do."""

from typing import Annotated

from pydantic import Field

Seed = Annotated[int, Field(ge=0, lt=2**63)]
Count = Annotated[int, Field(ge=1, le=1_000_000)]
CountFrom0 = Annotated[int, Field(ge=0, le=1_000_000)]
Width = Annotated[int, Field(ge=1, le=16_384)]
"""Channels of a layer, features of an embedding."""
Seconds = Annotated[float, Field(gt=0, le=1e9, allow_inf_nan=False)]
Rate = Annotated[float, Field(gt=0, le=10, allow_inf_nan=False)]
"""A learning rate, and how far weights decay."""
RateFrom0 = Annotated[float, Field(ge=0, le=10, allow_inf_nan=False)]
Temperature = Annotated[float, Field(gt=0, le=1000, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
ShareBelow1 = Annotated[float, Field(ge=0, lt=1, allow_inf_nan=False)]
