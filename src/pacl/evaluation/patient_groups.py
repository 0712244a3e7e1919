"""Windows grouped by patient and rhythm: the index sets S_p^c of the geometry (Eqs. 6-10)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Float, Float64, Int, Int64, Real
from pacl.evaluation.errors import EvaluationError
from pacl.records import Rhythm

UNIT_TOLERANCE = 1e-3
"""How far from 1 the length of an embedding may be; half precision stays within it."""

ROUNDING = 1e-10
"""Lengths up to this are the rounding of float64 sums over many windows, and count as zero."""


@dataclass(frozen=True, slots=True)
class PatientGroups:
    """Windows sorted by patient, then rhythm, so that each group is one stretch of rows.

    Only groups that have windows exist. `patient` and `rhythm` say which one a group is;
    `patient` counts through `names`, the patients who have windows.
    """

    names: tuple[str, ...]
    embedded: Float64[Array, "window feature"]
    of_window: Int64[Array, "window"]
    patient: Int64[Array, "group"]
    rhythm: Int64[Array, "group"]
    windows: Int64[Array, "group"]
    starts: Int64[Array, "group"]

    def means(self, values: Float64[Array, "window value"]) -> Float64[Array, "group value"]:
        """Mean of each group's rows."""
        return np.asarray(np.add.reduceat(values, self.starts, axis=0) / self.windows[:, None])

    def table(self, values: Float64[Array, "group"]) -> Float64[Array, "patient 2"]:
        """Lay a value a group out by patient and rhythm; NaN where a patient lacks the rhythm."""
        laid = np.full((len(self.names), 2), np.nan)
        laid[self.patient, self.rhythm] = values
        return laid


def over(above: Float64[Array, "..."], below: Real[Array, "..."]) -> Float64[Array, "..."]:
    """Divide; NaN where there is nothing to divide by."""
    return np.divide(above, below, out=np.full_like(above, np.nan), where=below > 0)


def known(number: float) -> float | None:
    """NaN as `None`, which JSON has a word for."""
    return None if np.isnan(number) else float(number)


def group_windows(
    embedded: Float[Array, "window feature"],
    rhythm: Int[Array, "label"],  # axes named apart: that they are as long is checked below
    patients: Int[Array, "code"],
    names: Sequence[str] | None = None,
) -> PatientGroups:
    """Check embeddings and group them; see `measure_geometry` for the arguments.

    Lengths that differ from 1 by no more than rounding are divided out, so that cosines stay
    within [-1, 1] and squared distances are exactly 2 minus twice the cosine.
    """
    if embedded.ndim != 2 or not len(embedded) == len(rhythm) == len(patients):
        raise EvaluationError(
            f"embeddings of shape {embedded.shape} with {len(rhythm)} rhythm(s) and "
            f"{len(patients)} patient code(s); give a row, a rhythm and a code for each window"
        )
    codes, patient = np.unique(patients, return_inverse=True)
    shown = _names(codes, names)
    _check_rhythms(rhythm, patient, shown)
    unit = _unit_rows(embedded, patient, shown)
    group = patient.astype(np.int64) * 2 + rhythm.astype(np.int64)
    order = np.argsort(group, kind="stable")
    present, starts, windows = np.unique(group[order], return_index=True, return_counts=True)
    return PatientGroups(
        names=shown,
        embedded=unit[order],
        of_window=np.repeat(np.arange(len(present)), windows),
        patient=present // 2,
        rhythm=present % 2,
        windows=windows.astype(np.int64),
        starts=starts.astype(np.int64),
    )


def _names(codes: Int[Array, "patient"], names: Sequence[str] | None) -> tuple[str, ...]:
    if names is None:
        return tuple(str(code) for code in codes.tolist())
    for code in codes.tolist():
        if not 0 <= code < len(names):
            raise EvaluationError(
                f"patient code {code} has no name: {len(names)} name(s) were given, for codes "
                f"0 to {len(names) - 1}; give a name for every code"
            )
    shown = tuple(names[code] for code in codes.tolist())
    for name in shown:
        if shown.count(name) > 1:
            raise EvaluationError(
                f"patient {name}: {shown.count(name)} codes share this name and would count as "
                "as many patients; give one code a patient"
            )
    return shown


def _check_rhythms(
    rhythm: Int[Array, "window"], patient: Int[Array, "window"], names: tuple[str, ...]
) -> None:
    foreign = np.flatnonzero((rhythm != Rhythm.SR) & (rhythm != Rhythm.AF))
    if foreign.size:
        row = int(foreign[0])
        raise EvaluationError(
            f"window {row} of patient {names[patient[row]]}: rhythm {int(rhythm[row])}, expected "
            f"{Rhythm.SR.value} (SR) or {Rhythm.AF.value} (AF); {foreign.size} such window(s), "
            "leave them out"
        )
    for lacking in (Rhythm.SR, Rhythm.AF):
        if not np.any(rhythm == lacking):
            raise EvaluationError(
                f"no {lacking.name} window among {len(rhythm)} window(s) of {len(names)} "
                "patient(s); classes can be compared only where both occur, add patients with "
                f"{lacking.name}"
            )


def _unit_rows(
    embedded: Float[Array, "window feature"], patient: Int[Array, "window"], names: tuple[str, ...]
) -> Float64[Array, "window feature"]:
    rows = embedded.astype(np.float64)
    length = np.sqrt(np.einsum("wf,wf->w", rows, rows))
    for wrong, what, remedy in (
        (~np.isfinite(length), "NaN or infinite values", "look for a diverged training run"),
        (np.abs(length - 1) > UNIT_TOLERANCE, "length {:.6g}, expected 1", "normalise them first"),
    ):
        if wrong.any():
            row = int(np.argmax(wrong))
            raise EvaluationError(
                f"window {row} of patient {names[patient[row]]}: embedding has "
                f"{what.format(length[row])}; {int(wrong.sum())} such window(s), {remedy}"
            )
    rows /= length[:, None]
    return np.asarray(rows)
