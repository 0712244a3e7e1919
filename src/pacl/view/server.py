"""The server: a socket on this machine, an address with a secret, and a thread that answers."""

import socket
from threading import Thread

import uvicorn
from starlette.types import ASGIApp

from pacl.errors import PaclError
from pacl.view.guard import Guard, new_token

CLOSING_S = 10
_OWN_PORT: int = getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR)
"""On Windows, SO_REUSEADDR would let another program take the port."""


class ViewServer:
    """Answers in a thread until it is stopped.

    Parameters
    ----------
    app
        What is served.
    host, port
        Where; port 0 takes one that is free.
    open_to_network
        Whether others may ask.
    """

    def __init__(
        self, app: ASGIApp, host: str = "127.0.0.1", port: int = 0, *, open_to_network: bool = False
    ) -> None:
        self._socket = _bound(host, port)
        self.port: int = self._socket.getsockname()[1]
        self._token = new_token()
        guard = Guard(app, self._token, self.port, host=host, open_to_network=open_to_network)
        self._server = uvicorn.Server(
            uvicorn.Config(
                guard,
                log_level="error",
                access_log=False,
                server_header=False,
                lifespan="off",
                ws="none",
                timeout_graceful_shutdown=CLOSING_S,
            )
        )
        self._host = host
        self._thread = Thread(
            target=self._server.run, args=([self._socket],), name="server", daemon=True
        )

    @property
    def address(self) -> str:
        """The address to open, with its secret."""
        everywhere = self._host in ("0.0.0.0", "::")  # noqa: S104 - asked for by name
        shown = socket.gethostname() if everywhere else self._host
        shown = f"[{shown}]" if ":" in shown else shown
        return f"http://{shown}:{self.port}/{self._token}/"

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def stop(self) -> None:
        """End what is being answered, and close."""
        self._server.should_exit = True
        self._thread.join()
        self._socket.close()

    def wait(self, seconds: float) -> bool:
        """Wait for some time; whether it still answers."""
        self._thread.join(seconds)
        return self._thread.is_alive()


def _bound(host: str, port: int) -> socket.socket:
    try:
        family, kind, proto, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        found = socket.socket(family, kind, proto)
    except OSError as error:
        raise _cannot(host, port, error) from error
    try:
        found.setsockopt(socket.SOL_SOCKET, _OWN_PORT, 1)
        found.bind(where)
        found.listen(64)
    except OSError as error:
        found.close()
        raise _cannot(host, port, error) from error
    return found


def _cannot(host: str, port: int, error: OSError) -> PaclError:
    return PaclError(
        f"--host {host} --port {port}: cannot be served there ({error.strerror or error}); leave "
        "out --port and --host to take a free port of this machine"
    )
