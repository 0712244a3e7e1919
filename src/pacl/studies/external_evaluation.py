"""Evaluating a run on other windows: other patients, another database, the authors' files."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from pacl.axes import Array, UInt64
from pacl.cohort import KINDS
from pacl.evaluation import Evaluation, Predictions, embed
from pacl.rr import is_processed, prepare_processed, recognised
from pacl.studies.errors import RunError
from pacl.studies.folder import RunFolder, check_name
from pacl.studies.provenance import WindowsOrigin, check_scaling, open_windows
from pacl.window_sets import AnyWindowSet, prints_of
from pacl.windows import Names

PLACE = "on"


@contextmanager
def open_other(path: Path) -> Iterator[tuple[AnyWindowSet, WindowsOrigin]]:
    """Open a window set, or processed windows (.h5)."""
    with tempfile.TemporaryDirectory(prefix="pacl-") as folder:
        prepared = path
        if is_processed(path):
            prepared = Path(folder) / "windows"
            # Parts do not matter here, so a patient may be in two of them.
            prepare_processed(path.resolve(), prepared, allow=tuple(KINDS))
        windows, origin = open_windows(prepared)
        yield windows, replace(origin, path=str(path.resolve()))


def evaluate_external(
    run: RunFolder,
    path: Path,
    *,
    name: str | None = None,
    device: torch.device,
    track: Callable[[int, int], None] | None = None,
) -> tuple[str, Evaluation, list[str]]:
    """Evaluate a run on all windows of another set, and keep the predictions in `on/NAME`.

    Refuses recordings that the run was trained on. Returns the name, the figures, and patients that
    have the name of a patient of the run: in another database these should be other people.
    """
    name = name or path.stem if is_processed(path) else name or path.resolve().name
    check_name(
        name,
        run.path,
        what="an evaluation",
        remedy="choose one with --name",
        taken=("validation", "test"),
    )
    probe = run.probe()
    with open_other(path) as (windows, origin):
        _check_name(run, name, origin)
        shared = check_unseen(run, windows, origin, path)
        encoder = run.encoder(device)
        check_scaling(encoder.config["view"], windows, path)
        if probe.classes != len(windows.class_names):
            raise RunError(
                path,
                f"its classes are {', '.join(windows.class_names)}, the run tells {probe.classes} "
                "classes apart",
                "evaluate it on windows of the same classes",
            )
        all_test = Names(np.zeros(len(windows), dtype=np.int32), ("test",))
        embeddings = embed(encoder, windows, device=device, track=track)
        embeddings = replace(embeddings, table=replace(windows.table, split=all_test))
        found = Predictions.by_probe(probe, embeddings)
        measured = run.write_evaluated(f"{PLACE}/{name}", found, origin)
    return name, measured, shared


def check_unseen(
    run: RunFolder, windows: AnyWindowSet, origin: WindowsOrigin, path: Path
) -> list[str]:
    """Refuse windows of recordings the run was trained on; names of patients that both have."""
    check_length(run.origin, origin, path)
    check_not_learned(run.seen(), run.origin, windows, origin, path)
    if run.origin is None:
        return []
    alike = run.origin.recognised(origin, "patient")
    return sorted({e["patient"] for e in origin.records if e["record"] in alike})


def check_not_learned(
    seen: UInt64[Array, "print"],
    learned: WindowsOrigin | None,
    windows: AnyWindowSet,
    origin: WindowsOrigin,
    path: Path,
) -> None:
    """Refuse windows of recordings of the training, also under other names."""
    recordings = recognised(prints_of(windows), seen)
    if learned is not None:
        recordings = sorted(learned.recognised(origin, "digest").union(recordings))
    if recordings:
        more = f" and {len(recordings) - 5} more" if len(recordings) > 5 else ""
        raise RunError(
            path,
            f"{len(recordings)} of its recordings were used to train this run: "
            f"{', '.join(recordings[:5])}{more}",
            "evaluate on unseen patients; pacl evaluate RUN reports its own test patients",
        )


def check_length(learned: WindowsOrigin | None, origin: WindowsOrigin, path: Path) -> None:
    """Refuse windows of another length, or with other classes or channels, than the training's."""
    for name in ("channels", "class_names"):
        own, of_run = getattr(origin, name), getattr(learned, name, None)
        if learned and own != of_run:
            raise RunError(
                path,
                f"its {name} are {own}, those of the run {of_run}",
                "prepare it as the windows of the run were",
            )
    if learned and origin.window_beats != learned.window_beats:
        raise RunError(
            path,
            f"windows of {origin.window_beats} beats, the run's are {learned.window_beats} long",
            f"prepare them with --window.window-beats {learned.window_beats}",
        )


def _check_name(run: RunFolder, name: str, origin: WindowsOrigin) -> None:
    """Refuse to replace an evaluation on other windows."""
    if name not in run.evaluations():
        return
    there = run.origin_of(name)
    if there is None or there.digest != origin.digest:
        raise RunError(
            run.path,
            f"it was evaluated on other windows under the name {name!r}",
            "choose another with --name",
        )
