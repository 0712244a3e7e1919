"""Recordings that were named, their keys, and links that lead elsewhere."""

import re
import shutil

import pytest

from pacl.records import LayoutError, open_records
from pacl.view import places_of
from pacl.view.place import by_key
from support.viewing import write_night


def places(*paths):
    return list(places_of((path, open_records(path)) for path in paths))


@pytest.fixture
def folder(tmp_path):
    found = tmp_path / "nights"
    found.mkdir()
    for name in ("a", "b"):
        write_night(found / f"{name}.csv", runs=(70,))
    return found


def test_each_recording_has_its_own_key_which_stays(folder):
    first = places(folder)
    assert [one.record_id for one in first] == ["a", "b"]
    assert [one.key for one in first] == [one.key for one in places(folder)]
    assert len(by_key(first)) == 2
    for one in first:
        assert one.address == f"r/{one.key}/"
        assert re.fullmatch("[0-9a-f]{16}", one.key)
        assert one.several


def test_a_recording_that_is_named_twice_is_one(folder):
    assert len(by_key(places(folder, folder))) == 2
    assert len(by_key(places(folder, folder / "a.csv"))) == 3
    assert not places(folder / "a.csv")[0].several


def test_a_link_that_leads_out_of_the_folder_is_refused(folder, tmp_path):
    outside = write_night(tmp_path / "outside.csv", runs=(70,))
    (folder / "c.csv").symlink_to(outside)
    (folder / "d.csv").symlink_to(folder / "a.csv")
    found = {one.record_id: one for one in places(folder)}
    with pytest.raises(LayoutError, match=r"c\.csv.*leads out of"):
        found["c"].read()
    assert len(found["d"].read()) == 70
    assert len(places(folder / "c.csv")[0].read()) == 70  # it was named itself


def test_a_folder_that_is_a_link_may_be_named(folder, tmp_path):
    (tmp_path / "link").symlink_to(folder)
    assert [len(one.read()) for one in places(tmp_path / "link")] == [70, 70]


@pytest.mark.real
def test_a_link_of_an_ecg_beside_annotations_is_refused_too(data, tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    for ending in ("hea", "atr"):
        shutil.copy(data / "mitdb-ecg" / f"100.{ending}", inside)
    assert len(places(inside)[0].read()) > 500
    (inside / "100.dat").symlink_to(data / "mitdb-ecg" / "100.dat")
    with pytest.raises(LayoutError, match=r"100\.dat.*leads out of"):
        places(inside)[0].read()
