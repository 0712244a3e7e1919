"""The file system of an address, patience with its server, and what its errors mean."""

import errno
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pacl.records.address import masked
from pacl.records.errors import MissingError, RemoteError

TIMEOUT_S = 60.0
"""A server that is silent for as long as this is given up."""
MOST_AT_ONCE = 8
"""Requests that are under way together while folders are listed, or files looked into."""
PAUSES_S = (0.5, 2.0)
"""Before each further attempt, where the fault may pass."""

_PACKAGES = {
    **dict.fromkeys(("s3", "s3a"), "s3fs"),
    **dict.fromkeys(("gs", "gcs"), "gcsfs"),
    **dict.fromkeys(("abfs", "abfss", "adl", "az"), "adlfs"),
    **dict.fromkeys(("http", "https"), "aiohttp"),
    **dict.fromkeys(("sftp", "ssh"), "paramiko"),
    **dict.fromkeys(("hdfs", "arrow_hdfs"), "pyarrow"),
    **dict.fromkeys(("webhdfs", "github"), "requests"),
    "smb": "smbprotocol",
}
"""What a protocol needs, by its name at PyPI; others are named by fsspec."""

ROOM = "make room in the folder of temporary files, or name another one in TMPDIR"
_CREDENTIALS = "check the credentials, which fsspec takes from its configuration or the environment"

Answer = TypeVar("Answer")


def file_system(address: str) -> tuple[Any, str]:
    """The file system of an address, and the path in it.

    Options come from fsspec's own configuration, such as `FSSPEC_S3_ENDPOINT_URL`. fsspec keeps one
    for each thread, and none over a fork; so it is asked for anew, and never kept.
    """
    protocol = address.partition(":")[0].lower()
    try:
        import fsspec.config
        from fsspec.core import url_to_fs
    except ModuleNotFoundError as error:
        raise RemoteError(
            masked(address),
            "addresses need fsspec, which is not installed",
            "install it: pip install 'pacl[cluster]'",
        ) from error
    try:
        stated = fsspec.config.conf.get(protocol, {})
        found, path = url_to_fs(address, **_limits(protocol, stated))
    except ImportError as error:
        package = _PACKAGES.get(protocol)
        how = f"install it: pip install {package}" if package else f"install it ({error})"
        what = f"{protocol}:// needs {package or 'a package'}, which is not installed"
        raise RemoteError(masked(address), what, how) from error
    except Exception as error:  # each file system has errors of its own
        raise meaning(error, masked(address)) from None
    channel = getattr(getattr(found, "ftp", None), "get_channel", None)
    if channel is not None:
        channel().settimeout(TIMEOUT_S)
    return found, str(path)


def path_in(system: Any, address: str) -> str:
    """The path of another address in a file system."""
    return str(system._strip_protocol(address))


def at_once(system: Any) -> int:
    """How many requests may be under way together: one, where a connection takes one at a time."""
    return MOST_AT_ONCE if getattr(system, "async_impl", False) else 1


def _limits(protocol: str, stated: Mapping[str, Any]) -> dict[str, Any]:
    """Options that limit how long a server may be silent; those of the configuration win."""
    if protocol in ("http", "https"):
        import aiohttp

        silent = aiohttp.ClientTimeout(total=None, sock_connect=TIMEOUT_S, sock_read=TIMEOUT_S)
        kwargs = {"timeout": silent, "trust_env": True} | dict(stated.get("client_kwargs", {}))
        return {"client_kwargs": kwargs, "simple_links": False}
    if protocol in ("sftp", "ssh"):
        names = ("timeout", "banner_timeout", "auth_timeout")
        return {name: TIMEOUT_S for name in names if name not in stated}
    return {}  # the others have limits of their own


def ask(call: Callable[[], Answer], shown: str) -> Answer:
    """Ask a server, several times where the fault may pass; its errors become `RemoteError`."""
    for pause_s in PAUSES_S:
        try:
            return call()
        except Exception as error:  # each file system has errors of its own
            if not _may_pass(error):
                raise meaning(error, shown) from None
        time.sleep(pause_s)
    try:
        return call()
    except Exception as error:
        raise meaning(error, shown) from None  # its own text may hold a password


def _may_pass(error: Exception) -> bool:
    status = _status(error)
    if status is not None:
        return status >= 500 or status in (408, 429)
    return isinstance(error, ConnectionError | TimeoutError) or _is_of_web(error)


def _is_of_web(error: Exception) -> bool:
    return type(error).__module__.startswith("aiohttp") and "InvalidURL" not in type(error).__name__


def _status(error: Exception) -> int | None:
    status = getattr(error, "status", None)
    return status if isinstance(status, int) else None


def meaning(error: Exception, shown: str) -> RemoteError:
    """What an error of a file system means, and what to do."""
    status = _status(error)
    name, said = type(error).__name__, masked(str(error)).strip()
    why = f"{name}: {said}" if said else name
    attempts = len(PAUSES_S) + 1
    if isinstance(error, FileNotFoundError) or status in (404, 410):
        return MissingError(shown, "there is no such file or folder", "check the address")
    if isinstance(error, PermissionError) or status in (401, 403) or "Credentials" in name:
        code = f" ({status})" if status else ""
        return RemoteError(shown, f"it may not be read{code}", _CREDENTIALS)
    if status is not None:
        again = f", also at attempt {attempts}" if _may_pass(error) else ""
        return RemoteError(shown, f"the server answers {status}{again}", "try again later")
    if isinstance(error, TimeoutError):
        what = f"no answer within {TIMEOUT_S:g} s, {attempts} times"
        return RemoteError(shown, what, "check the address and the network, or try again later")
    if "Payload" in name:
        return RemoteError(shown, f"it was cut short {attempts} times ({why})", "try again later")
    if getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT, errno.EROFS):
        return RemoteError(shown, f"cannot be written here ({said})", ROOM)
    if _may_pass(error):
        return RemoteError(shown, f"cannot be reached ({why})", "check the address and the network")
    return RemoteError(shown, f"cannot be read ({why})", "check the address")
