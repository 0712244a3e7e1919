"""Logits of whole recordings, and runs of AF among them."""

import numpy as np
import pytest
import torch

from pacl.af.beats import BeatLine, LabelledRecord, beat_logits, label_beats
from pacl.af.networks.beat_network import BeatNetwork
from pacl.records import Record, Rhythm, Span


def line(beats=(300, 120)):
    records = []
    for at, count in enumerate(beats):
        rr_ms = np.random.default_rng(at).normal(800, 90, count).astype(np.float32)
        spans = (Span(0, count, Rhythm.SR),)
        one = Record(f"p{at}", f"r{at}", rr_ms, np.zeros(1, np.int64), np.zeros(1), spans, "", "")
        records.append(LabelledRecord("x", one, label_beats(one)))
    return BeatLine.of(records, apart=40)


@pytest.mark.parametrize("chunk", [7, 64, 16_384])
def test_chunks_do_not_show(chunk):
    network = BeatNetwork(8, 3, (1, 2, 4), 9, generator=torch.Generator().manual_seed(0)).eval()
    made = line()
    found = beat_logits(network, made, chunk=chunk)
    assert found.shape == made.rr_ms.shape
    reach = network.reach
    with torch.no_grad():
        whole = network(made.rr_ms[None], made.present[None])[0].numpy()
    assert found[reach:-reach] == pytest.approx(whole, abs=1e-5)
