"""A beat network as an ONNX file for whole recordings."""

from collections.abc import Mapping

from onnx import TensorProto, helper

from pacl.export.beats.folded import fold_norm
from pacl.export.beats.graph import Graph
from pacl.export.beats.layers import add_network, stated_of
from pacl.models.beat_network import BeatNetwork


def whole_onnx(network: BeatNetwork, about: Mapping[str, str] | None = None) -> bytes:
    """The content of a file; the same weights give the same bytes.

    It takes `rr_ms` (float32) and `present` (bool), both of shape (1, beats), and gives `logits`
    of shape (1, beats - behind - ahead): as the network, of all beats but the first `behind` and
    the last `ahead`. Its metadata states `format`, `kind`, `config`, `behind` and `ahead`.

    It is quickest with 8,000 to 32,000 beats at a time, which fit into the cache of a core.

    Parameters
    ----------
    network
        With a running mean of at least 3 beats. It is exported as it is in evaluation.
    about
        More metadata.
    """
    folded, graph = fold_norm(network), Graph()
    add_network(graph, folded, "rr_ms", "present", before=lambda columns, shape, older: columns)
    return graph.content(
        [
            helper.make_tensor_value_info("rr_ms", TensorProto.FLOAT, [1, "beats"]),
            helper.make_tensor_value_info("present", TensorProto.BOOL, [1, "beats"]),
        ],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, "inner"])],
        stated_of(folded, "whole"),
        about or {},
    )
