"""Windows of consecutive beats, cut from the beats that a protocol selects (2.1).

```
raw beats      0 1 2 3 4 x 6 7 8 G 10 11 12 ...      x implausible: left out, bridged
kept beats     0 1 2 3 4   6 7 8                     G gap: nothing reaches across
windows        |-------|                             W = 5 beats, stride S = 2
                   |-------|
```
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Float32, Float64, Int8, Int32, Int64
from pacl.cohort import Excerpt, Selection, Share
from pacl.records import Record
from pacl.rr.plausible import Implausible, cleaned, is_implausible, is_kept
from pacl.rr.scale import IN_MS, Scale, fit_scale
from pacl.spans import intersect, joined, numbers_in

LEDGER = ("all", "in windows", "scale", "gap", "implausible", "too few in a row", "not selected")
"""Uses of the beats of a record; all but the first add up to the first."""


@dataclass(frozen=True, eq=False, slots=True)
class RecordWindows:
    """The windows of one record: its selected beats once, and where each window begins.

    Parameters
    ----------
    rr_ms, raw_index, beat_rhythm
        The kept beats of all excerpts, each once and in order: interval, index in the record,
        annotated rhythm.
    start
        First beat of each window, counted in `rr_ms`.
    rhythm, episode
        Label and episode of each window.
    onset_s
        When each window begins, in seconds of the recording.
    to_onset_s
        Seconds from the end of each SR window to the AF that follows it; NaN where none does.
    centre_ms, scale_ms
        What each window is scaled with.
    scale_beats
        Ranges of beats of the record that its scales were fitted on.
    beats
        Number of beats of the record by their use, see `LEDGER`.
    dropped
        Number of other things left out, by reason.
    """

    rr_ms: Float32[Array, "beat"]
    raw_index: Int32[Array, "beat"]
    beat_rhythm: Int8[Array, "beat"]
    start: Int64[Array, "window"]
    rhythm: Int8[Array, "window"]
    episode: Int32[Array, "window"]
    onset_s: Float64[Array, "window"]
    to_onset_s: Float32[Array, "window"]
    centre_ms: Float32[Array, "window"]
    scale_ms: Float32[Array, "window"]
    scale_beats: tuple[tuple[int, int], ...]
    beats: Mapping[str, int]
    dropped: Mapping[str, int]


def cut_windows(
    record: Record,
    selection: Selection,
    *,
    window_beats: int = 200,
    stride: int = 50,
    implausible: Implausible = "drop",
    scale: Scale | None = None,
) -> RecordWindows:
    """Cut the selected beats of a record into windows.

    Hours were located on raw time; here implausible beats are left out and windows of
    `window_beats` kept beats are cut every `stride` beats. No window crosses a gap, a file or the
    edge of its excerpt. `scale` overrides the scale fitted on the record itself.
    """
    scales = [scale or _scale_of(record, share) for share in selection.shares]
    usable = [
        (share, fitted)
        for share, fitted in zip(selection.shares, scales, strict=True)
        if fitted.usable
    ]
    dropped = dict(selection.dropped)
    if len(usable) < len(scales):
        dropped["scale beats without spread (IQR 0)"] = len(scales) - len(usable)
    excerpts = [excerpt for share, _ in usable for excerpt in share.excerpts]
    united = joined(_ranges([(excerpt.start, excerpt.stop) for excerpt in excerpts]))
    blocks = intersect(united, _ranges(record.trusted_stretches()))
    stored, rr_ms = _kept(record, blocks, implausible)
    pieces = [
        (starts, excerpt, fitted)
        for share, fitted in usable
        for excerpt in share.excerpts
        for starts in _starts(stored, excerpt, blocks, window_beats, stride)
    ]
    counts = [starts.size for starts, _, _ in pieces]
    start = np.concatenate([np.empty(0, np.int64), *(starts for starts, _, _ in pieces)])
    first, last = stored[start], stored[start + window_beats - 1]
    next_af = _each(counts, [excerpt.next_af for _, excerpt, _ in pieces], np.int64)
    times_s = record.begins_s(np.concatenate([first, last, next_af.clip(min=0)]))
    onset_s, last_s, af_s = np.split(times_s, 3)
    ends_s = last_s + record.rr_ms[last] / 1000.0
    return RecordWindows(
        rr_ms=rr_ms,
        raw_index=stored.astype(np.int32),
        beat_rhythm=_rhythm_at(record, stored),
        start=start,
        rhythm=_each(counts, [excerpt.rhythm for _, excerpt, _ in pieces], np.int8),
        episode=_each(counts, [excerpt.episode for _, excerpt, _ in pieces], np.int32),
        onset_s=onset_s,
        to_onset_s=np.where(next_af >= 0, af_s - ends_s, np.nan).astype(np.float32),
        centre_ms=_each(counts, [fitted.centre_ms for _, _, fitted in pieces], np.float32),
        scale_ms=_each(counts, [fitted.scale_ms for _, _, fitted in pieces], np.float32),
        scale_beats=tuple(beats for share, _ in usable for beats in share.scale),
        beats=_ledger(record, usable, united, blocks, stored, start, window_beats),
        dropped=dropped,
    )


def _scale_of(record: Record, share: Share) -> Scale:
    """The scale of a share: fitted on those of its scale beats that are plausible and trusted."""
    if share.in_ms:
        return IN_MS
    beats = _beats_of(_ranges(share.scale))
    rr_ms = record.rr_ms[beats]
    return fit_scale(rr_ms[~is_implausible(rr_ms) & ~record.cannot_be_judged()[beats]])


def _ranges(pairs: Sequence[tuple[int, int]]) -> Int64[Array, "range 2"]:
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _beats_of(ranges: Int64[Array, "range 2"]) -> Int64[Array, "beat"]:
    """All beats within ranges, one range after the other."""
    return numbers_in(ranges[:, 0], ranges[:, 1] - ranges[:, 0])


def _kept(
    record: Record, blocks: Int64[Array, "block 2"], policy: Implausible
) -> tuple[Int64[Array, "beat"], Float32[Array, "beat"]]:
    """Index and interval of the beats of all blocks that may be part of a window."""
    beats = _beats_of(blocks)
    raw = record.rr_ms[beats]
    kept = is_kept(raw, policy)
    if policy != "interpolate":
        return beats[kept], raw[kept].astype(np.float32)
    made_up = [cleaned(record.rr_ms[first:stop], policy) for first, stop in blocks.tolist()]
    return beats[kept], np.concatenate([np.empty(0, np.float32), *made_up])[kept]


def _rhythm_at(record: Record, beats: Int64[Array, "beat"]) -> Int8[Array, "beat"]:
    """The annotated rhythm of some beats."""
    starts = np.array([span.start for span in record.spans])
    rhythm = np.array([span.rhythm for span in record.spans], dtype=np.int8)
    found: Int8[Array, "beat"] = rhythm[np.searchsorted(starts, beats, side="right") - 1]
    return found


def _starts(
    stored: Int64[Array, "beat"],
    excerpt: Excerpt,
    blocks: Int64[Array, "block 2"],
    window_beats: int,
    stride: int,
) -> list[Int64[Array, "window"]]:
    """First beats of an excerpt's windows, one array for each block it reaches into."""
    first = np.searchsorted(blocks[:, 1], excerpt.start, side="right")
    stop = np.searchsorted(blocks[:, 0], excerpt.stop, side="left")
    ranges = blocks[first:stop].clip(excerpt.start, excerpt.stop)
    found = np.searchsorted(stored, ranges)
    return [np.arange(low, high - window_beats + 1, stride) for low, high in found.tolist()]


