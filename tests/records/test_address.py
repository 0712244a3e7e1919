"""Addresses are told from paths, survive being a path, and are printed without secrets."""

from pathlib import Path

import pytest

from pacl.records import address_of, local_path, may_be_several, shown_path, source_files


@pytest.mark.parametrize(
    "address",
    [
        "s3://hospital/holter",
        "https://host:8080/cohort/night.csv?key=1&other=a%20b",
        "sftp://anna@host/home/anna",
        "gs://bucket",
        "memory://cohort",
    ],
)
def test_an_address_is_restored_from_a_path(address):
    assert address_of(address) == address
    assert address_of(Path(address)) == address


@pytest.mark.parametrize(
    "path", ["night.csv", "C:/night.csv", "a/s3:/b", "s3:", ":/x", "1a:/x", "/"]
)
def test_a_path_is_no_address(path):
    assert address_of(path) is None
    assert address_of(Path(path)) is None
    assert local_path(path) == Path(path)


def test_a_folder_that_is_called_like_a_scheme_is_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert address_of("s3:/bucket") == "s3://bucket"
    Path("s3:/bucket").mkdir(parents=True)
    assert address_of("s3:/bucket") is None


def test_a_file_address_is_a_path(tmp_path):
    address = f"file://{tmp_path}"
    for given in (address, Path(address)):
        assert address_of(given) is None
        assert local_path(given) == tmp_path
    assert may_be_several([Path(address)])
    assert tmp_path in list(source_files([Path(address)]))


def test_what_is_at_an_address_is_no_file_that_could_be_overwritten():
    assert not list(source_files([Path("s3://hospital/holter")]))


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://anna:secret@host/a", "https://***@host/a"),
        ("https://secret@host:80/a?sig=secret", "https://***@host:80/a?***"),
        ("https://anna:sec@ret@host", "https://***@host"),
        ("sftp://anna:secret@host/a", "sftp://anna:***@host/a"),
        ("sftp://anna@host/a@b", "sftp://anna@host/a@b"),
        ("https://host:80/a", "https://host:80/a"),
    ],
)
def test_no_secret_is_shown(address, shown):
    assert shown_path(address) == shown
    assert shown_path(Path(address)) == shown
