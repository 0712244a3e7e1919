"""Records in IRIDIA-AF's layout at an address: folders, and the metadata of all."""

import re
from pathlib import Path, PurePosixPath

from pacl.records.iridia import IridiaReader
from pacl.records.iridia_files import RECORD_FOLDER
from pacl.records.options import ReadOptions
from pacl.records.remote.listing import Listing
from pacl.records.remote.mirror import Mirror
from pacl.records.remote.recordings import Recordings
from pacl.records.tree import Tree

_READ = re.compile(r"record_\d+_rr_(.*\.h5|labels\.csv)")


def iridia_records(
    mirror: Mirror, listing: Listing, tree: Tree, options: ReadOptions
) -> tuple[IridiaReader, Recordings]:
    """The reader of records that will be copied, and the files of each that are read.

    A mirror of all folders, with the metadata and with other files left empty, is compared by the
    rules of a folder here. Of a record, intervals and labels are copied, not the ECG.
    """
    of: dict[str, list[str]] = {}
    metadata: list[tuple[str, int | None]] = []
    for name in tree.folders:
        (mirror.folder / name).mkdir(parents=True, exist_ok=True)
    for name in tree.files:
        path = PurePosixPath(mirror.folder.name, name)
        if RECORD_FOLDER.fullmatch(path.parent.name):
            if _READ.fullmatch(path.name):
                of.setdefault(path.parent.as_posix(), []).append(name)
        elif path.match("*metadata*.csv") and options.metadata is None:
            metadata.append((name, listing.sizes[name]))
        else:
            (mirror.folder / name).touch()
    for name in of.get(mirror.folder.name, []):  # the address is that of one record
        (mirror.folder / name).touch()
    mirror.fetch(metadata)
    with mirror.named():
        reader = IridiaReader(mirror.folder, metadata=options.metadata, partial=options.partial)
    place = reader.root.relative_to(mirror.folder.parent)
    found = Recordings(listing)
    for record_id in reader.record_ids:
        found.add(record_id, "iridia", of.get((place / record_id).as_posix(), []))
    table = options.metadata or Path(mirror.renamed(str(reader.metadata)))
    return reader.moved(place, table), found
