"""`pacl view` in processes of its own: killed, run twice, stopped."""

import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

from pacl.edits import EditLog
from pacl.records import open_records
from support.viewing import process

pytestmark = pytest.mark.skipif("sys.platform == 'win32'", reason="signals")


def kept(night):
    record = open_records(night).read("night")
    return EditLog.read(night.with_name("night.csv.edits.jsonl"), record)


def test_a_confirmed_mark_outlives_a_kill(night, tmp_path):
    with process(night, cache=tmp_path / "cache") as (running, found):
        status, view = found.mark("night", kind="not-af", start_s=10, end_s=60)
        assert status == 200
        running.send_signal(signal.SIGKILL)
        assert running.wait() == -signal.SIGKILL
    assert [one.kind for one in kept(night).edits] == ["not-af"]
    assert kept(night).problems == ()
    with process(night, cache=tmp_path / "cache") as (running, found):
        again = found.values(found.below("night", "view"))
        assert again["edits"] == view["edits"]
        assert again["af_burden"] == view["af_burden"]
        running.send_signal(signal.SIGINT)
        assert running.wait() == 0
        assert "Traceback" not in running.stderr.read()


def test_two_servers_of_one_recording_lose_nothing(night, tmp_path):
    with (
        process(night, cache=tmp_path / "cache") as (_, one),
        process(night, cache=tmp_path / "cache") as (_, other),
        ThreadPoolExecutor(4) as pool,
    ):
        asked = [
            pool.submit(
                (one, other)[number % 2].mark,
                "night",
                kind="note",
                start_s=number,
                end_s=number + 1,
                note=f"number {number}",
            )
            for number in range(24)
        ]
        assert {done.result()[0] for done in asked} == {200}
        views = [server.values(server.below("night", "view")) for server in (one, other)]
    assert views[0]["edits"] == views[1]["edits"]
    assert {mark["note"] for mark in views[0]["edits"]} == {f"number {at}" for at in range(24)}
    assert len(kept(night).edits) == 24
