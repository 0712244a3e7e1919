"""One recording in the index of a folder: what is shown of it, and kept for the next time."""

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from pacl.errors import PaclError
from pacl.stored import MisfitError, fitted

ROW_FORMAT = "pacl row 1"
"""Changes whenever the same recording gives another row: kept rows are then computed again."""

Status = Literal["ready", "failed", "waiting"]


class RowError(PaclError):
    """Plain values that are no row of an index."""


@dataclass(frozen=True, slots=True)
class Day:
    """Seconds of AF and judged seconds of one calendar day, such as `2026-04-01`.

    A recording without a clock has one day without a date.
    """

    date: str | None
    af_s: float
    judged_s: float


@dataclass(frozen=True, slots=True)
class RecordingRow:
    """One recording of an index.

    Parameters
    ----------
    key, name, patient
        What it is asked for by, unique in an index; its name, and whose it is.
    status, error
        Whether it is judged, has failed, or waits for its turn; and why it has failed. Only what
        is judged has numbers.
    page
        Relative address of its own page, escaped for an address; empty where it has none.
    started
        Date and time of its start in ISO form, without time zone; None without a clock.
    duration_s, recorded_s, judged_s, af_s, judged_share, af_burden, verdict, reason
        As in `Detection`.
    beats, episodes, longest_s
        Number of intervals and of episodes, and the duration of the longest.
    edits
        Number of marks by hand that were used.
    learned_from
        Whether the weights were trained on this recording; None where it is not known.
    has_ecg
        Whether its ECG can be shown.
    notes
        What a reader should know beside the verdict, in sentences.
    days
        Its AF by calendar days, in order.
    """

    key: str
    name: str
    patient: str = ""
    status: Status = "waiting"
    error: str | None = None
    page: str = ""
    started: str | None = None
    duration_s: float | None = None
    recorded_s: float | None = None
    judged_s: float | None = None
    af_s: float | None = None
    judged_share: float | None = None
    af_burden: float | None = None
    verdict: str | None = None
    reason: str | None = None
    beats: int | None = None
    episodes: int | None = None
    longest_s: float | None = None
    edits: int = 0
    learned_from: bool | None = None
    has_ecg: bool = False
    notes: tuple[str, ...] = ()
    days: tuple[Day, ...] = ()

    def at(self, key: str, page: str = "") -> "RecordingRow":
        """The same row in another index: these two are not of the recording itself."""
        return replace(self, key=key, page=page)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, stated: Any) -> "RecordingRow":
        """Read what `to_dict` gave, with checks."""
        try:
            found: RecordingRow = fitted(cls, stated)
        except MisfitError as error:
            raise RowError(f"no row of an index ({error}); compute it again") from error
        if found.status == "ready" and (found.verdict is None or found.duration_s is None):
            raise RowError("a row without verdict or duration that is ready; compute it again")
        return found

    @classmethod
    def waiting(cls, key: str, name: str, patient: str = "", page: str = "") -> "RecordingRow":
        """A recording that is not judged yet."""
        return cls(key, name, patient, page=page)

    @classmethod
    def failed(
        cls, key: str, name: str, error: Exception | str, patient: str = "", page: str = ""
    ) -> "RecordingRow":
        """A recording that cannot be read or judged, with the reason."""
        return cls(key, name, patient, status="failed", error=str(error), page=page)
