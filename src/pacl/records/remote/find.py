"""The recordings at an address, by the layout of its files."""

from typing import get_args

from pacl.records.errors import LayoutError
from pacl.records.iridia import IridiaReader
from pacl.records.option_layouts import check_options
from pacl.records.options import ReadOptions
from pacl.records.recognise import Layout, Recognised, recognise_tree
from pacl.records.remote.iridia_records import iridia_records
from pacl.records.remote.listing import Listing, tree_of
from pacl.records.remote.mirror import mirror
from pacl.records.remote.recordings import Heads, Recordings, group, named_files, the_one
from pacl.records.wfdb import record_endings


def find_recordings(
    listing: Listing, options: ReadOptions
) -> tuple[Recordings, IridiaReader | None]:
    """Group the files of a listing; the reader of IRIDIA-AF's layout knows the patients."""
    where = listing.place.shown()
    layout = _layout_asked_for(where, options)
    if listing.only or listing.stem:
        return the_one(listing, record_endings(options.beats, options.rhythm)), None
    tree = tree_of(listing)
    heads = Heads(listing, tree)
    files: Recognised
    if layout is None:
        files = recognise_tree(where, tree, tree.files, options, heads.layout)
    else:
        files = named_files(layout, tree)
    may_be = [*files, *(["ecg"] if "text" in files and "ecg" not in files else [])]
    check_options(where, options, may_be if layout is None else files)
    if "iridia" in files:
        with mirror(listing.place) as here:
            reader, found = iridia_records(here, listing, tree, options)
        return found, reader
    found = group(listing, tree, files, options, heads)
    if not found.found:
        raise LayoutError(where, "no recording in it", "check the address")
    if options.start is not None and len(found.found) > 1:
        raise LayoutError(
            where,
            f"start={options.start!r} was given, but there are {len(found.found)} recordings",
            "give the start of one recording at a time (--start)",
        )
    return found, None


def _layout_asked_for(where: str, options: ReadOptions) -> Layout | None:
    if options.layout is None:
        return None
    for layout in get_args(Layout):
        if layout == options.layout:
            known: Layout = layout
            return known
    raise LayoutError(
        where,
        f"the layout {options.layout} cannot be read at an address",
        "copy the files here, and give their folder",
    )
