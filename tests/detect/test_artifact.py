"""A detector's folder: what it states, and the errors when one of its files is damaged."""

import json
import shutil

import numpy as np
import pytest

from pacl.detect import (
    Artifact,
    DetectError,
    Detector,
    StreamDetector,
    bundled_file,
    bundled_folder,
)
from pacl.detect.artifact import DETECTOR_FILE, FINGERPRINTS_FILE
from support.refusals import refused
from support.rhythms import fibrillation, heard

POINTS = ("sensitive", "balanced", "specific")
AF = fibrillation(80, np.random.default_rng(0))


@pytest.fixture
def folder(tmp_path):
    return shutil.copytree(bundled_folder(), tmp_path / "mine")


def stated(folder):
    return json.loads((folder / DETECTOR_FILE).read_text())


def check_refused(folder, name, *facts, use=Detector):
    """The error names the file, what is wrong, and what to do."""
    with refused(DetectError, folder / name, *facts):
        use(folder)


def judge(folder):
    return Detector(folder).detect(AF)


def listen(folder):
    return heard(StreamDetector(folder), AF)


def test_the_bundled_one_is_whole():
    found = Artifact.read(bundled_folder())
    assert (found.name, found.needed_beats) == ("af-beats", 60)
    for mode, lag in (("look-ahead", type(None)), ("causal", int)):
        decoders = [found.decoder(mode, point) for point in POINTS]
        assert {type(one.lag) for one in decoders} == {lag}
        assert [one.evidence for one in decoders] == sorted(one.evidence for one in decoders)
        assert min(one.least_beats for one in decoders) >= 5
    assert {"ltafdb", "mitdb"} <= {one.cohort for one in found.learned_from}
    assert found.fingerprints().dtype == np.uint64
    assert sum(path.stat().st_size for path in bundled_folder().iterdir()) < 4_000_000


def test_nothing_of_whoever_made_it_is_inside():
    for path in bundled_folder().iterdir():
        content = path.read_bytes()
        assert not any(place in content for place in (b"/tmp", b"/work", b"/home")), path.name


@pytest.mark.parametrize(
    ("content", "fact"),
    [
        (b"", "cannot be read"),
        (b"{", "cannot be read"),
        (b"\xff\xfe", "no detector"),
        (b"[]", "values by name"),
        (b"{}", "format"),
        (b'{"format": "pacl detector 2"}', "pacl detector 1"),
        (b'{"format": "pacl detector 1"}', "missing"),
    ],
)
def test_another_file_is_no_detector(folder, content, fact):
    (folder / DETECTOR_FILE).write_bytes(content)
    check_refused(folder, DETECTOR_FILE, fact, "pacl weights")


NEW = {
    "name": (7, "name"),
    "needed_beats": ("sixty", "needed_beats"),
    "needed_beats ": (10, "needed_beats"),
    "needed_beats  ": (71, "needed_beats"),
    "needed_beats   ": (60.5, "needed_beats"),
    "decoders": ([], "decoders"),
    "decoders ": ({"causal": {"balanced": 3}}, "decoders"),
    "decoders  ": ({"causal": {"balanced": {"slope": "steep"}}}, "slope"),
    "decoders   ": ({"causal": {"balanced": {"slope": -1.0}}}, "slope above 0"),
    "decoders    ": ({"causal": {"balanced": {"least_beats": 0}}}, "least_beats"),
    "decoders     ": ({"causal": {"balanced": {"lag": -1}}}, "lag"),
    "decoders      ": ({"causal": {"balanced": {"width": 3}}}, "width"),
    "networks": (0, "networks"),
    "networks ": ("two", "networks"),
    "doubt": (-0.5, "doubt"),
    "doubt ": ("some", "doubt"),
    "measured": (3, "measured"),
    "learned_from": ({}, "learned_from"),
    "learned_from ": ([{"cohort": "a"}], "source"),
    "learned_from  ": ([3], "learned_from"),
}


