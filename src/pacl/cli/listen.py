"""`pacl listen`: a strap, a growing file or standard input, live."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from pacl.atomic_write import check_not_input
from pacl.cli.detect_stream import StreamFormat
from pacl.cli.listen_lines import Lines
from pacl.cli.listen_stop import Ending
from pacl.cli.messages import say
from pacl.cli.options import STANDARD_INPUT, InputPath, OutputPath
from pacl.errors import PaclError

if TYPE_CHECKING:
    from pacl.cli.listen_view import View
    from pacl.live import Session, Transport

AboveZero = Number(gt=0)


def listen(
    source: str | None = None,
    /,
    *,
    output: Annotated[OutputPath | None, Parameter(name=["--output", "-o"])] = None,
    device: str | None = None,
    scan: Annotated[bool, Parameter(show_default=False)] = False,
    follow: InputPath | None = None,
    until_idle: Annotated[float | None, Parameter(validator=AboveZero)] = None,
    replay: InputPath | None = None,
    speed: Annotated[float | None, Parameter(validator=Number(gte=0))] = None,
    unit: Literal["ms", "s"] = "ms",
    format: StreamFormat | None = None,  # noqa: A002 - the name of the option
    minutes: Annotated[float | None, Parameter(validator=AboveZero)] = None,
    person: InputPath | None = None,
    weights: str = "af-beats",
    operating_point: Literal["sensitive", "balanced", "specific"] = "balanced",
) -> None:
    """Listen to a heart rate strap: show the beats, find AF, and write an RR file.

    Needs pip install 'pacl[live]' for a strap, which must send RR intervals (most chest straps do,
    most watches do not). Other sources need nothing more: --follow, --replay, or - for standard
    input. Ctrl-C ends; what was written stays.

    Each beat is decided 60 to 70 beats later. On a terminal, a live picture is shown. Otherwise, or
    with --format, one line per decision is printed, as by pacl detect -. Not a medical device: for
    research, not for diagnosis.

    Standard input and followed files hold one interval per line, CSV with a header, or one JSON
    object per line: {"rr": 812}, {"rr": [812, 790], "time": 12.3}, {"hr_packet": "16 3c 00 04"}.

    Parameters
    ----------
    source
        Standard input, given as -. [default: a strap]
    output
        RR file to write, as CSV that all commands read. Beats are on disk within a second. A file
        of an earlier session is continued.
    device
        Part of the strap's name, or its address, if several are in reach.
    scan
        List the straps in reach, and end.
    follow
        A file that is being written: it is read from its beginning, and then as it grows.
    until_idle
        With --follow: end when nothing was added for so many seconds. [default: never]
    replay
        A file of recorded packets.
    speed
        With --replay: how many times faster; 0 plays all at once. [default: 1]
    unit
        Unit of intervals that state none.
    format
        text or json, instead of the live picture.
    minutes
        End after so many minutes. [default: never]
    person
        A profile of the person, from pacl adapt.
    weights
        Name of bundled weights, or a folder that pacl weights wrote.
    operating_point
        sensitive finds more short AF, with more false alarms; specific has fewer false alarms, and
        misses more short AF.

    Examples
    --------
    $ pacl listen --scan
    $ pacl listen -o night.csv
    $ pacl listen --follow rr.txt --until-idle 60
    """
    if source is not None and source != STANDARD_INPUT:
        raise PaclError(
            f"{source}: only - is read this way; for a file that is being written, give --follow "
            f"{source}, and for one that is complete use pacl detect {source}"
        )
    named = {"-": source, "--follow": follow, "--replay": replay, "--scan": scan or None}
    given = [name for name, value in named.items() if value is not None]
    _check_together(given, device, until_idle, speed, unit)
    if scan:
        _print_straps()
        return
    if output is not None:
        check_not_input(output, [one for one in (follow, replay, person) if one is not None])
    from pacl.detect import StreamDetector
    from pacl.live import Journal, Session

    detector = StreamDetector(weights, operating_point=operating_point, person=person)
    transport = _transport(given, follow, until_idle, replay, speed, unit, device)
    journal = Journal(output) if output is not None else None
    session = Session(detector, journal, transport.reorders_s)
    with Ending(minutes) as ending:
        _listen(transport, session, _shown(format), ending)


def _listen(
    transport: "Transport", session: "Session", shown: "Lines | View", ending: Ending
) -> None:
    """Take events until the end; the file is closed and the summary printed whatever happens."""
    try:
        with shown:
            try:
                for event in transport.events():
                    shown.show(session.take(event), session)
                    if session.journal is not None:
                        session.journal.tick()
                    if ending.due(session.continuity.passed_s):
                        break
            finally:
                transport.close()
                shown.show(session.finish(), session)
    finally:
        if sys.exc_info()[0] is None or session.state.beats:
            shown.end(session)
    if not session.state.beats:
        raise PaclError(
            f"{session.state.source or transport.name}: no beat came; check that it sends RR "
            "intervals, and see the notes above"
        )


def _shown(form: StreamFormat | None) -> "Lines | View":
    if form is None and sys.stdout.isatty():
        from rich.console import Console

        from pacl.cli.listen_view import View

        console = Console()
        if not console.is_dumb_terminal:
            return View(console)
    return Lines(form or "text")


def _transport(
    given: list[str],
    follow: Path | None,
    until_idle: float | None,
    replay: Path | None,
    speed: float | None,
    unit: str,
    device: str | None,
) -> "Transport":
    from pacl.live import FollowTransport, ReplayTransport, StrapTransport, StreamTransport

    if "-" in given:
        return StreamTransport(sys.stdin.buffer, unit=unit)
    if follow is not None:
        return FollowTransport(follow, unit, until_idle_s=until_idle)
    if replay is not None:
        return ReplayTransport(replay, 1.0 if speed is None else speed)
    return StrapTransport(device)


def _check_together(
    given: list[str], device: str | None, until_idle: float | None, speed: float | None, unit: str
) -> None:
    if len(given) > 1:
        raise PaclError(f"{' and '.join(given)}: only one source at a time; leave out the others")
    if device is not None and given:
        raise PaclError(f"--device names a strap: leave out {given[0]}")
    if until_idle is not None and "--follow" not in given:
        raise PaclError("--until-idle is for --follow: give the file, or leave it out")
    if speed is not None and "--replay" not in given:
        raise PaclError("--speed is for --replay: give the file, or leave it out")
    if unit == "s" and not {"-", "--follow"} & set(given):
        raise PaclError("--unit is for - and --follow: packets of straps state their unit")


def _print_straps() -> None:
    from pacl.live import BleakRadio, find_straps

    found = find_straps(BleakRadio())
    for strap in found:
        say(strap)
    if not found:
        raise PaclError(
            "no heart rate strap was found; wear it with wet electrodes, and end other apps that "
            "are connected to it"
        )
