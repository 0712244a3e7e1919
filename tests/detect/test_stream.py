"""Beats from a stream: the same to the bit as from a recording, with a bounded delay."""

from dataclasses import replace

import numpy as np
import pytest

from pacl.detect import Artifact, DetectError, Detector, StreamDetector
from pacl.detect.beat_scorer import BLOCK, CHUNK, BeatScorer
from pacl.detect.bundled import bundled_folder
from pacl.records import open_records
from pacl.records.simulate import simulate_cohort
from support.refusals import refused
from support.rhythms import fibrillation, heard, record_of, sinus

MOST_DELAY = 70


@pytest.fixture(scope="module")
def detector():
    return Detector()


def alike(detector, rr_ms):
    """Check that a stream says what the causal mode says."""
    batch = detector.detect(record_of(rr_ms), "causal")
    stream = StreamDetector()
    decisions = heard(stream, np.asarray(rr_ms, np.float32))
    assert [one.probability for one in decisions] == batch.probability.tolist()
    assert [one.af for one in decisions] == batch.af.tolist()
    np.testing.assert_allclose([one.start_s for one in decisions], batch.start_s, atol=1e-6)
    np.testing.assert_allclose([one.time_s for one in decisions], batch.end_s, atol=1e-6)
    assert stream.offered == batch.offered
    return batch


def hearts(seed):
    """Sinus rhythm, AF, bad devices, gaps, and stretches around what is needed."""
    generator = np.random.default_rng(seed)
    parts = []
    for beats in (59, 60, 61, 69, 70, 71, 5):
        rhythm = (sinus, fibrillation)[int(generator.integers(2))]
        parts += [rhythm(beats, generator), [generator.uniform(10_001, 60_000)]]
    parts += [np.repeat(sinus(40, generator), 2), fibrillation(90, generator), sinus(60, generator)]
    rr_ms = np.concatenate(parts)
    spoilt = generator.random(rr_ms.size) < 0.04
    rr_ms[spoilt] = generator.choice([0.0, 199.0, 2000.5, 9000.0], int(spoilt.sum()))
    return rr_ms


@pytest.mark.parametrize("seed", range(6))
def test_of_any_mixture(detector, seed):
    found = alike(detector, hearts(seed))
    assert found.probability.size
    assert found.not_judged


def test_of_a_simulated_patient(detector):
    record = next(iter(simulate_cohort(patients=1, seed=5))).record
    first, after = record.file_bounds()[0]  # a stream knows no files
    assert alike(detector, record.rr_ms[first : min(after, first + 3000)]).af.any()


@pytest.mark.real
@pytest.mark.parametrize("name", ["201", "221", "100"])
def test_of_a_real_recording(detector, data, name):
    reader = open_records(data / "mitdb" / name)
    found = alike(detector, reader.read(reader.record_ids[0]).rr_ms[:1200])
    assert found.verdict == ("no AF" if name == "100" else "AF")


def test_of_files_in_several_parts_each_is_a_stream(detector):
    rr_ms = np.asarray(hearts(3), np.float32)
    files = np.array([0, 65, 200, 201, 330])
    record = record_of(rr_ms)
    onset_s = record.onset_s()[files] + 0.25 * np.arange(files.size)
    batch = detector.detect(replace(record, file_starts=files, file_onset_s=onset_s), "causal")
    said = [heard(StreamDetector(), part) for part in np.split(rr_ms, files[1:])]
    assert [one.probability for part in said for one in part] == batch.probability.tolist()


