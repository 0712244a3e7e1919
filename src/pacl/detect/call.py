"""From intervals to a result in one call: `pacl.detect(rr_ms)`."""

from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from pacl.detect.bundled import BUNDLED
from pacl.detect.detection import MIN_DURATION_S, Detection
from pacl.detect.detector import Detector
from pacl.detect.judge import Mode, OperatingPoint
from pacl.detect.person import Person
from pacl.records import Record
from pacl.records.text import Unit

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_detector = cache(Detector)


def detect(
    rr: "Record | ArrayLike",
    mode: Mode = "look-ahead",
    *,
    unit: Unit = "auto",
    allow_smoothed: bool = False,
    weights: str | Path = BUNDLED[0],
    operating_point: OperatingPoint = "balanced",
    min_duration_s: float = MIN_DURATION_S,
    person: Person | str | Path | None = None,
) -> Detection:
    """Find AF in RR intervals; weights are loaded once.

    `rr` holds the RR intervals of one recording as a list or an array, or is a `Record`. The other
    parameters are those of `Detector` and `Detector.detect`.

    Examples
    --------
    >>> import pacl
    >>> pacl.detect([812, 790, 805]).verdict
    'cannot tell'
    """
    detector = _detector(weights, operating_point=operating_point, min_duration_s=min_duration_s)
    if person is not None:
        detector = detector.of(person)
    return detector.detect(rr, mode, unit=unit, allow_smoothed=allow_smoothed)


class CallableModule(ModuleType):
    """Makes `pacl.detect(rr)` work, while `pacl.detect` stays the package."""

    __call__ = staticmethod(detect)
