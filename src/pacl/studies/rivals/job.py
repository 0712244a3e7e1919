"""One fit of one system: what it learns from, what it judges, and what came of it."""

import json
import re
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, Literal, TypedDict

import numpy as np
import torch

from pacl.atomic_write import atomic_write
from pacl.axes import Array, Float32, Int64
from pacl.evaluation import measure_auroc, measure_geometry
from pacl.rivals.registry import FORMER_NAMES, current_name, system_named
from pacl.rivals.system import Fitted, Learn
from pacl.stored import parse_json, read_archive
from pacl.studies.errors import RunError
from pacl.studies.rivals.division import Division
from pacl.windows import WindowSet

NAMES = r"rows|logit|few[0-9]{1,9}"
"""Of the arrays of a result."""

Study = Literal["main", "labels", "elsewhere", "leak"]


@dataclass(frozen=True, slots=True)
class RivalJob:
    """A fit.

    Parameters
    ----------
    study
        `main`: strangers of the same cohort, by folds. `labels`: the same, learned from a few of
        the patients. `elsewhere`: another cohort. `leak`: windows of known patients.
    learned, judged
        Names of cohorts.
    condition
        What is special about it, for tables.
    method, trial
        The system, and which of its settings.
    seed, fold
        Its chance, and who is held out; -1 for no fold.
    patients
        How many of the training patients are learned from; 0 for all.
    steps
        Of learning.
    """

    study: Study
    learned: str
    judged: str
    condition: str
    method: str
    trial: int
    seed: int
    fold: int
    patients: int = 0
    steps: int = 1000

    @property
    def path(self) -> Path:
        """Where its result is kept, within the folder of a study."""
        where = f"{self.learned}-{self.judged}" if self.learned != self.judged else self.judged
        name = f"trial{self.trial}-seed{self.seed}-fold{self.fold}-patients{self.patients}.npz"
        condition = self.condition.replace(" ", "-") or "all"
        return Path("jobs", self.study, where, condition, self.method, name)


@dataclass(frozen=True, eq=False, slots=True)
class JobResult:
    """What a fit said of the windows it was to judge.

    Parameters
    ----------
    rows, logit
        Rows of the judged cohort's window set, and what was said of each.
    few
        The same of probes that were fitted on some of the training patients alone, by how many.
    validation
        AUROC on validation patients; None where there are none.
    seconds
        Of fitting.
    geometry
        Of the judged embeddings; empty where there are none.
    device
        Where it was fitted.
    """

    rows: Int64[Array, "window"]
    logit: Float32[Array, "window"]
    few: Mapping[int, Float32[Array, "window"]]
    validation: float | None
    seconds: float
    geometry: Mapping[str, float | None]
    device: str

    def write(self, path: Path, job: RivalJob) -> None:
        """Write it whole; logits in half precision, in which those that nearly tie may tie."""
        about = {
            "job": asdict(job),
            "settings": _settings(job),
            "validation": self.validation,
            "seconds": self.seconds,
            "geometry": dict(self.geometry),
            "device": self.device,
        }
        arrays: dict[str, Any] = {
            "about": np.array(json.dumps(about)),
            "rows": self.rows.astype(np.int32),
            "logit": _short(self.logit),
            **{f"few{count}": _short(logit) for count, logit in self.few.items()},
        }
        content = BytesIO()
        np.savez_compressed(content, **arrays)
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(path, content.getvalue())

    @classmethod
    def read(cls, path: Path) -> "JobResult":
        """Read what `write` wrote."""
        about, arrays = _read(path)
        size = arrays["rows"].size if "rows" in arrays else 0
        for name, found in arrays.items():
            kind = np.dtype(np.int32 if name == "rows" else np.float16)
            if (found.dtype, found.shape) != (kind, (size,)) or not re.fullmatch(NAMES, name):
                raise _fit_again(
                    path,
                    f"{name} is {found.dtype} of shape {found.shape}, expected rows, logit and "
                    f"few<number>, here {kind} of shape ({size},)",
                )
        if missing := {"rows", "logit"} - arrays.keys():
            raise _fit_again(path, f"no {' and no '.join(sorted(missing))}")
        return cls(
            arrays["rows"].astype(np.int64),
            arrays["logit"].astype(np.float32),
            {
                int(name[3:]): found.astype(np.float32)
                for name, found in arrays.items()
                if name.startswith("few")
            },
            about["validation"],
            about["seconds"],
            about["geometry"],
            about["device"],
        )


