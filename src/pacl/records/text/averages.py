"""Tables of averages and summary values: heart rate, SDNN, RMSSD. They hold no beats."""

import re

from pacl.records.errors import FormatError
from pacl.records.text.table import Table
from pacl.records.text.values import is_signal, name_and_unit

_RATE = re.compile(
    r"hr|fc|puls|pulse|.*(heartrate|bpm|beatsperminute|pulserate|herzfrequenz|frequencecardiaque)"
    r".*|(avg|mean|average|max|min|instant)hr|hr(avg|mean|max|min|bpm|average)"
)
_SUMMARY = re.compile(
    r".*(rmssd|sdnn|sdann|avnn|pnn\d+|meanrr|meannn|lfhf|hfpower|lfpower|recoverypoints|readiness"
    r"|heartratevariability|hrv).*"
)
_SIGNAL = re.compile(
    r".*(ecg|ekg|electrocardiogram|voltage|millivolt|microvolt).*|(lead)?(i|ii|iii|mlii|avf|avl"
    r"|avr|v\d)|(bvp|ppg|pleth).*"
)
_APPS: tuple[tuple[str, str, str], ...] = (
    (
        r"hrv4t_|hrv4training",
        "daily values of HRV4Training",
        "switch on the export of RR intervals in HRV4Training and give those files",
    ),
    (
        r"^sample rate[,;]time[,;]hr \(bpm\)",
        "a training of Polar Flow with heart rate once a second",
        "record with Polar Sensor Logger or Elite HRV, or ask Polar for all your data "
        "(account.polar.com), which holds RR intervals",
    ),
    (
        r"^phone timestamp;hr \[bpm\]",
        "heart rate of Polar Sensor Logger",
        "give the file of the same recording that ends in _RR.txt or _PPI.txt",
    ),
    (
        r"^(date,)?timestamp,.*\b(avnn|sdnn|rmssd)\b",
        "features of HRV Logger",
        "give the file of the same recording that ends in _RR.csv",
    ),
    (
        r"^cycle start time|recovery score %",
        "daily values of WHOOP",
        "let the band broadcast its heart rate to an app that records RR intervals",
    ),
    (
        r"hkquantitytypeidentifier|count/min|heart rate variability \(ms\)|sdnn \(ms\)",
        "values of Apple Health, averaged by the watch",
        "export all health data in the Health app (export.zip) and give that: it holds the beats",
    ),
    (
        r"^hrv analysis results",
        "results of Kubios without the RR intervals",
        "save the results as text with the RR data included",
    ),
    (
        r"\baverage_hrv\b|\boura\b",
        "daily values of an Oura ring",
        "no export of Oura holds beats: record with a chest strap",
    ),
    (
        r"\bithlete\b|^\W*date\W+time\W+hrv\W+(resting )?hr",
        "daily values of ithlete",
        "record with an app that exports RR intervals, such as Elite HRV or HRV Logger",
    ),
)
"""How the first lines of a file of an app begin or read, what they hold, and what to export."""

_HEAD_CHARS = 2_000
_EXPORT = "export the beat-to-beat RR intervals"
_CHOOSE = "if a column does hold RR intervals, choose it with column=NAME (--column)"


def refuse_averages(table: Table, source: str) -> None:
    """Refuse a table whose names say that it holds averages, summary values or a signal."""
    known = [name_and_unit(name)[0] for name in table.names]
    titles = {
        kind: [table.title(at) for at, name in enumerate(known) if sign.fullmatch(name)]
        for kind, sign in (("signal", _SIGNAL), ("summary", _SUMMARY), ("rate", _RATE))
    }
    if titles["signal"]:
        raise is_signal(source, f"column {titles['signal'][0]}")
    if any(titles.values()):
        kind = "summary" if titles["summary"] else "rate"
        words = "summary values" if kind == "summary" else "heart rate averages"
        shown = ", ".join(titles[kind][:4])
        raise FormatError(
            source,
            f"it holds {words} ({shown}), but no beats",
            f"{_EXPORT}; {_CHOOSE}",
        )


def app_of(text: str) -> tuple[str, str]:
    """What an app wrote, and what to export instead; both empty where no app is recognised."""
    head = text[:_HEAD_CHARS].lower()
    for sign, what, remedy in _APPS:
        if re.search(sign, head, re.MULTILINE):
            return what, remedy
    return "", ""


def refuse_app(text: str, source: str, why: FormatError | None = None) -> None:
    """Refuse the text of an app that holds no beats, in place of why it is no table."""
    what, remedy = app_of(text)
    if what:
        raise FormatError(source, f"it holds {what}, but no beats", f"{remedy}; {_CHOOSE}") from why
