import json

import pytest

from pacl.cohort import audit_split
from pacl.windows import Finding, SplitError, split_units
from support.refusals import refused

PATIENTS = {"r0": "p0", "r1": "p0", "r2": "p1", "r3": "p2", "r4": "p2", "r5": "p2"}


@pytest.fixture
def metadata(tmp_path):
    path = tmp_path / "metadata.csv"
    path.write_text("record_id,patient_id\n" + "".join(f"{r},{p}\n" for r, p in PATIENTS.items()))
    return path


def write(tmp_path, **parts):
    path = tmp_path / "split.json"
    path.write_text(json.dumps(parts))
    return path


def test_patients_in_two_parts_are_named_with_their_records(tmp_path, metadata):
    split = write(tmp_path, train=["r1", "r5", "r3"], validation=["r2", "r4"], test=["r0"])
    findings = audit_split(split, metadata)
    assert [str(finding) for finding in findings] == [
        "leak: patient-in-two-parts: p0 is in test (r0), train (r1)",
        "leak: patient-in-two-parts: p2 is in train (r3, r5), validation (r4)",
    ]
    assert [finding.who for finding in findings] == ["p0", "p2"]
    assert all(finding.serious for finding in findings)


def test_patients_kept_together_are_fine(tmp_path, metadata):
    assert audit_split(write(tmp_path, train=["r0", "r1"], test=["r2"]), metadata) == ()
    split = split_units({"p0": "", "p1": "", "p2": ""}, seed=0)
    path = tmp_path / "ours.json"
    path.write_text(split.to_json())
    assert audit_split(path, metadata) == ()


def test_metadata_of_another_cohort(tmp_path, metadata):
    path = write(tmp_path, train=["r0", *(f"x{i}" for i in range(6))])
    with pytest.raises(SplitError) as caught:
        audit_split(path, metadata)
    assert str(caught.value) == (
        f"{path}: 6 record(s) not in metadata.csv: x0, x1, x2, x3, x4; "
        "give the metadata of the same cohort"
    )
    ours = tmp_path / "ours.json"
    ours.write_text(split_units({"p0": "", "p1": "", "p9": ""}, seed=0).to_json())
    with refused(SplitError, 1, "metadata.csv", "p9"):
        audit_split(ours, metadata)


def test_a_note_is_not_serious():
    assert not Finding("patient-without-class", "note", "p0", "what").serious
    assert Finding("class-missing", "fault", "p0", "what").serious
    said = str(Finding("class-missing", "fault", "p0", "what"))
    assert said == "fault: class-missing: what"


@pytest.mark.reference
def test_the_released_split_leaks_three_patients(reference):
    """The split that the authors released keeps records apart, not patients."""
    findings = audit_split(reference / "released-split.json", reference / "iridia-metadata.csv")
    assert {finding.kind for finding in findings} == {"patient-in-two-parts"}
    assert [finding.who for finding in findings] == ["patient_035", "patient_107", "patient_114"]
