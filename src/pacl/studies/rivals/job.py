"""One fit of one system, and its result on disk."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, Literal, TypedDict

import numpy as np

from pacl.atomic_write import atomic_write
from pacl.axes import Array, Float32, Int64
from pacl.rivals import FORMER_NAMES, current_name, system_named
from pacl.settings import differences
from pacl.stored import parse_json, read_archive
from pacl.studies.errors import RunError
from pacl.studies.study_folder import other_study

NAMES = r"rows|logit|few[0-9]{1,9}"
"""Of the arrays of a result."""

Study = Literal["main", "labels", "elsewhere", "leak"]


@dataclass(frozen=True, slots=True)
class RivalJob:
    """A fit.

    Parameters
    ----------
    study
        `main`: unseen patients of the same cohort, by folds. `labels`: the same, trained on few
        patients. `elsewhere`: another cohort. `leak`: windows of training patients.
    learned, judged
        Names of the training and the test cohort.
    condition
        What distinguishes it from other fits of the study, for tables.
    method, trial
        The system, and which of its settings.
    seed, fold
        Of the fit; fold -1 for no fold.
    patients
        Number of training patients; 0 for all.
    steps
        Of training.
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
    """The logits of a fit on its test windows.

    Parameters
    ----------
    rows, logit
        Rows of the test cohort's window set, and the logit of each.
    few
        Logits of probes fitted on few training patients, by the number of patients.
    validation
        AUROC on validation patients; None where there are none.
    seconds
        Of fitting.
    geometry
        Of the test embeddings; empty where there are none.
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
        """Write it atomically, with logits in half precision; near ties may become ties."""
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
    """What a result holds besides arrays."""

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
        raise _fit_again(path, "it does not describe the fit")
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
    """Whether the result of a job exists; refuses one of other settings."""
    path = target / job.path
    if not path.exists():
        return False
    about, _ = _read(path)
    then = {**about["job"], "settings": about["settings"]}
    if differ := differences(then, {**asdict(job), "settings": _settings(job)}):
        raise other_study(path, differ)
    return True


def _settings(job: RivalJob) -> dict[str, float | str]:
    return dict(system_named(job.method).trials[job.trial])


def _short(logit: Float32[Array, "window"]) -> Array:
    """In half precision, which ends at 65,504."""
    return np.clip(logit, -6e4, 6e4).astype(np.float16)
