"""Tables of a recording: what was not judged, and how it was judged."""

from collections.abc import Sequence

from pacl.detect import Detection, NotJudged
from pacl.report.table import Cell, Head, Table
from pacl.report.wording import duration, moment, percent

MOST_ROWS = 30


def not_judged_table(detection: Detection, stretches: Sequence[NotJudged]) -> Table:
    """The longest stretches without a decision, in order of time."""
    rows = [(one.start_s, one.end_s, one.why) for one in stretches]
    return _longest(detection, rows, "Not judged", "There is no result for this time.", "Why")


def facts_table(detection: Detection) -> Table:
    """The source of the recording, and the settings of the detector."""
    quality = detection.quality
    facts = [
        ("File", detection.source),
        ("Record", detection.record_id),
        ("Intervals", f"{quality.beats:,}"),
        ("Outside 200-2000 ms", percent(quality.implausible)),
        ("Gaps above 10 s", f"{quality.gaps:,}"),
        ("Plausible beats in a row, needed", f"{detection.offered.needed_beats:,}"),
        ("Plausible beats in a row, most", f"{detection.offered.longest_run:,}"),
        ("Mode", detection.mode),
        ("Weights", detection.weights),
        ("Operating point", detection.operating_point),
        ("Only possible AF if all episodes are", f"below {duration(detection.min_duration_s)}"),
    ]
    if detection.started is not None:
        facts.insert(2, ("Started", f"{detection.started:%Y-%m-%d %H:%M:%S}"))
    rows = tuple((Cell(name), Cell(value)) for name, value in facts)
    return Table("This recording", "", (Head("What"), Head("Value")), rows)


def measured_table(detection: Detection) -> Table:
    """The accuracy of this mode and operating point on databases that were left out."""
    rows = tuple(
        (
            Cell(cohort),
            Cell(f"{one['patients']}"),
            Cell(percent(one["sensitivity"])),
            Cell(percent(one["predictivity"])),
            Cell(f"{one['false_alarms_per_day']:.1f}"),
        )
        for cohort, one in detection.measured.items()
    )
    heads = (
        Head("Database"),
        Head("Patients"),
        Head("AF time found"),
        Head("Detected AF that is AF"),
        Head("False alarms per day"),
    )
    caption = (
        f"Operating point {detection.operating_point}, {detection.mode}. Each database was judged "
        "by a detector that had not learned from it."
    )
    return Table("Accuracy on other databases", caption, heads, rows)


def _longest(
    detection: Detection,
    stretches: Sequence[tuple[float, float, str]],
    title: str,
    caption: str,
    head: str,
) -> Table:
    """One row per stretch: start, end, duration, and one column more."""
    shown = sorted(stretches, key=lambda one: one[0] - one[1])[:MOST_ROWS]
    if len(shown) < len(stretches):
        caption = f"{caption} These are the {MOST_ROWS} longest of {len(stretches):,}."
    started, lasts_s = detection.started, detection.duration_s
    rows = tuple(
        (
            Cell(moment(start_s, started, lasts_s)),
            Cell(moment(end_s, started, lasts_s)),
            Cell(duration(end_s - start_s)),
            Cell(more),
        )
        for start_s, end_s, more in sorted(shown)
    )
    unit = "" if started is not None else " (h:min:s)"
    heads = (Head(f"Start{unit}"), Head(f"End{unit}"), Head("Duration"), Head(head))
    return Table(title, caption, heads, rows)
