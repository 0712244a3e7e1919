"""The signals of a WFDB record at an address: the files that its header names."""

from collections.abc import Iterator, Mapping

from pacl.records.content import read_bytes
from pacl.records.header import MAX_HEADER_BYTES
from pacl.records.remote.mirror import Mirror
from pacl.records.signals import WfdbHeader, parse_wfdb_header

_NULL = "~"


def fetch_signals(here: Mirror, header: str, sizes: Mapping[str, int | None]) -> None:
    """Copy the signals of a record whose header is here, and the headers of its segments.

    Names are relative to the folder of the header, and lead nowhere else. What is not there is not
    copied: reading the record tells so. `sizes` has bytes of files where they are known.
    """
    place, slash, _ = header.rpartition("/")
    folder = f"{place}{slash}"
    master = _parsed(here, header)
    if master is None:
        return
    segments = [f"{one.name}.hea" for one in master.segments if _is_plain(one.name)]
    _fetch(here, folder, segments, sizes)
    for name in dict.fromkeys([header, *(f"{folder}{one}" for one in segments)]):
        if (found := _parsed(here, name)) is not None:
            _fetch(here, folder, list(_signals(found)), sizes)


def _fetch(here: Mirror, folder: str, names: list[str], sizes: Mapping[str, int | None]) -> None:
    wanted = dict.fromkeys(f"{folder}{name}" for name in names)
    new = [name for name in wanted if not (here.folder / name).exists()]
    here.fetch([(name, sizes.get(name)) for name in new], all_there=False)


def _parsed(here: Mirror, name: str) -> WfdbHeader | None:
    path = here.folder / name
    if not path.is_file():
        return None
    return parse_wfdb_header(read_bytes(path, MAX_HEADER_BYTES), str(path))


def _signals(header: WfdbHeader) -> Iterator[str]:
    return (line.file for line in header.signals if _is_plain(line.file))


def _is_plain(name: str) -> bool:
    """Whether it is the name of a file beside the header; readers refuse any other."""
    return name != _NULL and not set(name) & set("/\\:\0") and bool(name.strip("."))
