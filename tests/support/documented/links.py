"""Links of the pages: files, headings, and names of the reference."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from support.documented.pages import ROOT, prose

LINK = re.compile(r"(?<!!)\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^)\s]+)\)")


def broken(page: str) -> Iterator[str]:
    """The links of a page that lead nowhere."""
    for number, line in enumerate(prose(page).splitlines(), 1):
        for target in LINK.findall(line):
            if not re.match(r"[a-z]+:", target) and not _leads_somewhere(page, target):
                yield f"{page}:{number}: {target}"


def _leads_somewhere(page: str, target: str) -> bool:
    path, _, anchor = target.partition("#")
    place = (ROOT / page).parent / path if path else ROOT / page
    if not place.exists():
        return False
    if anchor.startswith("pacl."):  # a name of the reference
        return exists(anchor)
    return not anchor or anchor in anchors(place.resolve())


@cache
def anchors(place: Path) -> frozenset[str]:
    """What a page can be linked to at, as MkDocs names its headings."""
    found: set[str] = set()
    for heading in re.findall(r"^#{1,6} +(.+?) *#*$", prose(place.as_posix()), re.MULTILINE):
        if own := re.search(r"\{ *#([\w-]+)[^}]*\}", heading):
            found.add(own[1])
            continue
        name = name_of(heading)
        number = 0
        while name in found:
            number += 1
            name = f"{name_of(heading)}_{number}"
        found.add(name)
    return frozenset(found)


def name_of(heading: str) -> str:
    """The name of a heading in an address."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", text).strip().lower())


def exists(name: str) -> bool:
    """Whether a name of the reference can be imported."""
    parts = name.split(".")
    for at in range(len(parts), 0, -1):
        try:
            found: Any = import_module(".".join(parts[:at]))
        except ModuleNotFoundError:
            continue
        for part in parts[at:]:
            found = getattr(found, part, None)
        return found is not None
    return False
