"""Weights from recordings: cross-validated, trained on all patients, calibrated, evaluated."""

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

import pacl
from pacl.atomic_write import atomic_write
from pacl.axes import Array, Float32, Float64
from pacl.detect import ReferenceMap, learn_map
from pacl.evaluation import Platt, Predictions, embed, fit_platt
from pacl.export import RegularityCeiling, Weights, spaced_windows, variation_of
from pacl.locks import sole_worker
from pacl.models import papers_encoder
from pacl.records import Reader, Rhythm
from pacl.rr import Divide, RRWindowSet, prepare
from pacl.settings import Plan
from pacl.studies.errors import RunError
from pacl.studies.external_evaluation import check_not_learned
from pacl.studies.folder import RunFolder, check_name
from pacl.studies.gpus import Job
from pacl.studies.inputs import all_in
from pacl.studies.progress import SILENT, StudyReport
from pacl.studies.provenance import as_json, open_rr_windows, seen_beats
from pacl.studies.scheduler import train_runs
from pacl.studies.study_folder import FILE, start_study
from pacl.studies.weights.measured import (
    CohortFigures,
    judge_out_of_fold,
    measure_weights,
    window_predictions,
)
from pacl.studies.weights.onnx_variants import TOLERANCE, Int8Made, check_tolerance, make_int8
from pacl.studies.weights.recipe import CUT, FOLD_SEED, FOLDS, NAME, RECIPE, RULE
from pacl.training import usable_device
from pacl.window_sets import divide_folds

RUNS, ALL = "runs", "all"
CHUNK, EXAMPLES = 4096, 64
"""Windows that an exported file is compared on."""


@dataclass(frozen=True, eq=False, slots=True)
class MadeWeights:
    """Weights, and their figures: out of fold on their own cohort, and on other cohorts."""

    weights: Weights
    out_of_fold: CohortFigures
    elsewhere: Mapping[str, CohortFigures]
    examples: Float32[Array, "window beat"]
    int8: Int8Made
    reference: ReferenceMap | None = None
    """A map of the training patients; None where they are too few."""


def study_weights(
    cohorts: Mapping[str, Reader], target: Path, *, plan: Plan, name: str, **more: Any
) -> MadeWeights:
    """Make weights of the first cohort and evaluate them on the others; resumes the same study.

    `more` goes to `make_weights`.
    """
    check_weights(target, plan, name, list(cohorts.values()))
    (cohort, reader), *others = cohorts.items()
    with sole_worker(target):
        start_study(
            target,
            "weights",
            {"data": cohort, "test_data": [other for other, _ in others], "name": name},
            results=RUNS,  # each keeps its plan
            new=True,
        )
        return make_weights(reader, target, plan=plan, name=name, others=dict(others), **more)


def make_weights(
    reader: Reader,
    target: Path,
    *,
    plan: Plan = RECIPE,
    name: str = NAME,
    about: Mapping[str, str],
    others: Mapping[str, Reader] | None = None,
    folds: int = FOLDS,
    tolerance: float = TOLERANCE,
    device: str = "auto",
    processes: int = 1,
    scheduler: str | None = None,
    report: StudyReport = SILENT,
) -> MadeWeights:
    """Make weights by the recipe; resumes the same study.

    Each patient is evaluated by the model of the fold they are not in. These out-of-fold logits
    calibrate the probability, and estimate how the weights, trained on all patients, perform.

    Parameters
    ----------
    reader
        The recordings to learn from.
    target
        Folder for windows, runs and the result.
    plan
        How to train.
    name, about
        What the weights are called, and what their files say about them.
    others
        Other cohorts to evaluate on, by name; nothing is chosen by them.
    folds
        Of the cross-validation.
    tolerance
        The most that ONNX Runtime may differ from torch; one that cannot be met is refused before
        training.
    device, processes, scheduler, report
        See `train_runs`.
    """
    check_weights(target, plan, name, [reader, *(others or {}).values()])
    with sole_worker(target):
        windows = _cut(reader, target / "windows", all_in("train"))
        found, origin = open_rr_windows(windows)
        elsewhere = {
            other: _cut(records, target / "elsewhere" / other, all_in("test"))
            for other, records in (others or {}).items()
        }
        for path in elsewhere.values():  # before hours of training rather than after
            other, other_origin = open_rr_windows(path)
            check_not_learned(seen_beats(found), origin, other, other_origin, path)
            if lacking := [kind for kind, count in other.count()["test"].items() if not count]:
                raise RunError(path, f"it has no {lacking[0]} windows", "leave that cohort out")
        examples = spaced_windows(found, EXAMPLES)
        if not (target / RUNS / ALL).exists():
            check_tolerance(plan, examples, tolerance, target)
        of_fold = divide_folds(
            windows, target / "folds", folds=folds, seed=FOLD_SEED, validation=False
        )
        jobs = {f"fold-{fold}": Job(path, plan) for fold, path in of_fold.items()}
        runs = train_runs(
            {**jobs, ALL: Job(windows, plan)},
            target / RUNS,
            device=device,
            processes=processes,
            scheduler=scheduler,
            report=report,
        )
        raw = judge_out_of_fold(found, [runs[fold] for fold in jobs])
        platt = fit_platt(raw.logit, raw.labels)
        varies = _variation(found)
        steady = RegularityCeiling.learned(varies, raw.labels)
        judged = raw.calibrated(platt)
        judged = replace(judged, score=steady.bound(judged.logit, varies))
        measured = measure_weights(judged)
        everybody = runs[ALL]
        on = usable_device("auto" if scheduler else device)
        weights = Weights(
            name=name,
            encoder=papers_encoder(everybody.encoder()),
            probe=everybody.probe(),
            platt=platt,
            window_beats=found.window_beats,
            steady=steady,
            about={"pacl": pacl.__version__, "plan": json.dumps(plan.to_dict()), **about},
        )
        return MadeWeights(
            weights=weights,
            out_of_fold=measured,
            elsewhere={
                other: measure_weights(_judge(everybody, path, platt, steady, on))
                for other, path in elsewhere.items()
            },
            examples=examples,
            int8=make_int8(
                weights,
                measured.auroc.estimate,
                found,
                (
                    (open_rr_windows(path)[0], runs[f"fold-{fold}"])
                    for fold, path in of_fold.items()
                ),
            ),
            reference=_map(everybody, found, platt, on),
        )


