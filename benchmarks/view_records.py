"""Recordings to look at: one real day, and simulated ones of a day, a week and a month."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np
from ecg_data import DATA
from numpy.typing import NDArray

from pacl.records import Record, open_records, record_from_rr
from pacl.records.simulate import Population, draw_patients, simulate_patient

BEATS_A_DAY = 150_000
MEAN_MS = 86_400_000 / BEATS_A_DAY
LEAST_MS = 10
REAL = ("ltafdb", "103")


@dataclass(frozen=True)
class Case:
    """A recording by its name in the table."""

    name: str
    record: Record


def cases(days: tuple[int, ...]) -> Iterator[Case]:
    """The real day where there is one, then simulated recordings."""
    database, record_id = REAL
    if (DATA / database / f"{record_id}.atr").exists():
        yield Case("24 h, LTAFDB 103", open_records(DATA / database).read(record_id))
    for each in days:
        name = "24 h, simulated" if each == 1 else f"{each} days, simulated"
        rr_ms = simulated_rr_ms(each * BEATS_A_DAY)
        yield Case(name, record_from_rr(rr_ms, record_id=name))


def simulated_rr_ms(beats: int) -> NDArray[np.float32]:
    """Intervals of simulated patients, one after the other, at 150,000 beats a day."""
    parts: list[NDArray[np.float32]] = []
    found = 0
    for patients in count(4, 4):
        for patient in draw_patients(patients, 0, Population())[-4:]:
            for one in simulate_patient(patient, Population()):
                parts.append(one.record.rr_ms.astype(np.float32))
                found += parts[-1].size
        if found >= beats:
            break
    rr_ms = np.concatenate(parts)[:beats]
    return np.maximum(np.round(rr_ms * (MEAN_MS / rr_ms.mean())), LEAST_MS)
