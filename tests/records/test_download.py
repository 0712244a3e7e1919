"""Downloads against a server on this machine that behaves well, badly, or not at all."""

import errno
import hashlib
import io
import json
import os
import sys
import tarfile
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from pacl.errors import PaclError
from pacl.records import cohort_manifest
from pacl.records.download import arrive, download, fetch
from pacl.records.download.fetch import DownloadError, fetch_file
from support.archives import tarred, zipped
from support.refusals import refused

pytest.importorskip("pooch")


@dataclass
class Site:
    """What a server has, and how it misbehaves."""

    files: dict[str, bytes] = field(default_factory=dict)
    ranges: bool = True
    cut_at: list[int] = field(default_factory=list)
    """Bytes after which to hang up, one entry a request."""
    statuses: list[int] = field(default_factory=list)
    """Statuses to answer before anything else."""
    wrong_range: bool = False
    trickle_s: float = 0.0
    """Pause after each byte."""
    trickle_headers_s: float = 0.0
    """Pause after each header, of which there is no end."""
    length: bool = True
    """Whether the length is stated."""
    asked: list[tuple[str, str]] = field(default_factory=list)
    url: str = ""
    closing: threading.Event = field(default_factory=threading.Event)


def handler(site: Site) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            asked = self.headers.get("Range", "")
            site.asked.append((self.path, asked))
            if site.statuses:
                self.send_error(site.statuses.pop(0))
                return
            if self.path not in site.files:
                self.send_error(404)
                return
            content = site.files[self.path]
            start = int(asked.removeprefix("bytes=").rstrip("-")) if asked and site.ranges else 0
            if start and start >= len(content):
                self.send_response(416)
                self.send_header("Content-Range", f"bytes */{len(content)}")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            self.send_response(206 if start else 200)
            if start:
                first = start + 1 if site.wrong_range else start
                self.send_header(
                    "Content-Range", f"bytes {first}-{len(content) - 1}/{len(content)}"
                )
            if site.length:
                self.send_header("Content-Length", str(len(content) - start))
            with suppress(OSError):  # the client may have gone
                while site.trickle_headers_s and not site.closing.wait(site.trickle_headers_s):
                    self.send_header("X-Wait", "more")
                    self.flush_headers()
                self.end_headers()
                cut = site.cut_at.pop(0) if site.cut_at else len(content)
                if not site.trickle_s:
                    self.wfile.write(content[start : start + cut])
                    return
                for at in range(start, len(content)):
                    self.wfile.write(content[at : at + 1])
                    if site.closing.wait(site.trickle_s):
                        return

    return Handler


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler(site))
    site.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield site
    site.closing.set()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(autouse=True)
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch, "BACKOFF_S", 0.001)
    monkeypatch.setattr(fetch, "CHUNK_BYTES", 1000)


BODY = bytes(range(256)) * 40
SHA = f"sha256:{hashlib.sha256(BODY).hexdigest()}"


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# One file


def test_a_file_is_fetched_once(site: Site, tmp_path: Path) -> None:
    site.files["/a.atr"] = BODY
    path = tmp_path / "a.atr"
    seen: list[tuple[str, int, int]] = []

    def track(name: str, done: int, total: int) -> None:
        seen.append((name, done, total))
        assert (tmp_path / "a.atr.part").stat().st_size == done, "not yet on disk"

    assert fetch_file(f"{site.url}/a.atr", path, SHA, track) == len(BODY)
    assert path.read_bytes() == BODY
    assert seen[0] == ("a.atr", 1000, len(BODY))
    assert seen[-1] == ("a.atr", len(BODY), len(BODY))
    assert fetch_file(f"{site.url}/a.atr", path, SHA) == 0
    assert len(site.asked) == 1
    assert names_in(tmp_path) == ["a.atr"]


