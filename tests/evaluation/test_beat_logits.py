"""Logits of whole recordings, and runs of AF among them."""

import numpy as np
import pytest
import torch

from pacl.evaluation.beat_logits import beat_logits, called_af
from pacl.models.beat_network import BeatNetwork
from pacl.records import Record, Rhythm, Span
from pacl.training.beats import BeatLine, LabelledRecord, label_beats


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


def called(logits, present=None, **given):
    logits = np.array(logits, np.float32)
    there = np.ones(logits.size, bool) if present is None else np.array(present)
    return "".join("A" if one else "-" for one in called_af(logits, there, **given))


def test_runs_of_five_beats_and_more_are_af():
    assert called([-1] * 3 + [1] * 5 + [-1] * 6 + [1] * 4) == "---AAAAA----------"


def test_short_interruptions_are_bridged_but_not_gaps():
    beats = [1] * 6 + [-1] * 4 + [1] * 6
    assert called(beats) == "A" * 16
    there = [True] * 6 + [True] * 2 + [False] * 2 + [True] * 6
    assert called(beats, there) == "AAAAAA----AAAAAA"


def test_an_interruption_at_the_edge_stays():
    assert called([-1] * 3 + [1] * 6 + [-1] * 2) == "---AAAAAA--"


def test_weak_runs_need_length():
    weak, strong = [0.5] * 6, [5.0] * 6
    assert called([*weak, *[-1] * 6, *strong], evidence=20.0) == "------------AAAAAA"


def test_absent_beats_are_never_af():
    assert called([9] * 8, [False] * 8) == "-" * 8
