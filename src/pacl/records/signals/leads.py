"""Which signals of a file are an ECG."""

import re
from collections.abc import Sequence

from pacl.records.errors import FormatError, LayoutError
from pacl.records.signals.units import is_unknown_unit, millivolts_per

MAX_DECODED_BYTES = 2 * 1024**3
"""Above this, the leads of one recording are not held in memory."""

_ECG = re.compile(r"(?<![a-z])(ecg|ekg|electrocardio|elektrokardio)", re.IGNORECASE)
_LEAD = re.compile(
    r"(lead|abl|ableitung|derivation|channel)?[ _-]*"
    r"(m?l?(i|ii|iii)|ml[1-3]|d(i|ii|iii|[1-4])|avr|avl|avf|m?v[1-9]r?|v|vx|vy|vz|mlv[1-6]"
    r"|m?cl[1-6]|c[bmcsr][1-6]|e-?s|a-?s|a-?i|nasa|holter)"
    r"([ _-]*(lead|raw|ref))?",
    re.IGNORECASE,
)
_NOT_OF_ECG = {"hr", "rate", "bpm", "resp", "rr", "rri", "quality", "sqi", "imp", "impedance"}
_OTHER = _NOT_OF_ECG | {
    *("eeg", "eog", "emg", "loc", "roc", "chin", "leg", "tib", "tibialis", "arm", "masseter"),
    *("respiration", "thor", "thorax", "abdo", "abd", "abdomen", "flow", "airflow", "nasal"),
    *("breath", "breathing", "effort", "snore", "snoring", "mic", "pleth", "ppg", "bvp", "spo"),
    *("sao", "pulse", "abp", "art", "bp", "cvp", "pap", "icp", "pressure", "press", "pcg", "scg"),
    *("acc", "accel", "accx", "accy", "accz", "accelerometer", "gyro", "mag", "motion", "imu"),
    *("temp", "temperature", "eda", "gsr", "light", "pos", "position", "marker", "event", "events"),
    *("trigger", "trig", "status", "battery", "annotation", "annotations", "time", "timestamp"),
    *("index", "nn", "ibi", "nni", "ppi", "interval", "intervals", "heart", "heartrate", "seq"),
    *("dc", "co", "etco", "capno", "gait", "force"),
}
_ELECTRODE = r"(fp|af|fc|ft|cp|tp|po|f|c|p|o|t|a|m|e)(z|[0-9]{1,2})"
_EEG = re.compile(rf"{_ELECTRODE}([ _:-]+({_ELECTRODE}|ref|le|avg?))?", re.IGNORECASE)
_LISTED = 20


def is_ecg_name(name: str) -> bool:
    """Whether a signal is named as an ECG: `MLII`, `V1`, `aVF`, `ECG I`, `EKG-REF`, `CM5`."""
    text = name.strip()
    if _ECG.search(text):
        return not set(_words(text)) & _NOT_OF_ECG
    return _LEAD.fullmatch(text) is not None


def is_other_name(name: str) -> bool:
    """Whether a signal is named as something else: `EEG Fpz-Cz`, `RESP`, `PLETH`, `ABP`."""
    text = name.strip()
    if is_ecg_name(text):
        return False
    return bool(set(_words(text)) & _OTHER) or _EEG.fullmatch(text) is not None


def choose_leads(
    names: Sequence[str], units: Sequence[str], wanted: str | None, source: str
) -> list[int]:
    """Positions of the signals to read.

    Parameters
    ----------
    names, units
        Of each signal of the file; an empty unit is one that is not stated.
    wanted
        A name, or a number that counts the signals of the file from 1. By default all signals that
        are named as an ECG and have a unit of voltage, or none; where there is none, all voltages
        that are not known to be something else.
    source
        What messages name.
    """
    if wanted is not None:
        return [_wanted(names, units, wanted, source)]
    voltage = [millivolts_per(unit) is not None for unit in units]
    known = [
        at
        for at, name in enumerate(names)
        if is_ecg_name(name) and (voltage[at] or is_unknown_unit(units[at]))
    ]
    others = (at for at, name in enumerate(names) if voltage[at] and not is_other_name(name))
    found = known or list(others)
    if not found:
        raise FormatError(
            source,
            f"no signal is known to be an ECG among {_listing(names, units)}",
            "if one is, name it with --lead, by its name or its number",
        )
    return found


def check_decoded_size(leads: int, samples: int, source: str) -> None:
    """Refuse more samples than are held in memory."""
    size = 4 * leads * samples
    if size > MAX_DECODED_BYTES:
        raise LayoutError(
            source,
            f"{leads} leads of {samples:,} samples need {size:,} bytes, expected at most "
            f"{MAX_DECODED_BYTES:,}",
            "read one lead with --lead" if leads > 1 else "split the recording",
        )


def _wanted(names: Sequence[str], units: Sequence[str], wanted: str, source: str) -> int:
    text = wanted.strip()
    for key in (str.strip, lambda name: name.strip().lower(), _plain):
        found = [at for at, name in enumerate(names) if key(name) == key(text) and key(text)]
        if len(found) == 1:
            return _voltage(found[0], names, units, source)
    if re.fullmatch(r"[0-9]{1,6}", text) and 1 <= int(text) <= len(names):
        return _voltage(int(text) - 1, names, units, source)
    raise FormatError(
        source,
        f"--lead {text[:40]!r} names none or several of the signals {_listing(names, units)}",
        "give one of these names, or a number counting from 1",
    )


def _voltage(at: int, names: Sequence[str], units: Sequence[str], source: str) -> int:
    if millivolts_per(units[at]) is None and not is_unknown_unit(units[at]):
        raise FormatError(
            source,
            f"signal {names[at][:40]!r} is in {units[at][:20]!r}, expected mV, uV or V",
            f"correct the unit in the file, or choose another signal with --lead; there are "
            f"{_listing(names, units)}",
        )
    return at


def _plain(name: str) -> str:
    """A name without `ECG`, `lead` and signs: `ECG lead II` and `ii` are the same."""
    return "".join(word for word in re.findall(r"[^\W_]+", name.lower()) if word not in _FILLING)


_FILLING = {"ecg", "ekg", "lead"}


def _words(name: str) -> list[str]:
    return re.findall(r"[a-z]+", name.lower())


def _listing(names: Sequence[str], units: Sequence[str]) -> str:
    shown = [
        f"{at}: {name[:24]!r}" + (f" [{unit[:10]}]" if unit else "")
        for at, (name, unit) in enumerate(zip(names, units, strict=True), 1)
    ]
    return ", ".join(shown[:_LISTED]) + (", ..." if len(shown) > _LISTED else "")
