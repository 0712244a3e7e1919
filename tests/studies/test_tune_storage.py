"""Storage URLs: what is understood, what is shown, and waiting for a storage that is away."""

import importlib.util
import socket
import time

import optuna
import pytest
from sqlalchemy.exc import IntegrityError, OperationalError, PendingRollbackError

from pacl.studies.errors import TuningError
from pacl.studies.tuning import storage
from pacl.studies.tuning.storage import (
    PatientStorage,
    StorageLostError,
    is_lost,
    open_storage,
    reason_of,
)
from pacl.studies.tuning.storage_url import StorageUrl, grpc_address, masked, read_url
from support.refusals import refused

SECRET = "s3cret"
FORMS = ["postgresql://", "mysql://", "sqlite://", "grpc://"]


def without(monkeypatch, *names):
    """As if some modules were not installed."""
    there = importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name: None if name in names else there(name)
    )


def closed_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (f"postgresql://ann:{SECRET}@host:5432/db", "postgresql://ann:***@host:5432/db"),
        (f"postgresql://ann:{SECRET}@@host/a:b@c/db", "postgresql://ann:***@c/db"),
        (f"mysql+pymysql://:{SECRET}/x@host/db?a=1", "mysql+pymysql://:***@host/db?a=1"),
        (f"postgresql://host/db?user=ann&password={SECRET}", None),
        (f"postgresql://host/db?sslPassword={SECRET}&a=1", None),
        (f"postgresql://ann:{SECRET}", "postgresql://ann:***"),
        (f"postgresql://ann:{SECRET}/db", None),
        ("postgresql://ann@host:5432/db", "postgresql://ann@host:5432/db"),
        ("postgresql://host:5432", "postgresql://host:5432"),
        ("grpc://[::1]:13000", "grpc://[::1]:13000"),
        ("sqlite:////tmp/a:b.db", "sqlite:////tmp/a:b.db"),
    ],
)
def test_a_password_is_never_shown(url, shown):
    assert SECRET not in masked(url)
    assert shown is None or masked(url) == shown


def test_a_password_in_what_a_driver_says_is_not_shown_either():
    url = StorageUrl("postgresql", "postgresql+psycopg://ann:p%40ss@host/db")
    said = url.scrub("no postgresql+psycopg://ann:p%40ss@host/db: p@ss and p%40ss are wrong")
    assert said == "no postgresql+psycopg://ann:***@host/db: *** and *** are wrong"


def test_the_driver_that_is_installed_is_used(monkeypatch):
    without(monkeypatch, "psycopg2", "MySQLdb")
    assert read_url("postgresql://a/b").full == "postgresql+psycopg://a/b"
    assert read_url("postgres://a/b").full == "postgresql+psycopg://a/b"
    assert read_url("mysql://a/b").full == read_url("mariadb://a/b").full == "mysql+pymysql://a/b"
    assert read_url("postgresql+asyncpg://a/b").full == "postgresql+asyncpg://a/b"


@pytest.mark.parametrize(
    ("url", "missing", "remedy"),
    [
        ("postgresql://a:s3cret@b/c", ("psycopg2", "psycopg"), "pip install 'psycopg[binary]'"),
        ("mysql://a:s3cret@b/c", ("MySQLdb", "pymysql"), "pip install pymysql"),
        ("grpc://a:1", ("grpc",), "pip install grpcio protobuf"),
    ],
)
def test_a_missing_driver_is_named_with_what_to_install(monkeypatch, url, missing, remedy):
    without(monkeypatch, *missing)
    with refused(TuningError, masked(url), remedy, "not installed" if "grpc" in url else "or"):
        open_storage(url)


def test_a_driver_that_was_asked_for_and_is_missing_is_named():
    with refused(TuningError, "pg8000", "***", "pip"):
        open_storage("postgresql+pg8000://ann:s3cret@host/db")


@pytest.mark.parametrize(
    "url", ["nosuchdb://ann:s3cret@x", "postgresql", "redis://h", "/a/file.db", "", "://"]
)
def test_an_unknown_kind_is_named_with_the_known_ones(url):
    with refused(TuningError, masked(url), *FORMS) as raised:
        open_storage(url)
    assert SECRET not in str(raised.value)