@pytest.mark.parametrize("key", NEW)
def test_every_statement_is_checked(folder, key):
    value, fact = NEW[key]
    (folder / DETECTOR_FILE).write_text(json.dumps({**stated(folder), key.strip(): value}))
    check_refused(folder, DETECTOR_FILE, fact)


@pytest.mark.parametrize(
    "key", ["name", "needed_beats", "networks", "doubt", "decoders", "measured", "learned_from"]
)
def test_nothing_may_be_missing(folder, key):
    (folder / DETECTOR_FILE).write_text(
        json.dumps({k: v for k, v in stated(folder).items() if k != key})
    )
    check_refused(folder, DETECTOR_FILE, key)


@pytest.mark.parametrize("mode", ["look-ahead", "causal"])
def test_an_operating_point_that_it_lacks_is_told_when_it_is_opened(folder, mode):
    about = stated(folder)
    del about["decoders"][mode]["specific"]
    (folder / DETECTOR_FILE).write_text(json.dumps(about))
    assert judge(folder).verdict
    for use in (Detector, StreamDetector):
        check_refused(
            folder, DETECTOR_FILE, "specific", mode, "sensitive, balanced",
            use=lambda place, use=use: use(place, operating_point="specific"),
        )  # fmt: skip


@pytest.mark.parametrize("name", ["look-ahead.onnx", "stream.onnx", FINGERPRINTS_FILE])
def test_a_file_that_is_missing_is_told_when_it_is_opened(folder, name):
    (folder / name).unlink()
    check_refused(folder, name)
    check_refused(folder, name, use=StreamDetector)


def test_networks_beside_the_first_are_needed_where_there_are_several(folder):
    beside = folder / "look-ahead-others.onnx"
    for networks in (1, 2):
        (folder / DETECTOR_FILE).write_text(json.dumps({**stated(folder), "networks": networks}))
        shutil.copy(folder / "look-ahead.onnx", beside)
        assert judge(folder).verdict == "AF"
        beside.write_bytes(b"junk")
        if networks == 1:
            assert judge(folder).verdict == "AF"
        else:
            check_refused(folder, beside.name, use=judge)
        beside.unlink()
        if networks == 1:
            assert judge(folder).verdict == "AF"
        else:
            check_refused(folder, beside.name)


@pytest.mark.parametrize("content", [b"", b"junk", "half"])
@pytest.mark.parametrize(("name", "use"), [("look-ahead.onnx", judge), ("stream.onnx", listen)])
def test_a_damaged_network_is_told(folder, name, use, content):
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole[: len(whole) // 2] if content == "half" else content)
    check_refused(folder, name, use=use)


def test_networks_of_another_kind_are_told(folder):
    for name, use in (("look-ahead.onnx", judge), ("stream.onnx", listen)):
        shutil.copy(bundled_file("af-rr200"), folder / name)
        check_refused(folder, name, "present, rr_ms", use=use)
    shutil.copy(bundled_folder() / "stream.onnx", folder / "look-ahead.onnx")
    check_refused(folder, "look-ahead.onnx", "state", use=judge)
    shutil.copy(bundled_folder() / "look-ahead.onnx", folder / "stream.onnx")
    check_refused(folder, "stream.onnx", "state", use=listen)


def test_a_decision_that_would_come_too_late_is_told(folder):
    about = stated(folder)
    about["decoders"]["causal"]["balanced"]["lag"] = 61
    (folder / DETECTOR_FILE).write_text(json.dumps(about))
    check_refused(folder, DETECTOR_FILE, 60, use=listen)


def test_fingerprints_that_were_cut_are_told(folder):
    (folder / FINGERPRINTS_FILE).write_bytes((folder / FINGERPRINTS_FILE).read_bytes()[:-3])
    check_refused(folder, FINGERPRINTS_FILE, 8, use=judge)
    (folder / FINGERPRINTS_FILE).write_bytes(
        b""
    )  # of a detector that learned from nothing that is known
    assert not judge(folder).learned_from
