"""What a person sees when a command is stopped, or watched from a terminal."""

import os
import signal
import subprocess
import sys
import time
from io import StringIO

import pytest
from rich.console import Console
from rich.progress import Progress

from pacl.cli.progress import file_progress, progress, shown


def listening() -> None:
    """Heed Ctrl-C also where the tests themselves run in the background, which ignores it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def start(*argv, **pipes):
    return subprocess.Popen(
        [sys.executable, "-m", "pacl", *map(str, argv)], preexec_fn=listening, **pipes
    )


@pytest.mark.parametrize(
    ("number", "status", "said"),
    [(signal.SIGINT, 130, b"pacl: interrupted\n"), (signal.SIGTERM, 143, b"")],
)
def test_a_command_that_is_stopped_leaves_nothing(tmp_path, number, status, said):
    target = tmp_path / "cohort"
    command = start("simulate", target, "--patients", 5000, "--quiet", stderr=subprocess.PIPE)
    while not any(tmp_path.iterdir()):
        assert command.poll() is None
        time.sleep(0.02)
    command.send_signal(number)
    _, error = command.communicate(timeout=60)
    assert (command.returncode, error) == (status, said)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_that_comes_while_an_object_is_freed_is_heeded(number, status):
    code = f"""
import os, sys, time
from pacl.cli import app

class Freed:
    def __del__(self):
        os.kill(os.getpid(), {int(number)})
        time.sleep(0)  # the handler runs here, and what it raises is dropped

def command(*words, **how):
    Freed()
    time.sleep(30)

app.build = lambda asked: command
app.main()
"""
    done = subprocess.run(
        [sys.executable, "-c", code], preexec_fn=listening, capture_output=True, timeout=25
    )
    assert done.returncode == status
    assert b"Freed" not in done.stderr


def test_output_that_nobody_reads_on_is_no_error(tmp_path):
    for number in range(2000):
        (tmp_path / f"{number:04d}.txt").write_text("800\n810\n")
    command = start("inspect", tmp_path, "-q", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    command.stdout.read(10)
    command.stdout.close()
    error = command.stderr.read()
    command.stderr.close()
    command.wait(timeout=60)
    assert error == b""


def test_a_terminal_is_shown_a_bar(tmp_path):
    ours, theirs = os.openpty()
    command = start("simulate", tmp_path / "x", "--patients", 2, stderr=theirs, stdout=-3)
    os.close(theirs)
    shown = b""
    while True:
        try:
            read = os.read(ours, 1000)
        except OSError:  # the other end is closed
            break
        shown += read
    os.close(ours)
    assert command.wait(timeout=60) == 0
    assert "━".encode() in shown
    assert b"2/2" in shown


@pytest.mark.parametrize("shows", [False, True], ids=["start", "stop"])
def test_a_terminal_has_its_cursor_again_whenever_a_bar_is_stopped(monkeypatch, shows):
    written = StringIO()
    display = Progress(console=Console(file=written, force_terminal=True))
    show_cursor = Console.show_cursor

    def signalled(console, show=True):
        if show == shows:
            signal.raise_signal(signal.SIGINT)
        done = show_cursor(console, show)
        if show == shows:
            signal.raise_signal(signal.SIGINT)
        return done

    monkeypatch.setattr(Console, "show_cursor", signalled)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), shown(display):
            pass
    finally:
        signal.signal(signal.SIGINT, before)
    hidden, visible = "\x1b[?25l", "\x1b[?25h"
    assert hidden in written.getvalue()
    assert written.getvalue().rindex(visible) > written.getvalue().rindex(hidden)


def test_elsewhere_lines_are_printed_at_the_end_and_now_and_then(capsys, monkeypatch):
    with progress("reading", quiet=False) as advance:
        advance(1, 3)
        monkeypatch.setattr("pacl.cli.progress.LINE_EVERY_S", 0.0)
        advance(2, 3)
        monkeypatch.undo()
        advance(3, 3)
    assert capsys.readouterr().err.splitlines() == ["reading: 2/3", "reading: 3/3"]


def test_files_are_told_with_their_bytes_whether_the_size_is_known_or_not(capsys, monkeypatch):
    monkeypatch.setattr("pacl.cli.progress.LINE_EVERY_S", 0.0)
    with file_progress(quiet=False) as track:
        track("a.qrs", 1000, 2500)
        track("a.qrs", 2500, 2500)
        track("b.qrs", 10, 0)
    assert capsys.readouterr().err.splitlines() == [
        "a.qrs: 1,000 of 2,500 bytes",
        "a.qrs: 2,500 bytes",
        "b.qrs: 10 bytes",
    ]


def test_quiet_says_nothing(capsys):
    with progress("reading", quiet=True) as advance, file_progress(quiet=True) as track:
        advance(1, 1)
        track("a", 1, 1)
    assert capsys.readouterr().err == ""
