"""Rows of an index made by hand."""

from datetime import date, timedelta

from pacl.report.index import Day, RecordingRow


def row(number, burden=None, **changed):
    """A night of ten hours from 22:00 on, all of it judged; its day is the number in 2026."""
    day = date(2026, 1, 1) + timedelta(days=number)
    burden = 0.01 * number if burden is None else burden
    days = [
        Day((day + timedelta(days=at)).isoformat(), burden * s, s)
        for at, s in ((0, 7200.0), (1, 28_800.0))
    ]
    fields = {
        "key": f"k{number}",
        "name": f"night {number}",
        "patient": "Anna" if number % 2 else "Karl",
        "status": "ready",
        "page": f"night-{number}.html",
        "started": f"{day.isoformat()}T22:00:00",
        "duration_s": 36_000.0,
        "recorded_s": 36_000.0,
        "judged_s": 36_000.0,
        "af_s": burden * 36_000,
        "judged_share": 1.0,
        "af_burden": burden,
        "verdict": "AF" if burden else "no AF",
        "beats": 40_000,
        "episodes": 2 if burden else 0,
        "longest_s": burden * 20_000 if burden else None,
        "days": tuple(days),
    }
    return RecordingRow(**fields | changed)
