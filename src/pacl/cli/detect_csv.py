"""What was found in recordings, as CSV."""

import csv
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pacl.printable import plain_cell

if TYPE_CHECKING:
    from pacl.detect import Detection

EPISODE = ("start_s", "end_s", "confidence", "start", "end")
COLUMNS = ("file", "record", "verdict", "af_burden", *EPISODE, "judged_share", "reason")


def as_csv(found: Sequence["Detection"]) -> str:
    """One row per episode; one without times for a recording that has none."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(COLUMNS)
    for one in found:
        stated = one.to_dict()
        burden = "" if one.af_burden is None else f"{one.af_burden:.6f}"
        head = (plain_cell(one.source), plain_cell(one.record_id), one.verdict, burden)
        tail = (f"{one.judged_share:.6f}", one.reason or "")
        for episode in stated["episodes"] or [{}]:
            rows.writerow([*head, *(episode.get(key, "") for key in EPISODE), *tail])
    return text.getvalue()
