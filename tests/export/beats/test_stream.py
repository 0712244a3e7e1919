"""ONNX for streams: block by block as the whole, with nothing before the first beat."""

import json

import numpy as np
import pytest

from pacl.detect.beat_scorer import initial_state
from pacl.export import ExportError
from pacl.export.beats import stream_onnx
from pacl.export.parity import open_session
from support.beat_networks import SMALL, SMALL_STREAM, beats, made_network, torch_logits
from support.refusals import refused

CONFIGS = {
    "both ways": SMALL,
    "stream": SMALL_STREAM,
    "in blocks of 16": {**SMALL_STREAM, "channels": 16},
    "mean of 3": {**SMALL_STREAM, "mean_beats": 3},
    "kernel of 1": {**SMALL_STREAM, "kernel": 1},
}


def streamed(network, block, rr_ms, present):
    session = open_session(stream_onnx(network, block))
    state, found = initial_state(session), []
    for at in range(0, rr_ms.size, block):
        new = {"rr_ms": rr_ms[None, at : at + block], "present": present[None, at : at + block]}
        logits, state = session.run(["logits", "next_state"], {**new, "state": state})
        found.append(logits[0])
    return np.concatenate(found)[network.ahead :]


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
@pytest.mark.parametrize("block", [1, 4, 30])
def test_block_by_block_as_the_whole(config, block):
    network, rr_ms = made_network(**config), beats(120)
    present = np.random.default_rng(1).random(120) > 0.1
    found = streamed(network, block, rr_ms, present)
    np.testing.assert_allclose(found, torch_logits(network, rr_ms, present), rtol=0, atol=1e-5)
    assert found.size == 120 - network.ahead
    assert found.std() > 0.05


def test_as_bundled():
    network, rr_ms = made_network(channels=24, widest_ahead=4), beats(1500)
    assert network.ahead == 30
    found = streamed(network, 50, rr_ms, np.ones(1500, np.bool_))
    np.testing.assert_allclose(found, torch_logits(network, rr_ms), rtol=0, atol=1e-5)


def test_what_it_says_of_itself():
    network = made_network(**SMALL_STREAM)
    session = open_session(stream_onnx(network, 4, {"data": "nobody's"}))
    stated = session.get_modelmeta().custom_metadata_map
    numbers = 2 * 4 + 5 * 2 + 6 * 2 * (1 + 2 + 4)  # of the mean, the first layer and the blocks
    assert (stated["kind"], stated["block"], stated["state"]) == ("stream", "4", str(numbers))
    assert (stated["format"], stated["data"]) == ("pacl beats 1", "nobody's")
    assert json.loads(stated["config"]) == [network.config]
    assert {one.name: one.shape for one in session.get_inputs()} == {
        "rr_ms": [1, 4],
        "present": [1, 4],
        "state": [1, numbers],
    }


def test_the_same_weights_give_the_same_bytes():
    network = made_network(**SMALL_STREAM)
    assert stream_onnx(network) == stream_onnx(network)


def test_no_beats_at_a_time():
    with refused(ExportError, 0):
        stream_onnx(made_network(**SMALL_STREAM), 0)
