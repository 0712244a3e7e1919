import dataclasses

import numpy as np
import pytest

from pacl.cohort import EpisodesProtocol, Excerpt, PooledProtocol, Selection, Share
from pacl.cohort import protocol as protocols
from pacl.records import Record, Rhythm
from support.recordings import make_record, random_record

SR, AF, OTHER, UNKNOWN = Rhythm
HOUR = 3600


@pytest.fixture
def minute(monkeypatch):
    """The paper's rule with an hour of sixty seconds, so that records can be small."""
    monkeypatch.setattr(protocols, "HOUR_S", 60.0)
    return EpisodesProtocol(min_af_s=60.0, min_sr_s=240.0)


def test_the_papers_hours():
    record = make_record([(SR, 5 * HOUR), (AF, 2 * HOUR)])
    protocol = EpisodesProtocol()
    assert protocol.min_to_onset_s == 2 * HOUR
    assert protocol.select(record) == Selection(
        (
            Share(
                scale=((0, HOUR),),
                excerpts=(
                    Excerpt(HOUR, 2 * HOUR, SR, episode=0, next_af=5 * HOUR),
                    Excerpt(5 * HOUR, 6 * HOUR, AF, episode=0),
                ),
            ),
        ),
        {},
    )


def test_the_lead_in_is_passed_over():
    record = make_record([(SR, 5 * HOUR), (AF, 2 * HOUR)], lead_in_s=30.0)
    (share,) = EpisodesProtocol().select(record).shares
    assert share.scale == ((30, HOUR + 30),)
    assert (share.excerpts[0].start, share.excerpts[0].stop) == (HOUR + 30, 2 * HOUR + 30)


