"""A run folder made of the checkpoint that the paper's authors released."""

from pathlib import Path

from pacl.models import Encoder
from pacl.stored import digest_of_file
from pacl.studies.folder import RunFolder
from pacl.studies.provenance import open_windows, seen_beats
from pacl.studies.run import judge
from pacl.training import usable_device


def import_released(
    checkpoint: Path | str,
    target: Path | str,
    *,
    windows: Path | str | None = None,
    device: str = "auto",
) -> RunFolder:
    """Make a run of released weights; with windows, fit a probe and evaluate it.

    Parameters
    ----------
    checkpoint
        The released `.pth`; read as tensors only.
    target
        Folder of the run; new or empty.
    windows
        A window set. The probe is fitted on its training part and evaluated on the others.
    device
        `cpu`, `cuda`, or `auto`.
    """
    on = usable_device(device)
    encoder = Encoder.from_released(checkpoint)
    found, origin = open_windows(Path(windows)) if windows is not None else (None, None)
    run = RunFolder.create(
        Path(target),
        None,
        seen=None if found is None else seen_beats(found.part("train")),
        origin=origin,
        device=on,
        title="released",
        imported={
            "file": Path(checkpoint).name,
            "sha256": digest_of_file(Path(checkpoint)),
        },
    )
    run.write_model(encoder)
    if found is not None:
        judge(run, found, on)
    return run
