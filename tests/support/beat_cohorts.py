"""Small cohorts with a label for every beat."""

import numpy as np

from pacl.af.beats import LabelledRecord, label_beats
from pacl.records import Record, Rhythm, Span
from pacl.studies.beats import BeatCohort


def record_of(patient, rr_ms, spans, record=None):
    return Record(
        patient, record or patient, rr_ms, np.zeros(1, np.int64), np.zeros(1), spans, "", ""
    )


def patient(number, beats=300, *, af=True, seed=0):
    generator = np.random.default_rng([seed, number])
    sinus = 800 + 20 * np.sin(np.arange(beats) / 4) + generator.normal(0, 6, beats)
    if not af:
        return record_of(f"p{number}", sinus.astype(np.float32), (Span(0, beats, Rhythm.SR),))
    half = beats // 2
    rr_ms = np.append(sinus[:half], generator.lognormal(6.4, 0.25, beats - half))
    spans = (Span(0, half, Rhythm.SR), Span(half, beats, Rhythm.AF))
    return record_of(f"p{number}", rr_ms.astype(np.float32), spans)


def cohort(name, patients, *, af=True, seed=0):
    records = [patient(number, af=af, seed=seed) for number in range(patients)]
    return BeatCohort(name, tuple(LabelledRecord(name, one, label_beats(one)) for one in records))
