"""How a recording was judged, and the result, method and limits of the print sheet, in words."""

from pacl.detect import Detection, Mode
from pacl.records import Record
from pacl.report.recording.decisions import judges_beats
from pacl.report.wording import counted, duration, percent

MODES: dict[Mode, str] = {
    "look-ahead": "each moment is judged by the beats before and after it. This needs the "
    "complete recording and is more accurate",
    "causal": "each moment is judged by the beats before it and at most 70 beats after it, as in "
    "a live recording",
}
BY_BEATS = (
    "A network computes a probability of AF for each beat from the intervals around it. An episode "
    "is five or more beats in a row with enough evidence of AF together."
)
BY_WINDOWS = (
    "A network computes a probability of AF for each window of beats. Windows overlap: each step "
    "of 50 beats is judged by all windows that contain it, and is AF from one half on."
)
LIMITS = (
    "This is research software, not a medical device; it makes no diagnosis. It reads the "
    "intervals between beats, not P waves: frequent ectopic beats and atrial flutter can look like "
    "AF, and regular AF (paced, or with complete heart block) is missed. Only a physician can "
    "diagnose AF, from an ECG of at least 30 s."
)


def summary_of(record: Record, detection: Detection) -> tuple[tuple[str, str], ...]:
    """Names and values of the result."""
    episodes = detection.episodes
    longest = max((one.duration_s for one in episodes), default=0.0)
    started = detection.started
    found = [
        ("Patient", record.patient_id),
        ("Recorded", "no date" if started is None else f"{started:%Y-%m-%d %H:%M}"),
        ("Duration", f"{duration(detection.recorded_s)}, {counted(len(record), 'beat')}"),
        ("Verdict", detection.verdict),
        (
            "AF burden",
            percent(detection.af_burden)
            + (f", {duration(detection.af_s)}" if detection.af_burden else ""),
        ),
        (
            "Episodes",
            f"{len(episodes):,}" + (f", the longest {duration(longest)}" if episodes else ""),
        ),
        ("Not judged", f"{percent(1.0 - detection.judged_share)} of the duration"),
    ]
    if detection.reason is not None:
        found.insert(4, ("Reason", detection.reason))
    if detection.edits is not None:
        without = detection.edits.without
        by_hand = (
            f"{counted(detection.edits.given, 'mark')}; without: {without.verdict}, AF burden "
            f"{percent(without.af_burden)}"
        )
        found.append(("Marked by hand", by_hand))
    return tuple(found)


def method_of(detection: Detection) -> str:
    """How the recording was judged, and how accurate that was elsewhere."""
    found = f"{how_judged(detection)} Weights {detection.weights}, {detection.mode}."
    if detection.measured:
        of = "; ".join(
            f"{cohort}: {percent(one['sensitivity'])} of AF time found, "
            f"{percent(one['predictivity'])} of detected AF is AF"
            for cohort, one in detection.measured.items()
            if one["sensitivity"] is not None
        )
        found += f" On databases that it had not learned from: {of}."
    if detection.learned_from:
        found += " The weights learned from this recording: on others they are less accurate."
    return found


def limits_of(detection: Detection) -> str:
    """What the result cannot show."""
    why = detection.why_not_judged
    return LIMITS + (f" Main reason for time that was not judged: {why}." if why else "")


def how_judged(detection: Detection) -> str:
    """What the network computes, and what an episode is."""
    return BY_BEATS if judges_beats(detection) else BY_WINDOWS
