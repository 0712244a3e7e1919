"""The keys of a `cohort.toml`, and what can be wrong with them."""

import re
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pacl.records.rhythm import Rhythm
from pacl.records.tree import MANIFEST, is_usable
from pacl.stored import shown

RHYTHMS = {kind.name: kind for kind in (Rhythm.SR, Rhythm.AF, Rhythm.OTHER)}
"""What `unmarked` can be."""

_TEXTS = ("recordings", "name", "source", "licence", "unmarked", "patient")


def problems_of(found: Mapping[str, Any], path: Path) -> Iterator[str]:
    """Each problem of a manifest: the key, what is wrong, and what to do."""
    for key in sorted(found.keys() - {*_TEXTS, "patients"}):
        yield f"{shown(key)}: no such key; use {', '.join(_TEXTS)} or patients"
    for key in _TEXTS:
        value = found.get(key)
        if value is None:
            continue
        stated = f"{key} = {shown(value)}"
        if not _is_text(value):
            yield f"{stated}: expected a text; write it in quotes, on one line"
        elif key == "recordings" and not (path.parent / value).is_dir():
            yield f"{stated}: there is no folder {path.parent / value}; correct it"
        elif key == "unmarked" and value not in RHYTHMS:
            yield f"{stated}: no rhythm; write {', '.join(RHYTHMS)} or leave it out"
        elif key == "patient":
            yield from (f"{stated}: {wrong}" for wrong in _of_pattern(value))
    if "recordings" not in found and path.name != MANIFEST:
        yield (
            "recordings is missing; name the folder of the recordings, or call the file "
            f"{MANIFEST} and put it there"
        )
    yield from _of_patients(found.get("patients", {}))


def _of_pattern(pattern: str) -> Iterator[str]:
    try:
        with warnings.catch_warnings(action="error"):  # what Python may read otherwise one day
            groups = re.compile(pattern).groups
    except (re.error, OverflowError, RecursionError, Warning) as error:
        yield f"no pattern ({error}); correct the regular expression"
        return
    if groups != 1:
        yield (
            f"{groups} groups, expected one; put the part of the name that "
            "is the patient in brackets, and begin any other bracket with ?:"
        )


def _of_patients(patients: Any) -> Iterator[str]:
    if not isinstance(patients, dict):
        yield f"patients = {shown(patients)}: expected a table; write [patients] and lines below it"
        return
    for record, patient in patients.items():
        if not _is_text(patient):
            yield (
                f"patients.{record} = {shown(patient)}: expected a text; write both names in quotes"
            )


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value) and is_usable(value)
