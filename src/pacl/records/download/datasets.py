"""Fetch the public data sets: IRIDIA-AF from Zenodo, LTAFDB and AFDB from PhysioNet."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from pacl.atomic_write import TargetError, atomic_write
from pacl.file_bytes import read_file
from pacl.records.annotations import MAX_ANNOTATION_BYTES
from pacl.records.download.fetch import (
    MAX_BYTES,
    DownloadError,
    Track,
    disk_error,
    fetch_file,
    fetch_small,
    need_pooch,
)
from pacl.records.download.unpack import ARCHIVES, unpack
from pacl.records.tree import MANIFEST
from pacl.stored import as_toml

Dataset = Literal["iridia-af", "ltafdb", "afdb"]

ZENODO = "https://zenodo.org/api/records/8405941"
"""IRIDIA-AF v1.0.1."""

PHYSIONET = "https://physionet.org/files/{dataset}/1.0.0/"

ANNOTATIONS = ("hea", "atr", "qrs", "qrsc", "ecg")
"""Endings fetched from PhysioNet: headers, beats and rhythms; the signals stay there."""

COHORTS: Mapping[Dataset, Mapping[str, str]] = {
    "iridia-af": {
        "name": "IRIDIA-AF",
        "source": "IRIDIA-AF 1.0.1, Zenodo 8405941",
        "licence": "CC BY 4.0",
    },
    "ltafdb": {
        "name": "LTAFDB",
        "source": "Long-Term AF Database 1.0.0, PhysioNet",
        "licence": "ODC-By 1.0",
    },
    "afdb": {
        "name": "AFDB",
        "source": "MIT-BIH Atrial Fibrillation Database 1.0.0, PhysioNet",
        "licence": "ODC-By 1.0",
    },
}
"""The `cohort.toml` of each data set. Rhythms and patients are in their own files."""

_SUMS = "SHA256SUMS.txt"
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.()+ -]*")


@dataclass(frozen=True, slots=True)
class DownloadSummary:
    """The files of a downloaded data set, old and new, and the top-level names of its archives.

    `fetched` counts the files, and `bytes_fetched` the bytes, that were transferred now.
    """

    dataset: Dataset
    directory: Path
    files: tuple[Path, ...]
    fetched: int
    bytes_fetched: int
    unpacked: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class _File:
    name: str
    url: str
    known_hash: str
    most: int = MAX_BYTES


def download(
    dataset: Dataset,
    directory: Path | str,
    *,
    base_url: str | None = None,
    track: Track | None = None,
) -> DownloadSummary:
    """Fetch a data set into a folder; an earlier attempt is resumed.

    Each file is checked against its published checksum; complete files are not fetched again. A
    `cohort.toml` in the folder states the cohort, its source and its licence.

    Parameters
    ----------
    base_url
        A mirror: the folder of a PhysioNet data set, or the address of a Zenodo record's JSON.
    track
        Called with name, bytes so far and total bytes as files arrive.
    """
    directory = Path(directory)
    if dataset not in get_args(Dataset):
        raise DownloadError(
            base_url or "nowhere",
            directory,
            f"no data set {dataset!r}, expected one of {', '.join(get_args(Dataset))}",
            "name one of these",
        )
    default = ZENODO if dataset == "iridia-af" else PHYSIONET.format(dataset=dataset)
    url = base_url or default
    need_pooch(url, directory)
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise disk_error(url, directory, error) from error
    wanted = (
        _zenodo_files(url, directory)
        if dataset == "iridia-af"
        else _physionet_files(url.rstrip("/") + "/", directory)
    )
    transferred = [
        fetch_file(f.url, directory / f.name, f.known_hash, track, f.most) for f in wanted
    ]
    if dataset != "iridia-af":
        _check_records(url, directory, wanted)
    unpacked = [
        path
        for file in wanted
        if file.name.lower().endswith(ARCHIVES)
        for path in unpack(directory / file.name, file.url, file.known_hash)
    ]
    _write_manifest(url, directory, dataset)
    return DownloadSummary(
        dataset,
        directory,
        tuple(directory / file.name for file in wanted),
        sum(map(bool, transferred)),
        sum(transferred),
        tuple(unpacked),
    )


def _physionet_files(url: str, directory: Path) -> list[_File]:
    """RECORDS, headers and annotations, as far as the list of checksums names them."""
    sums_url = url + _SUMS
    sums: dict[str, str] = {}
    for line in fetch_small(sums_url, directory / _SUMS).decode("utf-8", "replace").splitlines():
        if not line.strip():
            continue
        if not (found := re.fullmatch(r"([0-9a-fA-F]{64})[ \t]+\*?(\S.*)", line.strip())):
            raise DownloadError(
                sums_url,
                directory / _SUMS,
                f"expected lines of checksum and name, found {line[:80]!r}",
                "check the address",
            )
        sums[found[2]] = found[1].lower()
    if "RECORDS" not in sums:
        raise DownloadError(
            sums_url, directory / _SUMS, "it does not list RECORDS", "check the address"
        )
    endings = tuple(f".{ending}" for ending in ANNOTATIONS)
    names = sorted(n for n in sums if _NAME.fullmatch(n) and n.endswith(endings))
    return [
        _File(name, url + name, f"sha256:{sums[name]}", MAX_ANNOTATION_BYTES)
        for name in ("RECORDS", *names)
    ]


def _check_records(url: str, directory: Path, files: list[_File]) -> None:
    """Every record of the data set's own list must have come with annotations."""
    listed = read_file(directory / "RECORDS", MAX_ANNOTATION_BYTES).decode("utf-8", "replace")
    if missing := sorted(set(listed.split()) - {file.name.rpartition(".")[0] for file in files}):
        raise DownloadError(
            url,
            directory,
            f"{len(missing)} record(s) in RECORDS without annotations: {', '.join(missing[:5])}",
            "check the address, the mirror may be incomplete",
        )


def _write_manifest(url: str, directory: Path, dataset: Dataset) -> None:
    """Write the name and source of a cohort; an existing manifest is kept."""
    path = directory / MANIFEST
    try:
        if not path.exists():
            atomic_write(path, as_toml(COHORTS[dataset]))
    except (OSError, TargetError) as error:
        raise DownloadError(
            url, path, f"cannot be written ({error})", "check the folder"
        ) from error


def _zenodo_files(url: str, directory: Path) -> list[_File]:
    """Files of a Zenodo record, as its JSON lists them."""
    content = fetch_small(url, directory / "record.json")
    try:
        listed: Any = json.loads(content)["files"]
        files = [
            _File(
                f["key"],
                f["links"]["self"],
                f["checksum"],
                min(int(f.get("size", MAX_BYTES)), MAX_BYTES),
            )
            for f in listed
        ]
        wrong = [f.name for f in files if not _NAME.fullmatch(f.name)]
        if not files or wrong or not all(re.match(r"(md5|sha256):", f.known_hash) for f in files):
            raise ValueError(f"files {[f.name for f in files]}")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DownloadError(
            url,
            directory,
            f"expected a Zenodo record with names, links and checksums ({error})",
            "check the address",
        ) from error
    return files
