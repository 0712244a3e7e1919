"""From intervals to an answer in one call: `pacl.detect(rr_ms)`."""

from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING

from pacl.detect.bundled import BUNDLED
from pacl.detect.detection import Detection, Mode
from pacl.detect.detector import Detector
from pacl.records import Record
from pacl.records.text.values import Unit

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_detector = cache(Detector)


def detect(
    rr: "Record | ArrayLike",
    mode: Mode = "look-ahead",
    *,
    unit: Unit = "auto",
    allow_smoothed: bool = False,
    weights: str = BUNDLED[0],
) -> Detection:
    """Find AF in RR intervals with bundled weights, which are loaded once.

    Parameters
    ----------
    rr
        RR intervals of one recording as a list or an array, or a `Record`.
    mode
        Whether to look ahead, or to judge each moment by what came before it.
    unit
        `"ms"`, `"s"`, or `"auto"`, which goes by the median, as for text files.
    allow_smoothed
        Judge intervals that look resampled or averaged, too.
    weights
        Name of bundled weights that have an ONNX file.

    Examples
    --------
    >>> import pacl
    >>> pacl.detect([812, 790, 805]).verdict  # doctest: +SKIP
    'cannot tell'
    """
    return _detector(weights).detect(rr, mode, unit=unit, allow_smoothed=allow_smoothed)


class CallableModule(ModuleType):
    """Makes `pacl.detect(rr)` work, while `pacl.detect` stays the package."""

    __call__ = staticmethod(detect)
