"""What the check for beat-to-beat intervals refuses: true recordings, and the same ones spoilt.

    python benchmarks/beat_to_beat.py DATA

DATA holds folders of WFDB recordings (afdb, ltafdb, mitdb, nsrdb, cpsc2021). Prints every true
series that is refused, which should be none, and the table of docs/recordings.md.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from scipy.interpolate import CubicSpline

from pacl.records import PLAUSIBLE_MS, Rhythm, open_records
from pacl.records.text.beat_to_beat import not_beat_to_beat

DATABASES = ("afdb", "ltafdb", "mitdb", "nsrdb", "cpsc2021")
STEPS_MS = (0.1, 1, 1000 / 128, 8, 10)
EXCERPTS = (200, 256, 300, 400, 600, 1000, 2000, 3000, 6000)
EXCERPTS_EACH = 10
FIRST_BEATS, FEWEST = 6000, 250


def resampled(rr_ms: np.ndarray, hz: float, cubic: bool) -> np.ndarray:
    """A tachogram on an even grid of time."""
    at_s = np.cumsum(rr_ms) / 1000
    grid_s = np.arange(at_s[0], at_s[-1], 1 / hz)
    if cubic:
        return np.clip(CubicSpline(at_s, rr_ms)(grid_s), 250, 2500)
    return np.interp(grid_s, at_s, rr_ms)


def mean(rr_ms: np.ndarray, beats: int) -> np.ndarray:
    """Running mean."""
    return np.convolve(rr_ms, np.ones(beats) / beats, "valid")


def median(rr_ms: np.ndarray, beats: int) -> np.ndarray:
    """Running median."""
    return np.median(np.lib.stride_tricks.sliding_window_view(rr_ms, beats), axis=1)


def heart_rate(rr_ms: np.ndarray, hz: float | None) -> np.ndarray:
    """Intervals from heart rate over 5 beats in whole beats per minute."""
    smooth = mean(rr_ms, 5)
    return 60_000 / np.rint(60_000 / (resampled(smooth, hz, False) if hz else smooth))


SPOILT: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    **{
        f"{hz} Hz, {'cubic' if cubic else 'linear'}": partial(resampled, hz=hz, cubic=cubic)
        for hz in (4, 8, 10, 2, 1)
        for cubic in (False, True)
    },
    **{f"mean of {beats} beats": partial(mean, beats=beats) for beats in (3, 5, 10, 30)},
    **{f"median of {beats} beats": partial(median, beats=beats) for beats in (3, 5, 11, 31)},
    "heart rate, mean of 5 beats, 1 Hz": partial(heart_rate, hz=1),
    "heart rate, mean of 5 beats": partial(heart_rate, hz=None),
}


def recordings(data: Path) -> Iterator[tuple[str, str, np.ndarray, np.ndarray]]:
    """Database, record, plausible intervals, and which of them are AF."""
    low, high = PLAUSIBLE_MS
    for database in DATABASES:
        reader = open_records(data / database)
        for record_id in reader.record_ids:
            record = reader.read(record_id)
            rr_ms = record.rr_ms.astype(np.float64)
            kept = (rr_ms >= low) & (rr_ms <= high)
            yield database, record_id, rr_ms[kept], record.rhythm()[kept] == Rhythm.AF


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    data = parser.parse_args().data
    generator = np.random.default_rng(0)
    true, refused, looked_at = (
        Counter[str](),
        Counter[tuple[str, str]](),
        Counter[tuple[str, str]](),
    )
    for database, record_id, rr_ms, af in recordings(data):
        parts = [rr_ms]
        for beats in EXCERPTS:
            starts = generator.integers(0, max(rr_ms.size - beats, 1), EXCERPTS_EACH)
            parts += [rr_ms[at : at + beats] for at in starts if rr_ms.size > beats]
        for part in parts:
            for series in (part, *(np.rint(part / step) * step for step in STEPS_MS)):
                true[database] += 1
                if found := not_beat_to_beat(series):
                    print(f"refused: {database} {record_id}, {part.size} beats: {found}")
        for column, part in ((database, rr_ms), (f"{database}, AF", rr_ms[af])):
            if part.size < FEWEST:
                continue
            for name, spoil in SPOILT.items():
                series = np.round(spoil(part[:FIRST_BEATS]), 1)
                if series.size >= 200:
                    looked_at[name, column] += 1
                    refused[name, column] += bool(not_beat_to_beat(series))
    print(f"true series looked at: {dict(true)}")
    columns = [c for d in DATABASES for c in (d, f"{d}, AF") if looked_at["4 Hz, linear", c]]
    print(f"| series | {' | '.join(columns)} |")
    for name in SPOILT:
        cells = (f"{refused[name, c]} of {looked_at[name, c]}" for c in columns)
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
