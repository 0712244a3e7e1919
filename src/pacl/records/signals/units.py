"""Units of voltage, and how large an ECG is where none is stated."""

import numpy as np

from pacl.axes import Array, Float32
from pacl.records.errors import ValueRangeError

_MV_PER = {"v": 1e3, "mv": 1.0, "uv": 1e-3, "nv": 1e-6}
_WORDS = {"volt": "v", "millivolt": "mv", "microvolt": "uv", "nanovolt": "nv", "mvolt": "mv"}
_UNKNOWN = {"", "-", "?", "adu", "counts", "lsb", "n/a", "na", "none", "nu", "raw", "unknown"}
_MICRO = str.maketrans({"\N{MICRO SIGN}": "u", "\N{GREEK SMALL LETTER MU}": "u", "Â": ""})
_LOOKED_AT = 1_000_000
_LEAST_MV, _MOST_UV = 0.05, 1e6


def millivolts_per(unit: str) -> float | None:
    """Millivolts in one of a unit; nothing where it is no unit of voltage.

    Examples
    --------
    >>> millivolts_per("µV"), millivolts_per("V"), millivolts_per("mmHg")
    (0.001, 1000.0, None)
    """
    text = unit.strip().translate(_MICRO).lower()
    return _MV_PER.get(_WORDS.get(text.removesuffix("s"), text))


def is_unknown_unit(unit: str) -> bool:
    """Whether a unit says nothing: it is empty, or counts of a converter."""
    return unit.strip().lower() in _UNKNOWN


def scale_by_size(values: Float32[Array, "sample"], source: str) -> float:
    """Millivolts per step of samples without a unit, judged by their spread.

    The spread lies between the 0.5th and the 99.5th percentile. It is 0.3 to 10 mV in nearly any
    ECG from the skin. So below 0.05 the samples are volts, from 0.05 to 50 millivolts, above
    microvolts. Counts of a converter are mostly read as microvolts: the shape is right, the height
    is not. A spread above a million, one volt, is no ECG.
    """
    some = values[:: max(1, values.size // _LOOKED_AT)]
    some = some[np.isfinite(some)]
    if not some.size:
        return 1.0
    low, high = np.percentile(some, (0.5, 99.5))
    spread = float(high) - float(low)
    if spread > _MOST_UV:
        raise ValueRangeError(
            source,
            f"samples without a unit spread over {spread:.3g}, expected at most {_MOST_UV:g}",
            "name the unit in the header, as in 'ecg [uV]'",
        )
    if spread > 50:
        return _MV_PER["uv"]
    return _MV_PER["mv"] if spread >= _LEAST_MV or spread == 0 else _MV_PER["v"]
