"""Settings as TOML, such as `pacl train --config` reads."""

from collections.abc import Mapping, Sequence
from typing import Any


def as_toml(settings: Mapping[str, Any], *, says: Sequence[str] = ()) -> bytes:
    """Tables of settings, after lines of comment; a setting that is None is left out."""
    import tomli_w  # only commands that write settings need it

    comments = "".join(f"# {line}\n" for line in says)
    return f"{comments}{tomli_w.dumps(_known(settings))}".encode()


def _known(table: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: _known(value) if isinstance(value, Mapping) else value
        for key, value in table.items()
        if value is not None
    }
