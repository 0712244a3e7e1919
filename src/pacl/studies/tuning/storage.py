"""Storages by URL, for workers on several machines; they wait for a database that is away.

Each call that fails because the connection is lost is repeated, ever more rarely, for `PATIENCE_S`.
To repeat a call is safe even where the first one had reached the database: attributes and settings
are written over with the same values, a result is taken once, and a trial that was begun twice has
one nobody signs, which is given up.
"""

import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from pacl.studies.errors import TuningError
from pacl.studies.tuning.storage_url import StorageUrl, grpc_address, read_url

if TYPE_CHECKING:
    from optuna.storages import BaseStorage
    from optuna.study import Study

PATIENCE_S = 600.0
"""How long a worker waits for a storage that is away."""
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 15.0
CONNECT_S = 10
"""Seconds to wait for an answer when a connection is made."""
POSTGRES: dict[str, Any] = {
    "connect_timeout": CONNECT_S,
    # A host that is gone without a word is noticed within a minute.
    "keepalives_idle": 20,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
    # A worker that stops in the middle of a transaction does not block the others.
    "options": "-c idle_in_transaction_session_timeout=60s -c lock_timeout=60s",
}
MYSQL: dict[str, Any] = {"connect_timeout": CONNECT_S, "read_timeout": 60, "write_timeout": 60}
UNANSWERED = {"UNAVAILABLE", "UNKNOWN", "INTERNAL", "ABORTED", "DEADLINE_EXCEEDED"}
"""How gRPC calls end if the proxy is away, or the database behind it is."""

P = ParamSpec("P")
T = TypeVar("T")


class StorageLostError(TuningError):
    """A storage that stayed away for too long."""


class PatientStorage:
    """A storage whose calls wait until a lost connection is back.

    Parameters
    ----------
    storage
        Of Optuna.
    url
        For messages.
    close
        Closes its connections.
    """

    def __init__(
        self, storage: "BaseStorage", url: StorageUrl, close: Callable[[], None] = lambda: None
    ) -> None:
        self._storage, self._url, self.close = storage, url, close
        self._closing = threading.Event()

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._storage, name)
        return partial(self.patiently, found) if callable(found) else found

    def stop_waiting(self) -> None:
        """From now on a lost connection is an error at once."""
        self._closing.set()

    def patiently(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call, and again if the connection is lost."""
        began, pause = time.monotonic(), FIRST_PAUSE_S
        while True:
            try:
                return call(*args, **kwargs)
            except Exception as error:
                if not is_lost(error):
                    raise
                waited = time.monotonic() - began
                if waited >= PATIENCE_S or self._closing.wait(min(pause, PATIENCE_S - waited)):
                    self.stop_waiting()
                    raise self._lost(error, waited) from None
                pause = min(2 * pause, LONGEST_PAUSE_S)

    def _lost(self, error: BaseException, waited: float) -> StorageLostError:
        return StorageLostError(
            f"storage {self._url.shown}",
            f"away for {waited:.0f} s ({reason_of(error, self._url)})",
            "start it and give the same command again: the search goes on, and what had ended "
            "counts",
        )


def open_storage(given: str) -> "BaseStorage":
    """Open a storage by its URL; one that cannot be reached is an error at once.

    Parameters
    ----------
    given
        `postgresql://`, `mysql://` and `sqlite://` as SQLAlchemy takes them, `grpc://HOST:PORT` for
        a proxy that `optuna.storages.run_grpc_proxy_server` runs.
    """
    url = read_url(given)
    try:
        found = _open_grpc(url) if url.kind == "grpc" else _open_database(url)
    except TuningError:
        raise
    except ImportError as error:
        module = getattr(error.__cause__, "name", None) or "its driver"
        raise TuningError(
            f"storage {url.shown}", f"{module} is not installed", "install it with pip"
        ) from None
    except Exception as error:
        raise TuningError(
            f"storage {url.shown}",
            f"cannot be opened ({reason_of(error, url)})",
            "check that it runs and can be reached from here, and its host, user and database",
        ) from None
    return cast("BaseStorage", found)


def stop_waiting(study: "Study") -> None:
    """Have this process, which is about to end, wait no more for a storage that is away."""
    storage: object = study._storage
    if isinstance(storage, PatientStorage):
        storage.stop_waiting()


@contextmanager
def closing(study: "Study") -> "Iterator[Study]":
    """Close the connections of a study after the block."""
    try:
        yield study
    finally:
        storage: object = study._storage
        if isinstance(storage, PatientStorage):
            storage.close()


def is_lost(error: BaseException) -> bool:
    """Whether a call failed because the storage was away or too busy."""
    return _lost_by(error) is not None


def _lost_by(error: BaseException) -> BaseException | None:
    """What in a chain of errors says that the storage was away."""
    from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
    from sqlalchemy.exc import TimeoutError as PoolTimeoutError

    found: BaseException | None = error
    while found is not None:
        code = getattr(found, "code", None)  # of gRPC, which may not be installed
        if (
            isinstance(found, OperationalError | InterfaceError | PoolTimeoutError)
            or (isinstance(found, DBAPIError) and found.connection_invalidated)
            or (callable(code) and getattr(code(), "name", "") in UNANSWERED)
        ):
            return found
        found = found.__cause__ or found.__context__
    return None


def reason_of(error: BaseException, url: StorageUrl) -> str:
    """The first line of an error's text, without the password."""
    error = _lost_by(error) or error
    error = getattr(error, "orig", None) or error  # of the driver, without the SQL
    details = getattr(error, "details", None)
    said = str(details() if callable(details) else error).strip()
    return url.scrub(said.splitlines()[0]) if said else type(error).__name__


def _open_grpc(url: StorageUrl) -> PatientStorage:
    from optuna.exceptions import ExperimentalWarning
    from optuna.storages import GrpcStorageProxy

    host, port = grpc_address(url)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
        storage = GrpcStorageProxy(host=host, port=port)
    try:
        storage.wait_server_ready(timeout=CONNECT_S)
    except ConnectionError:
        storage.close()
        raise TuningError(
            f"storage {url.shown}",
            f"no answer within {CONNECT_S} s",
            "start the proxy (optuna.storages.run_grpc_proxy_server), or check host and port",
        ) from None
    return PatientStorage(storage, url, storage.close)


def _open_database(url: StorageUrl) -> PatientStorage:
    from optuna.storages import RDBStorage, get_storage
    from sqlalchemy.engine import make_url

    settings: dict[str, Any] = {}
    usual = {"postgresql": POSTGRES, "mysql": MYSQL}.get(url.kind)
    if usual is not None:
        stated = make_url(url.full).query
        settings = {
            "connect_args": {key: value for key, value in usual.items() if key not in stated},
            "pool_pre_ping": True,
            "pool_size": 2,  # one for the search, one for its signs of life
        }
    braced = url.full.replace("{", "{{").replace("}", "}}")  # Optuna fills in what is in braces
    storage = RDBStorage(braced, engine_kwargs=settings)
    return PatientStorage(get_storage(storage), url, storage.engine.dispose)
