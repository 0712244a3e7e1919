"""One edit: a mark or a note on a stretch of a recording; and taking one back."""

import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, TypeAlias, get_args

from pacl.detect import Mark
from pacl.edits.errors import EditError
from pacl.stored import Between, MisfitError, build, shown

EditKind = Literal["af", "not-af", "sinus", "exclude", "note"]
StepKind = Literal["undo", "redo"]

MOST_NOTE = 2000
"""Characters of a note."""

LONGEST_S = 1e10
Seconds = Annotated[float | int, Between(-LONGEST_S, LONGEST_S)]

_ID = re.compile(r"[0-9a-f]{16}")
_NO_TEXT = re.compile("[\0\ud800-\udfff]")
"""Zero, and halves of a character: no file can hold them as text."""


def _new_id() -> str:
    return secrets.token_hex(8)


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True, slots=True)
class Edit:
    """A mark or a note on a stretch, in seconds from the start of the recording.

    `id` and `at`, the time of marking, are made if they are not given. Times are rounded to ms.
    """

    kind: EditKind
    start_s: Seconds
    end_s: Seconds
    note: str = ""
    id: str = field(default_factory=_new_id)
    at: str = field(default_factory=_now)

    def __post_init__(self) -> None:
        if self.kind not in get_args(EditKind):
            raise EditError(
                f"an edit {shown(self.kind)}; use one of {', '.join(get_args(EditKind))}"
            )
        _check_id(self.id)
        _check_time(self.at)
        for name in ("start_s", "end_s"):
            value = getattr(self, name)
            if not -LONGEST_S <= value <= LONGEST_S:  # not a number is refused, too
                raise EditError(f"{name} {value}; give seconds from the start of the recording")
            object.__setattr__(self, name, round(float(value), 3))
        if self.start_s > self.end_s or (self.start_s == self.end_s and self.kind != "note"):
            raise EditError(
                f"{self.kind} from {self.start_s:g} to {self.end_s:g} s is empty; give the start, "
                "then the end"
            )
        if self.kind == "note" and not self.note.strip():
            raise EditError("a note without text; write something, or leave it out")
        if len(self.note) > MOST_NOTE:
            raise EditError(f"a note of {len(self.note):,} characters; at most {MOST_NOTE:,}")
        if _NO_TEXT.search(self.note):
            raise EditError(f"the note {shown(self.note)} cannot be written as text; correct it")

    @property
    def mark(self) -> Mark | None:
        """What the detector takes of it; none for a note."""
        return None if self.kind == "note" else Mark(self.kind, self.start_s, self.end_s)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as in the file."""
        found = {"id": self.id, "at": self.at, "kind": self.kind}
        return {**found, "start_s": self.start_s, "end_s": self.end_s, "note": self.note}


@dataclass(frozen=True, slots=True)
class Step:
    """An edit taken back (`undo`), or put back in its place (`redo`): the one with the id `of`."""

    kind: StepKind
    of: str
    id: str = field(default_factory=_new_id)
    at: str = field(default_factory=_now)

    def __post_init__(self) -> None:
        if self.kind not in get_args(StepKind):
            raise EditError(f"a step {shown(self.kind)}; use undo or redo")
        _check_id(self.id)
        _check_id(self.of)
        _check_time(self.at)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as in the file."""
        return {"id": self.id, "at": self.at, "kind": self.kind, "of": self.of}


Entry: TypeAlias = Edit | Step


def entry_from(values: Mapping[str, Any]) -> Entry:
    """An edit, or a step, from plain values such as those of JSON.

    Wrong types, unknown names and unknown kinds are refused, each with its name.
    """
    kind = values.get("kind")
    make: type[Entry] = Edit if kind in get_args(EditKind) else Step
    if make is Step and kind not in get_args(StepKind):
        known = ", ".join((*get_args(EditKind), *get_args(StepKind)))
        raise EditError(
            f"an edit of the kind {shown(kind)}, expected one of {known}; a newer version of pacl "
            "may have written it: use that one"
        )
    try:
        found: Entry = build(make, values)
    except MisfitError as error:
        raise EditError(str(error)) from error
    return found


def as_line(values: dict[str, Any]) -> bytes:
    """One line of the file; all of it ASCII, so that no character can be torn."""
    return json.dumps(values).encode("ascii") + b"\n"


def _check_id(given: str) -> None:
    if not _ID.fullmatch(given):
        raise EditError(f"the id {shown(given)}; expected 16 digits from 0 to 9 and a to f")


def _check_time(given: str) -> None:
    try:
        zoned = len(given) <= 40 and datetime.fromisoformat(given).tzinfo is not None
    except ValueError:
        zoned = False
    if not zoned:
        raise EditError(f"the time {shown(given)}; expected one such as 2026-11-18T09:00:00Z")
