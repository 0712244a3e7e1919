"""All that we write and read back ourselves, and how each is opened, for `mutation_run`."""

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from pacl.cli.config import plain, settle
from pacl.cli.prepare_settings import PrepareSettings
from pacl.cli.reproduce_settings import ReproduceSettings
from pacl.cli.tune_settings import TuneSettings
from pacl.cohort import audit_split
from pacl.detect.bundled import bundled_file, bundled_folder, open_judge
from pacl.detect.reference_map import ReferenceMap
from pacl.export import Weights
from pacl.report.run_table import run_table
from pacl.rr import Cut, RRWindowSet, audit_folder
from pacl.stored import as_toml
from pacl.studies import Plan, RunFolder, Study
from pacl.studies.compare import compare_runs
from pacl.studies.inputs import cut_like
from pacl.studies.outcomes import Outcome, Outcomes
from pacl.studies.provenance import WindowsOrigin, open_windows
from pacl.studies.rivals.comparison import RivalsComparison
from pacl.studies.rivals.job import JobResult, RivalJob, is_done
from pacl.studies.run import LearningWindows, RunUnderWay, parts_to_learn
from pacl.studies.study_folder import read_study, start_study
from pacl.studies.tuning.outcome import best_so_far, read_outcome
from pacl.studies.tuning.space import LR, flat_settings
from pacl.studies.tuning.study import _upgraded, open_study, quiet_optuna
from pacl.windows import split_units
from support.made_rivals import write_made_rivals
from support.mutate import damaged
from support.mutate_packed import odd_archive, odd_array, odd_table, odd_tensors
from support.mutate_values import odd_values
from support.mutation_target import Target
from support.small_runs import place, plan, small_run, small_windows
from support.window_sets import make_set

CPU = torch.device("cpu")
BY_ENDING = {
    ".json": odd_values,
    ".npy": odd_array,
    ".npz": odd_archive,
    ".parquet": odd_table,
    ".safetensors": odd_tensors,
}


@cache
def _made() -> Path:
    """A window set so small that it is opened in no time."""
    path = place() / "made"
    path.mkdir()
    make_set().write(path)
    return path


@cache
def _learning() -> tuple[LearningWindows, WindowsOrigin]:
    windows, origin = open_windows(small_windows())
    return LearningWindows.of(*parts_to_learn(windows, small_windows()), CPU), origin


def _windows(name: str) -> Callable[[Path], Sequence[Path]]:
    def write(folder: Path) -> Sequence[Path]:
        shutil.copytree(_made(), folder / "windows")
        return [folder / "windows" / name]

    return write


def _audit(folder: Path) -> None:
    """Look at a set as far as it opens, whoever changed it."""
    audit_folder(folder / "windows")
    found = RRWindowSet.open(folder / "windows", verify=False)
    with np.errstate(all="ignore"):  # nobody learns from a set that was changed
        found.windows()
    repr(found)


def _learn(folder: Path) -> None:
    windows, _ = open_windows(folder / "windows")
    parts_to_learn(windows, folder)
    cut_like(folder / "windows")


def _run(name: str) -> Callable[[Path], Sequence[Path]]:
    def write(folder: Path) -> Sequence[Path]:
        shutil.copytree(small_run().path, folder / "run")
        return [folder / "run" / name]

    return write


def _open(folder: Path) -> RunFolder:
    run = RunFolder.open(folder / "run")
    run.finished, run.title, run.origin_of("test")
    return run


def _compare(folder: Path) -> None:
    run = _open(folder)
    compare_runs([run])
    run_table(Outcomes("made", "test", (Outcome("patient-aware", 1, (run,), "test"),)))


def _begun(folder: Path) -> Sequence[Path]:
    target = folder / "run"
    with suppress(KeyboardInterrupt):
        from pacl.studies import train_run

        train_run(small_windows(), target, plan(), device="cpu", on_epoch=_stop)
    return [target / "checkpoint.pt", target / "config.json", target / "windows.json"]


def _stop(*_: object) -> None:
    raise KeyboardInterrupt


def _resume(folder: Path) -> None:
    learning, origin = _learning()
    under_way = RunUnderWay.start(folder / "run", plan(), learning, origin, resume=True)
    under_way.trainer.restore_best()
    under_way.save()


def _odd_begun(content: bytes, cases: int, seed: int) -> Iterator[bytes]:
    return (odd_values if content.startswith(b"{") else _odd_state)(content, cases, seed)


