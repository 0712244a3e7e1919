"""The folder of a window set: its manifest, the digests of its files, and links to them."""

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pacl.file_bytes import FileError
from pacl.stored import digest_of_file, read_json
from pacl.windows.errors import WindowSetError

MANIFEST = "manifest.json"


def written_format(folder: Path) -> str | None:
    """The format that the manifest of a folder states; None where there is no manifest."""
    try:
        found = read_json(folder / MANIFEST, dict[str, Any])
    except FileError:
        return None
    stated = found.get("format")
    return stated if isinstance(stated, str) else None


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write the manifest, with the digests of all other files; the last file to be written."""
    files = {path.name: digest_of_file(path) for path in sorted(folder.iterdir())}
    stated = {**manifest, "files": files}
    stated |= {"digest": _digest(stated)}
    (folder / MANIFEST).write_text(_readable(stated), "utf-8")


def changed_files(folder: Path, manifest: Mapping[str, Any], needed: Iterable[str]) -> list[str]:
    """Names of the files that are missing or not those that the manifest describes.

    Manifests of earlier versions have no digest: then only the other files are compared.
    """
    stated = dict.fromkeys(needed, "") | manifest["files"]
    changed = [name for name, digest in stated.items() if _digest_in(folder, name) != digest]
    if manifest.get("digest", _digest(manifest)) != _digest(manifest):
        changed.append(MANIFEST)
    return sorted(changed)


def link_file(source: Path, target: Path) -> None:
    """Give a file a second name, or copy it where that cannot be."""
    try:
        os.link(source.resolve(), target)
    except OSError:  # another file system, or one without links
        shutil.copyfile(source, target)


def no_window_set(path: Path, what: str) -> WindowSetError:
    """The error of a folder that is no window set, given the file that shows it."""
    return WindowSetError(
        path.parent,
        f"not a window set ({path.name}: {what})",
        "give a folder that pacl prepare wrote",
    )


def _digest(manifest: Mapping[str, Any]) -> str:
    """Of the manifest without the digest itself."""
    stated = {key: value for key, value in manifest.items() if key != "digest"}
    return hashlib.sha256(json.dumps(stated, sort_keys=True).encode()).hexdigest()


def _digest_in(folder: Path, name: str) -> str:
    try:
        return digest_of_file(folder / Path(name).name)
    except FileError:
        return "missing"


def _readable(manifest: Mapping[str, Any]) -> str:
    """JSON with a line for each key, and one for each entry of a list."""
    lines = []
    for key, value in manifest.items():
        if isinstance(value, list) and value:
            entries = ",\n  ".join(json.dumps(entry) for entry in value)
            lines.append(f"{json.dumps(key)}: [\n  {entries}\n ]")
        else:
            lines.append(f"{json.dumps(key)}: {json.dumps(value)}")
    return "{\n " + ",\n ".join(lines) + "\n}\n"