def test_a_cut_connection_is_taken_up_again(site: Site, tmp_path: Path) -> None:
    site.files["/a.atr"] = BODY
    site.cut_at = [2500, 3000]
    assert fetch_file(f"{site.url}/a.atr", tmp_path / "a.atr", SHA) <= len(BODY)
    assert (tmp_path / "a.atr").read_bytes() == BODY
    starts = [int(asked[6:-1] or 0) if asked else 0 for _, asked in site.asked]
    assert starts == sorted(starts)
    assert starts[0] == 0
    assert starts[-1] >= 4000


def test_many_cuts_with_progress_between_do_not_count_up(site: Site, tmp_path: Path) -> None:
    site.files["/a.atr"] = BODY
    site.cut_at = [1000] * 9
    fetch_file(f"{site.url}/a.atr", tmp_path / "a.atr", SHA)
    assert len(site.asked) == 10 > fetch.ATTEMPTS


def test_a_later_call_goes_on_with_the_part(site: Site, tmp_path: Path) -> None:
    site.files["/a.atr"] = BODY
    (tmp_path / "a.atr.part").write_bytes(BODY[:7000])
    assert fetch_file(f"{site.url}/a.atr", tmp_path / "a.atr", SHA) == len(BODY) - 7000
    assert site.asked == [("/a.atr", "bytes=7000-")]
    assert (tmp_path / "a.atr").read_bytes() == BODY
    assert not (tmp_path / "a.atr.part").exists()


def test_a_whole_part_needs_no_bytes(site: Site, tmp_path: Path) -> None:
    site.files["/a.atr"] = BODY
    (tmp_path / "a.atr.part").write_bytes(BODY)
    assert fetch_file(f"{site.url}/a.atr", tmp_path / "a.atr", SHA) == 0
    assert (tmp_path / "a.atr").read_bytes() == BODY


def test_a_part_too_long_is_begun_again(site: Site, tmp_path: Path) -> None:
    site.files["/a.atr"] = BODY
    (tmp_path / "a.atr.part").write_bytes(BODY + b"x")
    fetch_file(f"{site.url}/a.atr", tmp_path / "a.atr", SHA)
    assert (tmp_path / "a.atr").read_bytes() == BODY


@pytest.mark.parametrize("kind", ["ignored", "wrong"])
def test_a_server_without_ranges_starts_over(site: Site, tmp_path: Path, kind: str) -> None:
    site.files["/a.atr"] = BODY
    site.ranges, site.wrong_range = kind != "ignored", kind == "wrong"
    (tmp_path / "a.atr.part").write_bytes(b"y" * 7000)
    assert fetch_file(f"{site.url}/a.atr", tmp_path / "a.atr", SHA) == len(BODY)
    assert (tmp_path / "a.atr").read_bytes() == BODY


def test_a_wrong_hash_leaves_nothing(site: Site, tmp_path: Path) -> None:
    site.files["/a.atr"] = BODY[:-1] + b"!"
    with pytest.raises(DownloadError) as caught:
        fetch_file(f"{site.url}/a.atr", tmp_path / "a.atr", SHA)
    assert str(caught.value) == (
        f"{tmp_path / 'a.atr'} from {site.url}/a.atr: the content does not have the checksum "
        f"{SHA}, a.atr.part was deleted; try again; should it persist, the server's file has "
        "changed"
    )
    assert isinstance(caught.value, PaclError)
    assert names_in(tmp_path) == []


def test_a_spoilt_file_is_replaced(site: Site, tmp_path: Path) -> None:
    site.files["/a.atr"] = BODY
    (tmp_path / "a.atr").write_bytes(b"spoilt")
    assert fetch_file(f"{site.url}/a.atr", tmp_path / "a.atr", SHA) == len(BODY)
    assert (tmp_path / "a.atr").read_bytes() == BODY


def test_busy_then_well(site: Site, tmp_path: Path) -> None:
    site.files["/a.atr"] = BODY
    site.statuses = [500, 503, 429]
    fetch_file(f"{site.url}/a.atr", tmp_path / "a.atr", SHA)
    assert len(site.asked) == 4


