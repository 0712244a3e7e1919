"""Growth on the CPU: evaluation by windows and by patients, a training step by its batch."""

import multiprocessing
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from growth_lines import Line, Point
from measure import peak_mib
from stepping import make_ours, make_plain, peak_of, take_turns

THREADS = 2
WINDOWS = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000)
PATIENTS = (50, 150, 500, 1_500, 5_000, 10_000)
BATCHES = (32, 64, 128, 256, 512, 1024, 2048)
WINDOWS_A_PATIENT = 64
EMBEDDED = 20_000
"""So many windows are embedded once; larger sets for probe and geometry repeat them."""

PASSES, ENOUGH_S, LONG_S = 5, 2.0, 8.0
"""At most so many passes, no more after so long, and a second only if the first is no longer."""

Work = Callable[[], Any]


def windows(path: Path, most: int | None = None) -> list[Line]:
    """Embedding, the probe and the geometry, on windows of the set; repeated if it has fewer."""
    with tempfile.TemporaryDirectory() as folder:
        _embed_some(path, Path(folder))
        return [
            _line("embed", make_embed, WINDOWS[:most], path),
            _line("fit the probe", make_fit, WINDOWS[:most], Path(folder)),
            _line("geometry", make_geometry, WINDOWS[:most], Path(folder)),
        ]


def patients(_: Path, most: int | None = None) -> list[Line]:
    """Sampler, geometry and detection on made-up patients of 64 windows: no set has so many."""
    return [
        _line("plan an epoch", make_plan, PATIENTS[:most]),
        _line("geometry", make_patient_geometry, PATIENTS[:most]),
        _line("detection", make_detection, PATIENTS[:most]),
    ]


def batch(_: Path, most: int | None = None) -> list[Line]:
    """A training step, beside plain eager PyTorch; both take turns."""
    makers = {"train a step": make_ours, "plain eager PyTorch": make_plain}
    points: dict[str, list[Point]] = {name: [] for name in makers}
    for size in BATCHES[:most]:
        times = _apart(_step_times, size)
        for (name, make), spent in zip(makers.items(), times, strict=True):
            peak = _apart(peak_of, make, size, THREADS)
            points[name].append(Point(size, min(spent), len(spent), peak))
    return [Line(name, "CPU", tuple(found)) for name, found in points.items()]


def rows_of(size: int, of: int) -> np.ndarray:
    """So many rows, all patients mixed, each again and again where there are fewer."""
    return np.random.default_rng(0).permutation(of)[np.arange(size) % of]


def make_embed(size: int, path: Path) -> Work:
    """Embed windows of a set."""
    from pacl import Encoder
    from pacl.evaluation import embed
    from pacl.rr import RRWindowSet

    found, encoder = RRWindowSet.open(path), Encoder()
    chosen = found.select(rows_of(size, len(found)))
    return lambda: embed(encoder, chosen)


def make_fit(size: int, folder: Path) -> Work:
    """Fit the probe."""
    from pacl.evaluation import fit_probe

    pooled, labels, _ = _embedded(size, folder)
    return lambda: fit_probe(pooled, labels)


def make_geometry(size: int, folder: Path) -> Work:
    """Eqs. 6-10 on as many patients as the set has."""
    from pacl.evaluation import measure_geometry

    pooled, labels, patients = _embedded(size, folder)
    return lambda: measure_geometry(pooled, labels, patients)


def make_plan(size: int) -> Work:
    """Build a sampler and plan an epoch."""
    from pacl.training import SubjectSampler

    labels, patients = _made_up(size)
    return lambda: SubjectSampler(labels, patients, generator=np.random.default_rng(0)).epoch_rows()


def make_patient_geometry(size: int) -> Work:
    """Eqs. 6-10 on so many patients."""
    from pacl.evaluation import measure_geometry

    labels, patients = _made_up(size)
    generator = np.random.default_rng(0)
    found = generator.standard_normal((labels.size, 128), dtype=np.float32)
    found[:, 0] += labels
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    return lambda: measure_geometry(found, labels, patients)


def make_detection(size: int) -> Work:
    """AUROC and all the rest, of all and of each."""
    from pacl.evaluation import measure_detection

    labels, patients = _made_up(size)
    noise = np.random.default_rng(0).normal(size=labels.size)
    probability = 1 / (1 + np.exp(-(2 * labels - 1 + noise)))
    return lambda: measure_detection(labels, probability, patients)


def _made_up(patients: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels and patients of windows, half of each class."""
    half = WINDOWS_A_PATIENT // 2
    labels = np.tile(np.repeat(np.arange(2), half), patients)
    return labels, np.repeat(np.arange(patients), WINDOWS_A_PATIENT)


def _embed_some(path: Path, folder: Path) -> None:
    from pacl import Encoder
    from pacl.evaluation import embed
    from pacl.rr import RRWindowSet

    found = RRWindowSet.open(path)
    rows = rows_of(min(EMBEDDED, len(found)), len(found))
    done = embed(Encoder(), found.select(rows))
    np.save(folder / "pooled.npy", done.pooled)
    np.save(folder / "labels.npy", done.labels)
    np.save(folder / "patients.npy", done.table.patient.codes)


def _embedded(size: int, folder: Path) -> tuple[np.ndarray, ...]:
    arrays = [np.load(folder / f"{name}.npy") for name in ("pooled", "labels", "patients")]
    rows = np.arange(size) % len(arrays[0])
    return tuple(array[rows] for array in arrays)


def _line(name: str, make: Callable[..., Work], sizes: tuple[int, ...], *args: Any) -> Line:
    points = [_apart(_point, make, size, sizes[0], args) for size in sizes]
    return Line(name, "CPU", tuple(points))


def _point(make: Callable[..., Work], size: int, smallest: int, args: tuple[Any, ...]) -> Point:
    import torch
    from threadpoolctl import threadpool_limits

    torch.set_num_threads(THREADS)
    with threadpool_limits(THREADS):
        make(smallest, *args)()  # libraries and threads are there before anything is counted
        work, times = make(size, *args), []
        before = peak_mib(reset=True)
        while _again(times):
            began = time.perf_counter()
            work()
            times.append(time.perf_counter() - began)
        after = peak_mib()
    above = None if before is None or after is None else after - before
    return Point(size, min(times), len(times), above)


def _again(times: list[float]) -> bool:
    """A first pass also pays for memory that later ones find in place."""
    if len(times) == 1:
        return times[0] < LONG_S
    return len(times) < PASSES and sum(times) < ENOUGH_S


def _step_times(size: int) -> list[list[float]]:
    import torch

    torch.set_num_threads(THREADS)
    (plain,) = take_turns([make_plain(size)], 20, ENOUGH_S / 2)
    (ours,) = take_turns([make_ours(size)], 20, ENOUGH_S / 2)  # last: it changes the allocator
    return [ours, plain]


def _apart(work: Callable[..., Any], *args: Any) -> Any:
    """In a process of its own, forked from one that has imported the slow libraries."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["torch", "sklearn.linear_model", "pacl.evaluation"])
    with context.Pool(1) as pool:
        return pool.apply(work, args)
