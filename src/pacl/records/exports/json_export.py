"""JSON of apps and accounts: Polar, Movesense, Suunto, Health Auto Export, logs of packets."""

from itertools import islice
from typing import Any

from pacl.records.errors import ValueRangeError
from pacl.records.exports.days import Days
from pacl.records.exports.json_intervals import Found, find_intervals
from pacl.records.exports.json_recordings import recordings_of
from pacl.records.exports.json_series import add_series
from pacl.records.exports.json_text import MAX_BYTES, Node, begins_json, nodes, parse, plain
from pacl.records.exports.recording import Contents
from pacl.records.exports.source import Source

_INSTEAD = (
    (
        {"voltagemeasurements"},
        "ECGs",
        "export the ECGs as CSV: Health > your picture > Export All Health Data",
    ),
    (
        {"metrics"},
        "metrics of Health Auto Export, such as SDNN values and heart rates",
        "export the heartbeat series with version 9.0.13 or later, or take Apple's own export.zip",
    ),
    (
        {"rmssd", "dailyrmssd", "hrvrmssdmilli", "averagehrv", "hrmin", "sdnn", "deeprmssd"},
        "values of heart rate variability (RMSSD), which are averages",
        "no interval can be made of these; Oura, Fitbit and Whoop give none: record with a chest "
        "strap and an app that logs RR intervals",
    ),
    (
        {"heartrate", "heartratesamples", "bpm", "hr", "restinghr", "devicedays", "beatsperminute"},
        "heart rates, which are averages",
        "export RR or PP intervals: Polar: account.polar.com > Download your data, the files "
        "ppi_samples and training-session",
    ),
    (
        {"sleepstages", "hypnogram", "sleepstart", "levels"},
        "sleep stages",
        "export the RR intervals of the night instead",
    ),
)
_LOOKED_AT = 20_000


class JsonExport:
    """JSON with intervals or beat times, of any app that names them."""

    name = "json"
    summary = "JSON of Polar, Movesense, Suunto, Health Auto Export, or lines of {'rr': [...]}"
    endings = (".json", ".jsonl", ".ndjson")

    def recognises(self, head: bytes, name: str) -> bool:
        """By the beginning of an object or a list."""
        return begins_json(head)

    def is_single(self, source: Source) -> bool:
        """A document may hold many days."""
        return False

    def read(self, source: Source) -> Contents:
        """Series of each day, sessions, and packets; what has none is refused."""
        documents = parse(source.read(MAX_BYTES), source.where)
        days = Days()
        intervals: list[Found] = []
        has_ecg = False
        for node in nodes(documents):
            has_ecg |= "voltageMeasurements" in node.found
            if not add_series(node, days):
                intervals += find_intervals(node, source.where)
        found, repeated = days.recordings()
        found += recordings_of(intervals or _bare(documents, source.where), source.where)
        if not found:
            raise _without_beats(documents, source.where)
        left_out = {}
        if repeated:
            left_out[f"{repeated:,} series of {source.name}"] = "they repeat or overlap another"
        if has_ecg:
            left_out[f"ECGs of {source.name}"] = _INSTEAD[0][2]
        return Contents(tuple(found), left_out)


def _bare(documents: list[Any], where: str) -> list[Found]:
    """A document that is nothing but a list of numbers."""
    alone = len(documents) == 1 and isinstance(documents[0], list)
    return find_intervals(Node({"rr": documents[0]}, ()), where) if alone else []


def _without_beats(documents: list[Any], where: str) -> ValueRangeError:
    names: dict[str, str] = {}
    for node in islice(nodes(documents), _LOOKED_AT):
        names.update({plain(key): key for key in list(node.found)[:100] if len(key) < 60})
    for marks, what, remedy in _INSTEAD:
        if marks & names.keys():
            return ValueRangeError(where, f"no beat-to-beat intervals; it has {what}", remedy)
    some = ", ".join(list(names.values())[:8]) or "nothing"
    return ValueRangeError(
        where,
        f"no beat-to-beat intervals found; it has {some}",
        "name the list of intervals rr, in ms or s, or export them as text or CSV",
    )
