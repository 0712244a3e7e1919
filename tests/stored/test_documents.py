"""JSON and TOML: what is too deep, too large or no document is refused, and quickly."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from pacl.file_bytes import FileError
from pacl.stored import read_json, read_lines, read_toml
from pacl.stored.documents import DEPTH, MOST_TOML, unreadable
from support.refusals import refused


@pytest.fixture
def written(tmp_path):
    def write(content):
        path = tmp_path / "x"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_what_was_written_comes_back(written):
    value = {"a": [1, 2.5, None, True, 'ü \\ " # [[['], "b": {"c": "'''"}}
    assert read_json(written(json.dumps(value)), Any) == value
    assert read_lines(written('{"a": 1}\n{"a": 2}\n'), dict[str, int], unreadable) == [
        {"a": 1},
        {"a": 2},
    ]
    toml = "a.b = \"[[[[\"  # {{{{\n[x]\ny = [[1, 2], [3]]\nz = '''\n[[[['''\n"
    assert read_toml(written(toml), unreadable) == {
        "a": {"b": "[[[["},
        "x": {"y": [[1, 2], [3]], "z": "[[[["},
    }


@pytest.mark.parametrize(
    ("content", "fact"),
    [
        ("[" * 100_000, f"{DEPTH} levels"),
        ('{"a":' * 100_000, f"{DEPTH} levels"),
        ("[" * (DEPTH + 1) + "]" * (DEPTH + 1), f"{DEPTH} levels"),
        ('{"a": 1, "a": 2}', "'a'"),
        ('{"a": [1, NaN]}', "a.1: nan"),
        ('{"a": -Infinity}', "a: -inf"),
        ('{"a": 1e999}', "a: inf"),
        (f'{{"a": {10**100}}}', "333 bits"),
        (f'{{"a": {"9" * 5000}}}', "4300"),
        ('{"a": "\\ud800"}', "text"),
        ('{"a\\u0000": 1}', "text"),
        (b"\xff\xfe", "decode"),
        ("", "Expecting value"),
    ],
)
def test_no_document(written, content, fact):
    with refused(FileError, fact) as caught:
        read_json(written(content), Any)
    assert len(str(caught.value)) < 500


def test_as_deep_as_it_may_be(written):
    assert read_json(written("[" * DEPTH + "]" * DEPTH), Any)


@pytest.mark.parametrize(
    "content",
    [
        "x = " + "[" * 30_000,
        "x = " + "{a = " * 10_000,
        "a." * 30_000 + "a = 1",
        f"[{'a.' * 30_000}a]",
        "x = {" + "a . " * 10_000 + "a = 1}",
        '"a".' * 10_000 + "a = 1",
        'x = ["""a"""", ' + "[" * 30_000,
        "#" * (MOST_TOML + 1),
        "x = 1\nx = 2",
        "x = ",
    ],
)
def test_toml_that_would_take_hours_is_refused_at_once(written, content):
    began = time.perf_counter()
    with pytest.raises(FileError):
        read_toml(written(content), unreadable)
    assert time.perf_counter() - began < 5


@pytest.mark.parametrize("kind", ["pipe", "/dev/zero", "folder", "none"])
def test_what_is_no_file_is_refused_at_once(tmp_path, kind):
    path = Path(kind) if kind.startswith("/") else tmp_path / kind
    if kind == "pipe":
        os.mkfifo(path)
    if kind == "folder":
        path.mkdir()
    for read in (lambda: read_json(path, Any), lambda: read_toml(path, unreadable)):
        with refused(FileError, path):
            read()


def test_the_format_is_looked_at_before_the_rest(written):
    path = written('{"format": "later 9", "new": 1}')
    with refused(FileError, "'later 9'", "'mine 1'"):
        read_json(path, dict[str, str], written_as="mine 1")
    with refused(FileError, "a list"):
        read_json(written("[]"), dict[str, str], written_as="mine 1")
