"""Where the records and the metadata of IRIDIA-AF are, and other files beside them."""

import re
from pathlib import Path, PurePosixPath

from pacl.records.errors import LayoutError
from pacl.records.text import why_unread
from pacl.records.tree import list_files

RECORD_FOLDER = re.compile(r"record_\d+")
_BESIDE = re.compile(r"truth/.*|[^/]*\.(zip|tar|tgz|tar\.\w+)(\.unpacked)?")
"""What `pacl simulate` and `pacl download` leave beside the records."""


def find_folders(root: Path) -> tuple[Path, list[str]]:
    """Descend to the record folders: the root itself, or up to two levels below it."""
    name = root.resolve().name
    if RECORD_FOLDER.fullmatch(name) and any(root.glob(f"{name}_rr*")):
        return root.resolve().parent, [name]
    level = [root]
    for _ in range(3):
        for folder in level:
            names = sorted(
                child.name
                for child in (folder.iterdir() if folder.is_dir() else ())
                if child.is_dir() and RECORD_FOLDER.fullmatch(child.name)
            )
            if names:
                return folder, names
        level = [child for folder in level if folder.is_dir() for child in sorted(folder.iterdir())]
    raise LayoutError(
        root, "no record_NNN folder in it or two levels below", "give the folder of the data set"
    )


def unread_beside(root: Path, records: Path, folders: list[str], metadata: Path) -> dict[str, str]:
    """Files below `root` that are neither in a folder that is read nor the metadata."""
    tree = list_files(root)
    place = records.relative_to(root).as_posix()
    read = {name if place == "." else f"{place}/{name}" for name in folders}

    def is_read(name: str) -> bool:
        parents = (part.as_posix() for part in PurePosixPath(name).parents)
        own = name in read or root / name == metadata or _BESIDE.fullmatch(name)
        return bool(own) or not read.isdisjoint(parents)

    unread = {name: why_unread(name) for name in tree.files if not is_read(name)}
    return unread | {name: why for name, why in tree.left_out.items() if not is_read(name)}


def find_metadata(root: Path, records: Path) -> Path:
    """The metadata CSV at the root, beside the records, or one or two levels above them."""
    places = dict.fromkeys((root, records, *records.resolve().parents[:2]))
    for place in places:
        found = sorted(place.glob("*metadata*.csv")) if place.is_dir() else []
        if len(found) == 1:
            return found[0]
        if found:
            raise LayoutError(
                place,
                f"{len(found)} metadata files: {', '.join(path.name for path in found)}",
                "name the one to use with metadata=",
            )
    raise LayoutError(
        root,
        "no metadata CSV, which states the patient of each record",
        "put iridia-af-metadata-v1.0.1.csv beside the records or name it with metadata=",
    )
