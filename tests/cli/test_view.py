"""`pacl view` as a person runs it."""

import signal
import socket

import pytest

from support.in_process import pacl
from support.viewing import process, write_night


@pytest.fixture
def night(tmp_path):
    return write_night(tmp_path / "night.csv", runs=(100,))


def refused(*words):
    done = pacl("view", "--no-browser", *words)
    assert done.returncode == 2, done.stdout
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return done.stderr


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "example.org"])
def test_others_are_let_in_only_if_that_is_meant(night, host):
    told = refused(night, "--host", host)
    assert f"--host {host}" in told
    assert "--open-to-network" in told


def test_a_port_that_is_in_use_is_told_with_the_remedy(night):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        told = refused(night, "--port", port)
    assert f"--port {port}" in told
    assert "leave out --port" in told


def test_what_cannot_be_looked_at_is_told(night, tmp_path):
    assert "PATHS is missing, it is required" in refused()
    assert "stream" in refused("-")
    assert "nothing.csv" in refused(tmp_path / "nothing.csv")
    assert "expected a folder" in refused(night, "--edits", tmp_path / "nothing")
    assert "expected a folder" in refused(night, "--edits", night)
    assert pacl("view", night, "--port", "70000").returncode != 0
    assert pacl("view", night, "--port", "-1").returncode != 0


def test_a_recording_that_cannot_be_judged_is_an_error_and_no_empty_page(tmp_path):
    (tmp_path / "x.csv").write_text("rr\n" + "0.8\n" * 3 + "zwei\n" + "0.8\n" * 200)
    assert "x.csv" in refused(tmp_path / "x.csv")


def test_one_of_several_paths_may_be_missing(night, tmp_path):
    with process(night, tmp_path / "nothing.csv", cache=tmp_path, looked_at=[night]) as (
        running,
        found,
    ):
        assert found.ask(found.below("night"))[0] == 200
        running.send_signal(signal.SIGTERM)
        assert running.wait() == 0
        assert "nothing.csv" in running.stderr.read()


def test_it_prints_one_line_with_the_address_and_ends_with_ctrl_c(night, tmp_path):
    marks = tmp_path / "marks"
    marks.mkdir()
    with process(night, "--edits", marks, cache=tmp_path / "c", looked_at=[night]) as (running, it):
        assert it.address.startswith("http://127.0.0.1:")
        assert len(it.base) > 20
        assert it.mark("night", kind="af", start_s=1, end_s=40)[0] == 200
        running.send_signal(signal.SIGINT)
        out, err = running.communicate()
    assert running.returncode == 0
    assert out == ""  # the address was all
    assert err == "Ctrl-C ends it.\n"
    assert [one.name for one in marks.iterdir()] == ["night.csv.edits.jsonl"]
    assert sorted(one.name for one in tmp_path.iterdir()) == ["c", "marks", "night.csv"]


def test_two_addresses_are_never_the_same(night, tmp_path):
    with (
        process(night, cache=tmp_path) as (_, one),
        process(night, cache=tmp_path) as (_, other),
    ):
        assert one.base != other.base
        assert other.ask(one.base, whole=True)[0] == 403


def test_the_help_names_what_it_does():
    done = pacl("view", "--help")
    assert done.returncode == 0
    for word in ("--no-browser", "--open-to-network", "--edits", "Not a medical device"):
        assert word in done.stdout


def test_a_browser_that_cannot_be_opened_is_told(night, tmp_path, monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    with process(night, cache=tmp_path, browser=True) as (running, _):
        running.send_signal(signal.SIGINT)
        _, err = running.communicate()
    assert "open the address yourself" in err
