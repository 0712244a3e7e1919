"""A live session as lines: decisions as text, or everything as JSON."""

import json
from typing import TYPE_CHECKING

from pacl.cli.detect_stream import StreamFormat, decision_line
from pacl.cli.messages import print_error

if TYPE_CHECKING:
    from pacl.live import Beat, Session, Told


class Lines:
    """Prints what happens as it happens.

    As text, one line per decision, as `pacl detect -` prints; notes go to standard error. As JSON,
    one object per line, whose `event` is beat, lost, decision, note or summary.
    """

    def __init__(self, form: StreamFormat = "text") -> None:
        self._form, self._json = form, form == "json"

    def __enter__(self) -> "Lines":
        return self

    def __exit__(self, *error: object) -> None:
        """Nothing is left open."""

    def show(self, told: "Told", session: "Session") -> None:
        """Print what an event led to."""
        for note in told.notes:
            self._note(note)
        lines = [_beat(one) for one in told.beats] if self._json else []
        lines += [decision_line(one, self._form, event="decision") for one in told.decisions]
        if lines:
            print("\n".join(lines), flush=True)

    def end(self, session: "Session") -> None:
        """Print the summary; as text on standard error, so that the output holds decisions only."""
        if self._json:
            print(json.dumps({"event": "summary", **summary(session)}), flush=True)
        else:
            print_error(summary_text(session))

    def _note(self, note: str) -> None:
        if self._json:
            print(json.dumps({"event": "note", "text": note}), flush=True)
        else:
            print_error(note)


def summary(session: "Session") -> dict[str, object]:
    """How it was, in numbers."""
    state, passed_s = session.state, session.continuity.passed_s
    written = None if session.journal is None else str(session.journal.path)
    why = None if state.decided_s else session.detector.offered.why_nothing()
    return {
        "source": state.source,
        "started": None if state.started is None else state.started.isoformat(),
        "minutes": round(passed_s / 60, 2),
        "beats": state.beats,
        "lost_beats": session.lost_beats,
        "lost_s": round(session.continuity.lost_s, 1),
        "judged_minutes": round(state.decided_s / 60, 2),
        "af_minutes": round(state.af_s / 60, 2),
        "why_not_judged": why,
        "written_to": written if state.beats else None,
    }


def summary_text(session: "Session") -> str:
    """How it was, in a sentence or two."""
    found, state = summary(session), session.state
    lost = f", about {session.lost_beats} lost" if session.continuity.lost_s else ", none lost"
    text = f"{found['minutes']} min, {state.beats} beats{lost}; "
    if state.decided_s:
        text += f"AF in {found['af_minutes']} of {found['judged_minutes']} judged min"
    else:
        text += f"cannot tell: {found['why_not_judged']}"
    if found["written_to"]:
        text += f"; written to {found['written_to']}"
    return text


def _beat(beat: "Beat") -> str:
    at = {"event": "beat" if beat.valid else "lost", "time_s": round(beat.start_s, 3)}
    length = {"rr_ms": beat.rr_ms} if beat.valid else {"lost_s": beat.rr_ms / 1000}
    return json.dumps({**at, **length})
