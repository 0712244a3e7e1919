"""The folder of a run: enough to build the model and all tables again, without the data.

```
run/
    config.json         the plan, all settings resolved
    environment.json    versions and machine
    windows.json        which window set, and whose recordings it held
    seen.npy            fingerprints of the beats of training and validation patients
    split.json          who is in which part, with its digest
    metrics.jsonl       one line per epoch
    checkpoint.pt       state to resume from; removed once the run is finished
    model.safetensors   the best weights: encoder and objective
    probe.json          the probe fitted on the training windows
    validation/, test/  predictions, embeddings and figures
    on/NAME/            the same on other windows
```
"""

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import numpy as np
import torch
from torch import nn

from pacl.atomic_write import atomic_folder, atomic_write
from pacl.axes import Array, UInt64
from pacl.evaluation import Evaluation, EvaluationError, Predictions, Probe
from pacl.models import Network
from pacl.settings import Plan, SettingsError
from pacl.stored import read_array, read_json, read_lines
from pacl.studies.errors import RunError
from pacl.studies.model_file import FORMAT, MODEL, read_model, train_again, write_model
from pacl.studies.provenance import WindowsOrigin, as_json, environment
from pacl.training import EpochLog

EVALUATION_FILES = ("evaluation.json", "predictions.parquet", "pooled.npy", "projected.npy")


