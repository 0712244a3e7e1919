"""Whatever the pages name exists: commands, options, extras, files, headings."""

import re
import shlex

import pytest

from pacl.cli.app import COMMANDS
from support.documented.command_line import ALONE, all_options, fault_of, options_of
from support.documented.links import anchors, broken, exists
from support.documented.other_programs import (
    OPTION,
    SCRIPT,
    missing_extras,
    missing_files,
    missing_options,
    targets,
)
from support.documented.package import REGISTRIES
from support.documented.pages import PAGES, in_backticks

NAME = re.compile(r"(?<![\w./-])pacl(?:\.[a-zA-Z_]\w*)+(?![\w/])")
PLACEHOLDER = re.compile(r"[A-Z][A-Z.|]*")
FORMAT = re.compile(r"pacl [a-z]+ \d+")
"""The name of a file format, such as `pacl edits 1`."""
NOT_OURS = re.compile(r"(dask|sbatch|ssh|cc|pip|git|rdann) ")
GROUPS = {registry.group for registry in REGISTRIES}
"""Entry points; they are named like modules."""
THEIRS = {"--encoder.bidirectional"}
"""Options of packages that a page makes up."""
EARLIER = {"--json", "--only"}
"""Names of earlier versions, which the reference lists."""


def faults(content: str) -> list[str]:
    """What some words in backticks name that is not there."""
    found = [*missing_extras(content), *missing_files(content), *missing_options(content)]
    named = set(NAME.findall(content)) - GROUPS
    found += [f"there is no {name}" for name in sorted(named) if not exists(name)]
    if make := re.match(r"make ([a-z]+)", content):
        found += [f"make has no target {make[1]}"] if make[1] not in targets() else []
    if SCRIPT.search(content) or NOT_OURS.match(content) or FORMAT.fullmatch(content):
        return found
    if content.startswith("pacl ") and (command := content.split()[1]) != "COMMAND":
        return found + _faults_of_command(command, content)
    unknown = {name for name in OPTION.findall(content) if not _known(name)}
    return found + [
        f"no command has the option {name}" for name in sorted(unknown - THEIRS - EARLIER - ALONE)
    ]


def _known(name: str) -> bool:
    """Whether some command has an option; `--encoder.KEY` is any of a section."""
    section = re.fullmatch(r"(--[a-z]+)\.[A-Z]+", name)
    return name in all_options() or bool(section and section[1] in all_options())


def _faults_of_command(command: str, content: str) -> list[str]:
    words = [word for word in shlex.split(re.sub(r"[\[\]]", " ", content))[1:] if word != "..."]
    if any(PLACEHOLDER.fullmatch(word) for word in words):  # names are checked, values are not
        if command not in COMMANDS:
            return [f"there is no command {command}"]
        unknown = set(OPTION.findall(content)) - options_of(command)
        return [f"pacl {command} has no option {name}" for name in sorted(unknown)]
    fault = fault_of(words, complete=False)
    return [] if fault is None else [fault]


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_names_exists(page):
    found = [f"{place}: {one}" for place, text in in_backticks(page) for one in faults(text)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("page", PAGES)
def test_the_links_of_a_page_lead_somewhere(page):
    assert list(broken(page)) == []


@pytest.mark.parametrize(
    "content",
    [
        "pacl detekt FILE",
        "pacl detect FILE --persons me.json",
        "pacl detect night.csv --format yaml",
        "pacl prepare --protocol every",
        "--operating-points",
        "--sampler.people 8",
        "pip install 'pacl[everything]'",
        "make everything",
        "src/pacl/gone.py",
        "pacl.records.Recorder(1)",
        "python benchmarks/gone.py fit",
        "benchmarks/adaptation.py LTAFDB --left-in made",
    ],
)
def test_what_does_not_exist_is_found(content):
    assert faults(content)


@pytest.mark.parametrize(
    "content",
    [
        "pacl detect - --unit s",
        "pacl detect COHORT -o RESULTS [--workers N]",
        "pacl edits 1",
        "pacl reproduce --print-config",
        "--objective.KEY",
        "detect --edits FILE",
        "dask worker --nthreads 1",
        "make docs",
    ],
)
def test_what_exists_is_no_fault(content):
    assert not faults(content)


def test_broken_links_are_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# One *thing*: `x`\n\n## Two\n\n## Two\n\n"
        "[a](#one-thing-x) [b](#two_1) [c](page.md#two) [d](#two_2) [e](gone.md)\n"
        "[`F`](page.md#pacl.records.Record) [`G`](page.md#pacl.records.Recorder) [h](https://example.org)\n"
    )
    assert anchors(page) == {"one-thing-x", "two", "two_1"}
    found = [one.rpartition(": ")[2] for one in broken(str(page))]
    assert found == ["#two_2", "gone.md", "page.md#pacl.records.Recorder"]
