"""The documents keep their word: what they name exists."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_every_file_and_test_of_the_map_exists():
    rows = re.findall(
        r"^\|.*\| `(src/[^`]+)` \| `(tests/[^`]+)` \|$",
        (ROOT / "docs/paper/map.md").read_text(),
        flags=re.MULTILINE,
    )
    assert len(rows) >= 8
    missing = [name for row in rows for name in row if not (ROOT / name).exists()]
    assert not missing


def test_every_module_that_names_an_equation_is_on_the_map():
    mapped = (ROOT / "docs/paper/map.md").read_text()
    naming = [
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "src").rglob("*.py")
        if re.match(r'""".*\(Eqs?\. ?\d', path.read_text())
    ]
    assert [name for name in naming if name not in mapped] == []


def test_every_picture_of_the_documents_exists():
    pages = [ROOT / "README.md", *ROOT.glob("docs/**/*.md")]
    missing = [
        (page.name, target)
        for page in pages
        for target in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text())
        if not (page.parent / target).exists()
    ]
    assert missing == []


def test_every_command_is_documented():
    from pacl.cli.app import app

    page = (ROOT / "docs/reference/cli.md").read_text()
    commands = {name for name in app if not name.startswith("-")}
    assert commands
    assert {name for name in commands if f"`pacl {name}" not in page} == set()
