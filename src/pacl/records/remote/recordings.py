"""Which files at an address are one recording, by the rules of a folder here.

The ending tells enough of most files: WFDB headers and annotations, `.fit`, `.edf`, `.bdf`, and
text where there are no WFDB records. Only these are looked into, at their first bytes: other
exports (`.json`, `.xml`, `.zip`, ...), `.rec`, text beside WFDB records, and headers without
annotations and without a signal of their own name, which may list segments.
"""

import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pacl.printable import on_one_line
from pacl.records.content import HEAD_BYTES
from pacl.records.ecg_reader import EDF_ENDINGS, edf_files
from pacl.records.errors import LayoutError
from pacl.records.exports import EXPORT_ENDINGS, ExportReader
from pacl.records.options import ReadOptions
from pacl.records.recognise import Layout, Recognised, layout_of
from pacl.records.remote.listing import Listing
from pacl.records.remote.look import heads_of
from pacl.records.remote.wfdb_records import wfdb_records, why_no_texts
from pacl.records.text import text_files, why_unread
from pacl.records.tree import Tree, ending, without_ending

_SURE: dict[str, Layout] = {".fit": "export", ".edf": "ecg", ".bdf": "ecg"}
_LOOKED_INTO = {*EXPORT_ENDINGS, *EDF_ENDINGS} - _SURE.keys()


@dataclass(frozen=True, slots=True)
class RemoteRecording:
    """The files of one recording with their bytes, and its layout as far as endings tell.

    `perhaps` are files that belong to it if they are there. `signals` are files that are copied
    only where they are needed.
    """

    layout: Layout
    files: tuple[tuple[str, int | None], ...]
    perhaps: tuple[str, ...] = ()
    signals: tuple[tuple[str, int | None], ...] = ()

    @property
    def header(self) -> str:
        """The header of a WFDB record, if there is one."""
        own = (*(name for name, _ in self.files), *self.perhaps)
        return next((name for name in own if name.endswith(".hea")), "")


@dataclass(slots=True)
class Recordings:
    """Recordings by name, and other files with the reason not to read them."""

    listing: Listing
    found: dict[str, RemoteRecording] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)

    def add(
        self, record_id: str, layout: Layout, names: Iterable[str], signals: Iterable[str] = ()
    ) -> None:
        """Add a recording; refuses a name that is taken."""
        record_id = on_one_line(record_id)
        if record_id in self.found:
            raise LayoutError(
                self.listing.place.shown(),
                f"two files would both be record {record_id!r}",
                "rename one of them, or move it to another folder",
            )
        sizes = self.listing.sizes
        self.found[record_id] = RemoteRecording(
            layout,
            tuple((name, sizes.get(name)) for name in names),
            signals=tuple((name, sizes[name]) for name in signals if sizes[name] is not None),
        )


class Heads:
    """The layout of files whose ending leaves it open, by their first bytes."""

    def __init__(self, listing: Listing, tree: Tree) -> None:
        looked_into = [name for name in tree.files if ending(name) in _LOOKED_INTO]
        self._heads = heads_of(listing.place, looked_into)

    def layout(self, name: str) -> Layout:
        """The layout; what cannot be read counts as what it is called."""
        kind = ending(name)
        if kind in _SURE or kind not in _LOOKED_INTO:
            return _SURE.get(kind, "text")
        head = self._heads[name]
        if head is None:
            return "export" if kind in EXPORT_ENDINGS else "ecg"
        return layout_of(head, name)

    def why_no_export(self, name: str) -> str | None:
        """Why a file has no beats, where that shows: a small one is complete."""
        head = self._heads.get(name)
        if head is None or len(head) >= HEAD_BYTES:
            return None
        with tempfile.TemporaryDirectory() as folder:
            file = f"export{ending(name)}"
            Path(folder, file).write_bytes(head)
            return ExportReader(folder, only=[file]).unread.get(file)


def named_files(layout: Layout, tree: Tree) -> Recognised:
    """Files of a layout that was asked for."""
    of: Mapping[str, list[str]] = {
        "text": text_files(tree.files),
        "ecg": [*edf_files(tree.files), *text_files(tree.files)],
        "export": [name for name in tree.files if ending(name) in EXPORT_ENDINGS],
    }
    return {layout: sorted(set(of[layout])) if layout in of else None}


def group(
    listing: Listing, tree: Tree, files: Recognised, options: ReadOptions, heads: Heads
) -> Recordings:
    """Group files into recordings."""
    found = Recordings(listing)
    rest = {name: why_unread(name) for name in tree.files}
    if "wfdb" in files:
        records, rest = wfdb_records(listing.place, tree, options)
        for stem, (names, signals) in records.items():
            found.add(stem, "wfdb", names, signals)
        texts = [name for name in files.get("text") or () if name in rest]
        found.unread |= why_no_texts(listing.place, texts, found.found, options)
        files = {**files, "text": [name for name in texts if name not in found.unread]}
    for layout, listed in files.items():
        for name in listed or ():
            why = heads.why_no_export(name) if layout == "export" else None
            if why is None:
                found.add(without_ending(name), layout, [name])
            else:
                found.unread[name] = why
    taken = {name for one in found.found.values() for name, _ in one.files}
    found.unread = {n: why for n, why in rest.items() if n not in taken} | found.unread
    found.unread |= tree.left_out
    return found


def the_one(listing: Listing, endings: Iterable[str]) -> Recordings:
    """The recording that was addressed by itself; a file of a WFDB record stands for all of it."""
    found = Recordings(listing)
    if listing.stem is not None:
        parts = tuple(f"{listing.stem}.{kind}" for kind in endings)
        found.found[on_one_line(listing.stem)] = RemoteRecording("wfdb", (), parts)
        return found
    name = listing.only or ""
    stem, kind = without_ending(name), name.rpartition(".")[2]
    is_part = kind in (*endings, "dat")
    layout: Layout = "wfdb" if is_part else _SURE.get(ending(name), "text")
    parts = tuple(one for one in (f"{stem}.{of}" for of in endings) if one != name)
    recording = RemoteRecording(layout, ((name, None),), parts if is_part else ())
    found.found[on_one_line(stem)] = recording
    return found
