import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pacl.windows import (
    PARTS,
    CohortError,
    Split,
    SplitError,
    fold_split,
    read_split,
    scaled_counts,
    split_units,
)
from pacl.windows.split import PAPER_COUNTS
from support.refusals import refused


def cohort(size: int, kinds: int = 3, seed: int = 0) -> dict[str, str]:
    generator = np.random.default_rng(seed)
    return {f"patient_{i:03d}": "abc"[int(generator.integers(kinds))] for i in range(size)}


def counted(split: Split, strata: dict[str, str]) -> dict[tuple[str, str], int]:
    pairs = [(strata[who], part) for who, part in split.part_of.items()]
    return {pair: pairs.count(pair) for pair in pairs}


def test_the_papers_counts():
    assert scaled_counts(167) == PAPER_COUNTS == (119, 24, 24)
    assert scaled_counts(42) == (30, 6, 6)
    assert scaled_counts(10) == (7, 2, 1)
    assert scaled_counts(3) == (1, 1, 1)
    assert scaled_counts(4) == (2, 1, 1)


@given(st.integers(3, 5000), st.lists(st.integers(1, 200), min_size=1, max_size=3))
@settings(max_examples=200, derandomize=True, deadline=None)
def test_counts_add_up_and_keep_the_proportion(total, counts):
    shared = np.array(scaled_counts(total, counts))
    exact = np.array(counts) / sum(counts) * total
    assert shared.sum() == total
    assert shared.min() >= 1
    if exact.min() >= 1:
        assert np.abs(shared - exact).max() < 1


def test_too_few_patients():
    with refused(CohortError, 2, 3):
        split_units({"a": "x", "b": "x"}, seed=0)


@given(st.integers(3, 200), st.integers(0, 2**32))
@settings(max_examples=60, derandomize=True, deadline=None)
def test_each_patient_has_one_part_and_each_stratum_its_share(size, seed):
    strata = cohort(size, seed=seed)
    split = split_units(strata, seed=seed)
    assert split.part_of.keys() == strata.keys()
    assert split.safe
    sizes = [list(split.part_of.values()).count(part) for part in PARTS]
    assert tuple(sizes) == scaled_counts(size)
    count = counted(split, strata)
    for stratum in set(strata.values()):
        members = list(strata.values()).count(stratum)
        for part, whole in zip(PARTS, sizes, strict=True):
            exact = members * whole / size
            assert abs(count.get((stratum, part), 0) - exact) < 2, (stratum, part, exact)


def test_the_seed_decides_and_the_order_of_patients_does_not():
    strata = cohort(40)
    backwards = dict(reversed(strata.items()))
    split = split_units(strata, seed=7)
    assert split_units(backwards, seed=7).part_of == split.part_of
    assert split_units(backwards, seed=7).digest == split.digest
    assert len({split_units(strata, seed=seed).digest for seed in range(20)}) == 20
    assert split.origin == "subject split, seed 7, counts 28/6/6"


def test_every_patient_may_land_in_every_part():
    strata = cohort(12, kinds=1)
    seen = {
        (who, part) for s in range(60) for who, part in split_units(strata, seed=s).part_of.items()
    }
    assert len(seen) == 12 * 3


def test_records_split_are_marked_unsafe():
    split = split_units({"record_0": "", "record_1": "", "record_2": ""}, seed=0, unit="record")
    assert not split.safe
    assert split.unit == "record"
    assert split.origin.startswith("record split")
    assert json.loads(split.to_json())["safe"] is False
    patients = split_units({"record_0": "", "record_1": "", "record_2": ""}, seed=0)
    assert patients.part_of == split.part_of
    assert patients.digest != split.digest


@given(st.integers(3, 60), st.integers(3, 10), st.integers(0, 99))
@settings(max_examples=60, derandomize=True, deadline=None)
def test_folds_test_each_patient_once(size, folds, seed):
    folds = min(folds, size)
    strata = cohort(size, seed=seed)
    splits = [fold_split(strata, folds=folds, fold=fold, seed=seed) for fold in range(folds)]
    for part in ("test", "validation"):
        held = [who for split in splits for who, where in split.part_of.items() if where == part]
        assert sorted(held) == sorted(strata)
    for split in splits:
        assert split.part_of.keys() == strata.keys()
        assert split.safe
        assert set(split.part_of.values()) == set(PARTS)
        count = counted(split, strata)
        for stratum in set(strata.values()):
            exact = list(strata.values()).count(stratum) / folds
            assert abs(count.get((stratum, "test"), 0) - exact) < 1
    test = {who for who, part in splits[1].part_of.items() if part == "test"}
    assert test == {who for who, part in splits[0].part_of.items() if part == "validation"}
    assert splits[1].origin == f"subject fold 1 of {folds}, seed {seed}"


@pytest.mark.parametrize(
    ("patients", "validation", "facts"),
    [
        (1, True, (3, 1)),
        (2, True, (3, 2)),
        (0, False, (2, 0)),
    ],
)
def test_patients_that_are_too_few_for_any_folds(patients, validation, facts):
    with refused(CohortError, *facts):
        fold_split(cohort(patients), folds=5, fold=0, seed=0, validation=validation)