@pytest.mark.parametrize("beats", [0, 1, 59, 60, 61, 69, 70, 71, 80, 95])
def test_nothing_is_lost_at_the_end(beats):
    stream = StreamDetector()
    said = [one for rr in fibrillation(beats, np.random.default_rng(0)) for one in stream.push(rr)]
    rest = stream.finish()
    assert len(said) == max((beats - 60) // 10 * 10, 0)
    assert len(said) + len(rest) == (beats if beats >= 60 else 0)
    assert stream.finish() == ()


def test_the_delay_is_bounded_and_decisions_are_in_order():
    stream, decided, begun_s = StreamDetector(), 0, [0.0]
    for number, rr in enumerate(sinus(400, np.random.default_rng(0)).tolist(), start=1):
        begun_s.append(begun_s[-1] + rr / 1000)
        for one in stream.push(rr):
            assert one.start_s == pytest.approx(begun_s[decided], abs=1e-3)
            assert one.time_s == pytest.approx(begun_s[decided + 1], abs=1e-3)
            decided += 1
        assert number - decided < MOST_DELAY
    assert decided == 340


def test_what_was_said_does_not_depend_on_what_follows():
    generator = np.random.default_rng(0)
    head = sinus(200, generator).tolist()
    said = []
    for rhythm in (sinus, fibrillation):
        stream = StreamDetector()
        said.append([one for rr in head for one in stream.push(rr)])
        for rr in rhythm(100, generator).tolist():
            stream.push(rr)
    assert said[0] == said[1]
    assert len(said[0]) == 140


def test_a_gap_brings_the_rest_and_begins_anew():
    stream, generator = StreamDetector(), np.random.default_rng(0)
    first = [one for rr in fibrillation(100, generator) for one in stream.push(rr)]
    rest = stream.push(20_000.0)
    assert (len(first), len(rest)) == (40, 60)
    assert stream.offered.gaps == 1
    after = sinus(65, generator)
    said = heard(stream, after)
    assert [one.probability for one in said] == [
        one.probability for one in heard(StreamDetector(), after)
    ]
    assert said[0].start_s == pytest.approx(rest[-1].time_s + 20, abs=1e-3)


@pytest.mark.parametrize("rr_ms", [float("nan"), float("inf"), -1.0])
def test_what_is_no_interval_is_refused(rr_ms):
    with refused(DetectError, str(rr_ms), "ms"):
        StreamDetector().push(rr_ms)


def test_intervals_are_rounded_as_recordings_round_them(detector):
    """In single precision, these are 2000 and 10,000 ms: plausible, and no gap."""
    rr_ms = sinus(90, np.random.default_rng(0))
    rr_ms[[10, 50]] = [2000.00001, 10_000.0001]
    stream = StreamDetector()
    decisions = heard(stream, rr_ms)
    batch = detector.detect(record_of(rr_ms), "causal")
    assert [one.probability for one in decisions] == batch.probability.tolist()
    assert stream.offered == batch.offered


def test_whole_stretches_do_not_show_where_they_were_cut():
    scorer = BeatScorer.open(Artifact.read(bundled_folder()))
    generator = np.random.default_rng(0)
    rr_ms = np.where(
        np.arange(CHUNK + 700) % 900 < 500,
        sinus(CHUNK + 700, generator),
        fibrillation(CHUNK + 700, generator),
    ).astype(np.float32)
    whole = scorer.logits(rr_ms)
    assert whole.size == rr_ms.size
    lead = BLOCK * -(-(scorer.behind + scorer.ahead + 50) // BLOCK)
    near = scorer.logits(rr_ms[CHUNK - lead : CHUNK + lead])
    np.testing.assert_allclose(
        near[lead - 50 : lead + 50], whole[CHUNK - 50 : CHUNK + 50], atol=2e-4
    )
    for beats in (1, 2, CHUNK - 1, CHUNK, CHUNK + 1):
        assert scorer.logits(rr_ms[:beats]).size == beats


def test_before_the_first_beat_and_after_the_last_there_is_nothing():
    """What stands for absent beats does not matter."""
    scorer = replace(BeatScorer.open(Artifact.read(bundled_folder())), others=None)
    rr_ms = fibrillation(90, np.random.default_rng(0)).astype(np.float32)
    around = (scorer.behind, scorer.ahead)
    present = np.pad(np.ones(90, np.bool_), around)[None]
    for value in (0.0, 400.0, 5000.0):
        padded = np.pad(rr_ms, around, constant_values=value)[None]
        said = scorer.first.run(["logits"], {"rr_ms": padded, "present": present})[0][0]
        assert said.tolist() == scorer.logits(rr_ms).tolist()


class Shifted:
    """A network whose logits are higher than those of another; counts the beats it is asked of."""

    def __init__(self, session, by):
        self.session, self.by, self.beats = session, by, 0

    def run(self, names, given):
        logits = self.session.run(names, given)[0]
        self.beats += logits.size
        return [logits + np.float32(self.by)]


def test_where_the_first_network_is_in_doubt_the_mean_of_all_counts():
    first = replace(BeatScorer.open(Artifact.read(bundled_folder())), others=None)
    generator = np.random.default_rng(0)
    rr_ms = np.concatenate([sinus(1000, generator), fibrillation(900, generator)])
    rr_ms = rr_ms.astype(np.float32)
    alone = first.logits(rr_ms)
    doubt = float(np.quantile(np.abs(alone), 0.02))
    others = Shifted(first.first, 3.0)
    found = replace(first, others=others, networks=3, doubt=doubt).logits(rr_ms)
    doubtful = np.abs(alone) < doubt
    blocks = np.unique(np.flatnonzero(doubtful) // BLOCK)
    asked = np.isin(np.arange(rr_ms.size) // BLOCK, blocks)
    assert 0 < asked.sum() < rr_ms.size
    np.testing.assert_allclose(found[asked], alone[asked] + 2.0, atol=1e-4)  # two of three
    assert found[~asked].tolist() == alone[~asked].tolist()
    assert asked.sum() <= others.beats < rr_ms.size
