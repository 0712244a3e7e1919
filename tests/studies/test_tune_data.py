"""What a search may learn from and choose by: never a beat of a test patient, however it is cut."""

import json
from dataclasses import asdict, replace
from functools import cache

import numpy as np
import torch

from pacl.cli.config import plain, settle
from pacl.cli.prepare_settings import PrepareSettings
from pacl.cohort import PooledProtocol
from pacl.records import open_records
from pacl.rr import Cut, RRWindowSet, prepare
from pacl.studies import RunError, train_run
from pacl.studies.provenance import digest_of
from pacl.studies.tuning import Recordings, WindowsAsCut, recordings, tune
from pacl.studies.tuning.recordings import without_test
from pacl.studies.tuning.windows import WindowsAtHand, alone, parts_to_tune
from pacl.windows import split_units
from support.refusals import refused
from support.reports import reporting
from support.small_runs import PLAN, STRIDE, cohort, place, plan, rewritten, small_windows

POISON_MS = 1234.5
CUT = Cut(window_beats=40, stride=STRIDE)
OTHER = Cut(window_beats=60, stride=STRIDE)


def divide(strata, patients):
    return split_units(strata, seed=1, counts=(6, 2, 2))


def source(cache, **changes):
    """The recordings of `small_windows()`."""
    settings = {"protocol": "pooled", "window": {"stride": 2500}, "split": {"seed": 1}}
    given = {"protocol": PooledProtocol(), "divide": divide, "cut": CUT, "stated": settings}
    return Recordings(open_records(cohort()), cache=cache, **given | changes)


@cache
def cut_once():
    """A source whose cache holds two ways of cutting; not to be changed."""
    found = source(place() / "cut-once")
    found.parts(OTHER)
    return found


def poisoned(windows):
    """The same windows, but those of test patients are lies."""
    table = windows.table
    test = table.split.is_("test")
    rr_ms = np.array(windows.rr_ms)
    for start in table.start[test]:
        rr_ms[start : start + windows.window_beats] = POISON_MS
    turned = np.where(test, 1 - table.rhythm, table.rhythm).astype(np.int8)
    scale = np.where(test, 1e-3, table.scale_ms).astype(np.float32)
    return replace(windows, rr_ms=rr_ms, table=replace(table, rhythm=turned, scale_ms=scale))


def test_a_part_alone_is_the_same_windows_without_other_beats_and_names():
    windows = RRWindowSet.open(small_windows())
    for name in ("train", "validation"):
        part = windows.part(name)
        own = alone(part)
        assert np.array_equal(own.windows(), part.windows())
        assert own.table.patient.to_list() == part.table.patient.to_list()
        assert own.table.record.to_list() == part.table.record.to_list()
        assert set(own.table.patient.names) == set(part.table.patient.present())
        assert own.rr_ms.size <= len(part) * 40
        assert own.rr_ms.base is None  # no view of the file


def test_nothing_of_a_test_patient_is_held(tmp_path):
    path = rewritten(small_windows(), tmp_path / "poisoned", poisoned)
    who = set(RRWindowSet.open(path).part("test").table.patient.present())
    assert (RRWindowSet.open(path).part("test").rr_ms == POISON_MS).any()
    for part in parts_to_tune(path):
        assert not (part.rr_ms == POISON_MS).any()
        assert not who & set(part.table.patient.names)
        assert not who & set(json.dumps(part.manifest).split('"'))
    learning = WindowsAtHand(WindowsAsCut(path), torch.device("cpu")).of(CUT)
    for windows in (learning.score.train, learning.score.validation, learning.on_device):
        assert not bool((windows.tensors.rr_ms == POISON_MS).any())


def test_a_search_on_poisoned_test_patients_is_the_same_to_the_bit(tmp_path):
    path = rewritten(small_windows(), tmp_path / "windows", poisoned)
    options = {"trials": 3, "space": "full", "device": "cpu"}
    tune(WindowsAsCut(small_windows()), tmp_path / "true", plan(epochs=2), **options)
    tune(WindowsAsCut(path), tmp_path / "lies", plan(epochs=2), **options)
    for name in ("best.toml", "study.json"):
        true, lies = ((tmp_path / way / name).read_bytes() for way in ("true", "lies"))
        assert true == lies
    rows = [
        [line.split(",")[:4] for line in (tmp_path / way / "trials.csv").read_text().splitlines()]
        for way in ("true", "lies")
    ]
    assert rows[0] == rows[1]


def test_poisoned_training_patients_are_noticed(tmp_path):
    def changed(windows):
        rr_ms = np.array(windows.rr_ms)
        rr_ms[windows.part("train").table.start[0]] += 1
        return replace(windows, rr_ms=rr_ms)

    path = rewritten(small_windows(), tmp_path / "windows", changed)
    assert digest_of(*parts_to_tune(path)) != digest_of(*parts_to_tune(small_windows()))
    tune(WindowsAsCut(small_windows()), tmp_path / "study", PLAN, trials=1, device="cpu")
    with refused(RunError, tmp_path / "study", "windows "):
        tune(WindowsAsCut(path), tmp_path / "study", PLAN, trials=1, device="cpu")


