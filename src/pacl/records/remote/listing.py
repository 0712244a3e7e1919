"""What is at an address: one file, a record without ending, or a folder with all files below it."""

import html
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit

from pacl.records.address import Place
from pacl.records.errors import LayoutError, MissingError, RemoteError
from pacl.records.remote.access import ask, at_once, file_system
from pacl.records.tree import EDITS_ENDING, MANIFEST, MAX_ENTRIES, MAX_LEVELS, Tree


@dataclass(frozen=True, slots=True)
class Listing:
    """The files of a folder at an address, or one recording in it.

    Parameters
    ----------
    place
        The folder.
    only
        The one file that was addressed.
    stem
        The one WFDB record that was addressed without ending.
    sizes
        Bytes of each file below the folder; None where the server does not tell.
    has_manifest
        Whether a manifest is among them.
    """

    place: Place
    only: str | None = None
    stem: str | None = None
    sizes: Mapping[str, int | None] = field(default_factory=dict)
    has_manifest: bool = False


def list_address(address: str, endings: Iterable[str]) -> Listing:
    """Find out what an address is; `endings` are those of WFDB records, which need none.

    A web server is asked for the page at the address: with links it is a folder, else a file, of
    which no more is read now. Other servers are asked for all files below the address at once.
    """
    place = Place.of(address)
    if place.name == MANIFEST:
        place = place.above
    elif place.name.lower().endswith(".toml"):
        raise LayoutError(
            place.shown(),
            f"a manifest of another name than {MANIFEST}",
            f"call it {MANIFEST}, put it into the folder of the recordings, and give that",
        )
    name = unquote(place.name) if place.is_web else place.name
    try:
        sizes = _web_files(place) if place.is_web else _all_files(place)
    except MissingError:
        beside = (f"{name}.{ending}" for ending in endings)
        if "/" in place.base.partition("://")[2] and any(
            _is_there(place.above, one) for one in beside
        ):
            return Listing(place.above, stem=name)
        raise
    if sizes is None and address.partition("?")[0].endswith("/"):
        raise RemoteError(
            place.shown(),
            "its page has no links to files",
            "switch on the server's index of folders, or give the address of one recording",
        )
    if sizes is None:
        return Listing(place.above, only=name)
    return Listing(place, sizes=sizes, has_manifest=MANIFEST in sizes)


def tree_of(listing: Listing) -> Tree:
    """Its files as those of a folder here: hidden and too deep ones set apart."""
    tree = Tree()
    folders: set[str] = set()
    for name in sorted(listing.sizes):
        *parents, file = name.split("/")
        if any(part.startswith(".") for part in (*parents, file)):
            tree.left_out[name.rstrip("/")] = "hidden"
        elif len(parents) >= MAX_LEVELS:
            tree.left_out[name.rstrip("/")] = f"in a folder more than {MAX_LEVELS - 1} levels down"
        elif name != MANIFEST and not file.endswith(EDITS_ENDING):
            tree.files.append(name)
        folders.update("/".join(parents[: at + 1]) for at in range(len(parents)))
    tree.folders.extend(sorted(folders))
    return tree


def _all_files(place: Place) -> dict[str, int | None] | None:
    """Files below a folder by name; None where the address is a file."""
    system, path = file_system(place.address())
    shown = place.shown()
    ask(system.invalidate_cache, shown)
    if ask(lambda: system.info(path), shown)["type"] == "file":
        return None
    found: Mapping[str, Mapping[str, Any]] = ask(lambda: system.find(path, detail=True), shown)
    _check_number(len(found), place)
    base = path.rstrip("/") + "/"
    names = ((_below(name, base), details) for name, details in found.items())
    return {name: details.get("size") for name, details in names if _is_plain(name)}


def _below(name: str, base: str) -> str:
    return name.removeprefix(base).removeprefix("/")


def _web_files(place: Place) -> dict[str, int | None] | None:
    """The same on the web, where each folder is a page of links; sizes are not told."""
    system, _ = file_system(place.address())
    links = _links_of_root(system, place)
    if not links:
        return None
    files: dict[str, int | None] = {}
    entries = 0
    with ThreadPoolExecutor(at_once(system)) as pool:
        pages = [links]
        while pages:
            below: list[str] = []
            for name in (one for page in pages for one in page):
                entries += 1
                is_hidden = name.rstrip("/").rpartition("/")[2].startswith(".")
                if name.endswith("/") and name.count("/") < MAX_LEVELS and not is_hidden:
                    below.append(name)
                else:
                    files[name] = None
            _check_number(entries, place)
            pages = list(pool.map(lambda name: _links(system, place, name), below))
    return files


def _links_of_root(system: Any, place: Place) -> list[str]:
    """Links of the page at an address; a path has lost the slash that a folder ends with."""
    try:
        return _links(system, place, "")
    except MissingError:
        return _links(system, place, "/")


def _links(system: Any, place: Place, folder: str) -> list[str]:
    """Names that the page of a folder links to, each below that folder; folders end in a slash."""
    address = place.address(folder)
    links = ask(lambda: system.ls(address, detail=True), place.shown(folder))
    found = [one["name"] for one in links]
    return sorted(set(_names(found, address, place.query, folder.lstrip("/"))))


def _names(links: Iterable[str], address: str, query: str, folder: str) -> Iterator[str]:
    """Of links, those to something directly in a folder: no parent, no order of sorting."""
    for link in links:
        found = link.removeprefix(f"{address.rstrip('/')}/")
        found = html.unescape(found).removesuffix(query).removeprefix("./")
        name = unquote(found)
        plain = name.removesuffix("/")
        is_below = _is_plain(plain) and "/" not in plain
        if is_below and not set(found) & set("?#") and not urlsplit(found).scheme:
            yield f"{folder}{name}"


def _is_plain(name: str) -> bool:
    """Whether a name stays below its folder."""
    return bool(name) and not {"", ".", ".."} & set(name.split("/")) and "\\" not in name


def _is_there(place: Place, name: str) -> bool:
    """Whether there is a file of this name."""

    def asked() -> bool:
        system, path = file_system(place.address(name))
        if not place.is_web:
            return bool(system.exists(path))
        system.ls(path)  # asks for the page, and reads no file
        return True

    try:
        return ask(asked, place.shown(name))
    except MissingError:
        return False


def _check_number(entries: int, place: Place) -> None:
    if entries > MAX_ENTRIES:
        raise LayoutError(
            place.shown(),
            f"more than {MAX_ENTRIES:,} files and folders below it",
            "give the address of the recordings",
        )
