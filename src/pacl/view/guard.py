"""Who may ask, and what browsers may do with the answer.

The address holds a secret: a page of another origin cannot guess it. The host must be this
machine by name, so that no other name can be made to point here. What changes something must come
from a page of this server.
"""

import hmac
import ipaddress
import secrets
import socket

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SAFE = {"GET", "HEAD"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
_HEADERS = [(name.encode(), value.encode()) for name, value in HEADERS.items()]


def new_token() -> str:
    """A secret of 128 bits, for an address."""
    return secrets.token_urlsafe(16)


class Guard:
    """Lets through what has the secret, and is asked for under a name of this machine.

    Parameters
    ----------
    app
        What is guarded; it sees paths without the secret.
    token
        The secret, the first part of each path.
    port
        The port that it is asked at.
    host, open_to_network
        Where it listens, and whether others may ask, by the address or the name of this machine.
    """

    def __init__(
        self,
        app: ASGIApp,
        token: str,
        port: int,
        *,
        host: str = "",
        open_to_network: bool = False,
    ) -> None:
        self._app, self._token, self._port = app, token.encode(), port
        self._open = open_to_network
        self._names = {one.lower() for one in (host, socket.gethostname()) if one}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            raise RuntimeError(f"{scope['type']} is not served")

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", []), *_HEADERS]}
            await send(message)

        why = self._refused(scope)
        if why is not None:
            answer = PlainTextResponse(f"{why}\n", status_code=403)
            await answer(scope, receive, guarded)
            return
        _, _, rest = scope["path"].removeprefix("/").partition("/")
        inner = {**scope, "path": f"/{rest}", "raw_path": f"/{rest}".encode()}
        await self._app(inner, receive, guarded)

    def _refused(self, scope: Scope) -> str | None:
        """Why a request is refused; None where it is not."""
        headers: dict[bytes, bytes] = {}
        for name, value in scope["headers"]:
            if name in headers and name in (b"host", b"origin"):
                return "Two hosts or origins: refused."
            headers[name] = value
        host = headers.get(b"host", b"").decode("latin-1")
        if not self._is_ours(host):
            return "This server answers under the address that it printed, and no other."
        token, slash, _ = scope["path"].removeprefix("/").partition("/")
        if not slash or not hmac.compare_digest(token.encode("utf-8", "replace"), self._token):
            return "Open the whole address that pacl view printed: it holds a secret."
        origin = headers.get(b"origin", b"").decode("latin-1")
        same = origin == f"http://{host}"
        if origin and not same:
            return "Asked for by a page of another origin: refused."
        if scope["method"] not in SAFE and not same:
            return "Only the page of this server may change something."
        if headers.get(b"sec-fetch-site", b"none") not in (b"none", b"same-origin"):
            return "Asked for by a page of another site: refused."
        return None

    def _is_ours(self, host: str) -> bool:
        name, _, port = host.rpartition(":") if host[-1:].isdigit() else (host, "", "80")
        if port != str(self._port):
            return False
        name = name.removeprefix("[").removesuffix("]")
        if is_loopback(name):
            return True
        return self._open and (_is_address(name) or name.lower() in self._names)


def _is_address(name: str) -> bool:
    """Whether a host is an address in numbers: no other name can be made to point here."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