def test_a_set_without_a_class_to_choose_by_is_refused(tmp_path):
    path = rewritten(
        small_windows(),
        tmp_path / "windows",
        lambda w: w.select(~(w.table.split.is_("validation") & (w.table.rhythm == 1))),
    )
    with refused(RunError, "validation", "no AF", "--split.seed"):
        parts_to_tune(path)


def test_a_set_without_test_patients_can_be_tuned_on(tmp_path):
    path = rewritten(
        small_windows(), tmp_path / "windows", lambda w: w.select(~w.table.split.is_("test"))
    )
    assert digest_of(*parts_to_tune(path)) == digest_of(*parts_to_tune(small_windows()))


def test_recordings_are_cut_as_prepare_cuts_them():
    for mine, theirs in zip(cut_once().parts(CUT), parts_to_tune(small_windows()), strict=True):
        assert np.array_equal(mine.windows(), theirs.windows())
        assert mine.table.patient.to_list() == theirs.table.patient.to_list()
    assert [part.window_beats for part in cut_once().parts(OTHER)] == [60, 60]


def test_all_ways_of_cutting_share_one_split_and_hold_no_test_patient(tmp_path):
    def by_length(strata, patients):
        """Another split for each number of patients with windows: what must not happen."""
        calls.append(len(strata))
        return split_units(strata, seed=len(calls), counts=(6, 2, 2))

    calls = []
    found = source(tmp_path, divide=by_length)
    sets = [RRWindowSet.open(found.windows(cut)) for cut in (OTHER, CUT)]
    assert len(calls) == 1
    tested = {who for who, part in found.split.part_of.items() if part == "test"}
    assert len(tested) == 2
    for windows in sets:
        assert not tested & set(windows.table.patient.names) & set(windows.table.patient.present())
        assert windows.table.split.present() == ("train", "validation")
        for who, part in zip(
            windows.table.patient.to_list(), windows.table.split.to_list(), strict=True
        ):
            assert found.split.part_of[who] == part


def test_each_way_of_cutting_is_prepared_once(tmp_path, monkeypatch):
    told = []

    def counting(*arguments, **options):
        told.append(options["cut"])
        return prepare(*arguments, **options)

    monkeypatch.setattr(recordings, "prepare", counting)
    seen = set()
    report = reporting(on_stage=lambda what, done, total: seen.add(what))
    found = source(tmp_path, report=report)
    for cut in (OTHER, CUT, OTHER):
        found.parts(cut)
    assert told == [CUT, OTHER]  # the base comes first, for the split
    assert len(seen) == 2
    source(tmp_path).parts(OTHER)
    assert len(told) == 2
    other = source(tmp_path, protocol=PooledProtocol(scale_s=1800.0))
    assert other.windows(CUT) != found.windows(CUT)


def test_other_recordings_have_other_places_in_the_cache(tmp_path):
    other = replace(source(tmp_path), reader=open_records(cohort(seed=4)))
    assert other._key(CUT) != source(tmp_path)._key(CUT)
    assert source(tmp_path)._key(CUT) == cut_once()._key(CUT)


def test_two_processes_that_cut_the_same_do_not_hinder_each_other(tmp_path, monkeypatch):
    def slower(*arguments, **options):
        prepare(*arguments, **options)  # somebody else, who is faster
        return prepare(*arguments, **options)

    monkeypatch.setattr(recordings, "prepare", slower)
    assert (source(tmp_path).windows(CUT) / "manifest.json").exists()


def test_the_best_cut_is_kept_as_settings_that_prepare_takes(tmp_path):
    made = replace(cut_once(), stated=plain(asdict(PrepareSettings(protocol="pooled"))))
    outcome = tune(made, tmp_path / "s", plan(epochs=1), trials=1, device="cpu", space="fair")
    chosen = settle(PrepareSettings, tmp_path / "s" / "prepare.toml", None)
    assert chosen.window == CUT
    assert chosen.rule() == PooledProtocol()
    assert chosen.divide({}, {}).part_of == made.split.part_of
    assert outcome.best is not None


def test_the_kept_settings_lead_to_the_run_that_was_found(tmp_path):
    made = replace(cut_once(), stated=plain(asdict(PrepareSettings(protocol="pooled"))))
    best = tune(made, tmp_path / "s", PLAN, trials=1, device="cpu").best
    chosen = settle(PrepareSettings, tmp_path / "s" / "prepare.toml", None)
    prepare(
        made.reader,
        tmp_path / "w",
        protocol=chosen.rule(),
        divide=chosen.divide,
        cut=chosen.window,
    )
    run = train_run(tmp_path / "w", tmp_path / "run", PLAN, device="cpu")
    assert max(epoch["score"] for epoch in run.history()) == best.value
    assert "test" in run.evaluations()


def test_the_split_without_test_patients():
    split = divide({f"patient_{n}": "SR+AF" for n in range(10)}, {})
    kept = without_test(split)
    assert set(kept.part_of.values()) == {"train", "validation"}
    assert kept.part_of.items() < split.part_of.items()
    assert kept.unit == split.unit
