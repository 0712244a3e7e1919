"""The papers' own figures on AFDB, as far as a method written from its paper can reach them."""

import numpy as np
import pytest

from pacl.af.beats import label_beats
from pacl.records import open_records
from pacl.rivals.beats import Petrenas, Zhou


@pytest.fixture(scope="module")
def afdb(data):
    reader = open_records(data / "afdb")
    return [reader.read(name) for name in reader.record_ids]


@pytest.mark.real
@pytest.mark.parametrize(
    ("rival", "sensitivity", "specificity"),
    [(Zhou(), 0.9737, 0.9844), (Petrenas(), 0.971, 0.983)],
    ids=["Zhou", "Petrenas"],
)
def test_beats_of_afdb(afdb, rival, sensitivity, specificity):
    judged, label = [], []
    for record in afdb:
        of_beats = label_beats(record)
        for first, stop in record.stretches():
            if stop - first >= rival.least_beats:
                judged.append(rival.logits(record.rr_ms[first:stop].astype(np.float32)) > 0)
                label.append(of_beats[first:stop])
    af, known = np.concatenate(judged), np.concatenate(label)
    assert af[known == 1].mean() == pytest.approx(sensitivity, abs=0.01)
    assert 1 - af[known == 0].mean() == pytest.approx(specificity, abs=0.01)
