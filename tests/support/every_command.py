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
FS = 250
BEATS = 20_000
WORKS = [
    ["inspect", "cohort", "--quiet"],
    ["detect", "cohort"],
    ["detect", "cohort", "--format", "html", "-o", "pages"],
    ["detect", "cohort", "--format", "json", "-o", "detected.json"],
    ["detect", "ecg.csv"],
    ["detect", "ecg.csv", "--format", "html", "-o", "ecg.html"],
    ["inspect", "ecg.csv"],
    ["listen", "--follow", "rr.txt", "--until-idle", "0.2"],
    ["adapt", "cohort/a", "-o", "me.json"],
    ["detect", "cohort", "--person", "me.json"],
    ["detect", "cohort/a", "--person", "me.json", "--format", "html", "-o", "mine.html"],
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
    ["simulate", "new"],
    ["inspect", "iridia"],
    ["detect", "iridia"],
    ["detect", "iridia/record_000", "--format", "html", "-o", "page.html"],
    ["inspect", "cohort", "--record", "a", "-o", "record.png"],
    ["inspect", "ecg.csv", "--at", "0:00:30", "-o", "ecg.png"],
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
    import numpy as np

    from pacl.rr.store import ARRAYS, FORMAT

    Path("split.json").write_text(SPLIT)
    Path("metadata.csv").write_text(METADATA)
    Path("released.pth").write_bytes(b"")
    for folder in ("run", "windows", "cohort", "iridia/record_000"):
        Path(folder).mkdir(parents=True, exist_ok=True)
    write_recordings(Path("cohort"))
    Path("iridia/metadata.csv").write_text("patient_id,record_id,record_files\na,record_000,1\n")
    Path("iridia/record_000/record_000_rr_00.h5").write_bytes(b"")
    Path("processed.h5").write_bytes(b"")
    manifest = {"format": FORMAT, "window_beats": 200, "windows": 0, "min_to_onset_s": 0.0}
    manifest |= {"allowed": [], "files": {}}
    Path("windows/manifest.json").write_text(json.dumps(manifest))
    for name, dtype in ARRAYS.items():
        np.save(f"windows/{name}.npy", np.ones(400, dtype))
    Path("rr.txt").write_text("812\n790\n" * 50)
    near_s = (np.arange(90 * 250) / 250) % 0.8 - 0.4  # from the nearest beat
    rows = [f"{at / 250:.3f},{one:.3f}" for at, one in enumerate(np.exp(-((near_s / 0.02) ** 2)))]
    Path("ecg.csv").write_text("time [s],ecg [mV]\n" + "\n".join(rows) + "\n")


def write_recordings(folder: Path) -> None:
    """Two annotated recordings with AF, as WFDB files: they need no extra."""
    from mit import annotation_file

    from pacl.records import Rhythm
    from pacl.records.simulate import simulate_cohort

    for name, simulated in zip("ab", simulate_cohort(2, seed=0), strict=False):
        record = simulated.record
        onset = next(span.start for span in record.spans if span.rhythm is Rhythm.AF)
        first = max(onset - BEATS // 2, 0)
        at = (record.rr_ms[first : first + BEATS].cumsum() * FS / 1000).astype(int).tolist()
        turns = [(max(one.start - first, 0), one.rhythm) for one in record.spans]
        marks = [
            (at[beat], "+", "(AFIB" if rhythm is Rhythm.AF else "(N")
            for (beat, rhythm), (following, _) in zip(
                turns, [*turns[1:], (BEATS, None)], strict=True
            )
            if beat < len(at) and following > beat
        ]
        beats = [(sample, "N", "") for sample in at]
        content = annotation_file(sorted(beats + marks, key=lambda one: one[0]), fs=FS)
        (folder / f"{name}.atr").write_bytes(content)
        (folder / f"{name}.hea").write_text(f"{name} 0 {FS}\n")


if __name__ == "__main__":
    from pacl.cli.app import EXTRAS

    if "--hide" in sys.argv:
        sys.meta_path.insert(0, Hide(set(EXTRAS)))  # type: ignore[arg-type]
    prepare_inputs()
    wrong = faults()
    sys.stdout.write("".join(f"{line}\n" for line in wrong))
    sys.exit(1 if wrong else 0)
