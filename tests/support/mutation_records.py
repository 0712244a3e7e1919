"""Sound recordings of every layout, and how each is opened, for `mutation_run`."""

import gzip
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import h5py
import numpy as np

from pacl.records import Overview, open_records, read_patients, read_processed
from pacl.records.download.unpack import Limits, unpack
from support.archives import tarred, zipped
from support.iridia import write_metadata, write_record
from support.mit import annotation_file
from support.mutation_target import Target

_TEXTS = {
    "plain.txt": "".join(f"{800 + 7 * (beat % 9)}\n" for beat in range(40)),
    "table.csv": "time [s],rr [ms],rhythm\n"
    + "".join(f"{0.8 * beat:.1f},{790 + beat % 3 * 10},SR\n" for beat in range(30)),
    "comma.csv": "time;rr\n" + "".join(f"{0.8 * b:.1f};0,8{b % 10}\n" for b in range(30)),
    "polar.txt": "Phone timestamp;RR-interval [ms]\n"
    + "".join(f"2026-04-01T09:00:{beat:02}.000;{950 + beat % 3}\n" for beat in range(9)),
    "old.hrm": "[Params]\nInterval=238\nDate=20260401\nStartTime=09:00:00.0\n\n[HRData]\n"
    + "".join(f"{800 + beat % 5}\n" for beat in range(30)),
    "kubios.txt": "RR INTERVAL DATA and SPECTRUM ESTIMATES,\n,Time,RR interval,Frequency\n"
    + ",(s),(s),(Hz)\n"
    + "".join(f",{0.8 * beat:.3f},0.80{beat % 10},0.1\n" for beat in range(20)),
}


def _all(folder: Path) -> None:
    reader = open_records(folder)
    for record_id in reader.record_ids:
        Overview.of(reader.read(record_id))


def _text(name: str) -> Callable[[Path], Sequence[Path]]:
    def write(folder: Path) -> Sequence[Path]:
        (folder / name).write_text(_TEXTS[name])
        return [folder / name]

    return write


def _annotations(folder: Path) -> Sequence[Path]:
    at = np.cumsum(np.random.default_rng(0).integers(60, 2000, size=60))
    marks = [(int(sample), "V" if sample % 7 == 0 else "N", "") for sample in at]
    rhythm = [(int(at[20]) - 9, "+", "(AFIB"), (int(at[40]) - 9, "+", "(N"), (5, "+", "(N")]
    (folder / "x.atr").write_bytes(annotation_file(sorted(marks + rhythm), fs=128))
    (folder / "x.qrs").write_bytes(annotation_file(marks))
    return [folder / "x.atr", folder / "x.qrs"]


def _header(folder: Path) -> Sequence[Path]:
    _annotations(folder)
    (folder / "x.hea").write_text("x 2 128/1(0) 9661440 9:30:00 31/01/2003\nx.dat 16 200 12 0\n")
    (folder / "m.hea").write_text("m/2 2 128 600\nm_1 300\nm_2 300\n")
    (folder / "m_1.hea").write_text("m_1 2 128 300\n")
    (folder / "m.atr").write_bytes((folder / "x.qrs").read_bytes())
    return [folder / name for name in ("x.hea", "m.hea", "m_1.hea")]


def _mixed(folder: Path) -> Sequence[Path]:
    (folder / "nights").mkdir()
    (folder / "nights" / "plain.txt").write_text(_TEXTS["plain.txt"])
    (folder / "README.txt").write_text("Nights of one patient.\n")
    return [*_annotations(folder), folder / "nights" / "plain.txt", folder / "README.txt"]


def _iridia(folder: Path) -> Sequence[Path]:
    rng = np.random.default_rng(0)
    rr = [rng.integers(60, 300, size=400) * 5 for _ in range(2)]
    record = write_record(folder, "record_000", rr, [(0, 10, 0, 90), (0, 300, 1, 120)])
    write_metadata(folder / "metadata.csv", [("record_000", "patient_000", 2)])
    with h5py.File(record / "record_000_rr_00.h5", "w") as file:
        file.create_dataset("rr", data=rr[0], chunks=(150,), compression="gzip", shuffle=True)
    return [*sorted(record.iterdir()), folder / "metadata.csv"]


def _processed(folder: Path) -> Sequence[Path]:
    for name, options in (
        ("plain.h5", {}),
        ("packed.h5", {"compression": "gzip", "shuffle": True}),
    ):
        with h5py.File(folder / name, "w", libver="latest" if options else "earliest") as file:
            segments = np.linspace(-3, 3, 400, dtype=np.float32).reshape(20, 20)
            file.create_dataset("segments", data=segments, **options)
            file.create_dataset("labels", data=(np.arange(20) % 2).astype(np.int32), **options)
            numbers = (np.arange(20) // 5 + 30).astype(np.int32)
            file.create_dataset("patient_ids", data=numbers, **options)
    rows = [(f"record_{number:03d}", f"p{number}", 1) for number in range(30, 34)]
    write_metadata(folder / "metadata.csv", rows)
    return sorted(folder.iterdir())


def _open_processed(folder: Path) -> None:
    for name in ("plain.h5", "packed.h5"):
        read_processed(folder / name, metadata=folder / "metadata.csv")


def _archives(folder: Path) -> Sequence[Path]:
    tree = {"set/record_000/rr.h5": bytes(range(256)) * 9, "set/labels.csv": b"a,b\n"}
    (folder / "r.zip").write_bytes(zipped(tree))
    (folder / "r.tar.gz").write_bytes(tarred(tree))
    (folder / "r.tar").write_bytes(gzip.decompress(tarred(tree)))
    return sorted(folder.iterdir())


def _unpack(folder: Path) -> None:
    for path in sorted(folder.glob("r.*")):
        with tempfile.TemporaryDirectory(dir=folder) as place:
            archive = Path(place) / path.name
            archive.write_bytes(path.read_bytes())
            unpack(archive, "nowhere", "md5:0", Limits(10**6, 10**6, 50))


def _patients(folder: Path) -> Sequence[Path]:
    rows = "".join(f"r{number},p{number // 2}\n" for number in range(9))
    (folder / "map.csv").write_text(f"record_id,patient_id\n{rows}")
    return [folder / "map.csv"]


def _manifest(folder: Path) -> Sequence[Path]:
    (folder / "ab_1.txt").write_text(_TEXTS["plain.txt"])
    (folder / "cohort.toml").write_text(
        "name = 'X'\nunmarked = 'SR'\npatient = '([a-z]+)_\\d'\n[patients]\nab_1 = 'p'\n"
    )
    return [folder / "cohort.toml"]


RECORD_TARGETS = (
    *(Target(f"records/text-{name}", _text(name), _all) for name in _TEXTS),
    Target("records/wfdb", _annotations, _all),
    Target("records/header", _header, _all),
    Target("records/mixed", _mixed, _all),
    Target("records/iridia", _iridia, _all),
    Target("records/processed", _processed, _open_processed),
    Target("records/archive", _archives, _unpack),
    Target("records/manifest", _manifest, _all),
    Target("records/patients", _patients, lambda folder: read_patients(folder / "map.csv")),
)
