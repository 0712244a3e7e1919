"""`pacl listen` as a person runs it."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from datetime import datetime
from functools import partial

import numpy as np
import pytest
from rich.console import Console

from pacl.cli.listen_view import View, draw
from pacl.detect import StreamDetector
from pacl.live import (
    Connected,
    Disconnected,
    Journal,
    LiveError,
    Packet,
    Session,
    packets_of,
    rounded_ms,
    write_packets,
)
from pacl.records import open_records, record_from_rr
from support.in_process import pacl

run = partial(pacl, "listen")
ALONE = "import sys; from pacl.cli import main; sys.argv[0] = 'pacl'; main()"


@pytest.fixture(scope="module")
def night(tmp_path_factory):
    """Ten minutes, half of them AF: packets, and the same intervals as text."""
    draw_from = np.random.default_rng(0)
    rr_ms = np.concatenate([draw_from.normal(850, 25, 350), draw_from.uniform(400, 1000, 430)])
    record = record_from_rr(rr_ms)
    folder = tmp_path_factory.mktemp("night")
    packets = packets_of(record, np.random.default_rng(1), began_s=1.775e9)
    write_packets(folder / "packets.ndjson", packets)
    intervals = "".join(f"{rounded_ms(float(one)):.10g}\n" for one in record.rr_ms)
    (folder / "rr.txt").write_text(intervals)
    return folder


def alone(*words, **options):
    """In a process of its own, as a person does."""
    command = [sys.executable, "-c", ALONE, "listen", *map(str, words)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


def test_decisions_are_those_of_detect(night):
    expected = pacl("detect", "-", text=(night / "rr.txt").read_text())
    replayed = run("--replay", night / "packets.ndjson", "--speed", 0)
    piped = run("-", text=(night / "rr.txt").read_text())
    followed = run("--follow", night / "rr.txt", "--until-idle", 0.1)
    assert expected.stdout.count("AF") > 100
    for said in (replayed, piped, followed):
        assert (said.returncode, said.stdout) == (0, expected.stdout)
        assert "780 beats, none lost" in said.stderr
        assert "AF in " in said.stderr


def test_the_file_is_a_recording(night, tmp_path):
    path = tmp_path / "night.csv"
    said = run("--replay", night / "packets.ndjson", "--speed", 0, "-o", path)
    assert str(path) in said.stderr
    record = open_records(path).read("night")
    assert len(record) == 780
    assert record.started.timestamp() == pytest.approx(1.775e9, abs=0.5)
    assert json.loads(pacl("detect", path, "--format", "json").stdout)["verdict"] == "AF"
    again = run("--follow", path, "--until-idle", 0.1)  # it can be followed, too
    assert again.stdout.splitlines()[0] == said.stdout.splitlines()[0]
    assert len(again.stdout.splitlines()) == 780


def test_json_has_beats_decisions_notes_and_a_summary(night):
    said = run("--replay", night / "packets.ndjson", "--speed", 0, "--format", "json")
    lines = [json.loads(line) for line in said.stdout.splitlines()]
    kinds = [one["event"] for one in lines]
    assert (kinds.count("beat"), kinds.count("decision")) == (780, 780)
    assert kinds[0] == "note"
    last = lines[-1]
    assert last["event"] == "summary"
    assert (last["beats"], last["lost_beats"], last["written_to"]) == (780, 0, None)
    assert last["af_minutes"] > 2
    assert said.stderr == ""


def test_bad_lines_are_said_and_left_out():
    said = run("-", text="\n".join(['{"rr": 812}', "{", *['{"rr": 800}'] * 70]))
    assert said.returncode == 0
    assert "line 2" in said.stderr
    assert "71 beats" in said.stderr


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Dear reader\nthis is a letter\nabout nothing\n", "no beat came"),
        ("", "no beat came"),
        ("%PDF-1.7\n1 0 obj\n", "PDF"),
        ("0.812\n0.79\n0.8\n", "--unit s"),
    ],
)
def test_what_holds_no_beats_is_an_error(text, fact):
    said = run("-", text=text)
    assert said.returncode == 2
    assert fact in said.stderr


@pytest.mark.parametrize("form", ["seconds", "packets", "begin", "end"])
def test_a_table_begins_when_it_does_for_detect(tmp_path, form):
    """Whole seconds, packets of two beats, and times that mark the beginning or the end."""
    rr_ms = np.random.default_rng(7).integers(450, 900, 100)
    ends_s = 1_750_000_000.125 + np.cumsum(rr_ms) / 1000
    stated_s = {
        "seconds": np.floor(ends_s - rr_ms / 1000),
        "packets": np.repeat(ends_s[1::2], 2),
        "begin": ends_s - rr_ms / 1000,
        "end": ends_s,
    }[form]
    rows = [f"{at:.3f},{rr}" for at, rr in zip(stated_s, rr_ms, strict=True)]
    path = tmp_path / "rr.csv"
    path.write_text("\n".join(["timestamp,rr_ms", *rows]))
    said = run("-", "--format", "json", text=path.read_text())
    lines = [json.loads(line) for line in said.stdout.splitlines()]
    assert [one["rr_ms"] for one in lines if one["event"] == "beat"] == rr_ms.tolist()
    assert not any(one["event"] == "lost" for one in lines)
    started = datetime.fromisoformat(lines[-1]["started"])
    record = open_records(path).read("rr")
    assert abs((started - record.started).total_seconds()) < 0.002


def test_too_little_is_said_with_the_reason():
    said = run("-", text="812\n790\n")
    assert (said.returncode, said.stdout) == (0, "")
    assert "cannot tell" in said.stderr
    summary = json.loads(run("-", "--format", "json", text="812\n").stdout.splitlines()[-1])
    assert "beats" in summary["why_not_judged"]


def test_it_ends_after_some_minutes(night):
    said = run("--replay", night / "packets.ndjson", "--speed", 0, "--minutes", 2)
    assert said.stderr.splitlines()[-1].startswith("pacl: 2.0")


@pytest.mark.parametrize(
    ("words", "fact"),
    [
        (["night.csv"], "--follow"),
        (["-", "--scan"], "only one source"),
        (["-", "--device", "H10"], "--device"),
        (["-", "--until-idle", "3"], "--follow"),
        (["-", "--speed", "3"], "--replay"),
        (["--unit", "s"], "--unit"),
        (["--follow", "none.txt"], "none.txt"),
        (["--replay", "none.txt"], "none.txt"),
        (["-", "-o", "none/x.csv"], "none"),
        (["-", "--minutes", "0"], "minutes"),
        (["-", "--weights", "none"], "none"),
    ],
)
def test_what_cannot_be_is_refused(words, fact, tmp_path):
    said = run(*words, cwd=tmp_path)
    assert said.returncode == 2
    assert fact in said.stderr
    assert said.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_an_input_is_never_written_to(night):
    said = run("--follow", night / "rr.txt", "-o", night / "rr.txt")
    assert said.returncode == 2
    assert "input" in said.stderr


def test_without_bluetooth_it_says_what_to_do(monkeypatch, tmp_path):
    async def fail(*_, **__):
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr("bleak.BleakScanner.discover", fail)
    for words in (["--scan"], [], ["--device", "H10"]):
        said = run(*words, "-o", tmp_path / "x.csv")
        assert said.returncode == 2
        assert "no Bluetooth" in said.stderr
        assert "Traceback" not in said.stderr
    assert list(tmp_path.iterdir()) == []


def test_without_bleak_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "bleak", None)
    said = run("--scan")
    assert said.returncode == 2
    assert "pacl[live]" in said.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_with_the_file_whole(night, tmp_path, number):
    path = tmp_path / "night.csv"
    words = ("--replay", night / "packets.ndjson", "--speed", 40, "-o", path)
    process = alone(*words, "--format", "json")
    for line in process.stdout:
        if '"decision"' in line:
            break
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    summary = json.loads(out.splitlines()[-1])
    assert summary["event"] == "summary"
    assert len(open_records(path).read("night")) == summary["beats"]


def test_a_pipe_that_is_closed_ends_it_and_keeps_the_file(night, tmp_path):
    path = tmp_path / "night.csv"
    process = alone("--replay", night / "packets.ndjson", "--speed", 0, "-o", path)
    process.stdout.readline()
    process.stdout.close()
    with process.stderr:
        process.stderr.read()
    assert process.wait(60) in (0, 141)
    assert len(open_records(path).read("night")) > 60


def test_standard_input_that_stays_open_does_not_keep_it(tmp_path):
    process = alone("-", "-o", tmp_path / "x.csv", stdin=subprocess.PIPE)
    process.stdin.write("812\n" * 3)
    process.stdin.flush()
    while not (tmp_path / "x.csv").exists() or (tmp_path / "x.csv").stat().st_size < 60:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0
    process.communicate()
    assert len((tmp_path / "x.csv").read_text().splitlines()) == 6


# the live picture


def session_of(beats, journal=None):
    session = Session(StreamDetector(), journal)
    session.take(Connected("Polar H10 \x1b[2J", 12))
    for at in range(beats):
        session.take(Packet((850.0 + at % 7,), 1.7e9 + at * 0.85, contact=True))
    return session


@pytest.mark.parametrize(("width", "height"), [(80, 24), (40, 15), (20, 8), (200, 60), (1, 1)])
def test_the_picture_fits_the_terminal(width, height, tmp_path):
    for session in (session_of(0), session_of(200)):
        lines = draw(session, ["a note " * 20] * 3, width, height).plain.split("\n")
        assert len(lines) <= max(height, 8)
        assert max(map(len, lines)) <= max(width, 20)
        assert not any("\x1b" in line for line in lines)


def test_the_picture_tells_what_matters(tmp_path):
    journal = Journal(tmp_path / "x.csv")
    session = session_of(30, journal)
    text = draw(session, [], 100, 30).plain
    assert all(word in text for word in ("Polar H10", "contact", "battery 12 %", "x.csv"))
    assert "30 more beats needed" in text
    assert "71 bpm" in text or "70 bpm" in text
    session.take(Packet((), 1.7e9 + 30, contact=False))
    assert "no skin contact" in draw(session, [], 100, 30).plain
    session.take(Disconnected("away"))
    assert "not connected" in draw(session, [], 100, 30).plain
    session.finish()
    text = draw(session_of(200), ["hello"], 100, 30).plain
    assert "no AF" in text
    assert "hello" in text
    assert "not written" in text
    assert "▀" in text or "▄" in text


def test_the_picture_ends_with_a_summary(capsys):
    view = View(Console(force_terminal=True, width=60, height=20))
    session = session_of(100)
    with view:
        view.show(session.finish(), session)
    view.end(session)
    assert "100 beats" in capsys.readouterr().out.splitlines()[-1]


def test_an_error_on_the_way_closes_the_file(monkeypatch, tmp_path):
    class Broken:
        name, reorders_s = "broken", 0.0

        def events(self):
            yield Connected("broken")
            yield Packet((800.0,), 1.7e9)
            raise LiveError("the strap caught fire; run")

        def close(self):
            pass

    monkeypatch.setattr("pacl.cli.listen._transport", lambda *_: Broken())
    said = run("-o", tmp_path / "x.csv")
    assert said.returncode == 2
    assert "caught fire" in said.stderr
    assert "1 beats" in said.stderr
    assert len((tmp_path / "x.csv").read_text().splitlines()) == 4


def test_on_a_terminal_it_draws_and_leaves_it_clean(night):
    leader, follower = pty.openpty()
    command = [sys.executable, "-c", ALONE, "listen", "--replay", str(night / "packets.ndjson")]
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "60", "LINES": "20"}
    with subprocess.Popen(
        [*command, "--speed", "800"], stdout=follower, stderr=follower, env=environment
    ) as process:
        os.close(follower)
        shown = b""
        while True:
            ready, _, _ = select.select([leader], [], [], 60)
            assert ready
            try:
                piece = os.read(leader, 65_536)
            except OSError:  # the terminal has no other end any more
                break
            if not piece:
                break
            shown += piece
    os.close(leader)
    text = shown.decode()
    assert process.returncode == 0
    assert "packets.ndjson" in text
    assert text.rindex("\x1b[?1049l") > text.rindex("\x1b[?1049h")  # the screen as it was
    assert text.rindex("\x1b[?25h") > text.rindex("\x1b[?25l")  # and the cursor
    assert "780 beats" in text[text.rindex("\x1b[?1049l") :]
