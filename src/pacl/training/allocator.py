"""Keeping freed memory, for work that takes the same memory again and again."""

import ctypes
import sys

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""As glibc's malloc.h numbers them."""
KEPT_BYTES = 2**30


def keep_freed_memory() -> bool:
    """Let this process keep up to 1 GiB that it freed, instead of giving it back to the system.

    A training step on a CPU allocates and frees the same hundred MiB, and having the system clear
    the pages anew each time costs a tenth of the step and more. The most memory ever used stays
    the same. For the main program to call, as it concerns the whole process. Gives whether it
    worked: only glibc can be told.
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return False
    return bool(mallopt(MMAP_THRESHOLD, KEPT_BYTES) and mallopt(TRIM_THRESHOLD, KEPT_BYTES))
