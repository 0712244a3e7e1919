"""An evaluation that an earlier version wrote: `former/`, of a small run on simulated patients."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pacl.evaluation import Evaluation, EvaluationError, Predictions, read_evaluation
from support.refusals import refused

FORMER = Path(__file__).parent / "former"


def without_log_loss(measured: Evaluation) -> Evaluation:
    """What earlier versions did not measure is left out."""
    calibration = replace(measured.detection.calibration, log_loss=None)
    return replace(measured, detection=replace(measured.detection, calibration=calibration))


def test_its_numbers_are_measured_again_to_the_bit():
    found = Predictions.read(FORMER)
    assert found.class_names == ("SR", "AF")
    assert without_log_loss(found.measure()) == read_evaluation(FORMER)


def test_its_numbers_are_those_that_stand_in_the_file():
    stated = json.loads((FORMER / "evaluation.json").read_text())
    found = read_evaluation(FORMER)
    detection, pooled = stated["detection"], stated["pooled"]
    assert found.detection.sensitivity == detection["sensitivity"]
    assert found.detection.of_class("SR").f1 == detection["sr"]["f1"]
    assert found.detection.of_class("AF").windows == detection["af"]["windows"]
    assert sum(map(sum, found.detection.confusion)) == sum(
        detection[key]["windows"] for key in ("sr", "af")
    )
    assert found.pooled.of_class("AF").cohesion == pooled["af"]["cohesion"]
    assert found.pooled.of_pair("AF", "SR").compactness == pooled["compactness"]
    for mine, row in zip(found.pooled.per_subject, pooled["per_patient"], strict=True):
        assert (mine.subject, mine.spread[1]) == (row["patient"], row["af_spread"])
    spread = stated["projected_spread"]["sr"]["spread_ratio"]
    assert found.projected_spread.of_class("SR").spread_ratio == spread


def test_its_rows_stay_as_they_were_when_it_is_written_again(tmp_path):
    Predictions.read(FORMER).write(tmp_path)
    found, before = (Predictions.read(folder).embeddings.table for folder in (tmp_path, FORMER))
    assert found.columns.column_names == before.columns.column_names
    for name in found.columns.column_names:  # NaN is equal to NaN here
        mine, theirs = (table.columns[name].to_pylist() for table in (found, before))
        np.testing.assert_array_equal(mine, theirs)
    assert {"patient", "rhythm", "onset_s", "centre_ms"} <= set(found.columns.column_names)
    assert np.array_equal(found.labels, found.columns["rhythm"].to_numpy())
    assert found.subject.to_list() == found.columns["patient"].to_pylist()


@pytest.mark.parametrize(
    ("section", "key"),
    [("detection", "per_patient"), ("pooled", "compactness"), ("pooled_spread", "af")],
)
def test_what_it_lacks_is_named(tmp_path, section, key):
    shutil.copytree(FORMER, tmp_path, dirs_exist_ok=True)
    stated = json.loads((FORMER / "evaluation.json").read_text())
    del stated[section][key]
    (tmp_path / "evaluation.json").write_text(json.dumps(stated))
    with refused(EvaluationError, tmp_path / "evaluation.json", key.replace("patient", "subject")):
        read_evaluation(tmp_path)
