"""The paper's numbers agree with each other, and with what follows from them."""

import math

import pytest

from pacl.report.paper_values import (
    AF_WINDOWS,
    LOSS_TITLES,
    PROPOSED,
    SR_WINDOWS,
    TABLE_1,
    TABLE_2,
    TABLE_3,
    TABLE_4,
    TABLE_5,
    loss_title,
    printed,
)

TABLES = (TABLE_1, TABLE_2, TABLE_3, TABLE_4)


def test_a_number_that_stands_in_several_tables_is_the_same_in_all():
    for loss in LOSS_TITLES:
        for key in {key for table in TABLES for key in table.get(loss, {})}:
            found = [table[loss][key] for table in TABLES if key in table.get(loss, {})]
            assert len({(one.mean, one.sd) for one in found}) == 1, (loss, key)


@pytest.mark.parametrize("table", [TABLE_1, TABLE_2, TABLE_4])
def test_every_loss_has_every_metric_and_one_is_bold(table):
    assert list(table) == list(LOSS_TITLES)
    keys = [list(values) for values in table.values()]
    assert keys[0] == keys[1] == keys[2]
    for key in keys[0]:
        assert sum(values[key].bold for values in table.values()) == 1, key


def test_accuracy_follows_from_recalls_and_counts():
    found = TABLE_3[PROPOSED]
    right = SR_WINDOWS * found["detection.classes.0.recall"].mean
    right += AF_WINDOWS * found["detection.classes.1.recall"].mean
    accuracy = right / (SR_WINDOWS + AF_WINDOWS)
    assert accuracy == pytest.approx(found["detection.accuracy"].mean, abs=5e-4)


def test_precision_and_f1_follow_from_recalls_and_counts():
    found = TABLE_3[PROPOSED]
    recall = [found[f"detection.classes.{at}.recall"].mean for at in (0, 1)]
    count = [SR_WINDOWS, AF_WINDOWS]
    for rhythm, other in ((0, 1), (1, 0)):
        right = count[rhythm] * recall[rhythm]
        precision = right / (right + count[other] * (1 - recall[other]))
        assert precision == pytest.approx(
            found[f"detection.classes.{rhythm}.precision"].mean, abs=1.5e-3
        )
        f1 = 2 * precision * recall[rhythm] / (precision + recall[rhythm])
        assert f1 == pytest.approx(found[f"detection.classes.{rhythm}.f1"].mean, abs=1.5e-3)


def test_the_last_row_of_table_5_is_table_3_in_per_cent():
    *_, own = TABLE_5
    found = TABLE_3[PROPOSED]
    keys = ("detection.classes.1.recall", "detection.classes.0.recall", "detection.accuracy")
    for value, key in zip(own.printed, keys, strict=True):
        assert value is not None
        assert value.sd is not None
        assert round(value.mean / 100, 3) == found[key].mean
        assert round(value.sd / 100, 3) == found[key].sd


def test_printed_cohesions_read_as_global_norms_give_the_printed_distances():
    for values in TABLE_1.values():
        sr, af = (values[f"pooled.classes.{at}.cohesion"].mean for at in (0, 1))
        cosine = values["pooled.centroid_similarity"].mean
        distance = math.sqrt(sr**2 + af**2 - 2 * sr * af * cosine)
        assert distance == pytest.approx(values["pooled.centroid_distance"].mean, abs=0.014)


def test_what_the_paper_prints_is_found_in_whichever_table():
    assert printed("bce", "pooled.subject_compactness").mean == 6.396
    assert printed("supcon", "detection.classes.1.f1").mean == 0.952
    assert printed(PROPOSED, "detection.classes.0.precision").sd == 0.009
    assert printed("supcon", "detection.classes.0.precision") is None
    assert printed("patient", "detection.auroc") is None


def test_a_loss_that_the_paper_does_not_know_keeps_its_name():
    assert [loss_title(loss) for loss in ("bce", "patient-class")] == ["BCE", "patient-class"]