@pytest.mark.parametrize("rr_ms", [1000, 700, 1900])
def test_sr_ends_two_hours_before_onset_though_a_lead_in_moves_the_hours(rr_ms):
    """Four hours and no more: the second hour, moved by 30 s, would end too near to the AF."""
    beats = -(-4 * HOUR * 1000 // rr_ms)
    record = make_record([(SR, beats), (AF, 2 * HOUR)], rr_ms, lead_in_s=30.0)
    (share,) = EpisodesProtocol().select(record).shares
    sr = share.excerpts[0]
    onset_s = record.onset_s()
    assert onset_s[sr.next_af] - (onset_s[sr.stop - 1] + rr_ms / 1000) >= 2 * HOUR - 1e-6
    assert onset_s[sr.next_af] - (onset_s[sr.stop] + rr_ms / 1000) < 2 * HOUR


def test_hours_count_on_raw_time(minute):
    """A gap or an implausible beat takes its time, whatever becomes of it."""
    rr_ms = np.full(400, 1000)
    rr_ms[10] = 31_000
    (share,) = minute.select(make_record([(SR, 300), (AF, 100)], rr_ms)).shares
    assert share.scale == ((0, 30),)
    assert (share.excerpts[0].start, share.excerpts[0].stop) == (30, 90)


def test_hours_count_from_the_sr_run(minute):
    record = make_record([(OTHER, 50), (SR, 240), (AF, 60)])
    (share,) = minute.select(record).shares
    assert share.scale == ((50, 110),)
    assert share.excerpts == (Excerpt(110, 170, SR, 0, 290), Excerpt(290, 350, AF, 0))


def test_short_af_is_left_out_and_counted(minute):
    selection = minute.select(make_record([(SR, 300), (AF, 59)]))
    assert selection == Selection((), {"AF shorter than 60 s": 1})


TWICE = [(SR, 300), (AF, 100), (SR, 250), (AF, 70)]


@pytest.mark.parametrize("scaler", ["record", "patient"])
def test_one_scale_a_record(minute, scaler):
    (share,) = dataclasses.replace(minute, scaler=scaler).select(make_record(TWICE)).shares
    assert share.scale == ((0, 60),)
    assert share.excerpts == (
        Excerpt(60, 120, SR, 0, 300),
        Excerpt(300, 360, AF, 0),
        Excerpt(460, 520, SR, 1, 650),
        Excerpt(650, 710, AF, 1),
    )


def test_one_scale_an_episode(minute):
    shares = dataclasses.replace(minute, scaler="episode").select(make_record(TWICE)).shares
    assert [share.scale for share in shares] == [((0, 60),), ((400, 460),)]
    assert [[cut.episode for cut in share.excerpts] for share in shares] == [[0, 0], [1, 1]]


def test_the_whole_of_af(minute):
    (share,) = dataclasses.replace(minute, af_part="whole").select(make_record(TWICE)).shares
    assert [(cut.start, cut.stop) for cut in share.excerpts if cut.rhythm is AF] == [
        (300, 400),
        (650, 720),
    ]


def test_hours_from_the_start_of_the_file(minute):
    """As in the authors' files: the same hours for both episodes, cut once; AF may be in them."""
    protocol = dataclasses.replace(minute, sr_anchor="file_start")
    record = make_record([(OTHER, 20), (AF, 50), *TWICE], files=(0,))
    (share,) = protocol.select(record).shares
    assert share.scale == ((0, 60),)
    assert share.excerpts == (
        # the AF that follows beat 60 is at beat 60, not that of the episode
        Excerpt(60, 120, SR, 1, next_af=60),
        Excerpt(370, 430, AF, 1),
        Excerpt(720, 780, AF, 2),
    )
    second = make_record([(OTHER, 20), (AF, 50), *TWICE], files=(0, 70))
    (share,) = protocol.select(second).shares
    assert share.scale == ((70, 130),)
    assert share.excerpts[0] == Excerpt(130, 190, SR, 1, next_af=370)


def test_hours_across_files(minute):
    record = make_record([(SR, 300), (AF, 100)], files=(0, 90), pause_s=7.0)
    (share,) = dataclasses.replace(minute, across_files=True).select(record).shares
    # intervals are added up; the 7 s between the files are nobody's
    assert share.scale == ((0, 60),)
    assert (share.excerpts[0].start, share.excerpts[0].stop) == (60, 120)


def onsets(record: Record) -> list[float]:
    """When each beat begins, added up one by one."""
    firsts = dict(zip(record.file_starts.tolist(), record.file_onset_s.tolist(), strict=True))
    out, now = [], 0.0
    for beat, rr_ms in enumerate(record.rr_ms.tolist()):
        now = firsts.get(beat, now)
        out.append(now)
        now += rr_ms / 1000
    return out


@pytest.mark.parametrize("seed", range(30))
def test_the_papers_rule_on_random_records(minute, seed):
    """Beat by beat: the hour that each selected beat lies in, its rhythm, and its file."""
    generator = np.random.default_rng(seed)
    lead_in_s = float(generator.choice([0.0, 30.0]))
    protocol = dataclasses.replace(minute, min_af_s=20.0, min_sr_s=130.0)
    record = random_record(generator, runs=12, beats=(30, 260), odd=0.01, lead_in_s=lead_in_s)
    onset_s, rhythm = onsets(record), record.rhythm().tolist()
    for share in protocol.select(record).shares:
        (scale,) = share.scale
        first = share.excerpts[0]
        for cut in share.excerpts:
            if cut.rhythm is not SR:
                first_s = onset_s[cut.start]
                inside = [b for b in range(cut.start, len(record)) if onset_s[b] < first_s + 60]
                run = [b for b in inside if all(rhythm[x] == AF for x in range(cut.start, b + 1))]
                assert list(range(cut.start, cut.stop)) == run
                continue
            run_start = cut.next_af
            files = set(record.file_starts.tolist())
            while run_start and rhythm[run_start - 1] == SR and run_start not in files:
                run_start -= 1
            first_file = record.file_bounds()[0][1]
            while onset_s[run_start] < lead_in_s and run_start < first_file:
                run_start += 1
            begins_s = onset_s[run_start]
            limit_s = onset_s[cut.next_af] - 10
            second = [
                beat
                for beat in range(run_start, cut.next_af)
                if begins_s + 60 <= onset_s[beat] < begins_s + 120
                and onset_s[beat + 1] <= limit_s + 1e-9
            ]
            assert list(range(cut.start, cut.stop)) == second
            if cut is first:
                hour = [
                    beat
                    for beat in range(run_start, cut.next_af)
                    if begins_s <= onset_s[beat] < begins_s + 60
                ]
                assert list(range(*scale)) == hour


def test_random_records_do_have_episodes(minute):
    protocol = dataclasses.replace(minute, min_af_s=20.0, min_sr_s=130.0)
    found = 0
    for seed in range(30):
        generator = np.random.default_rng(seed)
        generator.choice([0.0, 30.0])
        record = random_record(generator, runs=12, beats=(30, 260), odd=0.01)
        found += sum(len(share.excerpts) for share in protocol.select(record).shares)
    assert found >= 20


def test_pooled_takes_all_sr_and_af_but_the_scale_beats():
    runs = [(AF, 5), (SR, 30), (OTHER, 10), (SR, 50), (AF, 20), (SR, 7), (UNKNOWN, 3), (SR, 4)]
    selection = PooledProtocol(scale_s=60.0).select(make_record(runs))
    assert selection == Selection(
        (
            Share(
                scale=((5, 35), (45, 75)),
                excerpts=(
                    Excerpt(0, 5, AF),
                    Excerpt(75, 95, SR, next_af=95),
                    Excerpt(95, 115, AF),
                    Excerpt(115, 122, SR),
                    Excerpt(125, 129, SR),
                ),
            ),
        ),
        {},
    )
    assert PooledProtocol().min_to_onset_s == 0.0
    assert PooledProtocol().scale_s == HOUR


def test_a_record_without_enough_sr_is_left_out():
    record = make_record([(SR, 60), (AF, 20)])
    assert PooledProtocol(scale_s=60.0).select(record).shares
    selection = PooledProtocol(scale_s=60.5).select(record)
    assert selection == Selection((), {"records with less than 60.5 s of SR": 1})


def test_a_gap_is_no_sr_heard():
    rr_ms = np.full(80, 1000)
    rr_ms[5] = 50_000
    selection = PooledProtocol(scale_s=60.0).select(make_record([(SR, 70), (AF, 10)], rr_ms))
    assert selection.shares[0].scale == ((0, 61),)


@pytest.mark.parametrize("rhythm", [SR, AF])
def test_pooled_passes_over_the_lead_in(rhythm):
    record = make_record([(rhythm, 20), (OTHER, 20), (SR, 50), (AF, 20)], lead_in_s=10.0)
    (share,) = PooledProtocol(scale_s=40.0).select(record).shares
    taken = sorted([*share.scale, *((cut.start, cut.stop) for cut in share.excerpts)])
    assert taken[0] == (10, 20)
    beyond = make_record([(rhythm, 5), (OTHER, 35), (SR, 50), (AF, 20)], lead_in_s=10.0)
    (share,) = PooledProtocol(scale_s=40.0).select(beyond).shares
    assert share.scale == ((40, 80),)
    assert [(cut.start, cut.stop) for cut in share.excerpts] == [(80, 90), (90, 110)]


@pytest.mark.parametrize("seed", range(20))
def test_pooled_on_random_records(seed):
    """Every beat after the lead-in of SR is scaled on or cut, every one of AF is cut."""
    record = random_record(np.random.default_rng(seed), runs=10, lead_in_s=8.0)
    selection = PooledProtocol(scale_s=40.0).select(record)
    rhythm, onset_s, rr_ms = record.rhythm().tolist(), onsets(record), record.rr_ms.tolist()
    first_file = record.file_bounds()[0][1]
    scale, cut, heard_s = set(), {}, 0.0
    for beat in range(len(record)):
        if (onset_s[beat] < 8.0 and beat < first_file) or rhythm[beat] not in (SR, AF):
            continue
        if rhythm[beat] == SR and heard_s < 40.0:
            scale.add(beat)
            heard_s += rr_ms[beat] / 1000 if rr_ms[beat] <= 10_000 else 0.0
        else:
            cut[beat] = Rhythm(rhythm[beat])
    if heard_s < 40.0:
        assert selection.shares == ()
        return
    (share,) = selection.shares
    assert {beat for part in share.scale for beat in range(*part)} == scale
    assert {
        beat: excerpt.rhythm
        for excerpt in share.excerpts
        for beat in range(excerpt.start, excerpt.stop)
    } == cut


def test_sr_that_begins_within_the_lead_in(minute):
    record = make_record([(OTHER, 5), (SR, 300), (AF, 60)], lead_in_s=30.0)
    (share,) = minute.select(record).shares
    assert share.scale == ((30, 90),)
    assert share.excerpts[0] == Excerpt(90, 150, SR, 0, 305)
