"""Whatever the documents import from pacl in Python is there."""

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
BLOCK = re.compile(r"^( *)```(?:python|py)[^\n]*\n(.*?)^\1```", re.MULTILINE | re.DOTALL)


def imported(page):
    """Module and name of each import in the Python blocks of a page."""
    for indent, block in BLOCK.findall(page.read_text("utf-8")):
        code = "\n".join(line.removeprefix(indent) for line in block.splitlines())
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.ImportFrom):
                yield from ((node.module, one.name) for one in node.names)
            elif isinstance(node, ast.Import):
                yield from ((one.name, None) for one in node.names)


FOUND = sorted({(*one, page.name) for page in PAGES for one in imported(page)}, key=str)


def test_the_documents_import_something():
    assert ("pacl.detect", "StreamDetector", "detector.md") in FOUND


@pytest.mark.parametrize(("module", "name", "page"), FOUND)
def test_what_a_page_imports_is_there(module, name, page):
    found = import_module(module)
    assert name is None or hasattr(found, name), f"{page}: from {module} import {name}"
