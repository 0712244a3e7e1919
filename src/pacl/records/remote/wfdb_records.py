"""WFDB records at an address, and the text files beside them."""

import tempfile
from collections.abc import Collection
from pathlib import Path

from pacl.printable import on_one_line
from pacl.records.address import Place
from pacl.records.content import HEAD_BYTES
from pacl.records.errors import FormatError
from pacl.records.option_layouts import of_text
from pacl.records.options import ReadOptions
from pacl.records.remote.look import heads_of
from pacl.records.text import TextOptions, check_head
from pacl.records.tree import Tree, ending, without_ending
from pacl.records.wfdb import record_endings
from pacl.records.wfdb_files import OTHER_TEXT, records_among


def wfdb_records(
    place: Place, tree: Tree, options: ReadOptions
) -> tuple[dict[str, tuple[list[str], list[str]]], dict[str, str]]:
    """Header and annotations of each record with its signals, and files that are part of none.

    A header that may list segments is looked into: one without a signal of its own name, in a
    folder where some header has no annotations.
    """
    endings = record_endings(options.beats, options.rhythm)
    kinds = tuple(f".{kind}" for kind in endings)
    own: dict[str, list[str]] = {}
    for name in tree.files:
        own.setdefault(without_ending(name), []).append(name)
    headed = {stem: names for stem, names in own.items() if f"{stem}.hea" in names}
    bare = [s for s, names in headed.items() if not any(one.endswith(kinds[1:]) for one in names)]
    places = {stem.rpartition("/")[0] for stem in bare}
    looked_into = [
        f"{stem}.hea"
        for stem, names in headed.items()
        if stem.rpartition("/")[0] in places
        and all(name.endswith(kinds) or ending(name) in OTHER_TEXT for name in names)
    ]
    headers = heads_of(place, looked_into)
    records, unread = records_among(
        tree.files, endings, lambda stem: headers.get(f"{stem}.hea") or b""
    )
    found = {}
    for stem in sorted(records):
        parts = [name for name in own[stem] if name.endswith(kinds)]
        found[stem] = parts, [name for name in own[stem] if name not in {*parts, *unread}]
    return found, unread


def why_no_texts(
    place: Place, texts: Collection[str], records: Collection[str], options: ReadOptions
) -> dict[str, str]:
    """Text files beside WFDB records that are no recordings, with the reason.

    Those without RR intervals are recognised by their beginning. One that cannot be copied counts
    as a recording: reading it tells why.
    """
    alone = [name for name in texts if on_one_line(without_ending(name)) not in records]
    other = "the record is read from its WFDB files; --layout text reads these"
    found = dict.fromkeys(set(texts).difference(alone), other)
    how = TextOptions(**of_text(options))
    for name, head in heads_of(place, alone).items():
        if head is None:
            continue
        whole_lines = head[: head.rfind(b"\n") + 1] if len(head) >= HEAD_BYTES else head
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f"text{ending(name)}")
            path.write_bytes(whole_lines)
            try:
                check_head(path, how)
            except FormatError as error:
                found[name] = f"no RR intervals found: {error.what}"
    return found
