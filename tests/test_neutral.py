"""The core knows subjects, classes and channels, and no signal by name."""

import io
import re
import tokenize
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "pacl"
WORDS = {"af", "beat", "beats", "ms", "rhythm", "rhythms", "rr", "sr"}
READ = (tokenize.NAME, tokenize.STRING, tokenize.COMMENT)
ALLOWED = {
    ("evaluation/rows.py", "rhythm"): "a column of written evaluations",
    ("evaluation/seed_spread.py", "ms"): "mean squares",
    ("models/encoder.py", "af"): "name of the authors' repository",
    ("settings/augmentations.py", "rr"): "name of an augmentation",
    ("settings/encoders.py", "beats"): "an example, and an option of pacl prepare",
    ("settings/former.py", "rr"): "name of an augmentation",
    ("windows/prepare/scale.py", "rhythm"): "what the paper's Eq. 4 does",
}
"""Words that stand for something written elsewhere, and what."""


def contract() -> dict[str, list[str]]:
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    found = stated["tool"]["importlinter"]["contracts"]
    return next(one for one in found if one["type"] == "forbidden")


def core_files() -> list[Path]:
    files = []
    for module in contract()["source_modules"]:
        place = SOURCE / module.removeprefix("pacl.").replace(".", "/")
        files += sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]
    return files


def words_of(text: str) -> Iterator[tuple[int, str]]:
    """Each word of names, texts and comments, with its line; `RRWindowSet` has three."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in READ:
            for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", token.string):
                yield token.start[0], word.lower()


def test_each_package_is_of_the_core_or_of_an_application() -> None:
    stated = contract()
    there = {
        f"pacl.{path.stem}"
        for path in SOURCE.iterdir()
        if (path.suffix == ".py" or (path / "__init__.py").exists()) and path.stem[:2] != "__"
    }
    listed = [*stated["source_modules"], *stated["forbidden_modules"]]
    assert sorted(listed) == sorted(there)


@pytest.mark.parametrize("path", core_files(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_the_core_names_no_signal(path: Path) -> None:
    where = str(path.relative_to(SOURCE))
    found = [
        f"{where}:{line} {word}"
        for line, word in words_of(path.read_text("utf-8"))
        if word in WORDS and (where, word) not in ALLOWED
    ]
    assert not found


def test_allowed_words_are_still_there() -> None:
    for where, word in ALLOWED:
        assert word in {found for _, found in words_of((SOURCE / where).read_text("utf-8"))}


def test_words_are_found_in_names_texts_and_comments() -> None:
    text = 'class RRWindows:\n    shortest_ms = "an SR window"  # of AF\n'
    assert {word for _, word in words_of(text)} & WORDS == {"rr", "ms", "sr", "af"}