@dataclass(frozen=True, slots=True)
class RunFolder:
    """A run on disk.

    Examples
    --------
    >>> run = RunFolder.open("run")
    >>> encoder = run.encoder()
    >>> run.evaluated("test").measure().detection.auroc  # doctest: +ELLIPSIS
    0...
    """

    path: Path
    config: Mapping[str, Any]

    @classmethod
    def create(
        cls,
        path: Path,
        plan: Plan | None,
        *,
        seen: UInt64[Array, "print"] | None,
        origin: WindowsOrigin | None,
        device: torch.device,
        **more: Any,
    ) -> "RunFolder":
        """Start a run: write what is known before the first step. `more` is added to the config."""
        config = {"format": FORMAT, "plan": plan and plan.to_dict(), **more}
        with atomic_folder(path) as folder:
            (folder / "config.json").write_bytes(as_json(config))
            (folder / "environment.json").write_bytes(as_json(environment(device)))
            if seen is not None:
                np.save(folder / "seen.npy", seen)
            if origin is not None:
                (folder / "windows.json").write_bytes(as_json(asdict(origin)))
                split = Path(origin.path) / "split.json"
                if split.is_file():
                    shutil.copyfile(split, folder / "split.json")
        return cls.open(path)

    @classmethod
    def open(cls, path: Path | str) -> "RunFolder":
        """Open a run, finished or not."""
        path = Path(path)
        config = read_json(path / "config.json", _Config, _no_run, written_as=FORMAT)
        run = cls(path, config)
        if not run.imported:
            if config.get("plan") is None:
                raise RunError(path, "not a run, config.json holds no plan", "give another folder")
            run.plan  # noqa: B018 - refuses a plan of another version
        return run

    @property
    def imported(self) -> bool:
        """Whether its weights were imported, so that their training is not known."""
        return "imported" in self.config

    @property
    def plan(self) -> Plan:
        """How it is trained."""
        if self.imported:
            raise RunError(self.path, "its weights were imported", "its training is not known")
        try:
            return Plan.from_dict(self.config["plan"])
        except SettingsError as error:
            what = f"plan: {'; '.join(map(str, error.problems))}"
            remedy = "use the version of pacl that wrote it, and the packages it used"
            raise RunError(self.path, what, remedy) from error

    @property
    def title(self) -> str:
        """What to call the run in a table."""
        return str(self.config.get("title", "imported") if self.imported else self.plan.loss)

    @property
    def origin(self) -> WindowsOrigin | None:
        """The window set it was given, if any."""
        stated = self.path / "windows.json"
        return _origin(stated) if stated.exists() else None

    @property
    def trained(self) -> bool:
        """Whether the best weights are there."""
        return (self.path / MODEL).exists() and not self.checkpoint.exists()

    @property
    def finished(self) -> bool:
        """Whether it is trained, and evaluated on all parts."""
        parts = {entry["part"] for entry in self.origin.records} if self.origin else set()
        judged = {"validation", "test"} & parts <= self.evaluations().keys()
        return self.trained and judged and (self.path / "probe.json").exists()

    @property
    def checkpoint(self) -> Path:
        """The state to resume from."""
        return self.path / "checkpoint.pt"

    def history(self) -> list[dict[str, Any]]:
        """One dictionary per epoch."""
        path = self.path / "metrics.jsonl"
        found = read_lines(path, EpochLog, train_again) if path.exists() else []
        return [asdict(log) for log in found]

    def write_history(self, epochs: Sequence[Mapping[str, Any]]) -> None:
        """Write all epochs so far."""
        lines = "".join(json.dumps(epoch, allow_nan=False) + "\n" for epoch in epochs)
        atomic_write(self.path / "metrics.jsonl", lines.encode())

    def write_model(self, encoder: Network, objective: nn.Module | None = None) -> None:
        """Write the weights; the encoder's arguments go with them."""
        write_model(self.path / MODEL, encoder, objective)

    def encoder(self, device: torch.device | str = "cpu") -> Network:
        """The encoder with its best weights, ready to evaluate."""
        if not (self.path / MODEL).exists():
            raise RunError(self.path, "no model yet", "finish it: pacl train ... --resume")
        return read_model(self.path / MODEL).to(device)

    def probe(self) -> Probe:
        """The probe that was fitted on the training windows."""
        path = self.path / "probe.json"
        if not path.exists():
            raise RunError(
                self.path,
                "no probe was fitted",
                "finish the run, or import the checkpoint with --windows",
            )
        try:
            return Probe.from_dict(read_json(path, dict[str, Any], _no_run))
        except EvaluationError as error:
            raise RunError(path, str(error), "train the run again") from error

    def write_probe(self, probe: Probe) -> None:
        """Keep a probe."""
        atomic_write(self.path / "probe.json", as_json(probe.to_dict()))

    def evaluations(self) -> dict[str, Path]:
        """Where predictions are: `validation`, `test`, and the names of other window sets."""
        found = [self.path / "validation", self.path / "test", *sorted(self.path.glob("on/*"))]
        return {
            path.name: path
            for path in found
            if all((path / name).exists() for name in EVALUATION_FILES)
            and not path.name.startswith(".")
        }

    def evaluated_where(self, name: str) -> Path:
        """The folder of an evaluation."""
        found = self.evaluations()
        if name not in found:
            raise RunError(
                self.path,
                f"it was not evaluated on {name!r}, but on {', '.join(found) or 'nothing'}",
                "evaluate it with --windows, or name one of these"
                if self.finished
                else "finish it first: pacl train ... --resume",
            )
        return found[name]

    def evaluated(self, name: str = "test") -> Predictions:
        """Predictions and embeddings of an evaluation."""
        return Predictions.read(self.evaluated_where(name))

    def origin_of(self, name: str) -> WindowsOrigin | None:
        """The window set of an evaluation: the run's own for its parts."""
        stated = self.evaluated_where(name) / "windows.json"
        return _origin(stated) if stated.exists() else self.origin

    def write_evaluated(
        self, place: str, evaluated: Predictions, origin: WindowsOrigin | None = None
    ) -> Evaluation:
        """Keep predictions and embeddings under a name, and replace older ones."""
        target = self.path / place
        fresh = target.with_name(f".{target.name}.new")
        shutil.rmtree(fresh, ignore_errors=True)
        with atomic_folder(fresh) as folder:
            measured = evaluated.write(folder)
            if origin is not None:
                (folder / "windows.json").write_bytes(as_json(asdict(origin)))
        if target.exists():
            aside = target.with_name(f".{target.name}.old")
            shutil.rmtree(aside, ignore_errors=True)
            target.rename(aside)
            fresh.rename(target)
            shutil.rmtree(aside)
        else:
            fresh.rename(target)
        return measured

    def seen(self) -> UInt64[Array, "print"]:
        """Fingerprints of the beats of its training and validation patients."""
        path = self.path / "seen.npy"
        if self.origin is None and self.imported:
            return np.empty(0, np.uint64)
        return read_array(path, np.uint64, (None,), _unknown_seen)


def check_name(
    name: str,
    where: Path,
    *,
    what: str = "a folder",
    remedy: str = "use letters, digits, . - and _",
    taken: Sequence[str] = (),
) -> None:
    """Refuse a text that cannot be the name of a folder, or is taken."""
    if not re.fullmatch(r"\w[\w.-]*", name) or name in taken:
        raise RunError(where, f"{name!r} cannot name {what}", remedy)


class _Config(TypedDict):
    """What config.json must hold, besides its format."""

    plan: NotRequired[dict[str, Any] | None]
    imported: NotRequired[dict[str, str]]
    title: NotRequired[str]


def _origin(path: Path) -> WindowsOrigin:
    found: WindowsOrigin = read_json(path, WindowsOrigin, _no_run)
    return found


def _no_run(path: Path, what: str) -> RunError:
    return RunError(path.parent, f"not a run, {path.name}: {what}", "give a folder of pacl train")


def _unknown_seen(path: Path, what: str) -> RunError:
    return RunError(
        path,
        f"{what}; without it, the beats that the run has seen are not known",
        "evaluate it on its own test part, or train it again",
    )
