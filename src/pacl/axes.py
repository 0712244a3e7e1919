"""Arrays with named axes: `Float[Array, "time"]`, checked while testing, free otherwise.

With `PACL_CHECK_AXES` set, the names below are jaxtyping's and the test suite checks every
call against them. Without it they are empty shells: nothing is imported, nothing is checked.
"""

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or os.environ.get("PACL_CHECK_AXES"):
    import numpy as np
    from jaxtyping import (
        Bool,
        Float,
        Float32,
        Float64,
        Int,
        Int8,
        Int16,
        Int32,
        Int64,
        Real,
        UInt8,
        UInt16,
        UInt64,
    )

    if TYPE_CHECKING:
        Array = np.ndarray[Any, np.dtype[Any]]
    else:
        Array = np.ndarray
else:

    class _Unchecked:
        def __class_getitem__(cls, axes: tuple[Any, str]) -> Any:
            return Any

    Array = Any
    Bool = Float = Float32 = Float64 = Int = Int8 = Int16 = Int32 = Int64 = Real = _Unchecked
    UInt8 = UInt16 = UInt64 = _Unchecked

__all__ = [
    "Array",
    "Bool",
    "Float",
    "Float32",
    "Float64",
    "Int",
    "Int8",
    "Int16",
    "Int32",
    "Int64",
    "Real",
    "UInt8",
    "UInt16",
    "UInt64",
]
