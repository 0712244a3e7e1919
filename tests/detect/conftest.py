"""Tests here share bundled weights, a recording of one person, and its profile."""

import pytest

from pacl.detect import adapt, find_artifact
from support.persons import night
from support.shared_judges import shared_judges as shared_judges


@pytest.fixture(scope="session")
def first():
    return night(0)


@pytest.fixture(scope="session")
def me(first):
    return adapt(first, sinus=[(60, 660)])


@pytest.fixture(scope="session")
def artifact():
    return find_artifact("af-beats")
