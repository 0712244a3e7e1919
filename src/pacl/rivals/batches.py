"""Batches of 16 patients, or of fewer patients where there are fewer.

```
eligible patients             16 or more    8    4    2    1
patients in a batch   P        16            8    4    2    1
windows of each class n        8            16   32   64  128     if all have as many, else fewer
```

A batch has about `BATCH` windows if the patients have enough; n is below 8 only if otherwise no
batch would contain both classes.
"""

import numpy as np

from pacl.axes import Array, Int64
from pacl.rivals.system import BATCH
from pacl.rr import RRWindowSet
from pacl.training import Pools, SamplerError, SubjectSampler, has_one_class, pool, turns_of

PATIENTS = 16
WINDOWS = 8
MOST_TURNS = 15
LEAST_WINDOWS = 2
"""With one window of each class no window has a positive."""

NAMED = 10
"""Largest number of patients that an error names."""


def batches_of(windows: RRWindowSet, generator: np.random.Generator) -> SubjectSampler:
    """The sampler of all systems that use labels; each patient is at most once in a batch.

    Raises an error if no batch can contain both classes, with at least `LEAST_WINDOWS` of each: one
    patient with both is enough, and so are two with one class each.
    """
    patients, per_class = batch_shape(windows)
    return SubjectSampler.of(
        windows,
        generator=generator,
        subjects_per_batch=patients,
        windows_per_class=per_class,
        one_class=True,
        most_turns=MOST_TURNS,
    )


def batch_shape(windows: RRWindowSet) -> tuple[int, int]:
    """Patients per batch P, and windows per class n."""
    pools = pool(windows.table.rhythm, windows.table.patient.codes)
    for n in range(WINDOWS, LEAST_WINDOWS - 1, -1):
        able = turns_of(pools, n) > 0
        if pools.classes.size == 2 and _both_classes(pools.of(able), n):
            p = min(PATIENTS, int(np.count_nonzero(able)))
            return p, n if p == PATIENTS else _grown(pools.of(able), p, n)
    raise SamplerError(_none(windows, pools.counts))


def _both_classes(pools: Pools, n: int) -> bool:
    """Whether the patients together have windows of both classes."""
    alone = has_one_class(pools, n)
    return bool((~alone).any() or np.unique(pools.counts[alone].argmax(axis=1)).size == 2)


def _grown(pools: Pools, p: int, n: int) -> int:
    """The largest n with which all patients still have enough windows."""
    alone = has_one_class(pools, n)
    most = np.where(alone, pools.counts.max(axis=1) // 2, pools.counts.min(axis=1))
    return max(n, min(BATCH // (2 * p), int(most.min())))


def _none(windows: RRWindowSet, counts: Int64[Array, "patient class"]) -> str:
    """The message: what is needed, and what the patients have."""
    present = windows.table.patient.present()
    by_class = [windows.table.rhythm == label for label in (0, 1)]
    lines = []
    for name in present[:NAMED]:
        here = windows.table.patient.is_(name)
        sr, af = (int(np.count_nonzero(here & of_class)) for of_class in by_class)
        lines.append(f"  patient {name.removeprefix('patient_')}: {sr} SR windows, {af} AF windows")
    if len(present) > NAMED:
        lines.append(f"  and {len(present) - NAMED} more")
    needed = (
        f"no batch of {len(counts)} patients' windows holds both classes; give a patient with "
        f"{LEAST_WINDOWS} or more windows of each, or one with {2 * LEAST_WINDOWS} of SR and "
        f"another with {2 * LEAST_WINDOWS} of AF"
    )
    return "\n".join([needed, *lines])
