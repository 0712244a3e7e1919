"""Beat networks as an ONNX file for whole recordings: one, or the mean of several."""

from collections.abc import Mapping

from onnx import TensorProto, helper

from pacl.export.beats.folded import fold_norm
from pacl.export.beats.graph import Graph
from pacl.export.beats.layers import add_network, stated_of
from pacl.models.beat_network import BeatNetwork


def whole_onnx(*networks: BeatNetwork, about: Mapping[str, str] | None = None) -> bytes:
    """The content of a file; the same weights give the same bytes.

    It takes `rr_ms` (float32) and `present` (bool), both of shape (1, beats), and gives `logits`
    of shape (1, beats - behind - ahead): as the network, of all beats but the first `behind` and
    the last `ahead`. Of several networks it gives the mean logit, and both are the largest there
    are. Its metadata states `format`, `kind`, `config`, `behind` and `ahead`.

    It is quickest with 8,000 to 32,000 beats at a time, which fit into the cache of a core.

    Parameters
    ----------
    networks
        At least one, with a running mean of at least 3 beats. They are exported as in evaluation.
    about
        More metadata.
    """
    folded, graph = [fold_norm(one) for one in networks], Graph()
    behind, ahead = max(one.behind for one in folded), max(one.ahead for one in folded)
    found = []
    for one in folded:
        rr_ms, present = (
            graph.columns(name, behind - one.behind, ahead - one.ahead)
            for name in ("rr_ms", "present")
        )
        into = "logits" if len(folded) == 1 else None
        found.append(add_network(graph, one, rr_ms, present, lambda new, shape, older: new, into))
    if len(found) > 1:
        graph.add("Mean", *found, into="logits")
    stated = {"behind": str(behind), "ahead": str(ahead)}
    return graph.content(
        [
            helper.make_tensor_value_info("rr_ms", TensorProto.FLOAT, [1, "beats"]),
            helper.make_tensor_value_info("present", TensorProto.BOOL, [1, "beats"]),
        ],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, "inner"])],
        {**stated_of(folded, "whole"), **stated},
        about or {},
    )