def test_busy_for_ever(site: Site, tmp_path: Path) -> None:
    site.statuses = [503] * 50
    with refused(DownloadError, "5 attempts", " 503 "):
        fetch_file(f"{site.url}/a.atr", tmp_path / "a.atr", SHA)
    assert len(site.asked) == 5


def test_cut_without_progress_is_given_up_and_the_part_kept(site: Site, tmp_path: Path) -> None:
    site.files["/a.atr"] = BODY
    site.cut_at = [5000] + [0] * 50
    with refused(DownloadError, "connection"):
        fetch_file(f"{site.url}/a.atr", tmp_path / "a.atr", SHA)
    assert (tmp_path / "a.atr.part").read_bytes() == BODY[:5000]
    assert not (tmp_path / "a.atr").exists()


def test_missing(site: Site, tmp_path: Path) -> None:
    with refused(DownloadError, 404, "address"):
        fetch_file(f"{site.url}/a.atr", tmp_path / "a.atr", SHA)
    assert len(site.asked) == 1


def test_nobody_there(tmp_path: Path) -> None:
    with refused(DownloadError, "a.atr", "http://127.0.0.1:9/a.atr", "5 attempts"):
        fetch_file("http://127.0.0.1:9/a.atr", tmp_path / "a.atr", SHA)


@pytest.mark.parametrize("url", ["nowhere/a.atr", "ftp://127.0.0.1/a.atr"])
def test_no_address(tmp_path: Path, url: str) -> None:
    with refused(DownloadError, "address"):
        fetch_file(url, tmp_path / "a.atr", SHA)


