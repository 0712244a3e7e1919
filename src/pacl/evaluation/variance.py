"""Where the variance of a value a seed and patient comes from: seeds, patients, or the rest.

Two-way random effects without replication: value = mean + seed + patient + rest, where the rest is
what a seed does to one patient in particular, with the noise of measuring. The mean squares of the
analysis of variance give unbiased estimates,

    seed    = (MS_seed - MS_rest) / patients
    patient = (MS_patient - MS_rest) / seeds
    rest    = MS_rest,

which may fall below 0; a variance cannot, so that such an estimate is reported as 0 and named.
"""

from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Float64
from pacl.evaluation.errors import EvaluationError


@dataclass(frozen=True, slots=True)
class VarianceSplit:
    """Variances, which add up to that of one seed's value of one patient.

    Parameters
    ----------
    seed, patient, rest
        Estimated variances, at least 0.
    seed_share, patient_share, rest_share
        Of their sum.
    negative
        Names of those estimated below 0: nothing of them was seen.
    """

    seed: float
    patient: float
    rest: float
    seed_share: float
    patient_share: float
    rest_share: float
    negative: tuple[str, ...]
    seeds: int
    patients: int


def split_variance(values: Float64[Array, "seed patient"]) -> VarianceSplit:
    """Split the variance of a value for each seed and patient."""
    seeds, patients = values.shape
    if seeds < 2 or patients < 2:
        raise EvaluationError(
            f"{seeds} seed(s) and {patients} patient(s); a variance is split from at least 2 of "
            "each"
        )
    if not np.isfinite(values).all():
        seed, patient = (int(at) for at in np.argwhere(~np.isfinite(values))[0])
        raise EvaluationError(
            f"seed {seed}, patient {patient} (counted from 0): no finite value; leave the patient "
            "or the seed out and say so"
        )
    mean, of_seed, of_patient = values.mean(), values.mean(axis=1), values.mean(axis=0)
    rest = values - of_seed[:, None] - of_patient[None, :] + mean
    ms_seed = patients * float(np.sum((of_seed - mean) ** 2)) / (seeds - 1)
    ms_patient = seeds * float(np.sum((of_patient - mean) ** 2)) / (patients - 1)
    ms_rest = float(np.sum(rest**2)) / ((seeds - 1) * (patients - 1))
    found = {
        "seed": (ms_seed - ms_rest) / patients,
        "patient": (ms_patient - ms_rest) / seeds,
        "rest": ms_rest,
    }
    total = sum(max(variance, 0.0) for variance in found.values())
    if total <= 1e-24 * float(np.abs(values).max()) ** 2:
        raise EvaluationError(
            f"all {values.size} values are {mean:g}; there is no variance to be split"
        )
    kept = {name: max(variance, 0.0) for name, variance in found.items()}
    return VarianceSplit(
        **kept,
        **{f"{name}_share": variance / total for name, variance in kept.items()},
        negative=tuple(name for name, variance in found.items() if variance < 0),
        seeds=seeds,
        patients=patients,
    )
