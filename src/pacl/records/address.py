"""Addresses such as `s3://hospital/holter`, also where they were taken for a path."""

import os
import re
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import quote

_ADDRESS = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+):(?P<slashes>/+)(?P<rest>.*)", re.DOTALL)
_LOCAL = ("file", "local")
_WEB = ("http", "https")
_USER = re.compile(r"(https?://)[^/\s]*@", re.IGNORECASE)
_PASSWORD = re.compile(r"(://[^/\s@:]*):[^/\s]*@")
_QUERY = re.compile(r"\?[^\s'\")>]+")
_SAFE = "/!$&'()*+,;=:@~"


def address_of(path: Path | str) -> str | None:
    """The address that a path stands for; None for a path of this machine.

    A path has lost a slash of the address: `s3:/hospital` is `s3://hospital`. A scheme has at least
    two letters, so that `C:/` is none, and a file of that name must not be here. `file://` is a
    path of this machine, see `local_path`.

    Examples
    --------
    >>> address_of(Path("https://host:8080/cohort?key=1"))
    'https://host:8080/cohort?key=1'
    >>> address_of("night.csv") is None
    True
    """
    text, found = _matched(path)
    if found is None or found["scheme"].lower() in _LOCAL:
        return None
    with suppress(OSError, ValueError):
        if os.path.lexists(text):
            return None
    return text if len(found["slashes"]) > 1 else f"{found['scheme']}://{found['rest']}"


def local_path(path: Path | str) -> Path:
    """A path of this machine, which may be written as `file:///home/anna/night.csv`."""
    text, found = _matched(path)
    if found is None or found["scheme"].lower() not in _LOCAL or os.path.lexists(text):
        return Path(path)
    has_drive = re.match(r"[A-Za-z]:", found["rest"])
    return Path(found["rest"] if has_drive else f"/{found['rest']}")


def shown_path(path: Path | str) -> str:
    """A path or an address to be printed: without a password, and without the query."""
    address = address_of(path)
    return str(path) if address is None else masked(address)


def masked(text: str) -> str:
    """A text without passwords and queries of the addresses in it; on the web, a user may be a key.

    Examples
    --------
    >>> masked("https://anna:secret@host/a.csv?sig=1")
    'https://***@host/a.csv?***'
    """
    return _QUERY.sub("?***", _PASSWORD.sub(r"\1:***@", _USER.sub(r"\1***@", text)))


def _matched(path: Path | str) -> tuple[str, re.Match[str] | None]:
    text = path.as_posix() if isinstance(path, Path) else path
    return text, _ADDRESS.fullmatch(text)


@dataclass(frozen=True, slots=True)
class Place:
    """A folder at an address.

    `base` has no slash at its end. On the web, `query` is sent with each request: it may be a key.
    """

    base: str = field(repr=False)
    query: str = field(default="", repr=False)

    @classmethod
    def of(cls, address: str) -> "Place":
        """The folder of an address."""
        if not address.lower().startswith(_WEB):
            return cls(address.rstrip("/") if not address.endswith("://") else address)
        base, mark, query = address.partition("#")[0].partition("?")
        return cls(base.rstrip("/"), mark + query)

    @property
    def is_web(self) -> bool:
        """Whether it is served by HTTP."""
        return self.base.lower().startswith(_WEB)

    @property
    def name(self) -> str:
        """The last part of the address."""
        return self.base.rpartition("/")[2]

    @property
    def above(self) -> "Place":
        """The folder that it is in."""
        base = self.base.rpartition("/")[0]
        return replace(self, base=f"{base}/" if base.endswith(":/") else base)

    def address(self, name: str = "") -> str:
        """The address of a file below it, by its name; of the folder itself without one."""
        if name and self.is_web:
            name = quote(name, safe=_SAFE)
        return f"{self._joined(name)}{self.query}"

    def shown(self, name: str = "") -> str:
        """The same, to be printed."""
        return masked(self._joined(name))

    def _joined(self, name: str) -> str:
        slash = "" if self.base.endswith("/") or not name else "/"
        return f"{self.base}{slash}{name}"
