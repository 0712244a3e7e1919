"""A row is kept under all that it depends on: change one of them, and it is computed again."""

import shutil

import pytest

import pacl
from pacl.detect import Detector, bundled_folder
from pacl.report.index import RecordingRow, detector_digest, keep_row, kept_row, row_key, row_of
from pacl.stored import Kept
from support.persons import with_evidence


@pytest.fixture(scope="module")
def detector():
    return Detector()


def test_every_part_changes_the_key(monkeypatch):
    whole = row_key("a", "b", "c")
    others = [row_key("x", "b", "c"), row_key("a", "x", "c"), row_key("a", "b", "x")]
    others += [row_key("a", "b"), row_key("ab", "", "c"), row_key("a", "bc", "")]
    monkeypatch.setattr(pacl, "__version__", "99")
    others.append(row_key("a", "b", "c"))
    monkeypatch.setattr("pacl.report.index.kept_rows.ROW_FORMAT", "pacl row 99")
    others.append(row_key("a", "b", "c"))
    assert len({whole, *others}) == 1 + len(others)


def test_how_it_is_judged_changes_the_digest(detector):
    found = [
        detector_digest(detector),
        detector_digest(detector, "causal"),
        detector_digest(Detector(operating_point="sensitive")),
        detector_digest(Detector(min_duration_s=60.0)),
        detector_digest(Detector("af-rr200"), weights="af-rr200"),
    ]
    assert len(set(found)) == len(found)
    assert detector_digest(Detector()) == found[0]


def test_other_weights_change_the_digest_wherever_they_lie(detector, tmp_path):
    copied = shutil.copytree(bundled_folder(), tmp_path / "mine")
    assert detector_digest(detector, weights=copied) == detector_digest(detector)
    stated = (copied / "detector.json").read_text()
    (copied / "detector.json").write_text(stated + "\n")
    changed = detector_digest(detector, weights=copied)
    assert changed != detector_digest(detector)


def test_a_profile_changes_the_digest(detector):
    person = with_evidence()
    with_person = detector.of(person)
    assert detector_digest(with_person) != detector_digest(detector)
    aside = detector.of(person)
    aside.use_person = False
    assert detector_digest(aside) != detector_digest(with_person)


def test_a_row_is_kept_and_found_for_another_index(night, tmp_path):
    kept, under = Kept(tmp_path), row_key("a", "b")
    row = row_of(*night, "key", edits=1, page="night.html")
    assert kept_row(kept, under, "key") is None
    keep_row(kept, under, row)
    assert kept_row(kept, under, "key", "night.html") == row
    assert kept_row(kept, under, "other") == row.at("other")


def test_only_rows_that_are_ready_are_kept(tmp_path):
    kept = Kept(tmp_path)
    for row in (RecordingRow.waiting("k", "n"), RecordingRow.failed("k", "n", "why")):
        under = row_key(row.status, "b")
        keep_row(kept, under, row)
        assert kept.get(under) is None
        kept.put(under, row.to_dict())  # by another hand
        assert kept_row(kept, under, "k") is None


def test_what_is_no_row_is_computed_again(tmp_path):
    kept, under = Kept(tmp_path), row_key("a", "b")
    for value in (3, [], {"key": "k"}, {"key": "", "name": "n", "status": "ready"}):
        kept.put(under, value)
        assert kept_row(kept, under, "k") is None