class _About(TypedDict):
    """What a result says of itself."""

    job: dict[str, Any]
    settings: dict[str, float | str]
    validation: float | None
    seconds: float
    geometry: dict[str, float | None]
    device: str


def _read(path: Path) -> tuple[_About, dict[str, Array]]:
    arrays = read_archive(path, _fit_again)
    text = arrays.pop("about", np.zeros(0))
    if text.shape != () or text.dtype.kind != "U":
        raise _fit_again(path, "it says nothing of what was fitted")
    about: _About = parse_json(str(text).encode(), path, _About, _fit_again)
    about["job"]["method"] = current_name(str(about["job"].get("method")))
    return about, arrays


def _fit_again(path: Path, what: str) -> RunError:
    return RunError(path, what, "remove it and run again")


def rename_former_systems(target: Path) -> None:
    """Give results of an earlier version the folder names of today."""
    for old, new in FORMER_NAMES.items():
        for folder in target.glob(f"jobs/*/*/*/{old}"):
            folder.rename(folder.with_name(new))


def is_done(target: Path, job: RivalJob) -> bool:
    """Whether the result of a job is there; refuses one of other settings or another length."""
    path = target / job.path
    if not path.exists():
        return False
    about, _ = _read(path)
    if (about["job"], about["settings"]) != (asdict(job), _settings(job)):
        raise RunError(
            path, "it was fitted with other settings", "remove it, or study in another folder"
        )
    return True


def _settings(job: RivalJob) -> dict[str, float | str]:
    return dict(system_named(job.method).trials[job.trial])


def _short(logit: Float32[Array, "window"]) -> Array:
    """In half precision, which ends at 65,504."""
    return np.clip(logit, -6e4, 6e4).astype(np.float16)


def run_job(
    job: RivalJob,
    learned: WindowSet,
    judged: WindowSet,
    division: Division,
    *,
    few: tuple[int, ...] = (),
    device: torch.device,
) -> JobResult:
    """Fit, then judge strangers.

    Parameters
    ----------
    learned, judged
        Window sets of the two cohorts.
    division
        Rows to learn from, to choose by and to judge.
    few
        For systems that need no labels to learn: numbers of patients whose labels fit a probe.
    """
    system = system_named(job.method)
    train = learned.select(division.train)
    began = time.perf_counter()
    fitted = system.fit(
        Learn(train, seed=job.seed, steps=job.steps, device=device), system.trials[job.trial]
    )
    seconds = time.perf_counter() - began
    held = judged.select(division.test)
    logit = fitted.logit(held).astype(np.float32)
    probes: dict[int, Float32[Array, "window"]] = {}
    if system.kind == "self-supervised":
        for count in few:
            rows = division.of_few(learned, count, job.seed, job.fold)
            again = fitted.probed(learned.select(rows))
            if again is not None:
                probes[count] = again.logit(held).astype(np.float32)
    return JobResult(
        rows=division.test,
        logit=logit,
        few=probes,
        validation=_validation(fitted, learned, division),
        seconds=seconds,
        geometry=_geometry(fitted, held),
        device="cpu" if system.kind == "features" else device.type,
    )


def _validation(fitted: Fitted, windows: WindowSet, division: Division) -> float | None:
    if not division.validation.size:
        return None
    held = windows.select(division.validation)
    return measure_auroc(held.table.rhythm.astype(np.int64), fitted.logit(held))


def _geometry(fitted: Fitted, held: WindowSet) -> dict[str, Any]:
    pooled = fitted.embed(held)
    if pooled is None:
        return {}
    table = held.table
    found = measure_geometry(
        pooled, table.rhythm.astype(np.int64), table.patient.codes, table.patient.names
    )
    return {
        "sr_cohesion": found.sr.cohesion,
        "af_cohesion": found.af.cohesion,
        "centroid_distance": found.centroid_distance,
        "centroid_similarity": found.centroid_similarity,
        "compactness": found.compactness,
        "patient_compactness": found.patient_compactness,
    }
