"""From a recording to windows: the scale hour, the windows before AF and those in AF (App. A)."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from pacl.axes import Array, Float64, Int, Real
from pacl.records import Rhythm
from pacl.report.style import FigureError
from pacl.report.tachogram import Tachogram
from pacl.rr import RRWindowSet, RRWindowTable

HOUR_S = 3600.0
ENOUGH_H = 0.8
"""Hours of a rhythm beyond which more make an example no clearer."""
FIRST = 9
"""Windows shown one by one in a close-up."""


@dataclass(frozen=True, slots=True)
class Block:
    """Windows of one rhythm without a break: when they begin and end, and their rows."""

    start_h: float
    stop_h: float
    rhythm: Rhythm
    windows: int
    first: int


@dataclass(frozen=True, eq=False, slots=True)
class Opening:
    """The first windows of a block, beat by beat; in minutes from the first beat."""

    rhythm: Rhythm
    beat_min: Float64[Array, "beat"]
    rr_ms: Real[Array, "beat"]
    windows_min: tuple[tuple[float, float], ...]
    stride: int | None
    """Beats from one window to the next; None where there is one alone."""
    scale_min: float
    """How long before the first beat the scale beats end."""


@dataclass(frozen=True, eq=False, slots=True)
class Timeline:
    """What was taken of a recording, in hours from the first beat that its scale was fitted on.

    The times of windows are those of the recording. A window set does not keep the beats of the
    scale: their time is counted back from the first window, with the fitted median for each.
    """

    record: str
    patient: str
    window_beats: int
    scale_h: tuple[tuple[float, float], ...]
    scale_beats: int
    centre_ms: float
    scale_ms: float
    blocks: tuple[Block, ...]
    onset_h: float
    dots: Tachogram
    sr: Opening
    af: Opening

    @property
    def before_onset_h(self) -> float:
        """From the end of the last SR window to the onset of AF."""
        return self.onset_h - max(one.stop_h for one in self.blocks if one.rhythm is Rhythm.SR)


@dataclass(frozen=True, eq=False, slots=True)
class _Rows:
    """The windows of one record in the order of time, its blocks, and its scale beats."""

    table: RRWindowTable
    clock: Callable[[Array], Array]
    blocks: tuple[Block, ...]
    scale: Int[Array, "range 2"]

    @classmethod
    def of(cls, windows: RRWindowSet, record: str) -> "_Rows":
        table = windows.table[windows.table.record.is_(record)]
        table = table[np.argsort(table.raw_start, kind="stable")]
        clock = _clock(windows, table)
        here = [at for at, name in enumerate(windows.scale_beats.record) if name == record]
        ranges = np.stack([windows.scale_beats.start[here], windows.scale_beats.stop[here]], axis=1)
        return cls(table, clock, _blocks(table, clock), ranges[np.argsort(ranges[:, 0])])

    def scale_h(self, before_h: float) -> list[tuple[float, float]]:
        """The scale ranges that end before a time."""
        ranges = self.clock(self.scale).tolist() if len(self.scale) else []
        return [(start, stop) for start, stop in ranges if stop <= before_h + 1e-6]


def compute_timeline(windows: RRWindowSet, record: str | None = None) -> Timeline:
    """Compute the timeline of a record, or of the clearest example in the set.

    An example is sinus rhythm followed by AF, both cut into windows, behind beats that the scale
    was fitted on. The clearest has most of both rhythms, up to 0.8 hours of each; among these the
    fewest breaks, then the least time that is not used; then the first name decides.
    """
    if windows.manifest.get("scaled", False):
        raise FigureError(
            "the windows are already scaled, their beats and times are not known; "
            "draw one that was prepared from recordings"
        )
    names = windows.table.record.present()
    if record is not None and record not in names:
        known = ", ".join(names[:5]) + ", ..." * (len(names) > 5)
        raise FigureError(f"no windows of a record {record!r}; there are {known}")
    examples = [
        (*rank, name, at)
        for name in (names if record is None else (record,))
        for rank, at in _examples(_Rows.of(windows, name))
    ]
    if not examples:
        where = "in the window set" if record is None else f"of record {record!r}"
        raise FigureError(
            f"no SR windows {where} are followed by AF windows, behind scale beats; "
            "name another record or window set"
        )
    *_, chosen, block = min(examples)
    return _timeline(windows, chosen, block)


def _examples(rows: _Rows) -> list[tuple[tuple[float, int, float], int]]:
    """Each AF block that may serve, by its number, behind what makes it less clear than others."""
    found = []
    for at, block in enumerate(rows.blocks):
        sr_h = [x.stop_h - x.start_h for x in rows.blocks[:at] if x.rhythm is Rhythm.SR]
        scale_h = rows.scale_h(block.start_h)
        if block.rhythm is not Rhythm.AF or not sr_h or not scale_h:
            continue
        used = [*scale_h, *((one.start_h, one.stop_h) for one in rows.blocks[: at + 1])]
        used_h = sum(stop - start for start, stop in used)
        wasted = 1 - used_h / (block.stop_h - scale_h[0][0])
        shown_h = min(max(sr_h), block.stop_h - block.start_h, ENOUGH_H)
        found.append(((-round(shown_h, 3), at, round(wasted, 6)), at))
    return found


def _timeline(windows: RRWindowSet, record: str, at: int) -> Timeline:
    rows = _Rows.of(windows, record)
    af = rows.blocks[at]
    scale_h = rows.scale_h(af.start_h)
    zero = scale_h[0][0]
    blocks = [one for one in rows.blocks[: at + 1] if one.start_h >= zero]
    sr = next(one for one in blocks if one.rhythm is Rhythm.SR)
    shown = slice(blocks[0].first, af.first + af.windows)
    beats = np.unique(rows.table.start[shown][:, None] + np.arange(windows.window_beats))
    return Timeline(
        record=record,
        patient=rows.table.patient.to_list()[0],
        window_beats=windows.window_beats,
        scale_h=tuple((start - zero, stop - zero) for start, stop in scale_h),
        scale_beats=int(np.diff(rows.scale[: len(scale_h)], axis=1).sum()),
        centre_ms=float(rows.table.centre_ms[af.first]),
        scale_ms=float(rows.table.scale_ms[af.first]),
        blocks=tuple(
            replace(one, start_h=one.start_h - zero, stop_h=one.stop_h - zero) for one in blocks
        ),
        onset_h=af.start_h - zero,
        dots=Tachogram(
            rows.clock(windows.raw_index[beats]) - zero,
            windows.rr_ms[beats],
            windows.beat_rhythm[beats],
        ),
        sr=_opening(windows, rows, sr, scale_h[-1][1]),
        af=_opening(windows, rows, af, scale_h[-1][1]),
    )


def _opening(windows: RRWindowSet, rows: _Rows, block: Block, scale_stop_h: float) -> Opening:
    shown = rows.table[np.arange(block.first, block.first + min(FIRST, block.windows))]
    beats = np.arange(shown.start[0], shown.start[-1] + windows.window_beats)
    rr_ms = windows.rr_ms[beats]
    ends = np.cumsum(rr_ms, dtype=np.float64) / 60_000
    begins = ends - rr_ms / 60_000
    first = shown.start - shown.start[0]
    last = first + windows.window_beats - 1
    return Opening(
        rhythm=block.rhythm,
        beat_min=begins,
        rr_ms=rr_ms,
        windows_min=tuple(zip(begins[first].tolist(), ends[last].tolist(), strict=True)),
        stride=int(first[1]) if first.size > 1 else None,
        scale_min=60 * (block.start_h - scale_stop_h),
    )


def _clock(windows: RRWindowSet, table: RRWindowTable) -> Callable[[Array], Array]:
    """When a beat of the record begins, in hours of the recording."""
    beats = table.start[:, None] + np.arange(windows.window_beats)
    lasts_s = windows.rr_ms[beats].sum(axis=1, dtype=np.float64) / 1000
    beat = np.concatenate([table.raw_start, table.raw_stop]).astype(np.float64)
    seconds = np.concatenate([table.onset_s, table.onset_s + lasts_s])
    beat, first = np.unique(beat, return_index=True)  # where one ends another may begin: it counts
    seconds = np.maximum.accumulate(seconds[first])
    beat_s = float(table.centre_ms[0]) / 1000

    def clock(beats: Array) -> Array:
        outside = np.minimum(beats - beat[0], 0) + np.maximum(beats - beat[-1], 0)
        return np.asarray((np.interp(beats, beat, seconds) + outside * beat_s) / HOUR_S)

    return clock


def _blocks(table: RRWindowTable, clock: Callable[[Array], Array]) -> tuple[Block, ...]:
    """Windows that overlap or touch, of one rhythm."""
    new = np.ones(len(table), dtype=bool)
    new[1:] = (table.raw_start[1:] > table.raw_stop[:-1]) | (table.rhythm[1:] != table.rhythm[:-1])
    heads = np.flatnonzero(new)
    tails = np.append(heads[1:], len(table)) - 1
    starts, stops = clock(table.raw_start[heads]), clock(table.raw_stop[tails])
    return tuple(
        Block(
            float(start), float(stop), Rhythm(int(table.rhythm[head])), int(tail - head + 1), head
        )
        for head, tail, start, stop in zip(
            heads.tolist(), tails.tolist(), starts, stops, strict=True
        )
    )
