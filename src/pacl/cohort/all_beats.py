"""All beats of all patients: no scale, no hour known to be sinus rhythm (2.1).

```
annotated   SR SR SR | bigeminy | SR SR | AF AF AF AF | flutter | AF AF | SR SR
excerpts    |------- not AF ----------|  |--- AF ----|             |-AF-|  |not AF|
```
"""

from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from pacl.cohort.protocol import Excerpt, Selection, Share, after_lead_in
from pacl.records import Record, Rhythm, Span

Others = Literal["not-af", "left-out"]
FLUTTER = "AFL"
"""Mark of atrial flutter, without WFDB's bracket, in capitals. Studies differ on whether it is AF:
no windows of it are taken."""


@dataclass(frozen=True)
class AllBeatsProtocol:
    """For unseen patients: all AF, and all that is known not to be AF, in ms.

    Patients without any sinus rhythm take part. Windows labelled SR are those without AF; unless
    other rhythms are left out, they may hold bigeminy or runs of tachycardia and SR.
    """

    others: Others = "not-af"
    """What other rhythms are, such as bigeminy; flutter is left out in any case."""

    @property
    def min_to_onset_s(self) -> float:
        """Windows may end right before AF."""
        return 0.0

    def select(self, record: Record) -> Selection:
        """Take all runs of AF, and all runs without it."""
        begin = after_lead_in(record)
        runs = self._joined(record)
        excerpts = []
        for at, (start, stop, rhythm) in enumerate(runs):
            if rhythm is None or stop <= begin:
                continue
            after = runs[at + 1][2] if at + 1 < len(runs) else None
            before_af = rhythm is Rhythm.SR and after is Rhythm.AF
            next_af = stop if before_af else -1
            excerpts.append(Excerpt(max(start, begin), stop, rhythm, next_af=next_af))
        return Selection((Share((), tuple(excerpts), in_ms=True),) if excerpts else (), {})

    def _joined(self, record: Record) -> list[tuple[int, int, Rhythm | None]]:
        """Start, stop and label; neighbouring spans of one label are joined."""
        labelled = groupby(record.spans, self._label)
        groups = ((list(spans), label) for label, spans in labelled)
        return [(spans[0].start, spans[-1].stop, label) for spans, label in groups]

    def _label(self, span: Span) -> Rhythm | None:
        """The label of windows of a span; None where they are not taken."""
        if span.rhythm in (Rhythm.SR, Rhythm.AF):
            return span.rhythm
        takes = self.others == "not-af" and span.rhythm is Rhythm.OTHER
        return Rhythm.SR if takes and not is_flutter(span) else None


def is_flutter(span: Span) -> bool:
    """Whether a span is marked as atrial flutter."""
    return span.mark.upper().removeprefix("(") == FLUTTER
