import pytest

from pacl.report.figures.labels import REACHES, free_place

INSIDE = (0.0, 0.0, 200.0, 200.0)


def test_a_name_lies_right_beside_a_lonely_point():
    offset, box = free_place((100.0, 100.0), (20.0, 8.0), INSIDE, [])
    assert offset == pytest.approx((REACHES[0] * 0.5**0.5,) * 2)
    assert box == pytest.approx((103.536, 103.536, 123.536, 111.536), abs=1e-3)


def test_a_covered_place_is_not_taken():
    above_right = (101.0, 101.0, 130.0, 130.0)
    _, box = free_place((100.0, 100.0), (20.0, 8.0), INSIDE, [above_right])
    assert box[3] <= 101 or box[2] <= 101


def test_a_name_stays_inside():
    _, box = free_place((199.0, 199.0), (20.0, 8.0), INSIDE, [])
    assert box[2] <= 200
    assert box[3] <= 200


def test_without_a_free_place_the_least_bad_is_taken():
    _, box = free_place((100.0, 100.0), (20.0, 8.0), INSIDE, [INSIDE])
    assert 0 <= box[0] <= box[2] <= 200
