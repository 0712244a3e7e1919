"""A web server on this machine that lists a folder, and can be told to fail."""

import functools
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit


@dataclass
class Web:
    """What is served, what was asked for, and what goes wrong.

    Paths have no slash in front. `answers` are statuses by path, used up one after the other;
    `short` are paths whose content is cut to half; `silent_s` waits before each answer.
    """

    address: str = ""
    answers: dict[str, list[int]] = field(default_factory=dict)
    short: set[str] = field(default_factory=set)
    silent_s: float = 0.0
    asked: Counter[str] = field(default_factory=Counter)
    queries: set[str] = field(default_factory=set)
    keys: set[str] = field(default_factory=set)


class _Handler(SimpleHTTPRequestHandler):
    def __init__(self, *given: object, web: Web, **named: object) -> None:
        self.web = web
        super().__init__(*given, **named)  # type: ignore[arg-type]

    def log_message(self, *_: object) -> None:
        """Quiet."""

    def do_GET(self) -> None:
        """Answer as told, or with the file."""
        split = urlsplit(self.path)
        name = unquote(split.path).lstrip("/")
        self.web.asked[name] += 1
        self.web.queries.add(split.query)
        self.web.keys.add(self.headers.get("Authorization", ""))
        time.sleep(self.web.silent_s)
        if self.web.answers.get(name):
            self.send_error(self.web.answers[name].pop(0))
        elif name in self.web.short:
            content = Path(self.translate_path(self.path)).read_bytes()
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[: len(content) // 2])
            self.close_connection = True
        else:
            super().do_GET()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """A client that has read enough hangs up: no fault."""


@contextmanager
def served(folder: Path) -> Iterator[Web]:
    """Serve a folder while the block runs."""
    web = Web()
    handler = functools.partial(_Handler, web=web, directory=str(folder))
    server = _Server(("127.0.0.1", 0), handler)
    web.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield web
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
