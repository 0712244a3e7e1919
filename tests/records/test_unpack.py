"""Archives that unpack to too much, and every kind that is unpacked."""

import io
import os
import struct
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from pacl.errors import PaclError
from pacl.records.download.fetch import DownloadError
from pacl.records.download.unpack import Limits, unpack
from support.archives import tarred, zipped
from support.refusals import refused


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_pipe_where_the_note_is_to_lie_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "r.zip.unpacked")
    (tmp_path / "r.zip").write_bytes(zipped({"iridia/a.h5": b"rr"}))
    with refused(PaclError, "r.zip.unpacked"):
        unpack(tmp_path / "r.zip", "u", "md5:x")
    assert (tmp_path / "r.zip.unpacked").is_fifo()


BIG = {"iridia/a.h5": bytes(300_000), "iridia/b.h5": bytes(300_000)}


@pytest.mark.parametrize("pack", [zipped, tarred], ids=["zip", "tar"])
@pytest.mark.parametrize(
    ("limits", "facts"),
    [
        (Limits(total_bytes=500_000), ("b.h5", 200_000)),
        (Limits(file_bytes=200_000), ("a.h5", "00,000 bytes")),
        (Limits(entries=1), (1,)),
    ],
    ids=["in all", "one file", "many files"],
)
def test_an_archive_that_unpacks_to_too_much(
    tmp_path: Path,
    pack: Callable[[dict[str, bytes]], bytes],
    limits: Limits,
    facts: tuple[str | int, ...],
) -> None:
    archive = tmp_path / ("r.zip" if pack is zipped else "r.tar.gz")
    archive.write_bytes(pack(BIG))
    with refused(DownloadError, *facts):
        unpack(archive, "u", "md5:x", limits)
    assert names_in(tmp_path) == [archive.name]
    assert unpack(archive, "u", "md5:x") == (tmp_path / "iridia",)


def test_a_zip_that_lies_about_its_size(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("a.h5", bytes(5_000_000))
    stated = (5_000_000).to_bytes(4, "little")
    archive = tmp_path / "r.zip"
    archive.write_bytes(out.getvalue().replace(stated, (9).to_bytes(4, "little")))
    with pytest.raises(DownloadError):
        unpack(archive, "u", "md5:x", Limits(file_bytes=1000))
    assert names_in(tmp_path) == ["r.zip"]


@pytest.mark.parametrize("name", ["a.txt", "."])
def test_a_file_without_a_name(tmp_path: Path, name: str) -> None:
    content = bytearray(zipped({name: b"x"}))
    if name == "a.txt":  # make a comment of its name, as damage may
        at = content.rindex(b"PK\1\2") + 28
        content[at : at + 6] = struct.pack("<HHH", 0, 0, len(name))
    (tmp_path / "r.zip").write_bytes(content)
    with refused(DownloadError, "r.zip"):
        unpack(tmp_path / "r.zip", "u", "md5:x")


def test_a_tar_header_without_end(tmp_path: Path) -> None:
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, 100_000_000
    content = header.tobuf(tarfile.USTAR_FORMAT) + bytes(1000)
    (tmp_path / "r.tar").write_bytes(content)
    with refused(DownloadError, 100_000_256):
        unpack(tmp_path / "r.tar", "u", "md5:x")


@pytest.mark.parametrize("ending", ["tar", "tgz", "tar.gz", "tar.bz2", "tar.xz"])
def test_every_kind_of_tar_is_unpacked(tmp_path: Path, ending: str) -> None:
    kind = {"tgz": "gz", "tar": ""}.get(ending, ending.partition(".")[2])
    with tarfile.open(tmp_path / f"r.{ending}", f"w:{kind}") as tape:
        info = tarfile.TarInfo("iridia/a.h5")
        info.size = 2
        tape.addfile(info, io.BytesIO(b"rr"))
    assert unpack(tmp_path / f"r.{ending}", "u", "md5:x") == (tmp_path / "iridia",)
    assert (tmp_path / "iridia" / "a.h5").read_bytes() == b"rr"
