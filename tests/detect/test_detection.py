"""The verdict and its reasons, and what others rely on: the names and kinds of what is written."""

import json
from dataclasses import replace

import numpy as np
import pytest

from pacl.detect import AfEpisode, Detector, NotJudged
from pacl.detect.detection import FORMAT, MIN_DURATION_S
from pacl.detect.episodes import af_episodes
from pacl.detect.judge import StretchSteps, probability
from support.detections import detection
from support.rhythms import fibrillation, record_of, sinus


def verdict(episodes, judged_s=100.0, **more):
    """A recording of 100 s with episodes of (seconds, confidence)."""
    made = tuple(AfEpisode(0.0, lasts_s, sure) for lasts_s, sure in episodes)
    found = replace(
        detection([(0.0, judged_s)] if judged_s else []),
        judged_s=judged_s, seen_s=judged_s, recorded_s=100.0, episodes=made, **more,
    )  # fmt: skip
    return found.verdict, found.reason


def test_af_takes_one_episode_that_is_long_and_sure():
    assert verdict([(30.0, 0.75)]) == ("AF", None)
    assert verdict([(5.0, 0.99), (31.0, 0.9), (50.0, 0.5)]) == ("AF", None)
    assert verdict([(30.0, 0.9)], judged_s=30.0) == ("AF", None)


def test_short_af_is_possible_af():
    said, why = verdict([(29.9, 0.99), (4.0, 0.99)])
    assert said == "possible AF"
    assert "30 s" in why
    assert verdict([(5.0, 0.99)], min_duration_s=5.0) == ("AF", None)
    assert verdict([(0.5, 0.99)], min_duration_s=0.0) == ("AF", None)
    said, why = verdict([(100.0, 0.99)], min_duration_s=3600.0)
    assert said == "possible AF"
    assert "100.0 s" in why
    assert "3600 s" in why


def test_the_length_that_is_told_is_not_the_one_that_would_do():
    """An episode of 29.9 s is not said to last 30 s where it takes 30 s."""
    _, why = verdict([(29.9, 0.99)])
    assert "lasts 29.9 s" in why


def test_unsure_af_is_possible_af():
    said, why = verdict([(60.0, 0.74), (5.0, 0.99), (40.0, 0.6)])
    assert said == "possible AF"
    assert "0.74" in why
    assert "0.75" in why
    _, why = verdict([(60.0, 0.7499)])
    assert "0.74," in why


def test_af_that_may_be_flutter_throughout_is_said_to_be():
    sure = [AfEpisode(0.0, 40.0, 0.9, may_be_flutter=True), AfEpisode(50.0, 60.0, 0.9)]
    found = replace(detection([(0.0, 100.0)]), judged_s=100.0, episodes=tuple(sure))
    assert found.verdict == "AF or flutter"
    assert "flutter" in found.reason
    other = replace(found, episodes=(*sure, AfEpisode(60.0, 95.0, 0.9)))
    assert (other.verdict, other.reason) == ("AF", None)


def test_no_af_takes_half_of_the_recorded_time():
    assert verdict([], 50.0) == ("no AF", None)
    said, why = verdict([], 49.0, not_judged=(NotJudged(49.0, 100.0, "it was dark"),))
    assert said == "cannot tell"
    assert "49.0 %" in why
    assert "it was dark" in why
    assert verdict([], 0.0)[0] == "cannot tell"


def test_a_short_run_of_af_is_possible_af():
    generator = np.random.default_rng(4)
    rr_ms = np.concatenate(
        [sinus(150, generator), fibrillation(30, generator), sinus(150, generator)]
    )
    found = Detector(operating_point="sensitive").detect(rr_ms)
    assert found.verdict == "possible AF"
    assert len(found.episodes) == 1
    assert Detector(operating_point="sensitive", min_duration_s=5.0).detect(rr_ms).verdict == "AF"


EPISODE = {"start_s": float, "end_s": float, "confidence": float, "may_be_flutter": bool}
NOT_JUDGED = {"start_s": float, "end_s": float, "why": str}
QUALITY = {
    "beats": int,
    "implausible": float,
    "not_judged": float,
    "gaps": int,
    "longest_run": int,
    "needed_beats": int,
}
STATED = {
    "format": str,
    "file": str,
    "record": str,
    "verdict": str,
    "reason": str | None,
    "af_burden": float | None,
    "episodes": list,
    "quality": dict,
    "not_judged": list,
    "duration_s": float,
    "recorded_s": float,
    "judged_s": float,
    "judged_share": float,
    "seen_share": float,
    "least_seen_share": float,
    "started": str | None,
    "mode": str,
    "weights": str,
    "operating_point": str,
    "learned_from": bool | None,
    "min_duration_s": float,
}


def check(told, kinds):
    assert {key for key in kinds if key not in told} == set()
    for key, kind in kinds.items():
        assert isinstance(told[key], kind), key


def test_what_others_read_stays_as_it_is():
    generator = np.random.default_rng(0)
    rr_ms = [*fibrillation(150, generator), 20_000.0, *sinus(300, generator)]
    found = Detector().detect(record_of(rr_ms))
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    check(told, STATED)
    check(told["quality"], QUALITY)
    assert (told["format"], FORMAT) == ("pacl detection 1",) * 2
    assert (told["file"], told["record"], told["verdict"]) == ("made up", "r", "AF")
    assert told["quality"]["beats"] == 451
    assert told["min_duration_s"] == MIN_DURATION_S
    (episode,) = told["episodes"]
    check(episode, EPISODE)
    assert 0 <= episode["start_s"] < episode["end_s"]
    (gap,) = told["not_judged"]
    check(gap, NOT_JUDGED)
    assert gap["end_s"] - gap["start_s"] == pytest.approx(20.0)
    assert told["judged_s"] == pytest.approx(told["duration_s"] - 20.0, abs=2e-3)
    assert told["af_burden"] == pytest.approx(
        (episode["end_s"] - episode["start_s"]) / told["judged_s"], abs=1e-4
    )


@pytest.mark.parametrize("beats", [200, 201, 1000])
@pytest.mark.parametrize("mode", ["look-ahead", "causal"])
def test_a_plain_array_of_two_hundred_beats_has_probabilities(beats, mode):
    found = Detector().detect(fibrillation(beats, np.random.default_rng(0)), mode)
    assert found.probability.shape == found.af.shape == found.start_s.shape == (beats,)
    assert np.isfinite(found.probability).all()


def test_a_higher_log_odds_is_a_higher_probability():
    log_odds = np.linspace(-20.0, 20.0, 100_001)
    likely = probability(log_odds)
    assert np.all(np.diff(likely) > 0)
    assert 0 < likely[0] < likely[-1] < 1
    assert [probability(one) for one in log_odds[::5000].tolist()] == likely[::5000].tolist()
    assert probability(0.0) == 0.5


def test_beats_that_take_no_time_are_no_episode():
    """Two files with AF; the second is of one beat of 0 ms."""
    steps = StretchSteps(
        np.array([0, 1]), np.array([0, 1]), np.ones(2), np.ones(2, np.bool_), np.zeros(2, np.uint8)
    )
    start_s, end_s = np.array([0.0, 50.0]), np.array([0.8, 50.0])
    rr_ms = np.array([800.0, 0.0], np.float32)
    none = np.zeros(rr_ms.size, np.bool_)
    (episode,) = af_episodes(steps, rr_ms, start_s, end_s, np.array([0.7, 0.9]), none, none)
    assert (episode.start_s, episode.end_s) == (0.0, 0.8)
    assert episode.confidence == pytest.approx(0.7)
