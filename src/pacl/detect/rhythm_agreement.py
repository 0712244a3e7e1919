"""How far detected AF agrees with true AF in one patient, by duration and by episode.

As in ANSI/AAMI EC57: sensitivity asks of true AF how much was found, positive predictivity of
called AF how much is true.

Durations are those within counted time alone. Episodes are whole: a true or detected episode takes
part if any of it lies in counted time, and agrees if any of it overlaps the other's AF there,
however briefly. Its length is its whole length, whatever part of it counts; an episode that
reaches the start or end of the recording is as long as what was recorded of it.
"""

from dataclasses import dataclass
from typing import Literal, get_args

from pacl.detect.errors import DetectError
from pacl.detect.rhythm_spans import Compared, intersect, overlaps, total_s

Measure = Literal[
    "duration_sensitivity",
    "duration_predictivity",
    "episode_sensitivity",
    "episode_predictivity",
]
MEASURES: tuple[Measure, ...] = get_args(Measure)


@dataclass(frozen=True, slots=True)
class TrueEpisode:
    """An annotated episode of AF: how long it lasts, and whether any of it was found."""

    duration_s: float
    found: bool


@dataclass(frozen=True, slots=True)
class Agreement:
    """What was counted in a patient; recordings of one patient are added up.

    Parameters
    ----------
    counted_s, af_s, called_s, both_s
        Seconds that count, of true AF in them, of called AF, and of AF that is both.
    true_episodes
        Those of which any part counts.
    called_episodes, right_episodes
        Detected episodes of which any part counts, and those of them that overlap true AF.
    """

    counted_s: float = 0.0
    af_s: float = 0.0
    called_s: float = 0.0
    both_s: float = 0.0
    true_episodes: tuple[TrueEpisode, ...] = ()
    called_episodes: int = 0
    right_episodes: int = 0

    def __add__(self, other: "Agreement") -> "Agreement":
        return Agreement(
            self.counted_s + other.counted_s,
            self.af_s + other.af_s,
            self.called_s + other.called_s,
            self.both_s + other.both_s,
            self.true_episodes + other.true_episodes,
            self.called_episodes + other.called_episodes,
            self.right_episodes + other.right_episodes,
        )

    def parts(self, measure: Measure) -> tuple[float, float]:
        """What a measure divides, and by what; the latter is 0 where it has no value."""
        match measure:
            case "duration_sensitivity":
                return self.both_s, self.af_s
            case "duration_predictivity":
                return self.both_s, self.called_s
            case "episode_sensitivity":
                found = sum(one.found for one in self.true_episodes)
                return float(found), float(len(self.true_episodes))
            case "episode_predictivity":
                return float(self.right_episodes), float(self.called_episodes)

    def value(self, measure: Measure) -> float | None:
        """A measure of this patient; None without true AF, or without called AF."""
        above, below = self.parts(measure)
        return above / below if below > 0 else None

    @property
    def true_burden(self) -> float | None:
        """Share of the counted time in AF."""
        return self.af_s / self.counted_s if self.counted_s > 0 else None

    @property
    def called_burden(self) -> float | None:
        """Share of the counted time called AF."""
        return self.called_s / self.counted_s if self.counted_s > 0 else None

    @property
    def burden_error(self) -> float | None:
        """How far the called burden is from the true one, in percentage points, without sign."""
        if self.counted_s <= 0:
            return None
        return 100 * abs(self.called_s - self.af_s) / self.counted_s


def agreement(compared: Compared) -> Agreement:
    """Count how far detected AF agrees with true AF.

    Examples
    --------
    >>> from pacl.detect.rhythm_spans import joined
    >>> found = agreement(
    ...     Compared(
    ...         true=joined([(0.0, 60.0)]),
    ...         detected=joined([(30.0, 90.0)]),
    ...         counted=joined([(0.0, 100.0)]),
    ...     )
    ... )
    >>> found.value("duration_sensitivity"), found.value("episode_sensitivity")
    (0.5, 1.0)
    """
    for name in ("true", "detected", "counted"):
        spans = getattr(compared, name)
        flat = spans.ravel()
        if not (flat[1:] >= flat[:-1]).all():
            raise DetectError(f"{name} spans are not in order; join them before")
    true, called = (intersect(one, compared.counted) for one in (compared.true, compared.detected))
    both = intersect(true, called)
    whole = compared.true[overlaps(compared.true, compared.counted)]
    detected = compared.detected[overlaps(compared.detected, compared.counted)]
    af_s, called_s = total_s(true), total_s(called)
    return Agreement(
        counted_s=total_s(compared.counted),
        af_s=af_s,
        called_s=called_s,
        both_s=min(total_s(both), af_s, called_s),  # sums of other pieces, rounded otherwise
        true_episodes=tuple(
            TrueEpisode(round(end - start, 6), found)
            for (start, end), found in zip(
                whole.tolist(), overlaps(whole, both).tolist(), strict=True
            )
        ),
        called_episodes=len(detected),
        right_episodes=int(overlaps(detected, both).sum()),
    )
