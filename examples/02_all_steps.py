"""From recordings to an evaluated encoder, step by step, as `pacl train` does in one command."""

import tempfile
from pathlib import Path

import numpy as np
import torch

from pacl import Encoder, RRWindowSet, SubjectContrastiveLoss, SubjectSampler
from pacl.cohort import EpisodesProtocol
from pacl.evaluation import Predictions, ProbeScore, embed, fit_probe
from pacl.records import open_records
from pacl.records.simulate import write_cohort
from pacl.rr import prepare
from pacl.training import LabelledWindows, Trainer
from pacl.windows import split_units

scratch = tempfile.TemporaryDirectory()
folder = Path(scratch.name)

# Recordings, here of simulated patients, and windows with a split by patient.
write_cohort(folder / "cohort", patients=32, seed=0)
prepare(
    open_records(folder / "cohort"),
    folder / "windows",
    protocol=EpisodesProtocol(),
    divide=lambda strata, _: split_units(strata, seed=1),
)
windows = RRWindowSet.open(folder / "windows")
print(windows)

# An encoder and an objective; all random numbers come from explicit generators.
train = LabelledWindows.of(windows.part("train"))
encoder = Encoder(generator=torch.Generator().manual_seed(1))
trainer = Trainer(
    encoder,
    SubjectContrastiveLoss("patient-aware"),
    train,
    SubjectSampler.of(windows.part("train"), generator=np.random.default_rng(2)),
    score=ProbeScore(train, LabelledWindows.of(windows.part("validation"))),
    generator=torch.Generator().manual_seed(3),
    epochs=4,
)
for log in trainer:
    print(f"epoch {log.epoch}: loss {log.loss:.3f}, validation AUROC {log.score:.4f}")
trainer.restore_best()

# A linear probe on the frozen encoder, evaluated on unseen patients.
known = embed(encoder, windows.part("train"))
probe = fit_probe(known.pooled, known.labels)
found = Predictions.by_probe(probe, embed(encoder, windows.part("test"))).measure()
print(f"test AUROC {found.detection.auroc:.3f} over {found.detection.auroc_subjects} patients")
sr, af = found.pooled.classes
print(f"SR cohesion {sr.cohesion:.3f}, AF cohesion {af.cohesion:.3f}")
scratch.cleanup()
