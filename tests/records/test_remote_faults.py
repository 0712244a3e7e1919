"""Servers that fail: what may pass is tried again; other errors name the address."""

import sys
import time

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem

from pacl.records import MissingError, RecordError, RemoteError, open_records
from pacl.records.remote import access
from support.refusals import refused
from support.web_server import served


@pytest.fixture(autouse=True)
def _hasty(monkeypatch):
    monkeypatch.setattr(access, "PAUSES_S", (0.01, 0.01))


@pytest.fixture
def web(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("rr_ms\n" + "810\n790\n" * 20)
    with served(tmp_path) as found:
        yield found


@pytest.mark.parametrize("status", [500, 503, 429])
def test_a_fault_that_passes_is_tried_again(web, status):
    web.answers = {"": [status, status], "a.csv": [status]}
    reader = open_records(web.address)
    assert len(reader.read("a")) == 40
    assert (web.asked[""], web.asked["a.csv"]) == (3, 2)


@pytest.mark.parametrize(
    ("status", "error", "asked"),
    [(500, RemoteError, 3), (403, RemoteError, 1), (404, MissingError, 1)],
)
def test_a_fault_that_stays_is_of_one_recording(web, status, error, asked):
    web.answers = {"a.csv": [status] * 9}
    reader = open_records(web.address)
    with refused(error, f"{web.address}/a.csv", *([status] if status != 404 else [])):
        reader.read("a")
    assert web.asked["a.csv"] == asked
    assert len(reader.read("b")) == 40


@pytest.mark.parametrize("status", [500, 401, 403])
def test_an_address_that_cannot_be_listed_is_refused(web, status):
    web.answers = {"": [status] * 9}
    with refused(RemoteError, web.address, status):
        open_records(web.address)


def test_what_is_not_there_is_refused(web):
    with refused(MissingError, f"{web.address}/nowhere"):
        open_records(f"{web.address}/nowhere")


def test_a_file_that_is_cut_short_is_refused(web):
    web.short = {"a.csv"}
    reader = open_records(web.address)
    with refused(RemoteError, f"{web.address}/a.csv", "short"):
        reader.read("a")
    web.short = set()
    assert len(reader.read("a")) == 40


def test_a_server_that_does_not_answer_is_given_up(web, monkeypatch):
    reader = open_records(web.address)
    monkeypatch.setattr(access, "TIMEOUT_S", 0.1)
    web.silent_s = 0.5
    began = time.monotonic()
    with refused(RemoteError, f"{web.address}/a.csv", "0.1"):
        reader.read("a")
    assert time.monotonic() - began < 5


def test_a_server_that_is_not_there_is_named():
    with refused(RemoteError, "http://127.0.0.1:9/cohort", "reached"):
        open_records("http://127.0.0.1:9/cohort")


def test_credentials_are_sent_and_never_shown(web, tmp_path):
    host = web.address.removeprefix("http://")
    reader = open_records(f"http://anna:geheim@{host}?sig=verborgen")
    record = reader.read("a")
    assert web.keys != {""}
    assert web.queries == {"sig=verborgen"}
    web.answers = {"b.csv": [403]}
    with pytest.raises(RemoteError) as raised:
        reader.read("b")
    shown = f"{record.source} {reader.root} {raised.value} {reader!r}"
    assert "geheim" not in shown
    assert "verborgen" not in shown
    for path in ("", "a.csv"):
        web.answers = {path: [500] * 9}
        with pytest.raises(RemoteError) as raised:
            open_records(f"http://anna:geheim@{host}/{path}?sig=verborgen").read("a")
        assert "geheim" not in str(raised.value)
        assert "verborgen" not in str(raised.value)
        assert raised.value.__cause__ is None


class Store(MemoryFileSystem):
    """A store that may answer wrongly."""

    protocol = "wardstore"
    store: dict = {}  # noqa: RUF012 - as in the class above
    pseudo_dirs = [""]  # noqa: RUF012
    fails: BaseException | None = None

    @classmethod
    def _strip_protocol(cls, path):
        return super()._strip_protocol(path.removeprefix("wardstore://"))

    def get_file(self, rpath, lpath, **kwargs):
        super().get_file(rpath, lpath, **kwargs)
        if self.fails is not None:
            raise type(self).fails


@pytest.fixture
def store():
    fsspec.register_implementation("wardstore", Store, clobber=True)
    Store.store.clear()
    Store.fails = None
    found = Store()
    for name in ("a", "b"):
        found.pipe_file(f"/c/{name}.csv", b"rr_ms\n" + b"810\n790\n" * 20)
    return found


def test_bytes_that_were_not_listed_are_refused(store):
    reader = open_records("wardstore://c")
    store.pipe_file("/c/a.csv", b"rr_ms\n810\n")
    with refused(RemoteError, "wardstore://c/a.csv", 10, 166):
        reader.read("a")
    store.rm("/c/a.csv")
    with refused(MissingError, "wardstore://c/a.csv"):
        reader.read("a")
    assert len(reader.read("b")) == 40


@pytest.mark.parametrize(
    ("fails", "fact"),
    [
        (PermissionError("no"), "credentials"),
        (ConnectionResetError(), "reached"),
        (KeyError(1), "1"),
    ],
)
def test_errors_of_any_store_are_typed(store, fails, fact):
    reader = open_records("wardstore://c")
    Store.fails = fails
    with refused(RemoteError, "wardstore://c/a.csv", fact):
        reader.read("a")


@pytest.mark.parametrize(
    ("address", "hidden", "fact"),
    [
        ("http://127.0.0.1:9/", "aiohttp", "pip install aiohttp"),
        ("s3://hospital/holter", "s3fs", "pip install s3fs"),
        ("sftp://host/x", "paramiko", "pip install paramiko"),
        ("s3://hospital/holter", "fsspec.core", "pacl[cluster]"),
        ("nosuch://host/x", "s3fs", "nosuch"),
    ],
)
def test_a_package_that_is_missing_is_named(monkeypatch, address, hidden, fact):
    monkeypatch.setitem(sys.modules, hidden, None)
    for module in ("fsspec.implementations.http", "fsspec.implementations.sftp"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setattr(sys.modules["fsspec.registry"], "_registry", {})
    with refused(RecordError, address.rstrip("/"), fact):
        open_records(address)
