"""Keys of earlier versions, in files and on the command line."""

from collections.abc import Mapping
from typing import Any

FORMER_KEYS = {
    "sampler.patients": "sampler.subjects",
    "train.breath": "augmentation.respiratory_arrhythmia",
    "train.respiratory_arrhythmia": "augmentation.respiratory_arrhythmia",
    "train.faults": "augmentation.faults",
}
"""And what they are called today."""

FORMER_AUGMENTATION = "rr"
"""The one that the keys of an augmentation belonged to."""


def restated(stated: Any) -> Any:
    """Settings under the keys of today.

    Examples
    --------
    >>> restated({"sampler": {"patients": 4}, "train": {"faults": 0.5}})
    {'sampler': {'subjects': 4}, 'train': {}, 'augmentation': {'name': 'rr', 'faults': 0.5}}
    """
    if not isinstance(stated, Mapping):
        return stated
    found = {
        key: dict(value) if isinstance(value, Mapping) else value for key, value in stated.items()
    }
    for old, new in FORMER_KEYS.items():
        (part, key), (home, today) = old.split("."), new.split(".")
        section = found.get(part)
        if not isinstance(section, dict) or key not in section:
            continue
        value = section.pop(key)
        there = found.setdefault(home, {})
        if isinstance(there, dict):
            if home == "augmentation":
                there.setdefault("name", FORMER_AUGMENTATION)
            there.setdefault(today, value)
    return found
