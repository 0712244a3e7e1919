"""The contrastive loss, forward and backward, on one core: tiles, all pairs at once, and a peer.

    python benchmarks/objective.py [BATCH ...] [--peer PYTHON] [-o objective-cpu.json]

Embeddings of 128 numbers, two classes, 8 patients in the batch and 256. Each is measured in a
process of its own, so that its peak of memory is its own; times are those that the processor spent
on it. The peer is SupConLoss of
pytorch-metric-learning, in an environment of its own, whose interpreter `--peer` names:

    python -m venv peer
    peer/bin/pip install torch pytorch-metric-learning

Where there are as few windows as in the paper, the loss as it is called, with its checks and a
learned temperature, takes turns with the few lines that anyone would write (`six_lines.py`). This
table alone, in seconds:

    python benchmarks/objective.py --few
"""

import argparse
import ctypes
import gc
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import torch
from measure import peak_mib
from objective_table import Cost, table, write

# The peer's environment does not have this package: it is imported where it is used.

BATCHES = (128, 256, 1024, 4096, 8192, 16_384, 65_536)
PATIENTS = (8, 256)
FEATURES = 128
TAU = 0.05
KINDS = {
    "dense": "all pairs",
    "compiled": "compiled",
    "peer": "peer",
    "tiles": "tiles",
}
MOST_DENSE = 16_384
"""Beyond, tiles alone go on."""

MOST_MIB = 12_000
"""What all pairs at once may take, to judge by the batch before."""

FEW = (128, 256)
"""Windows, so few that tiles are not used by default."""

TIMES, LEAST_S, ENOUGH_S = 3, 0.5, 10.0
"""The best of three, of more as long as they take half a second, of fewer if they take ten."""

Step = Callable[[], object]
Drawn = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


def drawn(windows: int, patients: int, device: str = "cpu") -> Drawn:
    """Embeddings, labels and patients; rows lean towards one direction of each of both."""
    generator = torch.Generator(device).manual_seed(0)
    labels = torch.randint(2, (windows,), device=device, generator=generator)
    whose = torch.randint(patients, (windows,), device=device, generator=generator)
    centres = torch.Generator(device).manual_seed(99)
    of_class = torch.randn(2, FEATURES, device=device, generator=centres)
    of_patient = torch.randn(patients, FEATURES, device=device, generator=centres)
    rows = torch.randn(windows, FEATURES, device=device, generator=generator)
    rows = rows + 0.6 * (of_class[labels] + of_patient[whose])
    return torch.nn.functional.normalize(rows, dim=1), labels, whose


def peer_step(given: Drawn) -> Step:
    """SupConLoss of pytorch-metric-learning, each patient's class a label."""
    from pytorch_metric_learning.losses import SupConLoss

    rows = given[0].clone().requires_grad_()
    loss, groups = SupConLoss(temperature=TAU), given[1] + 2 * given[2]
    return lambda: torch.autograd.grad(loss(rows, groups), rows)


def our_step(
    given: Drawn,
    *,
    tiled: bool | None,
    check: bool = True,
    fast: bool = False,
    compiled: bool = False,
) -> Step:
    """The paper's objective; the first three are those of `SubjectContrastiveLoss`."""
    from pacl.objectives import SubjectContrastiveLoss

    rows = given[0].clone().requires_grad_()
    loss = SubjectContrastiveLoss(
        temperature=TAU, tiled=tiled, check=check, fast=fast, without_positives="skip"
    ).to(rows.device)
    call = torch.compile(loss, dynamic=False) if compiled else loss
    wanted = (rows, loss.temperature.log_tau)
    return lambda: torch.autograd.grad(call(rows, *given[1:]), wanted)


def step_of(kind: str, given: Drawn) -> Step:
    """What is measured."""
    if kind == "peer":
        return peer_step(given)
    if kind == "compiled":
        return our_step(given, tiled=False, check=False, compiled=True)
    return our_step(given, tiled=kind == "tiles")


def cost(kind: str, windows: int, patients: int) -> Cost:
    """Measured in this process, of which it should be the only work."""
    torch.set_num_threads(1)
    step_of(kind if kind != "compiled" else "dense", drawn(64, 4))()
    step = step_of(kind, drawn(windows, patients))
    if kind == "compiled":
        step()
    _give_back()
    before = peak_mib(reset=True)
    times: list[float] = []
    while len(times) < TIMES or sum(times) < LEAST_S:
        times.append(_seconds(step))
        if sum(times) > ENOUGH_S:
            break
    after = peak_mib()
    mib = None if before is None or after is None else after - before
    return Cost(kind, windows, patients, 1000 * min(times), mib)


def cost_text(kind: str, windows: int, patients: int) -> str:
    """The cost as JSON, for the process that asks for it."""
    return json.dumps(asdict(cost(kind, windows, patients)))


