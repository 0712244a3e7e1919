"""What a comparison of systems found, in plain sentences."""

from pacl.report.systems.tables import difference_text
from pacl.report.wording import counted, listed
from pacl.studies.systems import (
    MEASURES,
    SystemDifference,
    SystemsStudy,
    differences_of,
    scores_of,
)

MAIN = next(iter(MEASURES))


def about_study(study: SystemsStudy) -> str:
    """Who was tested, how, and by what."""
    summary, settings = study.summary, study.settings
    folds = (
        "each subject was left out once"
        if settings.folds == summary.subjects
        else f"subjects were divided into {settings.folds} folds"
    )
    rate = f" at {summary.sampling_hz:g} Hz" if summary.sampling_hz else ""
    return (
        f"{summary.windows:,} windows of {counted(summary.subjects, 'subject')}, "
        f"{counted(summary.channels, 'channel')} of {summary.length} samples{rate}, "
        f"{len(summary.class_names)} classes. For the test, {folds}: no window of a tested subject "
        "was learned from, nor was anything chosen by it. "
        f"Networks were trained with {counted(len(settings.seeds), 'seed')}."
    )


def about_input(study: SystemsStudy) -> str:
    """What the systems were given, which is the same for all."""
    given, text = study.settings.input, []
    if given.envelope:
        text.append(
            f"Networks read the log envelope of the signal (frames of {given.envelope} samples, "
            f"one every {given.frame_step}); classical systems read time-domain features."
        )
    if given.personal:
        text.append(
            "What a system reads was standardised for each subject over all windows of the "
            "subject. This uses unlabelled windows of a new subject, so that it is not a test of "
            "the first window of a stranger."
        )
    if given.ring:
        text.append(
            "The channels of each subject were turned to a common place: training subjects by "
            "their classes, new subjects by their unlabelled windows alone. All systems were given "
            "the turned channels. A new subject must have worn the sensors for a while before "
            "this is possible."
        )
    return " ".join(text)


def what_holds(study: SystemsStudy) -> str:
    """Scores, then which differences are conclusive; one line each."""
    scores = sorted(scores_of(study, MAIN), key=lambda one: -one.mean)
    ranked = [f"{study.system(one.system).title} {one.mean:.3f}" for one in scores]
    lines = [f"- Balanced accuracy on subjects never seen: {listed(ranked)}."]
    for reference in study.references:
        for one in differences_of(study, reference, MAIN):
            if one.system in study.references and one.system != study.references[0]:
                if reference == study.references[0]:
                    continue  # said once, the other way round
            lines.append(f"- {difference_sentence(study, one)}")
    return "\n".join(lines)


def difference_sentence(study: SystemsStudy, one: SystemDifference) -> str:
    """Whether a system is ahead of another, or whether that is inconclusive."""
    first, second = (study.system(name).title for name in (one.system, one.reference))
    how = {
        "above": f"{first} is ahead of {second}",
        "below": f"{first} is behind {second}",
        "open": f"{first} and {second}: **inconclusive**",
    }[one.verdict]
    if one.verdict != "open":
        how = f"**{how}**"
    return f"{how}, {difference_text(one)} in balanced accuracy."
