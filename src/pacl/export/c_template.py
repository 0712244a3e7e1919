"""A C file from parts that are written once and parts that depend on the weights."""

import re
from collections.abc import Mapping, Sequence
from importlib.resources import files

from pacl.export.errors import ExportError

PREFIX = "pacl_af"
"""What the templates' names begin with."""


def filled(templates: Sequence[tuple[str, str]], parts: Mapping[str, str], prefix: str) -> bytes:
    """Templates one after the other, each as package and name; `@part` in a comment is a part."""
    text = "\n".join(
        (files(package) / "template" / f"{name}.c").read_text("utf-8")
        for package, name in templates
    )
    text = text.replace(PREFIX, prefix).replace(PREFIX.upper(), prefix.upper())
    for name, part in parts.items():
        text = text.replace(f"/* @{name} */", part)
    return text.encode()


def check_prefix(prefix: str) -> None:
    """Refuse what C names cannot begin with."""
    if not re.fullmatch("[a-z][a-z0-9_]*", prefix):
        raise ExportError(f"prefix {prefix!r}; give lower-case letters, digits and _, as {PREFIX}")
