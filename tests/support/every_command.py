"""Try every command without the packages of the extras: python every_command.py [--hide].

Each ends with status 0, or with 2 and a line that says what to do; none with a traceback. Run it in
an installation without extras, or anywhere with --hide, which makes their packages impossible to
import. Writes into the current folder.
"""

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

SPLIT = '{"train": ["record_000"], "validation": ["record_001"], "test": ["record_002"]}'
METADATA = "record_id,patient_id\nrecord_000,a\nrecord_001,b\nrecord_002,c\n"
WORKS = [
    ["simulate", "cohort", "--patients", "2", "--quiet"],
    ["inspect", "cohort", "--quiet"],
    ["inspect", "cohort", "--record", "record_000", "-o", "record.png"],
    ["detect", "cohort"],
    ["detect", "cohort", "--format", "json", "-o", "detected.json"],
    ["detect", "ecg.csv"],
    ["inspect", "ecg.csv", "--at", "0:00:30", "-o", "ecg.png"],
    ["listen", "--follow", "rr.txt", "--until-idle", "0.2"],
    ["adapt", "cohort/iridia-af-records-v1.0.1/record_000", "-o", "me.json"],
    ["detect", "cohort", "--person", "me.json"],
    ["evaluate-rhythm", "cohort", "--quiet"],
    ["audit", "--split", "split.json", "--metadata", "metadata.csv"],
    ["prepare", "cohort", "--print-config"],
    ["train", "windows", "--print-config"],
    ["tune", "windows", "--print-config"],
    ["reproduce", "--print-config"],
    ["systems", "windows", "-o", "study", "--print-config"],
]
"""What needs no extra."""
NEEDS = [
    ["detect", "ecg.csv", "--beat-finder", "sleepecg"],
    ["listen", "--scan"],
    ["view", "cohort", "--no-browser"],
    ["listen", "-o", "night.csv"],
    ["features", "cohort"],
    ["detect", "cohort", "-o", "results"],
    ["evaluate-rhythm", "cohort", "-o", "scores"],
    ["detect", "cohort", "--scheduler", "tcp://127.0.0.1:9"],
    ["inspect", "memory://cohort"],
    ["prepare", "cohort", "-o", "new"],
    ["prepare", "processed.h5", "-o", "new"],
    ["audit", "windows"],
    ["train", "windows", "-o", "run"],
    ["tune", "windows", "-o", "study"],
    ["tune", "cohort", "-o", "study"],
    ["evaluate", "run"],
    ["systems", "windows", "-o", "study"],
    ["rivals", "-o", "study"],
    ["rivals", "-o", "study", "--data", "cohort"],
    ["weights", "cohort", "-o", "weights"],
    ["weights", "cohort", "--print-config"],
    ["export", "af-rr200", "-o", "weights.onnx"],
    ["export", "af-rr200", "-o", "weights.c"],
    ["embed", "run", "-o", "embeddings.npz"],
    ["compare", "run", "run"],
    ["import-checkpoint", "released.pth", "-o", "run"],
    ["reproduce", "-o", "study"],
    ["download", "afdb", "afdb"],
]
"""What ends by saying which extra to install, before it writes anything."""


class Hide:
    """Finds nothing of some packages, as if they were not installed."""

    def __init__(self, names: set[str]) -> None:
        self.names = names

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def run(words: list[str]) -> tuple[int, str, str]:
    """The status, output and errors of a command; whatever it raises else goes on."""
    from pacl.cli import main

    out, err = io.StringIO(), io.StringIO()
    sys.argv = ["pacl", *words]
    status = 0
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main()
        except SystemExit as end:
            status = int(end.code or 0)
    return status, out.getvalue(), err.getvalue()


def faults() -> list[str]:
    """What is wrong with the commands, a line each."""
    from pacl.cli.app import COMMANDS

    found = []
    tried = {words[0] for words in WORKS + NEEDS}
    found += [f"{command}: nobody tries it" for command in COMMANDS if command not in tried]
    for command in COMMANDS:
        status, out, err = run([command, "--help"])
        if status != 0 or err or "Usage" not in out:
            found.append(f"{command} --help: status {status}, {err}")
    for words in WORKS:
        status, out, err = run(words)
        if status != 0:
            found.append(f"{' '.join(words)}: status {status}, {err}")
    there = sorted(Path().iterdir())
    for words in NEEDS:
        status, out, err = run(words)
        lines = err.splitlines()
        if status != 2 or len(lines) != 1 or "pip install 'pacl[" not in err or out:
            found.append(f"{' '.join(words)}: status {status}, {err or out}")
    if made := sorted(set(Path().iterdir()) - set(there)):
        found.append(f"made without being able to go on: {', '.join(map(str, made))}")
    return found


def prepare_inputs() -> None:
    """What the commands are given."""
    import h5py
    import numpy as np

    from pacl.rr.store import ARRAYS, FORMAT

    Path("split.json").write_text(SPLIT)
    Path("metadata.csv").write_text(METADATA)
    Path("released.pth").write_bytes(b"")
    for folder in ("run", "windows"):
        Path(folder).mkdir(exist_ok=True)
    manifest = {"format": FORMAT, "window_beats": 200, "windows": 0, "min_to_onset_s": 0.0}
    manifest |= {"allowed": [], "files": {}}
    Path("windows/manifest.json").write_text(json.dumps(manifest))
    for name, dtype in ARRAYS.items():
        np.save(f"windows/{name}.npy", np.ones(400, dtype))
    Path("rr.txt").write_text("812\n790\n" * 50)
    near_s = (np.arange(90 * 250) / 250) % 0.8 - 0.4  # from the nearest beat
    rows = [f"{at / 250:.3f},{one:.3f}" for at, one in enumerate(np.exp(-((near_s / 0.02) ** 2)))]
    Path("ecg.csv").write_text("time [s],ecg [mV]\n" + "\n".join(rows) + "\n")
    with h5py.File("processed.h5", "w") as file:
        file["segments"] = [[0.0] * 200] * 6
        file["labels"] = [0, 1] * 3
        file["patient_ids"] = [0, 0, 1, 1, 2, 2]


if __name__ == "__main__":
    from pacl.cli.app import EXTRAS

    if "--hide" in sys.argv:
        sys.meta_path.insert(0, Hide(set(EXTRAS)))  # type: ignore[arg-type]
    prepare_inputs()
    wrong = faults()
    sys.stdout.write("".join(f"{line}\n" for line in wrong))
    sys.exit(1 if wrong else 0)
