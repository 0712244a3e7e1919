"""What finds and shows AF runs where there is no POSIX, as on Windows."""

import ctypes
import json
import subprocess
import sys
from urllib.request import urlopen

import pytest

from pacl.atomic_write import _alive_on_windows
from support import no_posix
from support.viewing import write_night


@pytest.fixture
def night(tmp_path):
    return write_night(tmp_path / "night.csv")


def run(*words, **options):
    """A command on such a system."""
    argv = [sys.executable, no_posix.__file__, *map(str, words)]
    done = subprocess.run(
        argv, capture_output=True, encoding="utf-8", timeout=120, check=False, **options
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_detect_and_inspect(night, tmp_path):
    assert "AF burden" in run("detect", night)
    assert "night" in run("inspect", night)
    (tmp_path / "out.json").write_text("older")  # a file that is replaced
    run("detect", night, "--format", "json", "-o", tmp_path / "out.json")
    assert json.loads((tmp_path / "out.json").read_text("utf-8"))["verdict"] == "AF"
    run("detect", night, "--format", "html", "-o", tmp_path / "out.html")
    assert "<html" in (tmp_path / "out.html").read_text("utf-8")


def test_several_recordings_and_workers(night, tmp_path):
    (tmp_path / "b.csv").write_bytes(night.read_bytes())
    said = run("detect", night, tmp_path / "b.csv", "--workers", 2)
    assert said.count("AF burden") == 2


def test_a_stream_and_a_profile(night, tmp_path):
    stream = "\n".join(night.read_text().split()[1:]) + "\n"
    assert "AF" in run("detect", "-", input=stream)
    assert run("listen", "--follow", night, "--until-idle", 0.2) is not None
    run("adapt", night, "-o", tmp_path / "me.json", "--sinus", "0:00:10-0:02:00")
    assert "profile" in run("detect", night, "--person", tmp_path / "me.json")


def test_view_shows_a_recording(night, tmp_path):
    argv = [sys.executable, no_posix.__file__, "view", str(night), "--no-browser"]
    with subprocess.Popen(
        argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    ) as running:
        try:
            line = running.stdout.readline()
            address = line.removeprefix("Open ").strip()
            assert address.startswith("http://127.0.0.1:"), line + running.stderr.read()
            with urlopen(address, timeout=60) as page:  # leads to the one recording
                shown = page.read().decode()
                where = page.url
            assert "night" in shown
            with urlopen(f"{where}beats", timeout=60) as beats:
                assert len(beats.read()) > 1000
        finally:
            running.terminate()
            running.wait(30)


def test_the_run_would_notice_what_only_posix_has(tmp_path):
    """Each of them fails there, as it would on Windows."""
    for wrong in ("import fcntl", "import os; os.fork()", "import signal; signal.SIGHUP"):
        code = (
            f"import sys; sys.path.insert(0, {no_posix.__file__.rpartition('/')[0]!r})\n"
            f"import no_posix; no_posix.hide()\n{wrong}\n"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
        assert done.returncode == 1, wrong


@pytest.mark.parametrize(
    ("handle", "error", "status", "runs"),
    [(7, 0, 259, True), (7, 0, 1, False), (0, 87, 0, False), (0, 5, 0, True)],
)
def test_windows_is_asked_whether_a_process_runs(monkeypatch, handle, error, status, runs):
    """Running, ended, unknown, and of another user; the kernel is a stand-in."""
    closed = []

    class Kernel:
        def OpenProcess(self, asked, inherited, process):  # noqa: N802
            return handle

        def GetExitCodeProcess(self, handle, found):  # noqa: N802
            found._obj.value = status
            return 1

        CloseHandle = staticmethod(closed.append)

    monkeypatch.setattr(ctypes, "WinDLL", lambda name, use_last_error: Kernel(), raising=False)
    monkeypatch.setattr(ctypes, "get_last_error", lambda: error, raising=False)
    assert _alive_on_windows(4711) is runs
    assert closed == [handle] * bool(handle)
