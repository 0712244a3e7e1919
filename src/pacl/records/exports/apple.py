"""Apple Health: the beats behind each value of heart rate variability, by day and device."""

from pacl.records.errors import ValueRangeError
from pacl.records.exports.apple_series import UnreadableSeries
from pacl.records.exports.apple_xml import EXPORT_AGAIN, count_words, find_series, is_health_data
from pacl.records.exports.days import Days
from pacl.records.exports.recording import Contents
from pacl.records.exports.source import Source

_SDNN = b"HKQuantityTypeIdentifierHeartRateVariabilitySDNN"
_HEART_RATE = b'"HKQuantityTypeIdentifierHeartRate"'


class AppleExport:
    """Apple Health: `export.xml`."""

    name = "apple"
    summary = "Apple Health export.xml, or the zip it comes in (beat series of an Apple Watch)"
    endings = (".xml",)

    def recognises(self, head: bytes, name: str) -> bool:
        """By its root element or its DTD."""
        return is_health_data(head)

    def is_single(self, source: Source) -> bool:
        """Days are known only when all was read."""
        return False

    def read(self, source: Source) -> Contents:
        """All series of one day and device make one recording, a file for each series."""
        days = Days()
        unreadable, beatless, example = 0, 0, ""
        for series in find_series(source):
            try:
                began, stretches = series.began(), series.stretches()
            except UnreadableSeries as fault:
                unreadable, example = unreadable + 1, example or str(fault)
            else:
                beatless += not stretches
                days.add(began, series.source, stretches)
        found, repeated = days.recordings()
        if not found:
            raise _without_beats(source, unreadable, beatless, example)
        reasons = (
            ("unreadable", unreadable, example),
            ("short", beatless, "no two beats follow each other"),
            ("repeated", repeated, "they repeat or overlap another"),
        )
        left_out = {
            f"{count:,} {kind} beat series of {source.name}": why
            for kind, count, why in reasons
            if count
        }
        return Contents(tuple(found), left_out)


def _without_beats(source: Source, unreadable: int, beatless: int, example: str) -> ValueRangeError:
    if unreadable:
        return ValueRangeError(
            source.where,
            f"{unreadable:,} beat series, but {example}",
            "report this form of time, or export again with the region set to United States",
        )
    if beatless:
        return ValueRangeError(
            source.where,
            f"{beatless:,} beat series, but in none do two beats follow each other",
            "wear the watch more tightly, and add series with Mindfulness > Breathe",
        )
    values, rates = count_words(source, (_SDNN, _HEART_RATE))
    return ValueRangeError(
        source.where,
        f"no beat series; it has {values:,} values of heart rate variability (SDNN) and {rates:,} "
        "heart rates, which are averages",
        "record on an Apple Watch (Mindfulness > Breathe adds a series), then "
        f"{EXPORT_AGAIN}; ECGs of the watch are in the folder electrocardiograms",
    )
