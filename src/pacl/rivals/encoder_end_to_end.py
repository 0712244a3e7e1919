"""The proposed encoder trained end to end with cross-entropy, and no contrast before.

What `bce` is before it is frozen and probed: its head on z judges windows itself.
"""

from pacl.rivals.contrastive import relative_encoder
from pacl.rivals.end_to_end import CrossEntropyTrained

END_TO_END = CrossEntropyTrained(
    name="end-to-end", title="Cross-entropy, end to end", make=relative_encoder
)
