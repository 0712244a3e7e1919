"""ONNX for whole recordings says what torch says."""

import json

import numpy as np
import onnx
import pytest
import torch

from pacl.export import ExportError
from pacl.export.beats import whole_onnx
from pacl.export.parity import open_session
from support.beat_networks import SMALL, SMALL_STREAM, beats, made_network
from support.refusals import refused

CONFIGS = {
    "both ways": SMALL,
    "stream": SMALL_STREAM,
    "in blocks of 16": {**SMALL, "channels": 16},
    "mean of 3": {**SMALL, "mean_beats": 3},
    "as bundled": {},
}


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_it_says_what_torch_says_for_any_number_of_beats(config):
    network = made_network(**config)
    session, least = open_session(whole_onnx(network)), network.behind + network.ahead
    for count in (least + 1, least + 2, least + 150):
        rr_ms, there = beats(count)[None], np.random.default_rng(1).random((1, count)) > 0.1
        rr_ms[:, ::13] = 90.0
        rr_ms[:, ::17] = 9000.0
        (found,) = session.run(None, {"rr_ms": rr_ms, "present": there})
        with torch.no_grad():
            expected = network(torch.from_numpy(rr_ms), torch.from_numpy(there)).numpy()
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)
    assert expected.std() > 0.1


def test_what_it_says_of_itself():
    network = made_network(**SMALL_STREAM)
    about = open_session(whole_onnx(network, about={"data": "nobody's"})).get_modelmeta()
    stated = about.custom_metadata_map
    assert json.loads(stated.pop("config")) == [network.config]
    assert stated == {
        "format": "pacl beats 1",
        "kind": "whole",
        "behind": str(network.behind),
        "ahead": str(network.ahead),
        "data": "nobody's",
    }
    assert about.producer_name == "pacl"


def test_the_same_weights_give_the_same_bytes():
    network = made_network(**SMALL)
    content = whole_onnx(network)
    assert content == whole_onnx(network)
    assert not any(node.doc_string for node in onnx.load_from_string(content).graph.node)


def test_what_is_stated_here_cannot_be_stated_twice():
    with refused(ExportError, "behind"):
        whole_onnx(made_network(**SMALL), about={"behind": "3"})


def test_several_networks_give_their_mean():
    networks = [made_network(**SMALL), made_network(**SMALL_STREAM)]
    behind, ahead = max(one.behind for one in networks), max(one.ahead for one in networks)
    rr_ms = np.random.default_rng(0).lognormal(6.6, 0.2, (1, 90)).astype(np.float32)
    there = np.ones(rr_ms.shape, np.bool_)
    (found,) = open_session(whole_onnx(*networks)).run(None, {"rr_ms": rr_ms, "present": there})
    apart = []
    for one in networks:
        part = slice(behind - one.behind, rr_ms.shape[1] - (ahead - one.ahead))
        with torch.no_grad():
            seen = torch.from_numpy(rr_ms[:, part]), torch.from_numpy(there[:, part])
            apart.append(one(*seen).numpy())
    np.testing.assert_allclose(found, np.mean(apart, axis=0), rtol=0, atol=1e-5)
