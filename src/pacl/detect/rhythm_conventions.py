"""Where conventions differ: is atrial flutter AF, and is a beat without a rhythm mark not AF.

Studies differ in both, and their figures with them. The detector's answer does not depend on it.
"""

from dataclasses import replace
from typing import Literal, TypeAlias

from pacl.cohort.all_beats import is_flutter
from pacl.records import Record, Rhythm, Span

Flutter: TypeAlias = Literal["left-out", "as-af", "as-not-af"]
Unmarked: TypeAlias = Literal["left-out", "as-not-af"]

_FLUTTER = {"as-af": Rhythm.AF, "as-not-af": Rhythm.SR}


def annotated_as(
    record: Record, flutter: Flutter = "left-out", unmarked: Unmarked = "left-out"
) -> Record:
    """A recording with its annotations read by a convention.

    Parameters
    ----------
    flutter
        `left-out`: atrial flutter counts as neither. `as-af`: as AF. `as-not-af`: as not AF.
        Flutter that was read as AF (`ReadOptions.flutter_is_af`) stays AF.
    unmarked
        `left-out`: beats without a rhythm mark count as neither. `as-not-af`: as not AF, which is
        right for databases that mark only AF, such as CPSC2021, or healthy people, such as NSRDB.
    """

    def rhythm(span: Span) -> Rhythm:
        if span.rhythm is Rhythm.OTHER and is_flutter(span):
            return _FLUTTER.get(flutter, span.rhythm)
        if span.rhythm is Rhythm.UNKNOWN and unmarked == "as-not-af":
            return Rhythm.SR
        return span.rhythm

    return replace(record, spans=tuple(replace(span, rhythm=rhythm(span)) for span in record.spans))