def _each(counts: Sequence[int], values: Sequence[int | float], dtype: type) -> Array:
    """Repeat a value for each of its windows."""
    return np.repeat(np.array(values, dtype=dtype), np.array(counts, dtype=np.int64))


def _ledger(
    record: Record,
    usable: Sequence[tuple[Share, Scale]],
    united: Int64[Array, "range 2"],
    blocks: Int64[Array, "block 2"],
    stored: Int64[Array, "beat"],
    start: Int64[Array, "window"],
    window_beats: int,
) -> dict[str, int]:
    """Number of beats of the record by their use."""
    # A window adds the beats by which it reaches beyond all windows that begin before it.
    in_windows = int(np.minimum(np.diff(np.sort(start)), window_beats).sum())
    in_windows += window_beats if start.size else 0
    selected = int(np.diff(united, axis=1).sum())
    in_blocks = int(np.diff(blocks, axis=1).sum())
    scaled_on = joined(_ranges([beats for share, _ in usable for beats in share.scale]))
    in_both = intersect(scaled_on, united)
    scale = int(np.diff(scaled_on, axis=1).sum() - np.diff(in_both, axis=1).sum())
    counts = (
        len(record),
        in_windows,
        scale,
        selected - in_blocks,
        in_blocks - stored.size,
        stored.size - in_windows,
        len(record) - selected - scale,
    )
    return dict(zip(LEDGER, counts, strict=True))
