"""Recordings at an address: on a web server, in an object store, on another machine."""

from pacl.records.remote.reader import RemoteReader

__all__ = ["RemoteReader"]
