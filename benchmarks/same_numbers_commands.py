"""The commands that `same_numbers.py` runs in each source tree, on small inputs.

A command writes to a file or folder with its own name. Names in a command line:

    {in}         folder of the inputs: cohorts and window sets
    {data}       real recordings (PACL_DATA)
    {reference}  the authors' checkpoint and split (PACL_REFERENCE)
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Format = Literal["json", "csv", "txt"]
Old = Literal["input", "keep", "redo", "resume"]


@dataclass(frozen=True)
class Command:
    """One call of `pacl`.

    Parameters
    ----------
    name
        Name of the command, and of what it writes.
    line
        The command line, without `pacl`.
    said
        Format of its standard output, if that is compared.
    old
        What is done with its output where that of an earlier version is opened: other commands
        read it in its place (`input`) or in a copy (`keep`), it is made again (`redo`), or the
        same command is given once more (`resume`).
    clears
        Patterns of files that are removed before the command is given once more.
    once
        Patterns of files that a resumed command must not write again.
    stdin
        Input file for standard input.
    strings
        Whether a string that differs counts as a difference.
    adds
        A folder that it writes into the output of another command.
    """

    name: str
    line: str
    said: Format | None = None
    old: Old = "redo"
    clears: tuple[str, ...] = ()
    once: tuple[str, ...] = ()
    stdin: str | None = None
    strings: bool = False
    adds: str | None = None


QUIET = "--threads=1 --quiet"
CPU = f"--device=cpu {QUIET}"
SMALL = (
    "--sampler.subjects=3 --sampler.windows=4 --train.lr=1e-3"
    " --encoder.kernels=3 --encoder.kernels=5 --encoder.channels=8 --encoder.channels=8"
    " --encoder.pooled-features=16 --encoder.projected-features=16"
)
REPORT = ("claims.json", "patients.csv", "tables", "figures", "report.html", "report.md")
FRAMES = ("report", "pooled.parquet", "differences.parquet", "inflation.parquet")
TRIALS = ("trials.csv", "best.toml", "history.*", "importances.*")
TRAINED = ("runs/*/model.safetensors", "runs/*/*/predictions.parquet")
RIVALS = "rivals --data={in}/windows-every --folds=3 --trials=1 --steps=2"


def commands() -> tuple[Command, ...]:
    """All commands, in an order in which they can be run."""
    return (
        *_cohorts(),
        *_window_sets(),
        *_runs(),
        *_evaluations(),
        *_studies(),
        *_weights(),
        *_exports(),
        *_detections(),
        *_all_rivals(),
    )


def _cohorts() -> Iterator[Command]:
    yield Command("cohort", f"simulate cohort --patients=20 --seed=3 {QUIET}", old="input")
    yield Command("external", f"simulate external --patients=8 --seed=4 {QUIET}", old="input")
    yield Command("inspect-cohort", "inspect {in}/cohort --quiet", "txt")
    yield Command("inspect-cuts", "inspect {in}/real/cuts-ltafdb --quiet", "txt")
    for name in ("ltafdb", "afdb", "mitdb", "cpsc2021"):
        yield Command(f"inspect-{name}", f"inspect {{data}}/{name} --quiet", "txt")


def _window_sets() -> Iterator[Command]:
    def prepare(name: str, data: str, more: str) -> Command:
        line = f"prepare {{in}}/{data} -o windows-{name} {more} {QUIET}"
        return Command(f"windows-{name}", line, old="input")

    yield prepare("episodes", "cohort", "--window.stride=100")
    yield prepare(
        "options",
        "cohort",
        "--episodes.scaler=episode --episodes.af-part=whole --episodes.min-sr-s=7200"
        " --window.implausible=interpolate --window.window-beats=128 --window.stride=500"
        " --split.folds=3 --split.fold=1 --split.seed=5",
    )
    yield prepare("pooled", "cohort", "--protocol=pooled --window.stride=1000")
    yield prepare("every", "cohort", "--protocol=every --window.stride=2000")
    yield prepare("external", "external", "--window.stride=100")
    yield prepare("external-every", "external", "--protocol=every --window.stride=2000")
    yield prepare("ltafdb", "real/ltafdb", "--protocol=pooled --window.stride=200")
    yield prepare(
        "ltafdb-every",
        "real/ltafdb",
        "--protocol=every --every.others=left-out --window.implausible=keep --window.stride=300",
    )
    yield prepare(
        "afdb",
        "real/afdb",
        "--protocol=pooled --flutter-is-af --pooled.scale-s=600 --window.stride=200"
        " --split.counts 0 0 1",
    )
    for name in ("episodes", "options", "every", "ltafdb", "afdb"):
        yield Command(f"audit-{name}", f"audit {{in}}/windows-{name} --json", "json")
    released = "--split={reference}/released-split.json --metadata={reference}/iridia-metadata.csv"
    yield Command("audit-split", f"audit {released} --json", "json")


def _runs() -> Iterator[Command]:
    def train(name: str, windows: str, more: str, old: Old = "keep") -> Command:
        line = f"train {{in}}/windows-{windows} -o run-{name} {SMALL} --train.epochs=2 {more} {CPU}"
        return Command(f"run-{name}", line, old=old)

    for loss in ("patient-aware", "supcon", "patient-class", "patient", "bce"):
        yield train(loss, "episodes", f"--loss={loss}")
    yield train("seed", "episodes", "--loss=patient-aware --seed=2")
    yield train("memory", "ltafdb", "--objective.memory=32 --objective.form=mean_log")
    yield train(
        "relative",
        "every",
        "--encoder.view=relative --encoder.norm=batch --train.per-step --train.keep=last"
        " --train.breath=0.5 --train.faults=0.5 --sampler.one-class",
    )
    yield train("again", "options", "--loss=bce", old="redo")
    released = "import-checkpoint {reference}/released-checkpoint.pth -o run-released"
    windows = "--windows={in}/windows-external --device=cpu --threads=1"
    yield Command("run-released", f"{released} {windows}", old="keep")


def _evaluations() -> Iterator[Command]:
    yield Command("evaluate-test", f"evaluate run-bce --format=json {CPU}", "json")
    validation = f"evaluate run-bce --on=validation --format=json {CPU}"
    yield Command("evaluate-validation", validation, "json")
    yield Command("evaluate-released", f"evaluate run-released --format=json {CPU}", "json")
    other = "--windows={in}/windows-external"
    for loss in ("patient-aware", "bce"):
        line = f"evaluate run-{loss} {other} --name=there --format=json {CPU}"
        there = f"run-{loss}/on"
        yield Command(f"external-{loss}", line, "json", clears=(there,), adds=there)
    yield Command("embed-own", f"embed run-supcon -o embed-own.npz {CPU}")
    yield Command("embed-other", f"embed run-supcon {other} -o embed-other.npz {CPU}")
    runs = "run-patient-aware run-seed run-supcon run-bce"
    yield Command("compare-test", f"compare {runs} --format=json", "json")
    yield Command("compare-csv", f"compare {runs} --on=validation --format=csv", "csv")
    there = "compare run-patient-aware run-bce --on=there --format=json"
    yield Command("compare-external", there, "json")


def _study(name: str, line: str, clears: tuple[str, ...], once: tuple[str, ...]) -> Command:
    inside = (tuple(f"{name}/{pattern}" for pattern in patterns) for patterns in (clears, once))
    return Command(name, f"{line} -o {name} {CPU}", None, "resume", *inside)


def _studies() -> Iterator[Command]:
    trials = f"--trials=3 --train.epochs=2 {SMALL}"
    fair = f"tune {{in}}/windows-episodes --loss=bce {trials}"
    yield _study("tune-fair", fair, TRIALS, ())
    full = f"tune {{in}}/cohort --space=full {trials}"
    yield _study("tune-full", full, TRIALS, ())
    folds = f"reproduce --data={{in}}/cohort --folds=3 --seeds=1 --seeds=2 {SMALL}"
    folds += " --prepare.window.stride=200 --train.epochs=2"
    yield _study("reproduce-folds", folds, REPORT, TRAINED)
    external = f"reproduce --data={{in}}/windows-pooled --test-data={{in}}/external {SMALL}"
    external += " --seeds=1 --seeds=2 --train.epochs=1 --tuned=tune-fair/best.toml"
    yield _study("reproduce-external", external, REPORT, TRAINED)
    some = f"{RIVALS} --only=proposed --only=statistics --seeds=1 --seeds=2 --few=1 --few=2"
    some += " --other-data={in}/windows-external-every --other-steps=1"
    yield _study("rivals-some", some, FRAMES, ("jobs/**/*.npz",))


def _weights() -> Iterator[Command]:
    one = "weights {in}/made/a --test-data={in}/made/b --config={in}/small.toml --tolerance=1e-3"
    yield _study("weights-windows", one, ("*.md", "*.onnx"), ("runs/*/model.safetensors",))
    data = " ".join(f"--data={{in}}/made/{name}" for name in ("a", "b", "c", "sinus"))
    fits = ("fits/**/network.safetensors", "fits/**/scores.json")
    yield _study("weights-beats", f"weights {data} --steps=1", ("af-beats", "strangers"), fits)


def _exports() -> Iterator[Command]:
    def export(name: str, source: str, ending: str, more: str = "") -> Command:
        return Command(f"export-{name}", f"export {source} -o export-{name}.{ending} {more}")

    yield export("run", "run-bce", "onnx")
    yield export("run-int8", "run-released", "onnx", "--int8 --windows={in}/windows-external")
    yield export("run-c", "run-relative", "c")
    yield export("run-c-int8", "run-relative", "c", "--int8")
    yield export("weights", "weights-windows/af-rr200.safetensors", "onnx")
    yield export("edge", "af-rr200-edge", "onnx")
    yield export("edge-c", "af-rr200-edge", "c")
    yield export("edge-c-int8", "af-rr200-edge", "c", "--int8")
    yield export("beats", "af-beats", "onnx")
    for point in ("sensitive", "balanced", "specific"):
        yield export(f"beats-{point}", "af-beats", "c", f"--operating-point={point}")
    yield export("beats-int8", "af-beats", "c", "--int8")
    yield export("beats-made", "weights-beats/af-beats", "c")


def _detections() -> Iterator[Command]:
    def detect(name: str, data: str, more: str = "", said: Format = "json") -> Command:
        line = f"detect {data} --format={'text' if said == 'txt' else said} {more}"
        return Command(f"detect-{name}", line, said, strings=said != "txt")

    def judge(name: str, data: str, more: str) -> Command:
        line = f"evaluate-rhythm {{data}}/{data} --format=json --quiet {more}"
        return Command(f"rhythm-{name}", line, "json")

    for name in ("ltafdb", "afdb", "mitdb", "nsrdb", "cpsc2021"):
        yield detect(f"beats-{name}", f"{{data}}/{name}")
    for name in ("mitdb", "nsrdb", "cpsc2021"):
        yield detect(f"beats-causal-{name}", f"{{data}}/{name}", "--mode=causal")
    yield detect("beats-csv", "{data}/mitdb", "--operating-point=sensitive", said="csv")
    yield detect("beats-text", "{data}/mitdb/201", said="txt")
    yield detect("beats-cohort", "{in}/cohort", "--min-duration=360")
    yield detect("beats-made", "{data}/cpsc2021", "--weights=weights-beats/af-beats")
    for mode in ("look-ahead", "causal"):
        for name, weights in (("rr200", "af-rr200"), ("edge", "export-edge.onnx")):
            flags = f"--weights={weights} --mode={mode}"
            for data in ("mitdb", "afdb", "nsrdb"):
                yield detect(f"{name}-{mode}-{data}", f"{{data}}/{data}", flags)
            yield judge(f"{name}-{mode}-cpsc2021", "cpsc2021", f"{flags} --unmarked=as-not-af")
    yield judge("rr200-ltafdb", "ltafdb", "--weights=af-rr200")
    yield judge("beats-afdb", "afdb", "--flutter=as-af")
    yield judge("beats-causal-afdb", "afdb", "--mode=causal")
    yield judge("beats-mitdb", "mitdb", "--operating-point=specific")
    yield judge("beats-nsrdb", "nsrdb", "--unmarked=as-not-af")
    for weights in ("af-beats", "af-rr200"):
        line = f"detect - --weights={weights}"
        yield Command(f"stream-{weights}", line, "txt", stdin="real/stream.txt")


def _all_rivals() -> Iterator[Command]:
    """All systems, each with one seed: the longest of all, so it comes last."""
    yield _study("rivals-all", f"{RIVALS} --seeds=1 --few=1", FRAMES, ("jobs/**/*.npz",))