def test_full_disk(site: Site, tmp_path: Path) -> None:
    site.files["/a.atr"] = BODY

    def full(name: str, done: int, total: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with refused(DownloadError, "disk is full"):
        fetch_file(f"{site.url}/a.atr", tmp_path / "a.atr", SHA, full)
    assert (tmp_path / "a.atr.part").read_bytes() == BODY[:1000]


def test_killed_between_chunks(site: Site, tmp_path: Path) -> None:
    site.files["/a.atr"] = BODY

    def kill(name: str, done: int, total: int) -> None:
        if done >= 4000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch_file(f"{site.url}/a.atr", tmp_path / "a.atr", SHA, kill)
    assert names_in(tmp_path) == ["a.atr.part"]
    assert fetch_file(f"{site.url}/a.atr", tmp_path / "a.atr", SHA) == len(BODY) - 4000


def test_killed_while_hashing(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site.files["/a.atr"] = BODY

    def kill(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr("pooch.core.hash_matches", kill)
        fetch_file(f"{site.url}/a.atr", tmp_path / "a.atr", SHA)
    assert fetch_file(f"{site.url}/a.atr", tmp_path / "a.atr", SHA) == 0
    assert (tmp_path / "a.atr").read_bytes() == BODY


def test_without_pooch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pooch", None)
    with refused(DownloadError, "pooch", "pip install 'pacl[download]'"):
        download("afdb", tmp_path)


# PhysioNet


def publish(site: Site, files: dict[str, bytes]) -> str:
    sums = "".join(f"{hashlib.sha256(c).hexdigest()}  {name}\n" for name, c in files.items())
    site.files |= {f"/afdb/{name}": content for name, content in files.items()}
    site.files["/afdb/SHA256SUMS.txt"] = sums.encode()
    return f"{site.url}/afdb"


AFDB = {
    "RECORDS": b"04015\n04043\n",
    "04015.hea": b"04015 2 250\n",
    "04015.atr": b"\1\2",
    "04015.qrs": b"\3\4",
    "04015.dat": b"signal",
    "04043.atr": b"\5\6",
    "00735.atr": b"\7",
    "notes.html": b"x",
    "old/04015.atr": b"x",
}


def test_physionet(site: Site, tmp_path: Path) -> None:
    url = publish(site, AFDB)
    summary = download("afdb", tmp_path / "new" / "afdb", base_url=url)
    names = ["00735.atr", "04015.atr", "04015.hea", "04015.qrs", "04043.atr", "RECORDS"]
    assert names_in(summary.directory) == [*names, "cohort.toml"]
    assert (summary.directory / "04015.atr").read_bytes() == b"\1\2"
    assert sorted(path.name for path in summary.files) == names
    assert summary.fetched == len(names)
    assert summary.bytes_fetched == sum(len(AFDB[name]) for name in names)
    again = download("afdb", summary.directory, base_url=url)
    assert (again.fetched, again.bytes_fetched, again.files) == (0, 0, summary.files)


def test_the_manifest_names_the_source_and_one_of_ones_own_is_kept(
    site: Site, tmp_path: Path
) -> None:
    url = publish(site, AFDB)
    download("afdb", tmp_path, base_url=url)
    found = cohort_manifest(tmp_path)
    assert found is not None
    assert (found.name, found.licence, found.as_read()) == ("AFDB", "ODC-By 1.0", {})
    assert "1.0.0, PhysioNet" in found.source
    (tmp_path / "cohort.toml").write_text("name = 'mine'")
    download("afdb", tmp_path, base_url=url)
    assert (tmp_path / "cohort.toml").read_text() == "name = 'mine'"


def test_physionet_wrong_sum(site: Site, tmp_path: Path) -> None:
    url = publish(site, AFDB)
    site.files["/afdb/04043.atr"] = b"other"
    with refused(DownloadError, "04043.atr"):
        download("afdb", tmp_path, base_url=url)


@pytest.mark.parametrize(
    ("files", "facts"),
    [
        (
            {"RECORDS": b"04015\n04043\n", "04015.atr": b"x"},
            ("RECORDS", "04043"),
        ),
        ({"04015.atr": b"x"}, ("RECORDS",)),
    ],
)
def test_physionet_not_whole(
    site: Site, tmp_path: Path, files: dict[str, bytes], facts: tuple[str, ...]
) -> None:
    with refused(DownloadError, *facts):
        download("afdb", tmp_path, base_url=publish(site, files))


def test_physionet_sums_that_are_none(site: Site, tmp_path: Path) -> None:
    site.files["/afdb/SHA256SUMS.txt"] = b"<html>log in</html>"
    with refused(DownloadError, "'<htm"):
        download("afdb", tmp_path, base_url=f"{site.url}/afdb")


def test_unknown_data_set(tmp_path: Path) -> None:
    unchecked: Callable[..., object] = getattr(download, "__wrapped__", download)
    with refused(DownloadError, "'mitdb'", "iridia-af", "ltafdb", "afdb"):
        unchecked("mitdb", tmp_path)


def test_directory_that_cannot_be(site: Site, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with refused(DownloadError, "File exists"):
        download("afdb", tmp_path / "file", base_url=site.url)


# Zenodo

TREE = {"iridia/record_000/record_000_rr_00.h5": b"rr", "iridia/record_001/labels.csv": b"a,b\n"}


def deposit(site: Site, files: dict[str, bytes]) -> str:
    site.files |= {f"/content/{name}": content for name, content in files.items()}
    listed = [
        {
            "key": name,
            "size": len(content),
            "checksum": f"md5:{hashlib.md5(content).hexdigest()}",
            "links": {"self": f"{site.url}/content/{name}"},
        }
        for name, content in files.items()
    ]
    site.files["/api/records/8405941"] = json.dumps({"id": 8405941, "files": listed}).encode()
    return f"{site.url}/api/records/8405941"


@pytest.mark.parametrize(
    ("name", "pack"), [("records.zip", zipped), ("records.tar.gz", tarred)], ids=["zip", "tar"]
)
def test_zenodo(
    site: Site,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    pack: Callable[[dict[str, bytes]], bytes],
) -> None:
    url = deposit(site, {"metadata.csv": b"patient_id,record_id\n", name: pack(TREE)})
    summary = download("iridia-af", tmp_path, base_url=url)
    assert summary.unpacked == (tmp_path / "iridia",)
    for path, content in TREE.items():
        assert (tmp_path / path).read_bytes() == content
    names = ["iridia", "metadata.csv", name, f"{name}.unpacked"]
    assert names_in(tmp_path) == ["cohort.toml", *names]
    (tmp_path / "iridia" / "mine.txt").write_text("kept")
    monkeypatch.delattr("pacl.records.download.unpack._members")  # it is not unpacked a second time
    again = download("iridia-af", tmp_path, base_url=url)
    assert again.fetched == 0
    assert again.unpacked == summary.unpacked
    assert (tmp_path / "iridia" / "mine.txt").exists()


def test_zenodo_unpacks_again_what_is_gone(site: Site, tmp_path: Path) -> None:
    url = deposit(site, {"records.zip": zipped(TREE)})
    download("iridia-af", tmp_path, base_url=url)
    (tmp_path / "iridia").rename(tmp_path / "elsewhere")
    download("iridia-af", tmp_path, base_url=url)
    assert (tmp_path / "iridia/record_001/labels.csv").exists()


def test_zenodo_does_not_overwrite(site: Site, tmp_path: Path) -> None:
    (tmp_path / "iridia").mkdir()
    (tmp_path / "iridia" / "mine.txt").write_text("mine")
    url = deposit(site, {"records.zip": zipped(TREE)})
    with refused(DownloadError, "iridia"):
        download("iridia-af", tmp_path, base_url=url)
    assert names_in(tmp_path / "iridia") == ["mine.txt"]


def link(name: str, kind: bytes) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, "/etc/passwd"
    return info


def zip_with_link() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        info = zipfile.ZipInfo("a/link")
        info.external_attr = 0o120777 << 16
        packed.writestr(info, "/etc/passwd")
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "facts"),
    [
        ("r.zip", zipped({"../out.txt": b"x"}), ("'../out.txt'",)),
        ("r.zip", zipped({"/out.txt": b"x"}), ("'/out.txt'",)),
        ("r.zip", zipped({"C:/out.txt": b"x"}), ("'C:/out.txt'",)),
        ("r.zip", zip_with_link(), ("'a/link'", "a link")),
        ("r.tar.gz", tarred({"a/../../out.txt": b"x"}), ("out.txt'",)),
        ("r.tar.gz", tarred({}, link("a", tarfile.SYMTYPE)), ("'a'",)),
        ("r.tar.gz", tarred({}, link("a", tarfile.LNKTYPE)), ("'a'",)),
        ("r.tar.gz", tarred({}, link("a", tarfile.CHRTYPE)), ("'a'",)),
        ("r.zip", b"not a zip", ("r.zip", "not a zip file")),
        ("r.tar.gz", b"not a tar", ("r.tar.gz",)),
        ("r.zip", zipped({"a.txt": b"\0\1\2"}).replace(b"\0\1\2", b"\0\1\3"), ("Bad CRC-32",)),
    ],
    ids=lambda value: (
        value if isinstance(value, str) else type(value).__name__
    ),  # not what is in them: a gzip file holds the time
)
def test_zenodo_hostile_archives(
    site: Site, tmp_path: Path, name: str, content: bytes, facts: tuple[str, ...]
) -> None:
    folder = tmp_path / "data"
    with refused(DownloadError, *facts):
        download("iridia-af", folder, base_url=deposit(site, {name: content}))
    assert names_in(folder) == [name]
    assert names_in(tmp_path) == ["data"]


@pytest.mark.parametrize(
    "record",
    [
        b"<html>",
        b"[]",
        b'{"files": []}',
        b'{"files": [{"key": "a.csv"}]}',
        b'{"files": [{"key": "../a", "checksum": "md5:0", "links": {"self": "x"}}]}',
        b'{"files": [{"key": "a", "checksum": "crc:0", "links": {"self": "x"}}]}',
        b'{"files": [{"key": 3, "checksum": "md5:0", "links": {"self": "x"}}]}',
        b"[" * 100_000,
    ],
)
def test_zenodo_record_that_is_none(site: Site, tmp_path: Path, record: bytes) -> None:
    site.files["/record"] = record
    with refused(DownloadError, "Zenodo"):
        download("iridia-af", tmp_path, base_url=f"{site.url}/record")


def test_small_files_are_small(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch, "_SMALL_BYTES", 5000)
    site.files["/record"] = BODY
    with refused(DownloadError, "larger than expected"):
        download("iridia-af", tmp_path, base_url=f"{site.url}/record")


def test_small_files_are_tried_again(site: Site, tmp_path: Path) -> None:
    url = deposit(site, {"metadata.csv": b"patient_id,record_id\n"})
    site.cut_at = [20]
    site.statuses = [503]
    assert download("iridia-af", tmp_path, base_url=url).fetched == 1


# Servers that do not come to an end, and archives that do not


@pytest.fixture
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrive, "STALL_S", 0.2)
    monkeypatch.setattr(arrive, "STALL_BYTES", 2000)
    monkeypatch.setattr(fetch, "ATTEMPTS", 2)


@pytest.mark.usefixtures("_impatient")
def test_a_server_that_trickles_is_given_up_and_the_part_kept(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.files["/a.atr"] = BODY
    site.trickle_s = 0.02
    with refused(DownloadError, "bytes arrived"):
        fetch_file(f"{site.url}/a.atr", tmp_path / "a.atr", SHA)
    kept = (tmp_path / "a.atr.part").read_bytes()
    assert 0 < len(kept) < 1000
    assert BODY.startswith(kept)
    assert len(site.asked) == 2
    site.trickle_s = 0.0
    monkeypatch.setattr(arrive, "STALL_S", 60)
    assert fetch_file(f"{site.url}/a.atr", tmp_path / "a.atr", SHA) == len(BODY) - len(kept)
    assert (tmp_path / "a.atr").read_bytes() == BODY


@pytest.mark.usefixtures("_impatient")
def test_a_small_file_that_trickles_is_given_up(site: Site, tmp_path: Path) -> None:
    site.files["/record"] = BODY
    site.trickle_s = 0.02
    with refused(DownloadError, "bytes arrived"):
        download("iridia-af", tmp_path, base_url=f"{site.url}/record")


@pytest.mark.usefixtures("_impatient")
def test_headers_that_trickle_are_given_up(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrive, "ANSWER_S", 0.3)
    site.files["/a.atr"] = BODY
    site.trickle_headers_s = 0.05
    with refused(DownloadError, "2 attempts"):
        fetch_file(f"{site.url}/a.atr", tmp_path / "a.atr", SHA)


@pytest.mark.parametrize("stated", [True, False])
def test_a_file_far_too_large_is_not_fetched(site: Site, tmp_path: Path, stated: bool) -> None:
    site.files["/a.atr"] = BODY
    site.length = stated
    with refused(DownloadError, "a.atr", 5000):
        fetch_file(f"{site.url}/a.atr", tmp_path / "a.atr", SHA, most=5000)
    assert names_in(tmp_path) == []


def test_a_file_larger_than_its_record_says_is_not_fetched(site: Site, tmp_path: Path) -> None:
    url = deposit(site, {"records.zip": zipped(TREE)})
    site.files["/content/records.zip"] += b"more"
    with refused(DownloadError, "records.zip"):
        download("iridia-af", tmp_path, base_url=url)


@pytest.mark.parametrize("name", ["a.atr", "a.atr.part"])
def test_a_pipe_where_the_file_is_to_lie(site: Site, tmp_path: Path, name: str) -> None:
    site.files["/a.atr"] = BODY
    os.mkfifo(tmp_path / name)
    with refused(DownloadError, "pipe"):
        fetch_file(f"{site.url}/a.atr", tmp_path / "a.atr", SHA)
    assert site.asked == []


def test_an_answer_that_comes_too_late_is_closed() -> None:
    may_go, closed = threading.Event(), threading.Event()

    class Late:
        def close(self) -> None:
            closed.set()

    def ask() -> Late:
        may_go.wait(10)
        return Late()

    with pytest.raises(arrive.TryAgain, match="no answer"):
        arrive.within(0.01, ask)
    assert not closed.is_set()
    may_go.set()
    assert closed.wait(10)
