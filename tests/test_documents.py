"""The documents keep their word: what they name exists."""

import os
import re
import subprocess
import sys
from pathlib import Path

from support.documented.pages import section

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


def test_the_files_of_the_architecture_exist():
    page = (ROOT / "docs/architecture.md").read_text()
    named = re.findall(r"`((?:[a-z_]+/)+[a-z_]+\.py)`", page)
    for walk in ("walk-recording", "walk-study"):
        drawing = (ROOT / f"docs/assets/{walk}.svg").read_text()
        named += re.findall(r'class="file"[^>]*>([^<]+)<', drawing)
    assert len(named) > 20
    roots = (ROOT, ROOT / "src/pacl")
    assert [one for one in named if not any((root / one).is_file() for root in roots)] == []


def test_every_module_that_names_an_equation_is_on_the_map():
    mapped = (ROOT / "docs/paper/map.md").read_text()
    naming = [
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "src").rglob("*.py")
        if re.match(r'""".*\(Eqs?\. ?\d', path.read_text())
    ]
    assert [name for name in naming if name not in mapped] == []


def shown_pictures():
    """Each picture that a page shows, with the page."""
    pages = [ROOT / "README.md", *ROOT.glob("docs/**/*.md")]
    return [
        (page, (page.parent / target).resolve())
        for page in pages
        for target in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text())
    ]


def test_every_picture_of_the_documents_exists():
    missing = [(page.name, picture) for page, picture in shown_pictures() if not picture.exists()]
    assert missing == []


def test_results_keep_what_a_page_shows_once_and_tables_as_csv():
    results = ROOT / "docs/results"
    pictures = {path for end in ("png", "svg") for path in results.rglob(f"*.{end}")}
    assert pictures - {picture for _, picture in shown_pictures()} == set()
    assert len({path.read_bytes() for path in pictures}) == len(pictures)
    assert sorted(one for one in results.rglob("tables/*") if one.suffix != ".csv") == [
        results / "rivals/tables" / name for name in ("differences-ltafdb.md", "seeds-ltafdb.md")
    ]


ALL_HELP = """
import sys
from pacl.cli import main
from pacl.cli.app import COMMANDS
for name in COMMANDS:
    sys.argv = ["pacl", name, "--help"]
    main()
    print(end="\\0", flush=True)
"""


def test_the_help_in_the_documents_is_what_the_commands_say():
    from pacl.cli.app import COMMANDS

    page = section("docs/reference/cli.md", "commands")
    done = subprocess.run(
        [sys.executable, "-c", ALL_HELP],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "COLUMNS": "96"},
    )
    *parts, _ = done.stdout.split("\0")
    for name, part in zip(COMMANDS, parts, strict=True):
        said = [line.rstrip() for line in part.strip().splitlines()]
        assert "\n".join(said) in page, f"run docs/figures/commands.py for pacl {name}"


def test_the_page_of_licences_repeats_the_notice():
    shown = section("docs/licences.md", "NOTICE.md")
    notice = (ROOT / "NOTICE.md").read_text("utf-8")
    assert shown == notice.strip(), "run python docs/figures/sections.py"


def test_the_readme_fits_a_screen():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 50


def test_every_command_is_documented():
    from pacl.cli.app import COMMANDS

    page = section("docs/reference/cli.md", "commands")
    rows = {
        name: f"[`pacl {name}`](#pacl-{name}) | {one.summary}" for name, one in COMMANDS.items()
    }
    assert {name for name, row in rows.items() if row not in page} == set()
