"""`pacl adapt`: learn one person from their recordings, as a small profile."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from pacl.atomic_write import TargetError, atomic_write, check_not_input
from pacl.cli.detect_formats import counted
from pacl.cli.messages import print_error, print_left_out
from pacl.cli.options import READING, STANDARD_INPUT, InputPath, Output
from pacl.cli.spans import parse_span
from pacl.errors import PaclError
from pacl.printable import printable
from pacl.records import ReadOptions, open_records, source_files

if TYPE_CHECKING:
    from pacl.detect import Person
    from pacl.records import Record

ENDING = ".json"
NOT_USED = " pacl detect does not use the profile as it is."


def adapt(
    *paths: Annotated[InputPath, Parameter(required=True)],
    output: Output,
    sinus: Annotated[list[str] | None, Parameter(negative="")] = None,
    af: Annotated[list[str] | None, Parameter(negative="")] = None,
    not_af: Annotated[list[str] | None, Parameter(negative="")] = None,
    wearing: Annotated[bool, Parameter(show_default=False)] = False,
    start_over: Annotated[bool, Parameter(show_default=False)] = False,
    record: str | None = None,
    weights: str = "af-beats",
    read: Annotated[ReadOptions | None, Parameter(name="*", group=READING)] = None,
) -> None:
    """Learn one person: where their sinus rhythm lies, and so where their AF begins.

    The result is a small profile for pacl detect --person. It holds sums and digests, no recording.
    An existing profile is continued. The same beats count once. Not a medical device: for research,
    not for diagnosis.

    Three kinds of evidence can be combined: minutes known to be sinus rhythm (--sinus), such as
    during a 12-lead ECG; unlabelled wearing (--wearing, or no option at all), of which only what is
    surely sinus rhythm is used, and nothing if there is little of it; and corrections (--af,
    --not-af).

    Stretches are START-END: 01:00-02:00 is the time of day if the recording has a clock, else the
    time since its start; +0:05-+0:10 and 300s-600s always count from the start.

    Parameters
    ----------
    paths
        Recordings of one person.
    output
        The profile, a file that ends in .json.
    sinus
        A stretch known to be sinus rhythm; may be given more than once.
    af
        A correction: this was AF. May be given more than once.
    not_af
        A correction: this was not AF. May be given more than once.
    wearing
        Use all unmarked time as unlabelled evidence. [default: only if nothing is marked]
    start_over
        Forget what an existing profile holds.
    record
        The one recording to use, where a path holds several.
    weights
        Name of bundled weights, or a folder that pacl weights wrote.

    Examples
    --------
    $ pacl adapt night1.csv -o me.json --sinus 01:00-02:00
    $ pacl adapt night2.csv -o me.json --not-af 03:10-03:15
    $ pacl detect night3.csv --person me.json
    """
    from pacl.detect import Person, open_judge
    from pacl.detect import adapt as learn

    if STANDARD_INPUT in map(str, paths):
        raise PaclError("a stream cannot be marked: write its intervals to a file, and give that")
    if output.suffix.lower() != ENDING:
        raise TargetError(f"{output}: expected a profile that ends in {ENDING}")
    if output.is_dir():
        raise TargetError(f"{output}: expected a file to write; it is a folder")
    check_not_input(output, source_files(paths, read))
    person = Person.read(output) if output.exists() else None  # refuses what is no profile
    person = None if start_over else person
    records = _records(paths, read, record)
    marks = {"sinus": sinus or [], "af": af or [], "not_af": not_af or []}
    if any(marks.values()) and len(records) > 1:
        raise PaclError(
            f"{len(records)} recordings; stretches are marked in one recording at a time: give "
            "one (--record, if a file holds several), then the next with the same -o"
        )
    judge = open_judge(weights)
    for recording in records:
        spans = {
            name: [
                parse_span(
                    one, recording.started, recording.duration_s, f"--{name.replace('_', '-')}"
                )
                for one in some
            ]
            for name, some in marks.items()
        }
        person = learn(
            recording,
            sinus=spans["sinus"],
            af=spans["af"],
            not_af=spans["not_af"],
            wearing=wearing or None,
            person=person,
            weights=weights,
        )
        if judge.learned(recording.rr_ms.astype("float32")):
            print_error(
                f"{recording.source}: {judge.name} was trained on this recording; a profile of it "
                "tells little about others"
            )
    assert person is not None  # noqa: S101 - there is at least one recording
    atomic_write(output, person.to_json().encode())
    print(summary(output, person, weights), end="")


def _records(paths: Sequence[Path], read: ReadOptions | None, record: str | None) -> "list[Record]":
    """All recordings, or the one that is named; they must be of one person."""
    found = []
    for path in paths:
        reader = open_records(path, read)
        print_left_out(reader)
        wanted = reader.record_ids if record is None else (record,)
        found += [reader.read(one) for one in wanted]
    patients = sorted({one.patient_id for one in found})
    known = any(one.patient_id != one.record_id for one in found)  # a file names no patient
    if known and len(patients) > 1:
        raise PaclError(
            f"recordings of {len(patients)} patients ({', '.join(patients[:3])}); a profile is of "
            "one person: give the recordings of one"
        )
    if len(found) > 1:
        names = ", ".join(one.record_id for one in found[:5]) + (", ..." if len(found) > 5 else "")
        print_error(f"taken as recordings of one person: {names}")
    return found


def summary(output: Path, person: "Person", weights: str) -> str:
    """What the profile holds, and what it changes."""
    from pacl.detect import LEAST_SINUS_MIN, find_artifact, of_profile, probability

    artifact = find_artifact(weights)
    assert artifact is not None  # noqa: S101 - it was used to learn
    evidence, prior = person.of("look-ahead"), artifact.prior("look-ahead")
    own = evidence.posterior(prior)
    wearing = evidence.wearing
    lines = [
        f"{printable(str(output))}: {evidence.sinus.amount:.1f} min of known sinus rhythm, "
        f"{wearing.amount / 60:.1f} h unlabelled, "
        f"{counted(len(evidence.corrections), 'correction')}, from "
        f"{counted(len(person.recordings), 'recording')}"
    ]
    if evidence.baseline.minutes:
        lines.append(
            f"  sinus rhythm: {evidence.baseline.rate:.0f} beats a minute, "
            f"{100 * evidence.baseline.variation:.1f} % from beat to beat"
        )
    lines.append(
        f"  log odds of AF in sinus rhythm: {own.place:.1f} +- {own.place_sd:.1f} "
        f"(population {own.reference:.1f}); AF begins where the population's probability is "
        f"{probability(own.boundary):.2f} (population 0.50)"
    )
    if evidence.corrections:
        lines.append(f"  corrections move all log odds by {own.shift:+.1f} (at most 3)")
    notices = of_profile(person, "look-ahead")
    if not notices and of_profile(person, "causal"):
        lines.append(f"  a stream uses it from {LEAST_SINUS_MIN['causal']:g} minutes on")
    for notice in notices:
        print_error(f"{output}: {notice.text}{NOT_USED if notice.sets_aside else ''}")
    return "\n".join(lines) + "\n"
