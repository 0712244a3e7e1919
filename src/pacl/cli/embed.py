"""`pacl embed`: the embeddings of windows, for other programs."""

from typing import Any

from pacl.atomic_write import check_not_input
from pacl.cli.messages import say
from pacl.cli.options import Device, InputPath, Output, Quiet, Threads, use_threads
from pacl.cli.progress import progress
from pacl.errors import PaclError


def embed(
    run: InputPath,
    /,
    *,
    output: Output,
    windows: InputPath | None = None,
    device: Device = "auto",
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Write the embeddings of windows as a NumPy archive (.npz).

    It holds one row per window: `pooled` (z-hat), `projected` (e-hat), `probability` if the run
    has a probe, `record` and `part`. Of RR intervals also `rhythm` (0 SR, 1 AF), `patient` and
    `onset_s`; of other signals `label`, `subject`, `start` and the `class_names`.

    Parameters
    ----------
    run
        Folder of a run.
    output
        File to write, ending in .npz.
    windows
        A window set, or processed windows (.h5). [default: all parts of the run's own]

    Examples
    --------
    $ pacl embed run -o embeddings.npz
    $ pacl embed run -o other.npz --windows other-windows
    """
    import io
    from contextlib import ExitStack

    import numpy as np

    from pacl.atomic_write import atomic_write
    from pacl.evaluation import embed as embed_windows
    from pacl.rr import RRWindowTable
    from pacl.studies import RunFolder, check_length, check_scaling, open_other
    from pacl.training import usable_device

    if output.suffix != ".npz":
        raise PaclError(f"{output}: embeddings are written as .npz; give the file this ending")
    check_not_input(output, [run, *([windows] if windows else [])], same_ending=False)
    use_threads(threads)
    opened = RunFolder.open(run)
    on = usable_device(device)
    with progress("embedding", quiet=quiet) as advance, ExitStack() as stack:
        if windows is not None:
            found, origin = stack.enter_context(open_other(windows))
            check_length(opened.origin, origin, windows)
        elif opened.origin is not None:
            found = opened.origin.open()
        else:
            raise PaclError(f"{run}: it was given no windows of its own; name some with --windows")
        encoder = opened.encoder(on)
        if windows is not None:
            check_scaling(encoder.config["view"], found, windows)
        made = embed_windows(encoder, found, device=on, track=advance)
    table = made.table
    columns: dict[str, Any] = {
        "pooled": made.pooled,
        "projected": made.projected,
        "record": np.array(table.record.to_list()),
        "part": np.array(table.split.to_list()),
    }
    subjects = np.array(table.subject.to_list())
    if isinstance(found.table, RRWindowTable):
        more = {"rhythm": found.table.rhythm, "onset_s": found.table.onset_s}
        columns |= {"patient": subjects, **more}
    else:
        named = {"class_names": np.array(found.class_names), "start": table.start}
        columns |= {"subject": subjects, "label": table.labels, **named}
    if (opened.path / "probe.json").exists():
        columns["probability"] = opened.probe().probability(made.pooled)
    buffer = io.BytesIO()
    np.savez(buffer, **columns)
    atomic_write(output, buffer.getvalue())
    say(f"{output}: {len(made):,} windows, {made.pooled.shape[1]} pooled features")
