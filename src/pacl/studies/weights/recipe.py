"""How the bundled weights are trained; chosen on patients of LTAFDB alone.

The reasons for each choice are in `docs/results/weights.md`.
"""

from pacl.cohort import AllBeatsProtocol
from pacl.rr import Cut, RRAugmentationSettings
from pacl.settings import (
    BranchesSettings,
    ObjectiveSettings,
    Plan,
    SamplerSettings,
    TrainSettings,
)

NAME = "af-rr200"
FOLDS = 5
FOLD_SEED = 1

RULE = AllBeatsProtocol(others="not-af")
"""All patients, also those without sinus rhythm; other rhythms such as bigeminy are not AF."""

CUT = Cut(window_beats=200, stride=50)

RECIPE = Plan(
    loss="patient-aware",
    seed=1,
    sampler=SamplerSettings(subjects=16, windows=8, one_class=True, turns=15),
    objective=ObjectiveSettings(temperature=0.05),
    encoder=BranchesSettings(view="relative"),
    train=TrainSettings(
        lr=1e-3,
        weight_decay=1e-3,
        epochs=72,
        patience=72,
        per_step=True,
        keep="last",
    ),
    augmentation=RRAugmentationSettings(respiratory_arrhythmia=0.5, faults=0.5),
)
"""About 5,000 steps of 256 windows. The last weights are kept, so that no validation patients are
needed."""
