"""A bidirectional LSTM, trained end to end: after Faust et al. (2018).

What the network is, and what was decided about it: `pacl.models.faust`. Decided here: batches,
what is done to windows, AdamW and its cosine are those of every system in the comparison.
"""

from pacl.rivals.end_to_end import CrossEntropyTrained
from pacl.rivals.on_networks import faust_network

FAUST = CrossEntropyTrained(
    name="faust-style", title="Bidirectional LSTM (Faust-style)", make=faust_network
)
