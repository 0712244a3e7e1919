"""One recording found in an export, and the record that is made of it."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import numpy as np

from pacl.axes import Array, Float32, Float64, Int64
from pacl.records.content import MAX_BEATS, digest
from pacl.records.errors import FormatError
from pacl.records.record import Record
from pacl.records.rhythm import Rhythm, tile
from pacl.records.text import check_beat_to_beat, mask


@dataclass(frozen=True, eq=False, slots=True)
class Stretch:
    """Intervals that follow each other without a gap.

    `began_s` is when the first begins, on one clock for all stretches of a recording. `invalid`
    marks those that are time without a beat; none where it is empty.
    """

    began_s: float
    rr_ms: Sequence[float] | Float64[Array, "beat"]
    invalid: Sequence[bool] = ()

    @property
    def ended_s(self) -> float:
        """When the last interval ends."""
        return self.began_s + float(np.sum(self.rr_ms)) / 1000


@dataclass(frozen=True, eq=False, slots=True)
class Recording:
    """The beats of one recording, as the fields of `Record`; `part` is its name in the file."""

    part: str
    rr_ms: Float32[Array, "beat"]
    file_starts: Int64[Array, "file"]
    file_onset_s: Float64[Array, "file"]
    started: datetime | None = None


@dataclass(frozen=True, slots=True)
class Contents:
    """All recordings of a file, and what else it holds with the reason not to read it."""

    recordings: tuple[Recording, ...] = ()
    left_out: dict[str, str] = field(default_factory=dict)


def join(stretches: Iterable[Stretch], part: str, started: datetime | None) -> Recording | None:
    """Join the stretches of one recording, each a file of its own; nothing where all are empty.

    Invalid intervals become time without a beat, see `pacl.records.text.mask`.
    """
    filled = [one for one in stretches if len(one.rr_ms)]
    if not filled:
        return None
    sizes = [len(one.rr_ms) for one in filled]
    onset_s = np.array([one.began_s for one in filled], dtype=np.float64)
    rr_ms = np.concatenate([np.asarray(one.rr_ms, dtype=np.float64) for one in filled])
    file_starts = np.append(0, np.cumsum(sizes[:-1])).astype(np.int64)
    invalid = np.concatenate(
        [np.asarray(one.invalid or [False] * len(one.rr_ms), dtype=np.bool_) for one in filled]
    )
    if invalid.any():
        masked = mask(rr_ms, invalid, file_starts)
        rr_ms, file_starts = masked.rr_ms, masked.moved(file_starts)
    return Recording(
        part=part,
        rr_ms=rr_ms.astype(np.float32),
        file_starts=file_starts,
        file_onset_s=onset_s - onset_s[0],
        started=started,
    )


def since_1970(date: datetime) -> float:
    """Seconds since 1970 of a date; one without a zone is taken as it is, on any machine."""
    return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()


def as_date(seconds: float, like: datetime) -> datetime:
    """The date of seconds since 1970, in the zone of another, or without one as that.

    Seconds that are no date, as absurd intervals make them, give the other.
    """
    try:
        found = datetime.fromtimestamp(seconds, like.tzinfo or UTC)
    except (ValueError, OverflowError, OSError):
        return like
    return found if like.tzinfo else found.replace(tzinfo=None)


def by_time(at: datetime | None) -> str:
    """The name of a recording by its start: `2026-04-01T21-30-05`."""
    return at.strftime("%Y-%m-%dT%H-%M-%S") if at is not None else "recording"


def check_size(recordings: Sequence[Recording], where: str) -> None:
    """Refuse more beats than memory should hold at once."""
    beats = sum(one.rr_ms.size for one in recordings)
    if beats > 4 * MAX_BEATS:
        raise FormatError(
            where,
            f"{beats:,} intervals, expected at most {4 * MAX_BEATS:,} in one file",
            "split the file, or unpack the archive and give its files",
        )


def named_apart(recordings: Sequence[Recording]) -> tuple[Recording, ...]:
    """Give each recording of a file a name of its own; a single one needs none."""
    if len(recordings) == 1:
        return (replace(recordings[0], part=""),)
    seen: Counter[str] = Counter()
    taken = {one.part for one in recordings}
    found = []
    for one in recordings:
        seen[one.part] += 1
        name = one.part
        while seen[one.part] > 1 and name in taken:
            name = f"{one.part}-{seen[one.part]}"
            seen[one.part] += name in taken
        taken.add(name)
        found.append(replace(one, part=name))
    return tuple(found)


def as_record(
    recording: Recording, record_id: str, patient_id: str, source: str, *, allow_smoothed: bool
) -> Record:
    """The record of a recording; its digest is that of the beats, not of the whole export."""
    where = f"{source} ({recording.part})" if recording.part else source
    if not allow_smoothed:
        check_beat_to_beat(recording.rr_ms.astype(np.float64), where)
    beats = recording.rr_ms.size
    started = recording.started.isoformat() if recording.started else ""
    return Record(
        patient_id=patient_id,
        record_id=record_id,
        rr_ms=recording.rr_ms,
        file_starts=recording.file_starts,
        file_onset_s=recording.file_onset_s,
        spans=tile((), beats, Rhythm.UNKNOWN),
        digest=digest(
            [
                ("part", recording.part.encode()),
                ("rr", recording.rr_ms.tobytes()),
                ("starts", recording.file_starts.tobytes()),
                ("onsets", recording.file_onset_s.tobytes()),
                ("started", started.encode()),
            ]
        ),
        source=where,
        started=recording.started,
    )
