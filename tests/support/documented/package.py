"""The package that a page writes: its files and its entry points, as if it were installed."""

import ast
import contextlib
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pacl.ecg import BEAT_FINDERS
from pacl.records import READERS
from pacl.registry import Registry
from pacl.settings import AUGMENTATIONS, ENCODERS, LOSSES
from support.documented.pages import PYTHON, Block, blocks
from support.second_package import install

REGISTRIES: tuple[Registry[Any], ...] = (AUGMENTATIONS, BEAT_FINDERS, ENCODERS, LOSSES, READERS)


def file_of(block: Block) -> str | None:
    """The file that a block is the content of: it begins with a docstring that names it."""
    told = ast.get_docstring(ast.parse(block.text))
    return told if told and told.endswith(".py") and " " not in told else None


@contextlib.contextmanager
def installed(page: str, folder: Path) -> Iterator[None]:
    """Write the files that a page shows, and let their entry points be found."""
    written = {name: block.text for block in blocks(page, PYTHON) if (name := file_of(block))}
    for name, text in written.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).parent.joinpath("__init__.py").touch()
        (folder / name).write_text(text)
    packages = {Path(name).parts[0] for name in written}
    before = _forgotten(packages)
    with pytest.MonkeyPatch.context() as patched:
        for registry in REGISTRIES:
            patched.setattr(registry, "_loaded", {})
        _install(page, folder, patched)
        yield
    _forgotten(packages)
    sys.modules.update(before)


def _forgotten(packages: set[str]) -> dict[str, ModuleType]:
    """The modules of some packages, which will be imported anew."""
    names = [name for name in sys.modules if name.partition(".")[0] in packages]
    return {name: sys.modules.pop(name) for name in names}


def _install(page: str, folder: Path, patched: pytest.MonkeyPatch) -> None:
    points: dict[str, dict[str, str]] = {}
    for block in blocks(page, ("toml",)):
        for group, entries in _entry_points(block.text).items():
            points.setdefault(group, {}).update(entries)
    if points:
        install(patched, folder, name="their-signals", **points)


def _entry_points(text: str) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = (
        tomllib.loads(text).get("project", {}).get("entry-points", {})
    )
    return found
