"""Storage URLs: which kinds there are, their drivers, and no password in what is shown."""

import importlib.util
import re
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import unquote

from pacl.studies.errors import TuningError

GRPC_PORT = 13000
"""Where Optuna's gRPC proxy listens if nothing else is said."""
HIDDEN = "***"
FORMS = (
    "give postgresql://USER@HOST/DATABASE, mysql://USER@HOST/DATABASE, sqlite:///FILE or "
    "grpc://HOST:PORT; without --storage the search is kept in a journal in its folder"
)
DRIVERS: dict[str, tuple[tuple[str, str], ...]] = {
    "postgresql": (("psycopg2", "psycopg2"), ("psycopg", "psycopg")),
    "mysql": (("MySQLdb", "mysqldb"), ("pymysql", "pymysql")),
    "sqlite": (("sqlite3", "pysqlite"),),
}
"""Of each database the modules that can talk to it, the first one found, as SQLAlchemy names it."""
INSTALL = {
    "postgresql": "pip install 'psycopg[binary]'",
    "mysql": "pip install pymysql",
    "grpc": "pip install grpcio protobuf",
}
ALIASES = {"postgres": "postgresql", "mariadb": "mysql"}
_LOGIN = re.compile(r"(?P<before>^[^:/]*://[^:/@?]*:)(?P<secret>.*)(?=@)", re.DOTALL)
_NO_PORT = re.compile(
    r"(?P<before>^[^:/]*://[^:/@?\[]*:)(?P<secret>(?!\d*([/?]|$))[^@]*)$", re.DOTALL
)
_QUERY = re.compile(
    r"(?P<before>[?&][^=&]*(?:pass|pwd|secret|token|key)[^=&]*=)(?P<secret>[^&]*)", re.IGNORECASE
)


class StorageUrl(NamedTuple):
    """A storage URL that can be opened: what it is of, and with the driver that is installed."""

    kind: str
    """`postgresql`, `mysql`, `sqlite` or `grpc`."""
    full: str
    """With its password: not to be shown or written."""

    @property
    def shown(self) -> str:
        """Without its password."""
        return masked(self.full)

    def scrub(self, text: str) -> str:
        """A text of a driver without the password."""
        text = text.replace(self.full, self.shown)
        for secret in secrets_of(self.full):
            text = text.replace(secret, HIDDEN).replace(unquote(secret), HIDDEN)
        return text


def masked(url: str) -> str:
    """A URL as it may be shown: without passwords, also if it is not quite a URL.

    Examples
    --------
    >>> masked("postgresql://ann:secret@host/tuning?sslmode=require")
    'postgresql://ann:***@host/tuning?sslmode=require'
    """
    for pattern in (_LOGIN, _NO_PORT, _QUERY):
        url = pattern.sub(rf"\g<before>{HIDDEN}", url)
    return url


def secrets_of(url: str) -> list[str]:
    """All that `masked` hides."""
    found = [match["secret"] for p in (_LOGIN, _NO_PORT, _QUERY) for match in p.finditer(url)]
    return [secret for secret in found if secret]


def read_url(url: str) -> StorageUrl:
    """Check a storage URL, and name the driver that is installed.

    Parameters
    ----------
    url
        As given with `--storage`.
    """
    scheme, colon, rest = url.partition("://")
    database, _, driver = scheme.lower().partition("+")
    database = ALIASES.get(database, database)
    if not colon or database not in (*DRIVERS, "grpc"):
        raise TuningError(f"storage {masked(url)}", f"no kind of storage {scheme!r}", FORMS)
    if database == "grpc":
        _need("grpc", ("grpc", "google"), masked(url))
        return StorageUrl("grpc", url)
    _check_form(f"{database}://{rest}")  # first: of what is no URL, a password cannot be masked
    if not driver:
        modules = [module for module, _ in DRIVERS[database]]
        found = _need(database, modules, masked(url))
        driver = dict(DRIVERS[database])[found]
    full = f"{database}+{driver}://{rest}"
    _check_form(full)
    return StorageUrl(database, full)


def grpc_address(url: StorageUrl) -> tuple[str, int]:
    """Host and port of a gRPC proxy."""
    found = re.fullmatch(r"grpc://(\[[^\]/]+\]|[^:/@?\[\]]+)(?::(\d{1,5}))?/?", url.full, re.I)
    if found is None:
        raise TuningError(
            f"storage {url.shown}",
            "not the address of a gRPC proxy",
            f"give grpc://HOST:PORT, such as grpc://localhost:{GRPC_PORT}",
        )
    return found[1], int(found[2] or GRPC_PORT)


def _check_form(full: str) -> None:
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import SQLAlchemyError

    try:
        make_url(full)
    except (SQLAlchemyError, ValueError):  # who knows where the password is, here and in the error
        raise TuningError(
            f"storage {full.partition('://')[0]}://{HIDDEN}",
            "not a URL; in a password, @ : / ? # % have to be written as %40 %3A %2F %3F %23 %25",
            FORMS,
        ) from None


def _need(kind: str, modules: Sequence[str], shown: str) -> str:
    """The first module that is installed; of gRPC both are needed."""
    there = [name for name in modules if importlib.util.find_spec(name) is not None]
    missing = len(there) < len(modules) if kind == "grpc" else not there
    if missing:
        raise TuningError(
            f"storage {shown}",
            f"none of its drivers is installed ({' or '.join(modules)})"
            if kind != "grpc"
            else "it needs grpcio and protobuf, which are not installed",
            INSTALL[kind],
        )
    return there[0]
