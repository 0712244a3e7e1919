"""What each simulated interval truly is."""

from enum import IntEnum


class Kind(IntEnum):
    """The cause of one RR interval; `truth/` stores it as one byte an interval.

    A fault of the detector hides what the heart did: a merged or split interval is `MISSED`,
    `EXTRA` or `LOST`, whatever lay beneath. The rhythm below is always known from the spans.
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
