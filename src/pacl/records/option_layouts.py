"""Which layouts each reading option belongs to."""

from collections.abc import Collection, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from pacl.records.errors import LayoutError
from pacl.records.from_ecg import EcgOptions
from pacl.records.options import ReadOptions
from pacl.records.text import TextOptions

_TEXT = tuple(field.name for field in fields(TextOptions) if field.name != "rhythms")
_ECG = tuple(field.name for field in fields(EcgOptions))
_BELONGS: dict[str, tuple[str, ...]] = {
    "reader": (),
    "patients": ("wfdb", "text", "ecg", "export"),
    **dict.fromkeys(("flutter_is_af", "beats", "rhythm"), ("wfdb",)),
    **dict.fromkeys(_TEXT, ("text",)),
    **dict.fromkeys(_ECG, ("ecg", "wfdb")),
    "allow_smoothed": ("text", "export"),
    "column": ("text", "ecg"),
    "sampling_rate": ("ecg", "text"),
    **dict.fromkeys(("metadata", "partial"), ("iridia",)),
}
"""Layouts that an option is for."""


def of_text(options: ReadOptions) -> dict[str, Any]:
    """Options that `TextOptions` has."""
    return {name: getattr(options, name) for name in _TEXT}


def of_ecg(options: ReadOptions) -> EcgOptions:
    """How an ECG is read and searched for beats."""
    return EcgOptions(**{name: getattr(options, name) for name in _ECG})


def check_options(where: Path | str, options: ReadOptions, layouts: Collection[str]) -> None:
    """Refuse an option that belongs to none of the layouts."""
    for name in _foreign(options, layouts):
        flag = f"--{name.replace('_', '-')}"
        kinds = " and ".join(layouts)
        raise LayoutError(where, f"{flag} does not apply to {kinds} recordings", f"drop {flag}")


def without_foreign(
    options: ReadOptions, layouts: Collection[str], others: Collection[str]
) -> ReadOptions:
    """Options without those that belong to none of the layouts, and do to some of the others.

    Of a folder of several layouts each recording is read with what is meant for its own. What is
    meant for none of them stays, and is refused.
    """
    usual = ReadOptions()
    meant = set(_foreign(options, layouts)) - set(_foreign(options, others))
    return replace(options, **{name: getattr(usual, name) for name in meant})


def _foreign(options: ReadOptions, layouts: Collection[str]) -> Sequence[str]:
    """Options that are given, and belong to none of the layouts."""
    return [
        field.name
        for field in fields(options)
        if getattr(options, field.name) != field.default
        and not set(layouts) & set(_BELONGS.get(field.name, layouts))
    ]
