"""Settings as TOML, which Python can read but not write."""

import json
from collections.abc import Mapping, Sequence
from typing import Any


def as_toml(settings: Mapping[str, Any], *, says: Sequence[str] = ()) -> bytes:
    """Tables of settings, after lines of comment; what is None is left out."""
    lines = [f"# {line}" for line in says]
    lines += _lines({k: v for k, v in settings.items() if not isinstance(v, Mapping)})
    for name, table in settings.items():
        if isinstance(table, Mapping):
            lines += ["", f"[{name}]", *_lines(table)]
    return ("\n".join(lines) + "\n").encode()


def _lines(table: Mapping[str, Any]) -> list[str]:
    return [f"{key} = {_value(value)}" for key, value in table.items() if value is not None]


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, float):
        return repr(value)
    return json.dumps(value, ensure_ascii=False)  # words, whole numbers, true and false
