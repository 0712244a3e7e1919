"""Recordings of one person, and profiles made by hand."""

from dataclasses import replace

import numpy as np

from pacl.detect import PersonEvidence, new_person
from support.rhythms import fibrillation, record_of, sinus

GENERATOR = np.random.default_rng


def night(seed=0, sinus_beats=1500, af_beats=600):
    """Sinus rhythm, AF, sinus rhythm; AF from minute 21 on."""
    generator = GENERATOR(seed)
    parts = [
        sinus(sinus_beats, generator),
        fibrillation(af_beats, generator),
        sinus(sinus_beats, generator),
    ]
    return replace(record_of(np.round(np.concatenate(parts))), digest=f"night {seed}")


def with_evidence(**evidence):
    """A profile with the same evidence in both modes."""
    one = PersonEvidence(**evidence)
    return replace(new_person(), evidence={"look-ahead": one, "causal": one})