def _odd_state(content: bytes, cases: int, seed: int) -> Iterator[bytes]:
    """States with odd values in them, and damaged ones."""
    import io

    rng = np.random.default_rng(seed)
    by_bytes = damaged(content, cases, seed)
    odd = (None, -1, "x", [], {}, 1e300, torch.zeros(3), float("nan"), [1], {"x": 1})
    for case in range(cases):
        if case % 2:
            yield next(by_bytes)
            continue
        state: Any = torch.load(io.BytesIO(content), weights_only=True)
        inside, place = {"": state}, ""
        while isinstance(inside[place], dict) and inside[place] and rng.random() < 0.8:
            inside = inside[place]
            place = list(inside)[int(rng.integers(len(inside)))]
        inside[place] = odd[int(rng.integers(len(odd)))]
        file = io.BytesIO()
        torch.save(inside.get("", state), file)
        yield file.getvalue()


def _written(name: str, content: bytes | Callable[[], bytes]) -> Callable[[Path], Sequence[Path]]:
    def write(folder: Path) -> Sequence[Path]:
        (folder / name).write_bytes(content if isinstance(content, bytes) else content())
        return [folder / name]

    return write


def _bundled(name: str, kind: Any) -> Callable[[], bytes]:
    return lambda: bundled_file(name, kind).read_bytes()


def _map(folder: Path) -> Sequence[Path]:
    """Few of the patients: what is wrong with one can be wrong with any."""
    whole = ReferenceMap.read(bundled_file("af-rr200", "map.json"))
    replace(whole, centres=whole.centres[:6], af=whole.af[:6]).write(folder / "x.json")
    return [folder / "x.json"]


def _detector(name: str) -> Callable[[Path], Sequence[Path]]:
    def write(folder: Path) -> Sequence[Path]:
        shutil.copytree(bundled_folder(), folder / "detector")
        return [folder / "detector" / name]

    return write


def _open_detector(folder: Path) -> None:
    open_judge(folder / "detector").learned(np.full(200, 800, np.float32))


def _split(folder: Path) -> Sequence[Path]:
    who = {f"r{at}": "SR" for at in range(20)}
    (folder / "split.json").write_text(split_units(who, seed=1, unit="record").to_json())
    rows = "".join(f"r{at},p{at // 2}\n" for at in range(20))
    (folder / "patients.csv").write_text(f"record_id,patient_id\n{rows}")
    return [folder / "split.json"]


def _settings(kind: Any, stated: dict[str, Any]) -> tuple[Any, Any]:
    def open_(folder: Path) -> None:
        settle(kind, folder / "x.toml", None)

    return _written("x.toml", as_toml(stated)), open_


def _odd_toml(content: bytes, cases: int, seed: int) -> Iterator[bytes]:
    """Settings with values that people and other programs write, and damaged bytes."""
    rng = np.random.default_rng(seed)
    odd = (
        *("nan", "inf", "-1", "1e300", "9" * 30, '"x"', "[]", "{}", "true", "1979-05-27", "''"),
        *("[" * 99, "{a=" * 999, "[[1]]", '"\\u0000"', "0x1F", "1_000", "a.b", "", "'''", '"""a'),
    )
    lines = content.decode().splitlines()
    by_bytes = damaged(content, cases, seed)
    for case in range(cases):
        if case % 3 == 2:
            yield next(by_bytes)
            continue
        out = list(lines)
        at = int(rng.integers(len(out)))
        value = odd[int(rng.integers(len(odd)))]
        key = out[at].split("=")[0]
        out[at] = rng.choice(
            [f"{key}= {value}", f"{key}.x = 1", f"[{value}]", f"{out[at]}\n{key}=1"]
        )
        if case % 60 == 0:
            out[at] = "a." * 30_000 + "a = 1"
        yield "\n".join(out).encode()


def _study(folder: Path) -> Sequence[Path]:
    _begin_study(folder)
    (folder / "study" / "runs" / "x").mkdir(parents=True)
    return [folder / "study" / "study.json"]


def _begin_study(folder: Path) -> None:
    study = Study({"supcon": replace(plan(), loss="supcon")}, (1, 2), 0, 1)
    start_study(folder / "study", "reproduce", study.identity(), results="runs")


def _tuning(folder: Path) -> None:
    start_study(folder, "tune", ABOUT, results=None, upgrade=_upgraded)


def _journal(folder: Path) -> Sequence[Path]:
    from optuna.samplers import RandomSampler

    study = open_study(folder, ABOUT, url=None, sampler=RandomSampler(0), pruner="none")
    for number in range(3):
        trial = study.ask()
        trial.suggest_float("train.lr", 1e-5, 1e-1, log=True)
        for key, value in (("ended", "finished"), ("epochs", 3), ("seconds", 1.0), ("reason", "")):
            trial.set_user_attr(key, value)
        study.tell(trial, 0.5 + number / 10)
    return [folder / "journal.log"]