def test_folds_that_cannot_be():
    with refused(CohortError, "2 folds", "9 subjects", "3 to 9"):
        fold_split(cohort(9), folds=2, fold=0, seed=0)
    with refused(CohortError, "10 folds", "9 subjects"):
        fold_split(cohort(9), folds=10, fold=0, seed=0)
    for fold in (-1, 3):
        with refused(CohortError, f"fold {fold} of 3", "0 to 2"):
            fold_split(cohort(9), folds=3, fold=fold, seed=0)


@given(size=st.integers(2, 40), folds=st.integers(2, 6), seed=st.integers(0, 2**32))
@settings(max_examples=40, derandomize=True, deadline=None)
def test_folds_without_validation_learn_from_all_others(size, folds, seed):
    folds = min(folds, size)
    strata = cohort(size, seed=seed)
    splits = [
        fold_split(strata, folds=folds, fold=fold, seed=seed, validation=False)
        for fold in range(folds)
    ]
    tested = [who for split in splits for who, where in split.part_of.items() if where == "test"]
    assert sorted(tested) == sorted(strata)
    for fold, split in enumerate(splits):
        assert split.part_of.keys() == strata.keys()
        assert set(split.part_of.values()) == {"train", "test"}
        assert split.safe
        assert split.origin == f"subject fold {fold} of {folds}, seed {seed}, no validation"
        if folds < 3:
            continue
        chosen = fold_split(strata, folds=folds, fold=fold, seed=seed)
        assert chosen.origin == f"subject fold {fold} of {folds}, seed {seed}"
        assert chosen.digest != split.digest
        # the same patients are tested; those who would have been chosen by are learned from
        learned = {"validation": "train"}
        parts = {who: learned.get(part, part) for who, part in chosen.part_of.items()}
        assert parts == dict(split.part_of)


def test_folds_without_validation_that_cannot_be():
    with refused(CohortError, "1 folds", "2 to 9"):
        fold_split(cohort(9), folds=1, fold=0, seed=0, validation=False)
    with refused(CohortError, "10 folds", "2 to 9"):
        fold_split(cohort(9), folds=10, fold=0, seed=0, validation=False)
    with refused(CohortError, "fold 2 of 2", "0 to 1"):
        fold_split(cohort(9), folds=2, fold=2, seed=0, validation=False)


@pytest.mark.parametrize("unit", ["subject", "record"])
def test_a_split_is_read_as_it_was_written(tmp_path, unit):
    split = split_units(cohort(20), seed=3, unit=unit)
    path = tmp_path / "split.json"
    path.write_text(split.to_json())
    found = read_split(path)
    assert found.part_of == split.part_of
    assert found.unit == unit
    assert found.digest == split.digest
    assert found.origin == "read from split.json"
    parts = json.loads(split.to_json())["parts"]
    assert list(parts) == list(PARTS)
    assert all(members == sorted(members) for members in parts.values())


def test_a_bare_split_names_records(tmp_path):
    path = tmp_path / "split.json"
    path.write_text('{"train": ["record_1", "record_2"], "test": ["record_3"]}')
    found = read_split(path)
    assert found.unit == "record"
    assert not found.safe
    assert found.part_of == {"record_1": "train", "record_2": "train", "record_3": "test"}


def test_a_split_changed_by_hand_is_noticed(tmp_path):
    split = split_units(cohort(20), seed=3)
    path = tmp_path / "split.json"
    moved = json.loads(split.to_json())
    moved["parts"]["test"].append(moved["parts"]["train"].pop())
    path.write_text(json.dumps(moved))
    with refused(SplitError, "digest"):
        read_split(path)
    del moved["digest"]
    path.write_text(json.dumps(moved))
    assert read_split(path).unit == "subject"


@pytest.mark.parametrize(
    ("content", "facts"),
    [
        ("{", ('{"train": ["record_000"',)),
        ("[]", ("not a split",)),
        ('"train"', ("not a split",)),
        ("\xff", ("not a split",)),
        ('{"train": 3}', ("train: 3", "a list")),
        ('{"train": "record_000"}', ("train: 'record_000'", "a list")),
        ('{"train": [3]}', ("train.0: 3", "a text")),
        ('{"parts": ["record_000"]}', ("not a split",)),
        ("{}", ("records of each part",)),
        ('{"train": [], "test": []}', ("records of each part",)),
        ('{"train": ["a"], "test": ["a"]}', ("'a'", "train", "test")),
    ],
)
def test_files_that_are_no_split(tmp_path, content, facts):
    path = tmp_path / "split.json"
    path.write_bytes(content.encode("latin-1"))
    with refused(SplitError, *facts) as caught:
        read_split(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_a_missing_split(tmp_path):
    with refused(SplitError, "none.json", "No such file"):
        read_split(tmp_path / "none.json")


def test_a_part_can_be_left_out():
    assert scaled_counts(1, (0, 0, 1)) == (0, 0, 1)
    assert scaled_counts(7, (2, 0, 1)) == (5, 0, 2)
    split = split_units({"a": "SR", "b": "AF"}, seed=1, counts=(0, 0, 1))
    assert set(split.part_of.values()) == {"test"}
    for counts in ((0, 0, 0), (1, -1, 1)):
        with refused(CohortError, str(counts)):
            scaled_counts(5, counts)
