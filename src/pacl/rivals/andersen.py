"""Convolutions and an LSTM, trained end to end: after Andersen et al. (2019).

What the network is, and what was decided about it: `pacl.models.andersen`. Decided here: batches,
what is done to windows, AdamW and its cosine are those of every system in the comparison.
"""

from pacl.rivals.end_to_end import CrossEntropyTrained
from pacl.rivals.on_networks import andersen_network

ANDERSEN = CrossEntropyTrained(
    name="andersen-style", title="CNN and LSTM (Andersen-style)", make=andersen_network
)
