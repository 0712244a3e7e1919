"""Results that are kept by digest: found again, never trusted when damaged, bounded, private."""

import json
import os
import stat
import sys
from pathlib import Path
from threading import Thread

import pytest

from pacl.stored import Kept, cache_folder


def key(number: int) -> str:
    return f"{number:064x}"


def files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.json"))


def test_what_is_kept_is_found_again_also_by_another_process(tmp_path):
    value = {"name": "Nächte <1>", "burden": 0.1 + 0.2, "days": [None, 3]}
    Kept(tmp_path / "new" / "cache").put(key(7), value)
    kept = Kept(tmp_path / "new" / "cache")
    assert kept.get(key(7)) == value
    assert kept.get(key(8)) is None


def test_files_lie_in_folders_of_two_digits_that_others_cannot_look_into(tmp_path):
    folder = tmp_path / "cache"
    Kept(folder).put("ab" * 32, 1)
    assert files(folder) == [folder / "ab" / f"{'ab' * 32}.json"]
    if os.name == "posix":
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("bad", ["", "AB" * 32, "../" * 22, "0" * 63, "g" * 64, f"{'0' * 64}\n"])
def test_a_key_that_is_no_digest_is_a_mistake_of_the_caller(tmp_path, bad):
    for use in (lambda kept: kept.get(bad), lambda kept: kept.put(bad, 1)):
        with pytest.raises(ValueError, match="SHA-256"):
            use(Kept(tmp_path))


def damaged(whole: bytes) -> dict[str, bytes]:
    stated = json.loads(whole)
    return {
        "empty": b"",
        "cut": whole[:-9],
        "bytes": b"\xff\xfe\x00",
        "another value": json.dumps(stated | {"value": 43}).encode(),
        "another key": json.dumps(stated | {"key": key(2)}).encode(),
        "another format": json.dumps(stated | {"format": "pacl kept 0"}).encode(),
        "a list": b"[1, 2]",
        "no value": json.dumps({k: v for k, v in stated.items() if k != "value"}).encode(),
        "deep": b"[" * 100_000,
    }


@pytest.mark.parametrize("how", sorted(damaged(b'{"value": 42}')))
def test_a_damaged_or_foreign_file_counts_as_nothing_and_is_replaced(tmp_path, how):
    kept = Kept(tmp_path)
    kept.put(key(1), 42)
    (path,) = files(tmp_path)
    path.write_bytes(damaged(path.read_bytes())[how])
    assert kept.get(key(1)) is None
    kept.put(key(1), 42)
    assert kept.get(key(1)) == 42


def test_above_the_limit_those_not_used_for_longest_go_first(tmp_path):
    kept = Kept(tmp_path, most_bytes=4000)
    for number in range(1, 9):
        kept.put(key(number), "x" * 200)
        path = tmp_path / "00" / f"{key(number)}.json"
        os.utime(path, ns=(number * 10**9, number * 10**9))
    assert kept.get(key(1)) is not None  # used now
    assert sum(path.stat().st_size for path in files(tmp_path)) < 4000
    for number in range(9, 12):
        kept.put(key(number), "x" * 200)
    assert sum(path.stat().st_size for path in files(tmp_path)) <= 4000
    assert kept.get(key(1)) is not None
    assert kept.get(key(11)) is not None
    assert kept.get(key(2)) is None


def test_files_of_others_in_the_folder_are_never_removed(tmp_path):
    mine = [tmp_path / "notes.json", tmp_path / "00" / "notes.json", tmp_path / "thesis" / "a.json"]
    for path in mine:
        path.parent.mkdir(exist_ok=True)
        path.write_text("x" * 5000)
    kept = Kept(tmp_path, most_bytes=100)
    for number in range(4):
        kept.put(key(number), "x" * 200)
    assert all(path.exists() for path in mine)


def test_where_nothing_can_be_written_there_is_one_notice_and_no_error(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("no folder")
    told: list[str] = []
    kept = Kept(tmp_path / "file" / "cache", notice=told.append)
    for number in range(3):
        kept.put(key(number), 1)
        assert kept.get(key(number)) is None
    assert len(told) == 1
    assert str(tmp_path / "file" / "cache") in told[0]
    assert "PACL_CACHE" in told[0]
    Kept(tmp_path / "file").put(key(1), 1)  # without anyone to tell


def test_threads_share_one_folder(tmp_path):
    kept = Kept(tmp_path, most_bytes=20_000)
    some = [
        Thread(target=lambda at=at: [kept.put(key(at * 50 + n), n) for n in range(50)])
        for at in range(4)
    ]
    for one in some:
        one.start()
    for one in some:
        one.join()
    assert 10_000 < sum(path.stat().st_size for path in files(tmp_path)) <= 20_000
    assert not list(tmp_path.rglob("*.unfinished"))


@pytest.mark.parametrize(
    ("platform", "given", "expected"),
    [
        ("linux", {"PACL_CACHE": "/a/b", "XDG_CACHE_HOME": "/x"}, "/a/b"),
        ("linux", {"XDG_CACHE_HOME": "/x"}, "/x/pacl"),
        ("linux", {"XDG_CACHE_HOME": "relative"}, "/home/anna/.cache/pacl"),
        ("linux", {"PACL_CACHE": ""}, "/home/anna/.cache/pacl"),
        ("darwin", {}, "/home/anna/Library/Caches/pacl"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/pacl"),
        ("win32", {}, "/home/anna/AppData/Local/pacl"),
    ],
)
def test_the_folder_is_the_one_of_the_system_unless_another_is_named(
    monkeypatch, platform, given, expected
):
    for name in ("PACL_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": "/home/anna", "USERPROFILE": "/home/anna", **given}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert cache_folder() == Path(expected)
