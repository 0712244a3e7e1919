"""How modules depend on each other: public faces, no cycles, files of a readable size."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from pacl.cli.app import COMMANDS

SOURCE = Path(__file__).parents[1] / "src"
LONGEST = 300
SHORTEST = 20
"""Lines of code. A module with fewer belongs to its neighbour, unless it is listed below."""

COMMAND_MODULES = {f"pacl.cli.{name.replace('-', '_')}" for name in COMMANDS}
EARNED = {
    "pacl.__main__": "python -m pacl needs it",
    "pacl.one_thread": "one limit that rivals and studies share",
    "pacl.printable": "the lowest layer, used by all others",
    "pacl.cli.messages": "all commands print through it",
    "pacl.estimators.classifier": "an estimator is one file",
    "pacl.ecg.finder": "the protocol of all beat finders, and their registry",
    "pacl.ecg.signal": "what all of the package works on",
    "pacl.ecg.sleepecg_finder": "a beat finder is one file",
    "pacl.records.ecg_source": "asks readers of all kinds, so none of them may import it",
    "pacl.detect.call": "makes the package callable, and must not be imported by its modules",
    "pacl.records.remote.manifest": "what a manifest may say at an address",
    "pacl.records.options": "options of all readers, also of those that others add",
    "pacl.objectives.uncompiled": "kernels, tiles and the loss need it, and none of them another",
    "pacl.rr.augmentation": "settings without torch of what needs torch",
    "pacl.settings.augmentations": "the registry of all augmentations",
    "pacl.settings.bounds": "what all settings use",
    "pacl.settings.training": "settings of two others, which need torch",
    "pacl.objectives.objective": "the protocol of all objectives",
    "pacl.rivals.published_networks": "a rival is one file",
    "pacl.training.augmentation": "the protocol of all augmentations",
    "pacl.windows.array_format": "one format: it must not be imported by what it is made of",
    "pacl.windows.findings": "what all audits give",
    "pacl.windows.names": "a column of all tables",
    "pacl.windows.stored_format": "the protocol of all formats",
    "pacl.windows.tensors": "the only module of them that needs torch",
    "pacl.studies.progress": "what all studies report to",
    "pacl.rr.plausible": "one rule that training and detection share",
}
"""Short modules that stay alone, and why."""


def _may_be_short(name: str) -> bool:
    """Also the errors of a package, which all its modules import, and commands: one file each."""
    return name in EARNED or name.endswith("errors") or name in COMMAND_MODULES


def _name(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


MODULES = {_name(path): path for path in sorted(SOURCE.rglob("*.py"))}
PACKAGES = {name for name, path in MODULES.items() if path.name == "__init__.py"}


@cache
def _tree(name: str) -> ast.Module:
    return ast.parse(MODULES[name].read_text("utf-8"))


def _package_of(name: str) -> str:
    return name if name in PACKAGES else name.rpartition(".")[0]


def _imported(name: str) -> Iterator[str]:
    """Modules that a module imports anywhere, also inside functions, but not for types alone."""
    pending: list[ast.AST] = [_tree(name)]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            pending += node.orelse
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in MODULES)
        elif isinstance(node, ast.ImportFrom) and node.module in MODULES:
            submodules = {f"{node.module}.{alias.name}" for alias in node.names} & MODULES.keys()
            yield from submodules
            if len(submodules) < len(node.names):
                yield node.module
        pending += ast.iter_child_nodes(node)


def reaching_inside(name: str) -> list[str]:
    """Imports from inside another package, of which only the face is public."""
    mine = _package_of(name)
    found = []
    for node in ast.walk(_tree(name)):
        if not isinstance(node, ast.ImportFrom) or node.module not in MODULES.keys() - PACKAGES:
            continue
        home = _package_of(node.module)
        if home.endswith(".kernels"):  # each module of it needs Triton, which is optional
            continue
        if home != "pacl" and mine != home and not mine.startswith(f"{home}."):
            found.append(f"{name}:{node.lineno} imports from {node.module}, use {home}")
    return found


def cycles() -> list[list[str]]:
    """Groups of modules that need each other (Tarjan's strongly connected components)."""
    edges = {name: set(_imported(name)) - {name} for name in MODULES}
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in edges[name]:
            if other not in index:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], index[other])
        if low[name] == index[name]:
            group = stack[stack.index(name) :]
            del stack[-len(group) :]
            if len(group) > 1:
                found.append(sorted(group))

    for name in MODULES:
        if name not in index:
            visit(name)
    return found


def lines_of_code(name: str) -> int:
    """Lines that are not empty, a comment, a docstring or an import."""
    tree = _tree(name)
    dropped: set[int] = set()
    for node in ast.walk(tree):
        prose = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if prose or isinstance(node, ast.Import | ast.ImportFrom):
            dropped.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines = MODULES[name].read_text("utf-8").splitlines()
    return sum(
        at not in dropped and bool(line.strip()) and not line.lstrip().startswith("#")
        for at, line in enumerate(lines, 1)
    )


def test_packages_import_from_each_others_faces() -> None:
    assert not [line for name in MODULES for line in reaching_inside(name)]


def test_no_two_modules_need_each_other() -> None:
    assert not cycles()


@pytest.mark.parametrize("name", [name for name in MODULES if name not in PACKAGES])
def test_a_module_has_a_readable_size(name: str) -> None:
    lines = MODULES[name].read_text("utf-8").count("\n")
    assert lines <= LONGEST, f"{name} has {lines} lines: split it by idea"
    assert lines_of_code(name) >= SHORTEST or _may_be_short(name), (
        f"{name} has {lines_of_code(name)} lines of code: join its neighbour, or say why in EARNED"
    )


def test_the_checks_see_what_they_are_for(monkeypatch: pytest.MonkeyPatch) -> None:
    planted = {
        "pacl.one": "def late():\n    from pacl.two import x",
        "pacl.two": "import pacl.one\nfrom pacl.records.rhythm import Rhythm",
    }
    monkeypatch.setattr(f"{__name__}._tree", lambda name: ast.parse(planted.get(name, "")))
    monkeypatch.setitem(MODULES, "pacl.one", Path())
    monkeypatch.setitem(MODULES, "pacl.two", Path())
    assert cycles() == [["pacl.one", "pacl.two"]]
    assert len(reaching_inside("pacl.two")) == 1
