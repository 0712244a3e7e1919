"""Bundled weights are loaded once for many tests: judges keep no state between recordings."""

from collections.abc import Iterator
from functools import cache

import pytest

from pacl.detect import BUNDLED, BeatJudge, bundled_folder, open_judge


@pytest.fixture(autouse=True, scope="session")
def shared_judges() -> Iterator[None]:
    """Detectors, streams and profiles of the same bundled weights share one judge."""
    opened = cache(open_judge)

    def shared(weights, point="balanced"):
        known = isinstance(weights, str) and weights in BUNDLED
        return opened(weights, point) if known else open_judge(weights, point)

    def shared_by_artifact(artifact):
        bundled = artifact.folder == bundled_folder()
        return opened(artifact.name, "balanced") if bundled else BeatJudge(artifact)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pacl.detect.learn_person.BeatJudge", shared_by_artifact)
        for user in ("detector", "stream"):
            patch.setattr(f"pacl.detect.{user}.open_judge", shared)
        yield
