"""Another signal from file to figure: recordings, windows, a comparison on people never seen."""

import tempfile
from pathlib import Path

import numpy as np

from pacl.report.systems import what_holds, write_systems
from pacl.settings import ComparisonSettings
from pacl.studies.systems import SystemsStudy, compare_on_signals
from pacl.windows import ArrayCut, ArrayScale, prepare_arrays

folder = Path(tempfile.mkdtemp())
(folder / "recordings").mkdir()
rng = np.random.default_rng(0)
for person in range(6):  # your own files would already be there: a signal, and a label per sample
    gesture = np.tile(np.repeat(["rest", "fist", "wave"], 300), 4)
    strength = {"rest": (1, 1), "fist": (1.5, 1), "wave": (1, 1.5)}
    level = np.array([strength[one] for one in gesture]) * rng.uniform(0.5, 2.0)
    emg = level * rng.normal(size=level.shape)
    np.savez(folder / "recordings" / f"person-{person}.npz", emg=emg, gesture=gesture)

prepare_arrays(
    folder / "recordings",
    folder / "windows",
    cut=ArrayCut(length=60, stride=30),
    scale=ArrayScale("reference", reference="rest"),  # what Eq. 4 does with sinus rhythm
)
settings = ComparisonSettings.from_dict(
    {
        "systems": ["subject-aware", "cross-entropy", "lda"],
        "folds": 3,
        "seeds": [1],
        "input": {"envelope": 10},
        "sampler": {"subjects": 3, "windows": 8},
        "encoder": {"name": "residual", "width": 16, "blocks": [1, 1], "kernel": 3},
        "train": {"lr": 3e-3, "epochs": 6, "keep": "last"},
    }
)
compare_on_signals(folder / "windows", folder / "study", settings)
page = write_systems(folder / "study", folder / "study" / "report")
print(what_holds(SystemsStudy.read(folder / "study")))
print(f"figures and tables: {page}")