def test_a_password_that_breaks_the_url_is_told_how_to_write_without_being_shown():
    for url in ("postgresql://ann:a/b:s3cret@host:x/db", "mysql://ann:1@b:s3cret/d"):
        with refused(TuningError, "%40", "***") as raised:
            open_storage(url)
        assert SECRET not in str(raised.value)
        assert raised.value.__cause__ is None


@pytest.mark.parametrize("address", ["grpc://", "grpc://a:b", "grpc://a@b:1", "grpc://a:1/x"])
def test_what_is_no_address_of_a_proxy_is_refused(address):
    with refused(TuningError, "grpc://HOST:PORT"):
        grpc_address(StorageUrl("grpc", address))


def test_addresses_of_proxies():
    found = {
        address: grpc_address(StorageUrl("grpc", address))
        for address in ("grpc://a", "grpc://a.b:7", "grpc://[::1]:7/")
    }
    assert list(found.values()) == [("a", 13000), ("a.b", 7), ("[::1]", 7)]


@pytest.mark.parametrize("kind", ["postgresql", "mysql", "grpc"])
def test_a_storage_that_cannot_be_reached_is_an_error_at_once(monkeypatch, kind):
    monkeypatch.setattr(storage, "CONNECT_S", 0.5)
    port = closed_port()
    login = "" if kind == "grpc" else f"ann:{SECRET}@"
    database = "" if kind == "grpc" else "/db"
    began = time.monotonic()
    with refused(TuningError, kind, f"127.0.0.1:{port}") as raised:
        open_storage(f"{kind}://{login}127.0.0.1:{port}{database}")
    assert time.monotonic() - began < 20
    assert SECRET not in str(raised.value)


class Away:
    """A storage that answers after so many calls."""

    def __init__(self, calls):
        self.left, self.kind = calls, "a value"

    def ask(self, value):
        self.left -= 1
        if self.left >= 0:
            cause = OperationalError("select", {}, Exception(f"no connection for {SECRET}"))
            raise optuna.exceptions.StorageInternalError("away") from cause
        return value

    def fail(self):
        raise KeyError("x")


def patient(calls):
    url = StorageUrl("postgresql", f"postgresql+psycopg://ann:{SECRET}@host/db")
    return PatientStorage(Away(calls), url)


def test_a_lost_connection_is_waited_for(monkeypatch):
    monkeypatch.setattr(storage, "FIRST_PAUSE_S", 0.01)
    waiting = patient(calls=4)
    assert waiting.ask("x") == "x"
    assert waiting.kind == "a value"
    with pytest.raises(KeyError):
        waiting.fail()


def test_a_lost_connection_is_known_however_it_is_told():
    told = optuna.exceptions.StorageInternalError("an exception during the commit")
    told.__cause__ = PendingRollbackError("roll back first")  # Optuna had asked again
    told.__cause__.__context__ = OperationalError("select", {}, Exception("no connection"))
    assert is_lost(told)
    url = StorageUrl("postgresql", "postgresql+psycopg://host/db")
    assert reason_of(told, url) == "no connection"
    assert not is_lost(optuna.exceptions.UpdateFinishedTrialError("it has ended"))
    assert not is_lost(IntegrityError("insert", {}, Exception("twice")))


def test_after_some_time_the_search_ends_and_says_how_it_goes_on(monkeypatch):
    monkeypatch.setattr(storage, "FIRST_PAUSE_S", 0.01)
    monkeypatch.setattr(storage, "PATIENCE_S", 0.1)
    waiting = patient(calls=1000)
    with refused(StorageLostError, "no connection", "host/db", "same command") as raised:
        waiting.ask("x")
    assert SECRET not in str(raised.value)
    left = waiting._storage.left
    with pytest.raises(StorageLostError):
        waiting.ask("x")
    assert waiting._storage.left == left - 1  # once it has given up, it does not wait again


def test_a_search_that_is_stopped_does_not_wait():
    waiting = patient(calls=1000)
    waiting.stop_waiting()
    began = time.monotonic()
    with pytest.raises(StorageLostError):
        waiting.ask("x")
    assert time.monotonic() - began < 1
