"""Lines of other programs than pacl: what of ours they name is there."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache

from support.documented.limits import OTHER_PROGRAMS
from support.documented.pages import ROOT

OPTION = re.compile(r"(?<![\w-])--[a-z][\w.-]*\w")
SCRIPT = re.compile(r"(?:examples|benchmarks|docs)/[\w/-]+\.py")
OURS = re.compile(r"(?:src|tests|examples|benchmarks|docs)/[\w./-]+")


@cache
def extras() -> frozenset[str]:
    """The extras that can be installed."""
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return frozenset(stated["project"]["optional-dependencies"])


@cache
def targets() -> frozenset[str]:
    """What make can be asked for."""
    return frozenset(
        re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    )


def faults_of(words: tuple[str, ...]) -> Iterator[str]:
    """What a line names that is not there."""
    program = words[0]
    if program not in {"pip", "make", "python", "pytest", *OTHER_PROGRAMS}:
        yield f"{program} is not known to the tests; add it to OTHER_PROGRAMS"
    if program == "make":
        named = {word for word in words[1:] if re.fullmatch("[a-z]+", word)}
        yield from (f"make has no target {name}" for name in sorted(named - targets()))
    text = " ".join(words)
    yield from missing_extras(text)
    yield from missing_files(text)
    yield from missing_options(text)


def missing_extras(text: str) -> Iterator[str]:
    """Extras in a text that cannot be installed."""
    for names in re.findall(r"pacl\[([\w,-]+)\]", text):
        yield from (
            f"there is no extra {name}" for name in names.split(",") if name not in extras()
        )


def missing_options(text: str) -> Iterator[str]:
    """Options that a script of the repository is given, but does not state."""
    if script := SCRIPT.search(text):
        stated = (ROOT / script[0]).read_text("utf-8") if (ROOT / script[0]).exists() else ""
        for option in OPTION.findall(text[script.end() :]):
            if f'"{option}"' not in stated:
                yield f"{script[0]} has no option {option}"


def missing_files(text: str) -> Iterator[str]:
    """Paths of the repository in a text that are not there."""
    for found in OURS.finditer(text):
        path = found[0].rstrip(".")
        if not text[: found.start()].endswith("/") and not (ROOT / path).exists():
            yield f"there is no {path}"
