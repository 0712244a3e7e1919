"""One simulated patient: sinus node, ectopy, AF and the QRS detector.

Shares and spreads are relative to the mean RR interval, so that 0.05 at 900 ms is 45 ms.
"""

from dataclasses import dataclass
from enum import IntEnum


@dataclass(frozen=True, slots=True)
class Sinus:
    """The sinus node and what modulates it.

    Parameters
    ----------
    mean_ms
        Mean RR interval over day and night.
    circadian
        Half the swing between day and night.
    latest_h
        Hour of the day at which the intervals are longest.
    slow
        SD of the 1/f part over 1,000 beats.
    slope
        Its exponent: power falls as `1 / f**slope`.
    mayer
        SD of the oscillation near 0.1 Hz.
    breath
        SD of the respiratory oscillation.
    breath_hz
        Its frequency.
    restless
        Spread (of the logarithm) of the variability itself over the day.
    """

    mean_ms: float
    circadian: float
    latest_h: float
    slow: float
    slope: float
    mayer: float
    breath: float
    breath_hz: float
    restless: float


@dataclass(frozen=True, slots=True)
class Ectopy:
    """Beats that do not come from the sinus node, and its pauses.

    Parameters
    ----------
    atrial, ventricular
        Isolated ectopic beats per beat.
    atrial_coupling, ventricular_coupling
        The early interval, as a share of the sinus interval it cuts short.
    atrial_reset
        The interval after an atrial beat, as a share of the sinus interval.
    scatter
        SD of the couplings.
    clustering
        Variance of the rate over blocks of beats, relative to the rate squared.
    patterns
        Runs of bigeminy or trigeminy per beat.
    pattern_stride
        2 for bigeminy, 3 for trigeminy.
    pattern_beats
        Mean number of ectopic beats in such a run.
    pattern_ventricular
        Whether they are ventricular.
    runs
        Short irregular atrial runs per beat.
    run_beats
        Their mean length.
    run_share
        Their mean interval, as a share of the sinus interval.
    run_scatter
        Spread of their intervals: what makes them look like AF.
    pauses
        Sinus pauses per beat.
    pause_ms
        Their typical length, also that of the pause after AF.
    """

    atrial: float
    atrial_coupling: float
    atrial_reset: float
    ventricular: float
    ventricular_coupling: float
    scatter: float
    clustering: float
    patterns: float
    pattern_stride: int
    pattern_beats: float
    pattern_ventricular: bool
    runs: float
    run_beats: float
    run_share: float
    run_scatter: float
    pauses: float
    pause_ms: float


@dataclass(frozen=True, slots=True)
class Fibrillation:
    """How the AV node conducts fibrillating atria.

    Parameters
    ----------
    mean_ms
        Mean RR interval in AF.
    wait
        Mean waiting time for an impulse once the node has recovered (exponential).
    blur
        Width of the random part of the refractory period (uniform).
    detour
        How much longer the second pathway's refractory period is.
    detour_share
        Share of beats conducted by it.
    memory
        How much of one beat's waiting carries over to the next: residual regularity.
    sway
        SD of the slow modulation of the rate over 1,000 beats.
    circadian
        Half the swing between day and night.
    spells
        Share of beats in spells of organised conduction, which are still called AF.
    spell_beats
        Their mean length.
    spell_spread
        What is left of the irregularity in them.
    spell_pace
        Their mean interval, as a share of that of AF.
    """

    mean_ms: float
    wait: float
    blur: float
    detour: float
    detour_share: float
    memory: float
    sway: float
    circadian: float
    spells: float
    spell_beats: float
    spell_spread: float
    spell_pace: float


@dataclass(frozen=True, slots=True)
class QrsDetector:
    """The automatic QRS detector and the signal it is given.

    Parameters
    ----------
    missed, extra
        Missed and extra beats per beat.
    clustering
        How much both come in bursts, as in `Ectopy`.
    blanking_ms
        No two detections are closer than this; 0 where the detector lets them.
    doubled
        Share of extra beats at the time of a true one: an interval of 0 ms.
    losses_per_day
        How often the signal is lost.
    loss_s
        Typical duration of a loss.
    """

    missed: float
    extra: float
    clustering: float
    blanking_ms: int
    doubled: float
    losses_per_day: float
    loss_s: float


@dataclass(frozen=True, slots=True)
class Physiology:
    """Everything about one patient that shapes the RR intervals."""

    sinus: Sinus
    ectopy: Ectopy
    fibrillation: Fibrillation
    detector: QrsDetector


class Kind(IntEnum):
    """The cause of one RR interval; `truth/` stores it as one byte an interval.

    A fault of the detector hides the true beat: a merged or split interval is `MISSED`, `EXTRA` or
    `LOST`. The rhythm is always known from the spans.
    """

    SINUS = 0
    """Between two sinus beats."""
    FIBRILLATION = 1
    """Between two beats conducted from fibrillating atria."""
    ATRIAL = 2
    """Ends early, at an atrial ectopic beat."""
    VENTRICULAR = 3
    """Ends early, at a ventricular ectopic beat; in SR or in AF."""
    COMPENSATION = 4
    """The interval after an ectopic beat: reset (atrial) or compensatory (ventricular)."""
    ATRIAL_RUN = 5
    """Within a short, irregular atrial run, which is not AF and not labelled as AF."""
    PAUSE = 6
    """A sinus pause, or the pause with which the sinus node takes over after AF."""
    MISSED = 7
    """Two intervals merged because the beat between them was missed."""
    EXTRA = 8
    """One of the two parts of an interval split by a beat that was none."""
    LOST = 9
    """Many intervals merged because the signal was lost."""
    CALIBRATION = 10
    """The calibration signal at the start of a recording: no heart beat at all."""