def check_weights(target: Path, plan: Plan, name: str, readers: Sequence[Reader]) -> None:
    """Refuse settings, before training, with which no weights can be made."""
    if plan.train.keep != "last":
        raise RunError(
            target, "train.keep is best, but there are no validation patients", "set it to last"
        )
    if plan.encoder.view != "relative":
        raise RunError(target, f"encoder.view is {plan.encoder.view}", "set it to relative")
    check_name(name, target, what="weights", taken=(FILE.removesuffix(".json"),))
    for reader in readers:
        if target.resolve().is_relative_to(Path(reader.root).resolve()):
            raise RunError(target, "it is in the folder of recordings", "name another output")


def write_made(
    made: MadeWeights, target: Path, card: str, *, tolerance: float = TOLERANCE
) -> dict[str, Path]:
    """Write weights, the same for ONNX Runtime, their figures, card and map; by file ending.

    The ONNX file comes last: if it differs from torch by more than `tolerance`, the other files
    exist. The int8 file is left out if it is too inaccurate, the map if there is none; older files
    of these names are removed, since they are of other weights.
    """
    from pacl.export import ExportError, export_onnx

    places = {
        kind: target / f"{made.weights.name}.{kind}"
        for kind in ("safetensors", "onnx", "json", "md")
    }
    made.weights.write(places["safetensors"])
    figures = {
        "out_of_fold": made.out_of_fold.to_dict(),
        "elsewhere": {name: one.to_dict() for name, one in made.elsewhere.items()},
        "int8": asdict(made.int8.figures),
    }
    int8, reference = (target / f"{made.weights.name}.{kind}" for kind in ("int8.onnx", "map.json"))
    if made.int8.figures.why_not is None:
        places["int8.onnx"] = int8
        atomic_write(int8, made.int8.content)
    else:
        int8.unlink(missing_ok=True)
    atomic_write(places["json"], as_json(figures))
    atomic_write(places["md"], card.encode())
    if made.reference is not None:
        places["map.json"] = reference
        made.reference.write(reference)
    else:
        reference.unlink(missing_ok=True)
    try:
        export_onnx(
            made.weights.scorer(),
            places["onnx"],
            window_beats=made.weights.window_beats,
            about={"name": made.weights.name, **made.weights.about},
            examples=made.examples,
            tolerance=tolerance,
        )
    except ExportError as error:
        raise ExportError(
            f"{error}; all but this file is written to {target}: the same command with a higher "
            "--tolerance writes it, without training again"
        ) from error
    return places


def _cut(reader: Reader, target: Path, divide: Divide) -> Path:
    """Cut windows again in any case, and refuse if they are not those in `target`."""
    if target.exists():
        open_rr_windows(target)  # refuses what is no window set
    fresh = target.with_name(f".{target.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    prepare(reader, fresh, protocol=RULE, divide=divide, cut=CUT)
    if not target.exists():
        fresh.rename(target)
        return target
    same = open_rr_windows(target)[1].digest == open_rr_windows(fresh)[1].digest
    shutil.rmtree(fresh)
    if not same:
        raise RunError(
            target, "it holds windows of other recordings", "remove it, or name another folder"
        )
    return target


def _judge(
    run: RunFolder, path: Path, platt: Platt, steady: RegularityCeiling, device: torch.device
) -> Predictions:
    """Calibrated predictions of a run on another cohort."""
    windows, _ = open_rr_windows(path)
    embeddings = embed(run.encoder(device), windows, device=device)
    judged = window_predictions(windows, run.probe().logit(embeddings.pooled)).calibrated(platt)
    return replace(judged, score=steady.bound(judged.logit, _variation(windows)))


def _map(
    run: RunFolder, windows: RRWindowSet, platt: Platt, device: torch.device
) -> ReferenceMap | None:
    """A map of the training patients."""
    weight, bias = run.probe().of_two_classes()
    return learn_map(
        embed(run.encoder(device), windows, device=device).pooled,
        windows.table.patient.codes,
        windows.table.rhythm == Rhythm.AF,
        weight=platt.slope * weight,
        bias=platt.slope * bias + platt.intercept,
    )


def _variation(windows: RRWindowSet) -> Float64[Array, "window"]:
    rows = np.arange(len(windows))
    parts = np.array_split(rows, len(rows) // CHUNK + 1)
    return np.concatenate([variation_of(windows.windows(part)) for part in parts])
