import numpy as np
import pytest

from pacl.cohort import Episode, find_episodes
from pacl.records import Rhythm
from support.recordings import make_record, random_record

SR, AF, OTHER, UNKNOWN = Rhythm
HOUR = 3600


def test_an_hour_of_af_after_four_of_sr_and_not_a_second_less():
    search = find_episodes(make_record([(SR, 4 * HOUR), (AF, HOUR)]))
    assert search.found == (Episode(0, (0, 4 * HOUR), (4 * HOUR, 5 * HOUR)),)
    assert search.dropped == {}
    short_af = find_episodes(make_record([(SR, 4 * HOUR), (AF, HOUR - 1)]))
    assert short_af.found == ()
    assert short_af.dropped == {"AF shorter than 3600 s": 1}
    short_sr = find_episodes(make_record([(SR, 4 * HOUR - 1), (AF, HOUR)]))
    assert short_sr.found == ()
    assert short_sr.dropped == {"SR before the AF shorter than 14400 s": 1}


def test_episodes_are_numbered_among_all_af_runs():
    runs = [(AF, 10), (SR, 20), (AF, 5), (SR, 40), (AF, 10), (SR, 39), (AF, 10)]
    search = find_episodes(make_record(runs), min_af_s=10.0, min_sr_s=40.0)
    assert search.found == (Episode(2, (35, 75), (75, 85)),)
    assert search.dropped == {
        "AF shorter than 10 s": 1,
        "no SR right before the AF": 1,
        "SR before the AF shorter than 40 s": 1,
    }


@pytest.mark.parametrize("between", [OTHER, UNKNOWN])
def test_another_rhythm_in_between_disqualifies(between):
    search = find_episodes(
        make_record([(SR, 90), (between, 1), (AF, 90)]), min_af_s=9.0, min_sr_s=9.0
    )
    assert search.found == ()
    assert search.dropped == {"no SR right before the AF": 1}


def test_neighbouring_spans_of_one_rhythm_count_together():
    search = find_episodes(
        make_record([(SR, 30), (SR, 10), (AF, 4), (AF, 6)]), min_af_s=10.0, min_sr_s=40.0
    )
    assert search.found == (Episode(0, (0, 40), (40, 50)),)


def test_duration_is_the_sum_of_raw_intervals_gaps_included():
    rr_ms = np.full(15, 1000)
    rr_ms[3] = 31_000
    search = find_episodes(make_record([(SR, 10), (AF, 5)], rr_ms), min_af_s=5.0, min_sr_s=40.0)
    assert len(search.found) == 1


def test_an_episode_lies_in_one_file():
    limits = {"min_af_s": 10.0, "min_sr_s": 40.0}
    runs = [(SR, 60), (AF, 20)]
    # SR counts from the first beat of the file
    later = make_record(runs, files=(0, 20))
    assert find_episodes(later, **limits).found == (Episode(0, (20, 60), (60, 80)),)
    short = make_record(runs, files=(0, 21))
    assert find_episodes(short, **limits).dropped == {"SR before the AF shorter than 40 s": 1}
    assert find_episodes(short, **limits, across_files=True).found[0].sr == (0, 60)
    # AF that begins with the file has no SR before it there
    at_edge = make_record(runs, files=(0, 60))
    assert find_episodes(at_edge, **limits).dropped == {"no SR before the AF in its file": 1}
    # AF has to end in its file
    runs_on = make_record(runs, files=(0, 79))
    assert find_episodes(runs_on, **limits).dropped == {"AF runs on into the next file": 1}
    assert find_episodes(runs_on, **limits, across_files=True).found[0].af == (60, 80)


@pytest.mark.parametrize("across_files", [False, True])
@pytest.mark.parametrize("seed", range(25))
def test_against_a_walk_over_the_beats(seed, across_files):
    """Every run of AF is found or counted, and found exactly if a slow walk back qualifies it."""
    record = random_record(np.random.default_rng(seed), runs=14, beats=(5, 40))
    limits = {"min_af_s": 12.0, "min_sr_s": 15.0}
    search = find_episodes(record, **limits, across_files=across_files)
    rhythm, rr_ms = record.rhythm().tolist(), record.rr_ms.tolist()
    file_of = (np.searchsorted(record.file_starts, np.arange(len(record)), side="right")).tolist()
    expected, number = [], -1
    for beat in range(len(record)):
        if rhythm[beat] != AF or (beat and rhythm[beat - 1] == AF):
            continue
        number += 1
        stop = beat
        while stop < len(record) and rhythm[stop] == AF:
            stop += 1
        start = beat
        while (
            start
            and rhythm[start - 1] == SR
            and (across_files or file_of[start - 1] == file_of[beat])
        ):
            start -= 1
        if (
            start < beat
            and sum(rr_ms[beat:stop]) >= 12_000
            and sum(rr_ms[start:beat]) >= 15_000
            and (across_files or file_of[stop - 1] == file_of[beat])
        ):
            expected.append(Episode(number, (start, beat), (beat, stop)))
    assert list(search.found) == expected
    assert len(search.found) + sum(search.dropped.values()) == number + 1
