"""A real PostgreSQL for tests, in a folder of its own; it can be killed and started again.

To use the fixture, import it into a test module or a `conftest.py`:
`from support.postgres import postgres`. PostgreSQL does not run as root; root starts it as another
user.
"""

import contextlib
import getpass
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

ABSENT = "no PostgreSQL; make services installs it"
USERS = ("postgres", "nobody")
PASSWORD = "not-to-be-shown"


def binaries():
    """The folder with `initdb` and `postgres`, or None."""
    found = shutil.which("pg_config")
    said = [subprocess.check_output([found, "--bindir"], text=True).strip()] if found else []
    places = [*map(Path, said), *sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)]
    return next((place for place in places if (place / "initdb").exists()), None)


def _server_user():
    """Who runs it: root may not."""
    if os.getuid() != 0:
        return getpass.getuser()
    names = {entry.pw_name for entry in pwd.getpwall()}
    return next((name for name in USERS if name in names), None)


def _free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


class Postgres:
    """A server on this machine alone."""

    def __init__(self, folder, place, user):
        self.folder, self.place, self.user = folder, place, user
        self.port, self.process = _free_port(), None

    def run(self, *argv, **options):
        """Start a program of PostgreSQL as the user who may."""
        who = {"user": self.user} if os.getuid() == 0 else {}
        command = [str(self.place / argv[0]), *map(str, argv[1:])]
        return subprocess.Popen(command, cwd=self.folder, **who, **options)

    def make(self):
        """Make an empty cluster, with a password."""
        if os.getuid() == 0:
            shutil.chown(self.folder, self.user)
        secret = self.folder / "secret"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        flags = ["--username=pacl", "--auth=scram-sha-256", f"--pwfile={secret}", "--no-sync"]
        quiet = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        made = self.run("initdb", "-D", self.folder / "data", *flags, "-E", "UTF8", **quiet)
        said, _ = made.communicate(timeout=60)
        assert made.returncode == 0, said

    def start(self):
        """Start it, and wait until it answers."""
        flags = ["-h", "127.0.0.1", "-p", self.port, "-k", self.folder, "-c", "fsync=off"]
        nowhere = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = self.run("postgres", "-D", self.folder / "data", *flags, **nowhere)
        until = time.monotonic() + 30
        while True:
            with contextlib.suppress(Exception):
                self.ask("select 1")
                return
            assert time.monotonic() < until
            assert self.process.poll() is None
            time.sleep(0.05)

    def ask(self, text):
        """The rows that a statement gives."""
        import psycopg

        address = f"host=127.0.0.1 port={self.port} user=pacl password={PASSWORD} dbname=postgres"
        with psycopg.connect(address, autocommit=True) as connection:
            found = connection.execute(text)
            return found.fetchall() if found.description else []

    def url(self, name):
        """The storage URL of a new, empty database."""
        self.ask(f'create database "{name}"')
        return f"postgresql://pacl:{PASSWORD}@127.0.0.1:{self.port}/{name}"

    def kill(self):
        """Kill the server and all its processes at once."""
        children = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(self.process.pid)], capture_output=True, text=True
        )
        for process in (self.process.pid, *map(int, children.stdout.split())):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self.process.wait()


@pytest.fixture(scope="module")
def postgres():
    """A running server; tests are skipped where there is none."""
    pytest.importorskip("psycopg", reason="no driver for PostgreSQL")
    place, user = binaries(), _server_user()
    if place is None or user is None:
        pytest.skip(ABSENT)
    folder = Path(tempfile.mkdtemp(prefix="pacl-postgres-", dir="/tmp"))
    server = Postgres(folder, place, user)
    try:
        server.make()
        server.start()
        yield server
    finally:
        if server.process is not None:
            server.kill()
        shutil.rmtree(folder, ignore_errors=True)
