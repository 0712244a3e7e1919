"""Small cohorts of RR text files: sinus rhythm, AF, and files that cannot be read."""

from pathlib import Path

import numpy as np

BAD = "time,temperature\n1,36.6\n2,36.7\n"


def write_text_cohort(
    folder: Path, recordings: int, beats: int = 300, bad: tuple[int, ...] = ()
) -> Path:
    """Recordings `r00000.csv` and so on, each second one in AF; those in `bad` hold no beats."""
    folder.mkdir(parents=True)
    generator = np.random.default_rng(7)
    for number in range(recordings):
        path = folder / f"r{number:05}.csv"
        if number in bad:
            path.write_text(BAD[:-3])
            continue
        spread = 160.0 if number % 2 else 12.0
        rr_ms = np.clip(generator.normal(800.0, spread, beats), 400, 1500).round()
        rhythm = "AFIB" if number % 2 else "N"
        lines = [f"{value:.0f},{rhythm}" for value in rr_ms]
        path.write_text("rr_ms,rhythm\n" + "\n".join(lines) + "\n")
    return folder


def bytes_of(folder: Path) -> dict[str, bytes]:
    """The content of all files below a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