def _open_journal(folder: Path) -> None:
    from optuna.samplers import RandomSampler

    with quiet_optuna():
        study = open_study(folder, ABOUT, url=None, sampler=RandomSampler(0), pruner="none")
    outcome = read_outcome(study, (LR,), "supcon", "fair")
    best_so_far(outcome.tried)
    outcome.best, outcome.count()


ABOUT = {"space": "fair", **flat_settings(Plan(loss="supcon"), Cut()), "lr": [1.0, 2.0]}
JOB = RivalJob("main", "a", "a", "", "statistics", 0, 1, 0, 0, 1)


def _job(folder: Path) -> Sequence[Path]:
    result = JobResult(
        np.arange(9),
        np.zeros(9, np.float32),
        {2: np.ones(9, np.float32)},
        0.9,
        1.0,
        {"af_cohesion": 0.5, "compactness": None},
        "cpu",
    )
    result.write(folder / JOB.path, JOB)
    return [folder / JOB.path]


def _open_job(folder: Path) -> None:
    is_done(folder, JOB)
    JobResult.read(folder / JOB.path)


def _rivals(folder: Path) -> Sequence[Path]:
    write_made_rivals(folder, ("patient-aware", "statistics"), (1,))
    return sorted(folder.iterdir())


def _odd_rivals(content: bytes, cases: int, seed: int) -> Iterator[bytes]:
    return (odd_values if content.lstrip().startswith(b"{") else odd_table)(content, cases, seed)


def _about(**values: Any) -> bytes:
    return json.dumps(values).encode()


WINDOW_FILES = ("manifest.json", "windows.parquet", "scale.parquet", "rr_ms.npy", "raw_index.npy")
RUN_FILES: dict[str, Callable[[Path], object]] = {
    "config.json": _compare,
    "windows.json": _compare,
    "metrics.jsonl": _compare,
    "test/evaluation.json": _compare,
    "probe.json": lambda folder: _open(folder).probe(),
    "seen.npy": lambda folder: _open(folder).seen(),
    "model.safetensors": lambda folder: _open(folder).encoder()(torch.zeros(2, 40)),
    "test/predictions.parquet": lambda folder: _open(folder).evaluated("test").measure(),
    "test/pooled.npy": lambda folder: _open(folder).evaluated("test").measure(),
}
SETTINGS = {
    "train": (Plan, plan().to_dict()),
    "tune": (TuneSettings, plan().to_dict()),
    "prepare": (PrepareSettings, plain(asdict(PrepareSettings()))),
    "reproduce": (
        ReproduceSettings,
        {key: value for key, value in ReproduceSettings().to_dict().items() if key != "prepare"},
    ),
}
STORED_TARGETS = (
    *(
        Target(f"windows/{use}-{name}", _windows(name), open_, BY_ENDING[Path(name).suffix])
        for name in WINDOW_FILES
        for use, open_ in (("audit", _audit), ("learn", _learn))
    ),
    *(
        Target(f"run/{name}", _run(name), open_, BY_ENDING.get(Path(name).suffix, damaged))
        for name, open_ in RUN_FILES.items()
    ),
    Target("run/resumed", _begun, _resume, _odd_begun),
    Target(
        "weights/safetensors",
        _written("x.safetensors", _bundled("af-rr200-edge", "safetensors")),
        lambda folder: Weights.read(folder / "x.safetensors"),
        odd_tensors,
    ),
    Target(
        "weights/map",
        _map,
        lambda folder: ReferenceMap.read(folder / "x.json"),
        odd_values,
    ),
    *(
        Target(f"detector/{name}", _detector(name), _open_detector, damage)
        for name, damage in (("detector.json", odd_values), ("learned-from.bin", damaged))
    ),
    Target(
        "split/json",
        _split,
        lambda folder: audit_split(folder / "split.json", folder / "patients.csv"),
        odd_values,
    ),
    *(
        Target(f"settings/{name}", *_settings(*stated), damage=_odd_toml)
        for name, stated in SETTINGS.items()
    ),
    Target("study/json", _study, _begin_study, odd_values),
    Target(
        "study/tuning",
        _written("study.json", _about(about=ABOUT)),
        _tuning,
        odd_values,
    ),
    Target(
        "study/rivals",
        _written("study.json", _about(windows={"a": "b"}, folds=3)),
        lambda folder: read_study(folder, "rivals"),
        odd_values,
    ),
    Target("study/journal", _journal, _open_journal),
    Target("study/job", _job, _open_job, odd_archive),
    Target("study/frames", _rivals, lambda folder: RivalsComparison.read(folder), _odd_rivals),
)