def default_ratio(
    windows: int,
    patients: int,
    rounds: int = 400,
    device: str = "cpu",
    seconds: Callable[[Step], float] | None = None,
) -> float:
    """How many times longer the default takes than all pairs; both take turns in one process."""
    torch.set_num_threads(1)
    given = drawn(windows, patients, device)
    steps = [our_step(given, tiled=None), our_step(given, tiled=False)]
    times: list[list[float]] = [[], []]
    for turn in range(rounds):
        for which in (0, 1) if turn % 2 else (1, 0):
            times[which].append((seconds or _seconds)(steps[which]))
    default, dense = (statistics.median(taken[20:]) for taken in times)
    return default / dense


def _seconds(step: Step) -> float:
    """Of the processor, which others that keep it busy change less than those of a clock."""
    began = time.process_time()
    step()
    return time.process_time() - began


def _give_back() -> None:
    """Free memory goes back to the system, else what was used before would not be counted again."""
    gc.collect()
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)


def apart(call: str, python: str = sys.executable, imports: str = "objective as o") -> str:
    """What a call of this module returns in a process of its own."""
    done = subprocess.run(
        [python, "-c", f"import {imports}; print({call})"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        cwd=Path(__file__).parent,
    )
    return done.stdout.strip()


def interpreters(peer: str | None) -> dict[str, str]:
    """By what Python each kind is measured; those that cannot be are left out."""
    found = dict.fromkeys(KINDS, sys.executable)
    if not has_compiler():
        del found["compiled"]
    if peer is None:
        del found["peer"]
        return found
    return {**found, "peer": peer}


def measured(windows: int, patients: int, pythons: Mapping[str, str], rounds: int) -> list[Cost]:
    """The kinds take turns; the best time of each, and the most memory."""
    found: dict[str, list[Cost]] = {kind: [] for kind in pythons}
    for _ in range(rounds):
        for kind, python in pythons.items():
            call = f"o.cost_text({kind!r}, {windows}, {patients})"
            found[kind].append(Cost(**json.loads(apart(call, python).splitlines()[-1])))
            print(found[kind][-1], file=sys.stderr, flush=True)
    return [
        replace(
            min(costs, key=lambda cost: cost.ms),
            mib=max((cost.mib for cost in costs if cost.mib is not None), default=None),
        )
        for costs in found.values()
    ]


def fits(kind: str, windows: int, before: Sequence[Cost], most_mib: float) -> bool:
    """Whether a batch does; memory for all pairs at once grows with its square."""
    if kind == "tiles":
        return True
    known = [
        cost.mib * (windows / cost.windows) ** 2
        for cost in before
        if cost.kind == kind and cost.mib
    ]
    return windows <= MOST_DENSE and (not known or known[-1] < most_mib)


def has_compiler() -> bool:
    """Whether there is a C++ compiler, without which nothing is compiled for a CPU."""
    return shutil.which(os.environ.get("CXX", "g++")) is not None


def main() -> None:
    """Measure, then print a table of times, one of memory and one against six lines."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("batches", nargs="*", type=int, default=BATCHES)
    parser.add_argument("--peer", metavar="PYTHON", help="interpreter of the peer's environment")
    parser.add_argument("--rounds", type=int, default=1, help="so often kinds take turns")
    parser.add_argument("--most-mib", type=float, default=MOST_MIB, help="for all pairs at once")
    parser.add_argument("-o", "--output", type=Path, help="JSON for objective_plot.py")
    parser.add_argument("--few", action="store_true", help="only against six lines")
    chosen = parser.parse_args()
    if chosen.few:
        print(apart("six_lines.table()", imports="six_lines"))
        return
    peer = chosen.peer and shutil.which(chosen.peer)
    if chosen.peer and not peer:
        parser.error(f"--peer {chosen.peer}: no such interpreter")
    pythons = interpreters(peer and str(Path(peer).absolute()))
    found: list[Cost] = []
    for windows in chosen.batches:
        for patients in PATIENTS:
            fitting = {
                kind: python
                for kind, python in pythons.items()
                if fits(kind, windows, found, chosen.most_mib)
            }
            found += measured(windows, patients, fitting, chosen.rounds)
            if chosen.output:
                write(chosen.output, "CPU, one core", found)
    for unit in ("ms", "mib"):
        print(table(found, unit, KINDS, "tiles"), end="\n\n")
    print(apart("six_lines.table()", imports="six_lines"))
    if not peer:
        print("\nThe peer was not measured: --peer names the interpreter that has it.")
    if not has_compiler():
        print("\nNothing was compiled: there is no C++ compiler (g++, or what CXX names).")


if __name__ == "__main__":
    main()
