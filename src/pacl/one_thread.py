"""Numeric libraries on one thread: small work is slower if threads wait for a busy core."""

import sys
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any, cast

from threadpoolctl import ThreadpoolController


def one_thread() -> AbstractContextManager[Any]:
    """BLAS and OpenMP use one thread within the block.

    Which libraries are loaded is looked up again only after something was imported, since that
    takes milliseconds, with PyTorch more than a small fit.
    """
    return cast(AbstractContextManager[Any], _libraries(len(sys.modules)).limit(limits=1))


@lru_cache(maxsize=1)
def _libraries(modules: int) -> ThreadpoolController:
    """Libraries that are loaded along with so many modules."""
    return ThreadpoolController()
