import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pacl.evaluation import (
    EmbeddingSet,
    EvaluationError,
    Predictions,
    Probe,
    measure_detection,
    measure_geometry,
    measure_spread,
    read_evaluation,
)
from pacl.rr import RRWindowSet
from support.refusals import refused
from support.small_runs import small_windows


def unit(generator, *shape):
    drawn = generator.normal(size=shape) + 0.5
    return (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture(scope="module")
def evaluated():
    windows = RRWindowSet.open(small_windows()).part("test")
    generator = np.random.default_rng(0)
    size = len(windows)
    made = EmbeddingSet(
        unit(generator, size, 4), unit(generator, size, 3), windows.table, ("SR", "AF")
    )
    return Predictions.by_probe(Probe(np.array([2.0, -1.0, 0.5, 0.1]), -0.3), made)


def test_a_probe_judges_pooled_embeddings(evaluated):
    pooled = evaluated.embeddings.pooled.astype(np.float64)
    logit = pooled @ np.array([2.0, -1.0, 0.5, 0.1]) - 0.3
    assert np.allclose(evaluated.probability, 1 / (1 + np.exp(-logit)), rtol=1e-12)


def test_everything_is_measured_on_what_it_is_named_after(evaluated):
    measured = evaluated.measure()
    made, who = evaluated.embeddings, evaluated.embeddings.table.patient
    known = {"class_names": ("SR", "AF")}
    for name in ("pooled", "projected"):
        expected = measure_geometry(getattr(made, name), made.labels, who.codes, who.names, **known)
        assert getattr(measured, name) == expected
    assert measured.pooled != measured.projected
    assert measured.pooled_spread != measured.projected_spread
    assert measured.detection == measure_detection(
        made.labels, evaluated.probability, who.codes, who.names, **known
    )
    assert evaluated.measure().to_json() == measured.to_json()


def test_where_chance_is_needed_it_is_the_same_every_time(evaluated, monkeypatch):
    drawn = []

    def noting(embedded, labels, subjects, generator, names, *, class_names):
        drawn.append(generator.bit_generator.state["state"]["state"])
        return measure_spread(embedded, labels, subjects, generator, names, class_names=class_names)

    monkeypatch.setattr("pacl.evaluation.predictions.measure_spread", noting)
    evaluated.measure()
    evaluated.measure()
    assert len(drawn) == 4
    assert len(set(drawn)) == 1


def test_what_was_written_measures_the_same_to_the_bit(evaluated, tmp_path):
    measured = evaluated.write(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "evaluation.json",
        "pooled.npy",
        "predictions.parquet",
        "projected.npy",
    ]
    found = Predictions.read(tmp_path)
    written = (tmp_path / "evaluation.json").read_text()
    assert found.measure().to_json() == written == measured.to_json()
    assert np.array_equal(found.probability, evaluated.probability)
    assert np.array_equal(found.embeddings.pooled, evaluated.embeddings.pooled)
    table, same = found.embeddings.table, evaluated.embeddings.table
    assert table.subject.to_list() == same.subject.to_list()
    assert np.array_equal(table.columns["onset_s"].to_numpy(), same.onset_s)
    assert found.class_names == measured.class_names == ("SR", "AF")
    assert read_evaluation(tmp_path) == measured
    assert "NaN" not in written


def test_predictions_can_be_read_without_pacl(evaluated, tmp_path):
    evaluated.write(tmp_path)
    rows = pq.read_table(tmp_path / "predictions.parquet").to_pylist()
    assert len(rows) == len(evaluated.embeddings)
    table = evaluated.embeddings.table
    assert [row["patient"] for row in rows] == table.patient.to_list()
    assert [row["rhythm"] for row in rows] == table.rhythm.tolist()
    assert [row["probability"] for row in rows] == evaluated.probability.tolist()


def drop_probability(path):
    pq.write_table(pq.read_table(path).drop_columns(["probability"]), path)


def names_for_probability(path):
    table = pq.read_table(path).drop_columns(["probability"])
    pq.write_table(table.append_column("probability", pa.array(["a"] * len(table))), path)


def drop_rows(path):
    pq.write_table(pq.read_table(path).slice(0, 5), path)


@pytest.mark.parametrize(
    ("name", "change", "facts"),
    [
        ("predictions.parquet", lambda path: path.unlink(), ()),
        ("predictions.parquet", lambda path: path.write_bytes(b"PAR1"), ()),
        ("predictions.parquet", drop_probability, ("probability",)),
        ("predictions.parquet", names_for_probability, ()),
        ("predictions.parquet", drop_rows, ("(5, any)",)),
        ("projected.npy", lambda path: path.unlink(), ()),
    ],
)
def test_files_that_are_damaged_or_missing_are_named(evaluated, tmp_path, name, change, facts):
    evaluated.write(tmp_path)
    change(tmp_path / name)
    with refused(EvaluationError, *facts) as caught:
        Predictions.read(tmp_path)
    where = tmp_path / ("pooled.npy" if change is drop_rows else name)
    assert str(caught.value).startswith(f"{where}: ")


@pytest.mark.parametrize("content", [None, "", "[]", "{}", '{"detection": {}}', "3"])
def test_an_evaluation_that_cannot_be_read_is_named(tmp_path, content):
    if content is not None:
        (tmp_path / "evaluation.json").write_text(content)
    with refused(EvaluationError, tmp_path / "evaluation.json"):
        read_evaluation(tmp_path)
