"""Reading one file: regular files alone, up to a limit."""

import os
from pathlib import Path

import pytest

from pacl.file_bytes import FileError, read_beginning, read_file
from support.refusals import refused


def test_reads_a_file_up_to_its_limit(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"12345")
    assert read_file(path, 5) == b"12345"
    with refused(FileError, 5, 4):
        read_file(path, 4)


def test_reads_the_beginning_of_a_file_of_any_size(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"12345")
    assert read_beginning(path, 2) == b"12"
    assert read_beginning(path, 9) == b"12345"
    with refused(FileError, "folder"):
        read_beginning(tmp_path, 2)


def test_refuses_a_pipe_without_waiting_for_a_writer(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with refused(FileError, "pipe"):
        read_file(tmp_path / "pipe", 10)


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null"])
def test_refuses_devices(device):
    with refused(FileError, "pipe"):
        read_file(Path(device), 10)


@pytest.mark.parametrize("name", ["missing", "a\0b", ".", "x" * 5000])
def test_what_cannot_be_opened_is_named(tmp_path, name):
    with pytest.raises(FileError):
        read_file(tmp_path / name, 10)


def test_a_file_that_says_it_is_empty_is_read_to_the_limit_alone():
    with refused(FileError, 3):
        read_file(Path("/proc/self/maps"), 3)
