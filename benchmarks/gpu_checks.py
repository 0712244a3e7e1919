"""Check on a GPU, without pytest, that kernels and captured steps compute what they stand for.

    python benchmarks/gpu_checks.py

Kernels are compared with double precision on the CPU, by the code that tests/models/test_kernels.py
uses too; fleets with plain ones and with trainers alone. Prints a line a check, and ends with
status 1 if any failed.
"""

import sys
from collections.abc import Iterator
from itertools import chain

import torch


def main() -> int:
    """Run all checks; the number of failures decides the status."""
    if not torch.cuda.is_available():
        print("there is no GPU, nothing was checked")
        return 1
    import fleet_checks
    import kernel_checks

    print(f"torch {torch.__version__}, {torch.cuda.get_device_name()}")
    return report(chain(kernel_checks.checks(), fleet_checks.checks(torch.device("cuda"))))


def report(checks: Iterator[tuple[str, float, float]]) -> int:
    """Print name, difference and limit of each; 1 if any is beyond its limit or no number."""
    done, failed = 0, 0
    for name, difference, limit in checks:
        good = difference <= limit
        done, failed = done + 1, failed + (not good)
        print(f"{'ok    ' if good else 'FAILED'} {name}: {difference:.1e} (limit {limit:.0e})")
        sys.stdout.flush()
    print(f"{done} checks, {failed} failed")
    return int(failed > 0 or not done)


if __name__ == "__main__":
    sys.exit(main())
