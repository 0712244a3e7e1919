"""The numbers that the paper prints in its five tables, as it prints them."""

from collections.abc import Mapping
from dataclasses import dataclass

PROPOSED = "patient-aware"
LOSS_TITLES: Mapping[str, str] = {
    PROPOSED: "Proposed",
    "supcon": "SupCon",
    "bce": "BCE",
}
"""What the paper calls its losses, by the names that they are trained under here."""

SEEDS = 5
SR_WINDOWS, AF_WINDOWS = 3799, 4160
"""Test windows, from the caption of Table 3."""


@dataclass(frozen=True, slots=True)
class Printed:
    """A mean and the standard deviation over five seeds; whether it is printed bold."""

    mean: float
    sd: float | None
    bold: bool = False


Losses = Mapping[str, Mapping[str, Printed]]
"""By loss, then by the dotted key of `evaluation.json`."""

TABLE_1: Losses = {
    PROPOSED: {
        "pooled.classes.0.cohesion": Printed(0.850, 0.044, bold=True),
        "pooled.classes.1.cohesion": Printed(0.846, 0.048),
        "pooled.centroid_similarity": Printed(0.238, 0.200),
        "pooled.centroid_distance": Printed(1.034, 0.100),
        "pooled.compactness": Printed(1.192, 0.124),
        "pooled.subject_compactness": Printed(3.273, 0.433, bold=True),
        "detection.auroc": Printed(0.989, 0.003, bold=True),
    },
    "supcon": {
        "pooled.classes.0.cohesion": Printed(0.800, 0.029),
        "pooled.classes.1.cohesion": Printed(0.921, 0.035),
        "pooled.centroid_similarity": Printed(0.155, 0.123),
        "pooled.centroid_distance": Printed(1.120, 0.095),
        "pooled.compactness": Printed(1.313, 0.465),
        "pooled.subject_compactness": Printed(2.178, 1.148),
        "detection.auroc": Printed(0.983, 0.009),
    },
    "bce": {
        "pooled.classes.0.cohesion": Printed(0.772, 0.049),
        "pooled.classes.1.cohesion": Printed(0.955, 0.019, bold=True),
        "pooled.centroid_similarity": Printed(-0.717, 0.029, bold=True),
        "pooled.centroid_distance": Printed(1.603, 0.045, bold=True),
        "pooled.compactness": Printed(2.427, 0.226, bold=True),
        "pooled.subject_compactness": Printed(6.396, 0.590),
        "detection.auroc": Printed(0.980, 0.012),
    },
}
"""Geometry of the embeddings, and AUROC."""

TABLE_2: Losses = TABLE_1
"""Appendix D prints the same numbers again, under longer names."""

TABLE_3: Losses = {
    PROPOSED: {
        "detection.classes.0.precision": Printed(0.970, 0.009),
        "detection.classes.0.recall": Printed(0.927, 0.020),
        "detection.classes.0.f1": Printed(0.948, 0.012),
        "detection.classes.1.precision": Printed(0.936, 0.017),
        "detection.classes.1.recall": Printed(0.974, 0.008, bold=True),
        "detection.classes.1.f1": Printed(0.955, 0.010),
        "detection.accuracy": Printed(0.952, 0.011),
        "detection.auroc": Printed(0.989, 0.003, bold=True),
    }
}
"""Each class by itself, for the proposed loss alone."""

TABLE_4: Losses = {
    PROPOSED: {
        "detection.auroc": Printed(0.989, 0.003, bold=True),
        "detection.classes.1.precision": Printed(0.936, 0.017, bold=True),
        "detection.classes.1.recall": Printed(0.974, 0.008),
        "detection.classes.1.f1": Printed(0.955, 0.010, bold=True),
        "detection.classes.0.f1": Printed(0.948, 0.012, bold=True),
        "detection.accuracy": Printed(0.952, 0.011, bold=True),
    },
    "supcon": {
        "detection.auroc": Printed(0.983, 0.009),
        "detection.classes.1.precision": Printed(0.933, 0.017),
        "detection.classes.1.recall": Printed(0.972, 0.005),
        "detection.classes.1.f1": Printed(0.952, 0.008),
        "detection.classes.0.f1": Printed(0.945, 0.011),
        "detection.accuracy": Printed(0.949, 0.009),
    },
    "bce": {
        "detection.auroc": Printed(0.980, 0.012),
        "detection.classes.1.precision": Printed(0.929, 0.021),
        "detection.classes.1.recall": Printed(0.974, 0.009, bold=True),
        "detection.classes.1.f1": Printed(0.951, 0.012),
        "detection.classes.0.f1": Printed(0.943, 0.016),
        "detection.accuracy": Printed(0.947, 0.014),
    },
}
"""The losses beside each other, by what the probe makes of them."""


@dataclass(frozen=True, slots=True)
class PriorWork:
    """A row of Table 5, in per cent.

    `sds` are the standard deviations of the three numbers. `mixed` studies drew training and test
    windows from the same patients. The dataset of an `unfit` one has no episode that meets the
    paper's own criteria.
    """

    study: str
    method: str
    dataset: str
    validation: str
    sensitivity: float | None
    specificity: float | None
    accuracy: float | None
    sds: tuple[float, float, float] | None = None
    mixed: bool = False
    unfit: bool = False

    @property
    def printed(self) -> tuple[Printed | None, ...]:
        """Its three numbers; those with a standard deviation are printed bold."""
        means = (self.sensitivity, self.specificity, self.accuracy)
        return tuple(
            None if mean is None else Printed(mean, sd, bold=self.sds is not None)
            for mean, sd in zip(means, self.sds or (None,) * 3, strict=True)
        )


TABLE_5: tuple[PriorWork, ...] = (
    PriorWork("Udawat et al. 2022", "HRV+ML", "MIT-BIH AF", "CV", 95.16, 92.46, 94.43, mixed=True),
    PriorWork(
        "Andersen et al. 2019",
        "CNN+RNN",
        "3 databases",
        "5-fold CV",
        98.98,
        96.95,
        None,
        mixed=True,
    ),
    PriorWork("Andersen et al. 2019", "CNN+RNN", "Unseen", "Patient holdout", 86.04, 98.96, None),
    PriorWork(
        "Faust et al. 2018",
        "LSTM",
        "MIT-BIH",
        "10-fold CV",
        *(None, None, 98.51),
        mixed=True,
        unfit=True,
    ),
    PriorWork(
        "The paper",
        "CNN+MLP",
        "IRIDIA-AF",
        "Patient holdout",
        *(97.40, 92.72, 95.17),
        sds=(0.80, 2.01, 1.07),
    ),
)
"""Prior work, and the paper's own row, the last."""


def printed(loss: str, key: str) -> Printed | None:
    """What the paper prints for a loss, in whichever table; None where it prints nothing."""
    for table in (TABLE_1, TABLE_4, TABLE_3):
        found = table.get(loss, {}).get(key)
        if found is not None:
            return found
    return None


def loss_title(loss: str) -> str:
    """What to call a loss in a table: as the paper does, or by its own name."""
    return LOSS_TITLES.get(PROPOSED if loss == "subject-aware" else loss, loss)
