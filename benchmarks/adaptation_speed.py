"""What learning one person costs, on one core: less than 1 ms for a stretch of ten beats.

    python benchmarks/adaptation_speed.py

A posterior from sums, the adjustment of a day's log odds, and a stream that learns against one that
does not, in the same minutes.
"""

import time
from collections.abc import Callable

import numpy as np

from pacl.adaptation import Correction, Evidence, Unlabelled, adjusted
from pacl.detect import PersonEvidence, StreamDetector, find_artifact, new_person

BEATS = 20_000
REPEATS = 5


def seconds(work: Callable[[], object], times: int) -> float:
    """The fastest of several repeats, for one call."""
    best = float("inf")
    for _ in range(REPEATS):
        began = time.perf_counter()
        for _ in range(times):
            work()
        best = min(best, (time.perf_counter() - began) / times)
    return best


def main() -> None:
    """Measure and print."""
    artifact = find_artifact("af-beats")
    assert artifact is not None
    prior = artifact.prior("look-ahead")
    evidence = PersonEvidence(
        sinus=Evidence(5.0, -5.0),
        wearing=Unlabelled(600.0, Evidence(500.0, -5.5)),
        corrections=(Correction(True, -1.0),) * 3,
    )
    own = evidence.posterior(prior)
    day = np.random.default_rng(0).normal(-5, 3, 100_000)
    print(f"posterior             {1e6 * seconds(lambda: evidence.posterior(prior), 200):8.1f} us")
    print(f"adjusting 100,000     {1e6 * seconds(lambda: adjusted(day, own), 20):8.1f} us")
    rr_ms = (850 + 20 * np.random.default_rng(1).normal(size=BEATS)).tolist()

    def stream(learn: bool) -> Callable[[], None]:
        def run() -> None:
            detector = StreamDetector(person=new_person(), learn=learn)
            for one in rr_ms:
                detector.push(one)

        return run

    still, learning = (seconds(stream(learn), 1) for learn in (False, True))
    a_stretch = 10 / BEATS * 1000
    print(f"stream, ten beats     {still * a_stretch:8.3f} ms without learning")
    print(f"stream, ten beats     {learning * a_stretch:8.3f} ms with learning")
    print(f"learning costs        {(learning - still) * a_stretch:8.3f} ms for ten beats")


if __name__ == "__main__":
    main()
