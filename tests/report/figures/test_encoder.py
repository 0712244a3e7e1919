import pytest
import torch

from pacl.models import Encoder, ModelError
from pacl.report.figures.encoder import compute_architecture, draw_architecture
from pacl.report.style import FigureError
from support.refusals import refused

CONFIGS = [
    {},
    {"kernels": [5], "channels": [8], "norm": "none", "dropout": 0.0},
    {"kernels": [3, 5, 7, 9, 11], "channels": [8, 8, 16, 16, 32], "in_channels": 2},
    {"pooled_by": "mix", "norm": "batch", "pooled_features": 24, "dropout_places": ["projection"]},
]


@pytest.mark.parametrize("config", CONFIGS)
def test_the_boxes_hold_every_parameter_once(config):
    found = compute_architecture(config)
    boxes = [*(box for row in found.branches for box in row), *found.trunk, *found.head]
    assert sum(box.parameters for box in [*boxes, found.beats, found.pooled]) == found.parameters
    weights = Encoder(**config).parameters()
    assert found.parameters == sum(one.numel() for one in weights)


def test_the_papers_encoder_by_hand():
    found = compute_architecture({})
    assert found.parameters == 135_009
    first = found.branches[1][0]  # kernel 5: 16 x 5 weights, 16 biases, 2 x 16 of the norm
    assert (first.parameters, first.shape) == (128, "16 \N{MULTIPLICATION SIGN} 100")
    assert [row[-1].shape for row in found.branches] == ["64 \N{MULTIPLICATION SIGN} 25"] * 3
    assert [box.dropout for box in found.trunk] == [0.12] * 3
    assert found.head[0].dropout == 0


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("beats", [40, 201])
def test_shapes_are_those_of_a_forward_pass(config, beats):
    found, encoder = compute_architecture(config, beats), Encoder(**config).eval()
    x = torch.randn(2, encoder.config["in_channels"], beats)
    for branch, boxes in zip(encoder.branches, found.branches, strict=True):
        out = x
        for at, box in enumerate(boxes):
            out = branch[3 * at : 3 * at + 3](out)
            assert box.shape == "{} \N{MULTIPLICATION SIGN} {}".format(*out.shape[1:])
    embedded = encoder(x)
    assert found.pooled.shape == str(embedded.pooled.shape[1])
    assert found.head[-1].shape == str(embedded.projected.shape[1])


@pytest.mark.parametrize("config", CONFIGS)
def test_any_settings_can_be_drawn_within_the_page(config):
    figure = draw_architecture(compute_architecture(config))
    for text in figure.axes[0].texts:
        if text.get_text():
            box = text.get_window_extent()
            assert 0 <= box.x0 <= box.x1 <= figure.bbox.width
            assert 0 <= box.y0 <= box.y1 <= figure.bbox.height


def test_no_settings_of_an_encoder_are_refused():
    with refused(FigureError, "depth"):
        compute_architecture({"depth": 3})
    with refused(ModelError, "kernels"):
        compute_architecture({"kernels": [4]})
