"""Intervals of clear rhythms, and recordings of them."""

import numpy as np

from pacl.records import Record, Rhythm, Span


def record_of(rr_ms, **more):
    """A recording of one file, without annotations."""
    rr_ms = np.asarray(rr_ms, dtype=np.float32)
    return Record(
        patient_id="p",
        record_id="r",
        rr_ms=rr_ms,
        file_starts=np.array([0]),
        file_onset_s=np.array([0.0]),
        spans=(Span(0, rr_ms.size, Rhythm.UNKNOWN),),
        digest="0",
        source="made up",
        **more,
    )


def sinus(beats, generator):
    """Sinus rhythm with respiratory arrhythmia."""
    wave = np.sin(np.arange(beats) * 0.3)
    return 850 * (1 + 0.02 * wave + generator.normal(0, 0.012, beats))


def fibrillation(beats, generator):
    """Intervals drawn as in AF."""
    return np.clip(620 * generator.lognormal(0, 0.22, beats), 250, 1900)


def heard(stream, rr_ms):
    """All decisions of a stream on some intervals."""
    found = [one for rr in rr_ms for one in stream.push(float(rr))]
    return [*found, *stream.finish()]
