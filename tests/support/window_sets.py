"""Window sets made without the code that prepares them, so that an audit can be trusted."""

import numpy as np

from pacl.records import Rhythm
from pacl.rr import RRWindowSet, RRWindowTable
from pacl.rr.store import FORMAT, ScaleBeats
from pacl.windows import Names

PARTS = ("train", "validation", "test")
MIN_TO_ONSET_S = 7200.0


def names(values: list[str], order: tuple[str, ...] | None = None) -> Names:
    known = order or tuple(dict.fromkeys(values))
    return Names(np.array([known.index(value) for value in values], dtype=np.int32), known)


def make_set(
    seed: int = 0, patients: int = 6, window_beats: int = 8, stride: int = 3, records: int = 2
) -> RRWindowSet:
    """A clean set: every patient has up to `records` records, each with SR windows, then AF ones.

    ```
    record   | 40 scale beats | 5 not kept | SR windows | 7 not kept | AF windows |
    ```
    """
    generator = np.random.default_rng(seed)
    rows: list[dict[str, object]] = []
    raw_index: list[int] = []
    rhythm: list[Rhythm] = []
    scale: list[tuple[str, int, int]] = []
    for patient in range(patients):
        for number in range(int(generator.integers(1, records + 1))):
            record = f"record_{patient}{number}"
            centre_ms, scale_ms = generator.uniform(700, 900), generator.uniform(20, 90)
            scale.append((record, 0, 40))
            raw = 45
            for kind, skipped in ((Rhythm.SR, 7), (Rhythm.AF, 0)):
                beats = window_beats + int(generator.integers(2, 5)) * stride
                for at in range(0, beats - window_beats + 1, stride):
                    onset_s = float(raw + at)
                    rows.append(
                        {
                            "patient": f"patient_{patient}",
                            "record": record,
                            "split": PARTS[patient % 3],
                            "episode": 0,
                            "rhythm": kind,
                            "start": len(raw_index) + at,
                            "raw_start": raw + at,
                            "raw_stop": raw + at + window_beats,
                            "onset_s": onset_s,
                            "to_onset_s": 9000 - onset_s if kind is Rhythm.SR else np.nan,
                            "centre_ms": centre_ms,
                            "scale_ms": scale_ms,
                        }
                    )
                raw_index += range(raw, raw + beats)
                rhythm += [kind] * beats
                raw += beats + skipped
    columns = {key: [row[key] for row in rows] for key in rows[0]}
    table = RRWindowTable(
        patient=names(columns["patient"]),  # type: ignore[arg-type]
        record=names(columns["record"]),  # type: ignore[arg-type]
        split=names(columns["split"], PARTS),  # type: ignore[arg-type]
        episode=np.array(columns["episode"], dtype=np.int32),
        rhythm=np.array(columns["rhythm"], dtype=np.int8),
        start=np.array(columns["start"], dtype=np.int64),
        raw_start=np.array(columns["raw_start"], dtype=np.int32),
        raw_stop=np.array(columns["raw_stop"], dtype=np.int32),
        onset_s=np.array(columns["onset_s"], dtype=np.float64),
        to_onset_s=np.array(columns["to_onset_s"], dtype=np.float32),
        centre_ms=np.array(columns["centre_ms"], dtype=np.float32),
        scale_ms=np.array(columns["scale_ms"], dtype=np.float32),
    )
    return RRWindowSet(
        window_beats=window_beats,
        rr_ms=generator.uniform(300, 1500, len(raw_index)).astype(np.float32),
        raw_index=np.array(raw_index, dtype=np.int32),
        beat_rhythm=np.array(rhythm, dtype=np.int8),
        table=table,
        scale_beats=ScaleBeats(
            tuple(record for record, _, _ in scale),
            np.array([start for _, start, _ in scale], dtype=np.int64),
            np.array([stop for _, _, stop in scale], dtype=np.int64),
        ),
        manifest={
            "format": FORMAT,
            "source": "made",
            "window_beats": window_beats,
            "windows": len(table),
            "min_to_onset_s": MIN_TO_ONSET_S,
            "allowed": [],
        },
    )
