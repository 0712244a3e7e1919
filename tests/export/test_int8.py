"""Weights in bytes: smaller, nearly the same, the same bytes each time, refused where it costs."""

from dataclasses import replace

import numpy as np
import onnx
import pytest

from pacl.export import ExportError, Int8Figures, export_int8, to_int8
from pacl.export.int8 import onnx_logits, spaced_windows, weights_content
from support.c_files import made, windows_ms
from support.refusals import refused
from support.traced_once import traced_once as traced_once
from support.window_sets import make_set


@pytest.fixture(scope="module")
def weights():
    return made()


@pytest.fixture(scope="module")
def content(weights):
    return weights_content(weights)


@pytest.fixture(scope="module")
def small(content):
    return to_int8(content, windows_ms(256, 200, 1))


def test_it_is_smaller_and_says_nearly_the_same(content, small):
    assert len(small) < len(content) / 2
    rr = windows_ms(400, 200, 2)
    exact, rounded = onnx_logits(content, rr), onnx_logits(small, rr)
    assert not np.array_equal(exact, rounded)
    assert np.corrcoef(exact, rounded)[0, 1] > 0.99


def test_layers_are_in_bytes(small):
    kinds = [one.data_type for one in onnx.load_from_string(small).graph.initializer]
    assert kinds.count(onnx.TensorProto.INT8) > 10


def test_inputs_outputs_and_metadata_stay(content, small):
    before, after = onnx.load_from_string(content), onnx.load_from_string(small)
    assert [one.name for one in before.graph.output] == [one.name for one in after.graph.output]
    told = [{one.key: one.value for one in model.metadata_props} for model in (before, after)]
    assert told[0].items() <= told[1].items()
    assert (after.producer_name, before.producer_name) == ("pacl", "pacl")


def test_the_same_gives_the_same_bytes(content, small):
    assert to_int8(content, windows_ms(256, 200, 1)) == small


def test_without_windows_it_is_refused(content):
    with refused(ExportError, "windows"):
        to_int8(content, np.empty((0, 200), np.float32))


@pytest.mark.parametrize(
    ("figures", "told"),
    [
        (Int8Figures(100, 40, 0.99, 0.989), None),
        (Int8Figures(100, 40, 0.99, 0.995), None),
        (Int8Figures(100, 100, 0.99, 0.99), "100 bytes are no less than 100"),
        (Int8Figures(100, 40, 0.99, 0.987), "AUROC falls from 0.9900 to 0.9870, by more than"),
        (Int8Figures(100, 40, 0.99, float("nan")), "AUROC falls"),
    ],
)
def test_what_speaks_against_it(figures, told):
    assert figures.why_not is None if told is None else told in figures.why_not


def test_windows_are_taken_from_all_over_a_set():
    windows = make_set(window_beats=200, stride=50)
    assert len(spaced_windows(windows, 5)) == 5
    assert np.array_equal(spaced_windows(windows, 10**6), windows.windows(np.arange(len(windows))))


def test_windows_of_another_length_are_refused(weights, tmp_path):
    with refused(ExportError, "small.onnx", 100, 200):
        export_int8(weights, tmp_path / "small.onnx", make_set(window_beats=100, stride=50))
    assert not list(tmp_path.iterdir())


def test_it_is_written_where_it_is_worth_it(weights, tmp_path, monkeypatch):
    windows = make_set(window_beats=200, stride=50)
    path = tmp_path / "small.onnx"
    monkeypatch.setattr("pacl.export.int8.MOST_WORSE", 0.1)  # what they say of these is chance
    figures = export_int8(weights, path, windows)
    assert path.stat().st_size == figures.int8_bytes < figures.float_bytes
    path.unlink()
    monkeypatch.setattr("pacl.export.int8.MOST_WORSE", -1.0)
    with refused(ExportError, "small.onnx", "int8", "AUROC"):
        export_int8(weights, path, windows)
    assert not path.exists()
    alike = replace(windows.table, rhythm=np.zeros_like(windows.table.rhythm))
    with refused(ExportError, "one class"):
        export_int8(weights, path, replace(windows, table=alike))
