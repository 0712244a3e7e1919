"""Batches of the recipe: sixteen patients, and fewer of them where there are fewer.

```
patients who can take part     16 or more    8    4    2    1
patients in a batch   P        16            8    4    2    1
windows of each class n        8            16   32   64  128     if all have so many, else fewer
```

A batch keeps about `BATCH` windows as far as the patients have them; n falls below the recipe's
only if otherwise no batch would hold both classes.
"""

import numpy as np

from pacl.axes import Array, Int64
from pacl.rivals.system import BATCH
from pacl.training import PatientSampler, SamplerError
from pacl.training.epoch_plan import Pools, has_one_class, pool, turns_of
from pacl.windows import WindowSet

PATIENTS = 16
WINDOWS = 8
MOST_TURNS = 15
LEAST_WINDOWS = 2
"""With one window of each class no window has a positive."""

NAMED = 10
"""How many patients an error names before it only counts the others."""


def batches_of(windows: WindowSet, generator: np.random.Generator) -> PatientSampler:
    """The sampler of all systems that look at labels; it names nobody twice in a batch.

    Refuses windows of which no batch can be made that holds both classes, with at least
    `LEAST_WINDOWS` of each: a patient with both is enough, as are two with one each.
    """
    patients, per_class = batch_shape(windows)
    return PatientSampler.of(
        windows,
        generator=generator,
        patients_per_batch=patients,
        windows_per_class=per_class,
        one_class=True,
        most_turns=MOST_TURNS,
    )


def batch_shape(windows: WindowSet) -> tuple[int, int]:
    """P and n."""
    pools = pool(windows.table.rhythm, windows.table.patient.codes)
    for n in range(WINDOWS, LEAST_WINDOWS - 1, -1):
        able = turns_of(pools, n) > 0
        if pools.classes.size == 2 and _both_classes(pools.of(able), n):
            p = min(PATIENTS, int(np.count_nonzero(able)))
            return p, n if p == PATIENTS else _grown(pools.of(able), p, n)
    raise SamplerError(_none(windows, pools.counts))


def _both_classes(pools: Pools, n: int) -> bool:
    """Whether patients, together, give windows of both classes."""
    alone = has_one_class(pools, n)
    return bool((~alone).any() or np.unique(pools.counts[alone].argmax(axis=1)).size == 2)


def _grown(pools: Pools, p: int, n: int) -> int:
    """The largest n at which everybody gives what they give at this one."""
    alone = has_one_class(pools, n)
    most = np.where(alone, pools.counts.max(axis=1) // 2, pools.counts.min(axis=1))
    return max(n, min(BATCH // (2 * p), int(most.min())))


def _none(windows: WindowSet, counts: Int64[Array, "patient class"]) -> str:
    """Whom the windows are of, and what would be enough."""
    present = windows.table.patient.present()
    by_class = [windows.table.rhythm == label for label in (0, 1)]
    told = []
    for name in present[:NAMED]:
        here = windows.table.patient.is_(name)
        sr, af = (int(np.count_nonzero(here & of_class)) for of_class in by_class)
        told.append(f"  patient {name.removeprefix('patient_')}: {sr} SR windows, {af} AF windows")
    if len(present) > NAMED:
        told.append(f"  and {len(present) - NAMED} more")
    needed = (
        f"no batch of {len(counts)} patients' windows holds both classes; give a patient with "
        f"{LEAST_WINDOWS} or more windows of each, or one with {2 * LEAST_WINDOWS} of SR and "
        f"another with {2 * LEAST_WINDOWS} of AF"
    )
    return "\n".join([needed, *told])
