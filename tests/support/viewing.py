"""`pacl view` for tests: recordings, a server in this process or in its own, requests."""

import contextlib
import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

import numpy as np

from pacl.detect import Detector
from pacl.records import open_records
from pacl.view import Place, Shelf, ViewServer, places_of, view_app
from pacl.view.place import by_key
from support.rhythms import fibrillation, sinus

ALONE = "import sys; from pacl.cli import main; sys.argv[0] = 'pacl'; main()"


def write_night(path, seed=0, runs=(300, 150, 300, 200, 250)):
    """Sinus rhythm and AF in turn, as a file of intervals: 17 minutes with two episodes."""
    generator = np.random.default_rng(seed)
    kinds = (sinus, fibrillation)
    parts = [kinds[number % 2](beats, generator) for number, beats in enumerate(runs)]
    path.write_text("rr_ms\n" + "".join(f"{one:.0f}\n" for one in np.concatenate(parts)))
    return path


def shelf_of(*paths, detector=None, **options):
    """The recordings of some paths, not yet judged."""
    return Shelf(_places(*paths), detector or Detector(), **options)


def _places(*paths):
    return list(places_of((path, open_records(path)) for path in paths))


@dataclass
class Served:
    """A server that answers: its address with the secret, and where that leads."""

    address: str
    places: Mapping[str, Place]
    shelf: Shelf | None = None

    @property
    def port(self):
        return urlsplit(self.address).port

    @property
    def base(self):
        """The path of the address: the secret."""
        return urlsplit(self.address).path

    @property
    def keys(self):
        """Keys of the recordings by their names."""
        return {one.record_id: key for key, one in self.places.items()}

    def below(self, name, *parts):
        """Address below the page of a recording."""
        return f"r/{self.keys[name]}/" + "/".join(parts)

    def ask(self, path="", method="GET", body=None, headers=None, whole=False):
        """Ask as a program would: status, headers by small names, content."""
        given = {"Host": f"127.0.0.1:{self.port}"} | (headers or {})
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.putrequest(
                method,
                path if whole else self.base + path,
                skip_host=True,
                skip_accept_encoding=True,
            )
            if body is not None and "Content-Length" not in given:
                given["Content-Length"] = str(len(body))
            for name, value in given.items():
                if value is not None:
                    connection.putheader(name, value)
            connection.endheaders(body)
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, found, answer.read()
        finally:
            connection.close()

    def values(self, path):
        """JSON that must be there."""
        status, _, content = self.ask(path)
        assert status == 200, content
        return json.loads(content)

    def mark(self, name, **entry):
        """Mark as the page does: status, and what it is told."""
        return self.post(self.below(name, "edits"), json.dumps(entry).encode())

    def post(self, path, body, **headers):
        own = f"http://127.0.0.1:{self.port}"
        given = {"Origin": own, "Content-Type": "application/json"}
        changed = {name.replace("_", "-"): value for name, value in headers.items()}
        status, _, content = self.ask(path, "POST", body, given | changed)
        return status, json.loads(content)


@contextlib.contextmanager
def served(*paths, page=None, port=0, title="Recordings", start=True, **options):
    """A server in this process; a page that asks it again and again is left before it stops."""
    shelf = shelf_of(*paths, **options)
    server = ViewServer(view_app(shelf, title), port=port)
    if start:
        shelf.start()
    server.start()
    try:
        yield Served(server.address, shelf.places, shelf)
        if page is not None:
            page.goto("about:blank")
    finally:
        server.stop()
        shelf.stop()


@contextlib.contextmanager
def process(*words, cache, looked_at=None, browser=False):
    """`pacl view` in a process of its own; it is killed at the end, if it still runs."""
    options = [] if browser else ["--no-browser"]
    command = [sys.executable, "-c", ALONE, "view", *options, *map(str, words)]
    running = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PACL_CACHE": str(cache), "PACL_CHECK_AXES": "0"},
    )
    try:
        line = running.stdout.readline()
        assert line.startswith("Open "), running.stderr.read()
        yield running, Served(line.split()[1], by_key(_places(*(looked_at or words))))
    finally:
        if running.poll() is None:
            running.send_signal(signal.SIGKILL)
        running.wait()
        running.stdout.close()
        running.stderr.close()
