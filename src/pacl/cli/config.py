"""Settings of a command: defaults, then a TOML file, then flags; all problems reported at once."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from pacl.cli.flags import Given
from pacl.errors import PaclError
from pacl.settings import Problem, SettingsError, Words, restated, settled
from pacl.stored import as_read, read_toml

S = TypeVar("S")


class ConfigError(PaclError):
    """Settings that are unknown or of the wrong kind, each with its dotted key."""


def settle(kind: type[S], file: Path | None, flags: Given | Mapping[str, Any] | None) -> S:
    """Merge defaults, a TOML file and flags, the later ones first, and check the result."""
    given: dict[str, Any] = {}
    if file is not None:
        given = settings_in(file)
        validated(kind, given, str(file))  # before flags can cover what is wrong in it
    stated = given_by(flags)
    return validated(kind, laid_over(given, stated), str(file or "settings"), stated)


def given_by(flags: Given | Mapping[str, Any] | None) -> dict[str, Any]:
    """What flags give, as nested values."""
    found = flags.nested() if isinstance(flags, Given) else dict(flags or {})
    stated: dict[str, Any] = restated(found)
    return stated


def settings_in(file: Path) -> dict[str, Any]:
    """The content of a settings file, under the keys of today."""
    remedy = "check the path, and that it is TOML"
    found = read_toml(file, lambda path, what: ConfigError(f"{path}: {what}; {remedy}"))
    stated: dict[str, Any] = restated(found)
    return stated


def validated(
    kind: type[S],
    given: Mapping[str, Any],
    source: str,
    flags: Mapping[str, Any] | None = None,
) -> S:
    """Settings of a kind, or all problems with them, each with its dotted key or its flag."""
    try:
        return settled(kind, given)
    except SettingsError as error:
        lines = [f"  {_line(problem, flags or {})}" for problem in error.problems]
        raise ConfigError(f"{source}:\n" + "\n".join(lines)) from error


def laid_over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Nested settings, overridden by others; those of another name replace the section."""
    merged = dict(below)
    for key, value in above.items():
        under = below.get(key)
        if isinstance(value, Mapping) and isinstance(under, Mapping):
            other = "name" in value and str(value["name"]) != str(under.get("name", value["name"]))
            merged[key] = dict(value) if other else laid_over(under, value)
        else:
            merged[key] = value
    return merged


def as_text(settings: Any) -> str:
    """Settings as JSON, for --print-config."""
    stated = settings.to_dict() if hasattr(settings, "to_dict") else asdict(settings)
    return json.dumps(as_read(_plain(stated)), indent=1)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    return str(value) if isinstance(value, Path | Words) else value


def _line(problem: Problem, flags: Mapping[str, Any]) -> str:
    """A problem by its key, or by the flag that it came with."""
    keys = list(problem.keys)
    known = _flag(keys, flags)
    if known is None:
        return str(problem)
    return f"{known}: {problem.reason}"


def _flag(keys: list[str], flags: Mapping[str, Any]) -> str | None:
    found: list[str] = []
    there: Any = flags
    for key in keys:
        if not isinstance(there, Mapping):
            break
        if key not in there:
            return None
        found.append(key.replace("_", "-"))
        there = there[key]
    return f"--{'.'.join(found)}" if found and not isinstance(there, Mapping) else None
