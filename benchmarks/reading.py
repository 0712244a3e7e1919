"""Reading all annotations of LTAFDB and AFDB, beside wfdb and beside just reading the bytes."""

import os
from pathlib import Path

from measure import Row, cost

DATA = Path(os.environ.get("PACL_DATA", Path(__file__).parents[2] / "shared" / "data"))


def files() -> list[Path]:
    """Every annotation file of the two databases."""
    return sorted(path for path in DATA.glob("*/*") if path.suffix in {".atr", ".qrs"})


def decode_ours() -> None:
    """Annotations only: what wfdb.rdann gives."""
    from pacl.records.annotations import parse_annotations

    for path in files():
        parse_annotations(path.read_bytes(), str(path))


def decode_wfdb() -> None:
    """The peer, as its documentation says to call it."""
    import warnings

    warnings.simplefilter("ignore")
    import wfdb

    for path in files():
        wfdb.rdann(str(path.with_suffix("")), path.suffix[1:])


def read_ours() -> None:
    """Whole records: beats, rhythms, digest, checks."""
    from pacl.records import WfdbReader

    for name in ("ltafdb", "afdb"):
        reader = WfdbReader(DATA / name)
        for record_id in reader.record_ids:
            reader.read(record_id)


def read_bytes() -> None:
    """The floor: the bytes, from the cache."""
    for path in files():
        path.read_bytes()


def rows() -> list[Row]:
    """Measure decoding alone and reading whole records."""
    if not files():
        print(f"reading: no recordings in {DATA}; set PACL_DATA to their folder")
        return []
    peer = cost(decode_wfdb, repeat=1)
    floor = cost(read_bytes)
    amount = f"{len(files())} files, 10.2 million beats"
    return [
        Row("decode annotations", amount, cost(decode_ours), "wfdb.rdann", peer, "bytes", floor),
        Row("read records", amount, cost(read_ours), "wfdb.rdann alone", peer, "bytes", floor),
    ]
