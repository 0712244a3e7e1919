"""Draw the two walks of `docs/architecture.md`: a recording through the detector, and a study."""

from dataclasses import dataclass
from html import escape

from places import ROOT

WIDTH, BOX, GAP, LEFT = 720, 54, 44, 20
STYLE = (
    "text{font:14px system-ui,sans-serif;fill:#1f2933}.file{font:600 14px ui-monospace,monospace}"
    ".hands{font-style:italic;fill:#52606d}rect{fill:#f5f7fa;stroke:#829ab1}"
    "path{stroke:#829ab1;fill:none;stroke-width:1.5}"
    "@media(prefers-color-scheme:dark){text{fill:#e4e7eb}.hands{fill:#9fb3c8}"
    "rect{fill:#243b53;stroke:#627d98}}"
)


@dataclass(frozen=True, slots=True)
class Hop:
    """One stage: where it is, what it does, and what it hands to the next stage."""

    file: str
    does: str
    hands: str = ""


RECORDING = (
    Hop("cli/detect.py", "reads the command, and writes what is found", "a path"),
    Hop("records/open.py", "recognises the format of a file or folder", "a Reader"),
    Hop("records/text/reader.py", "or iridia.py, wfdb.py: intervals, gaps, rhythms", "a Record"),
    Hop("detect/detector.py", "splits the recording at gaps", "the intervals of a stretch"),
    Hop("detect/beat_scorer.py", "runs the networks in ONNX Runtime", "log odds of each beat"),
    Hop("detect/decoder.py", "joins beats to runs of AF, ignores isolated ones", "StretchSteps"),
    Hop("detect/detection.py", "episodes, burden, verdict, and its reason", "a Detection"),
    Hop("report/recording/write.py", "a page; cli/detect_formats.py: text, JSON or CSV"),
)

STUDY = (
    Hop("cli/reproduce.py", "reads the settings", "Study, StudyData"),
    Hop("studies/study_folder.py", "starts the study, or resumes the same study", "study.json"),
    Hop("studies/inputs.py", "recordings become windows, divided by patient", "a RRWindowSet"),
    Hop("studies/paper_study.py", "systems x divisions x seeds", "a Job for each run"),
    Hop("studies/scheduler.py", "a fleet on a GPU, or processes on CPU cores", "a Job"),
    Hop("training/trainer.py", "trains the encoder; studies/run.py stores it", "a RunFolder"),
    Hop("evaluation/probe.py", "a probe on the frozen encoder, for unseen patients", "Predictions"),
    Hop("studies/outcomes.py", "puts folds and seeds together", "Outcomes"),
    Hop("studies/claims/check.py", "tests each claim of the paper over patients", "Claims"),
    Hop("report/study/write.py", "tables, figures and one page"),
)


def drawn(hops: tuple[Hop, ...], title: str) -> str:
    """An SVG: one box per hop, one arrow between two hops."""
    height = len(hops) * (BOX + GAP) - GAP + 2 * LEFT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        f"<title>{escape(title)}</title><style>{STYLE}</style>",
    ]
    middle = WIDTH // 2
    for at, hop in enumerate(hops):
        top = LEFT + at * (BOX + GAP)
        parts += [
            f'<rect x="{LEFT}" y="{top}" width="{WIDTH - 2 * LEFT}" height="{BOX}" rx="6"/>',
            f'<text class="file" x="{LEFT + 14}" y="{top + 22}">{escape(hop.file)}</text>',
            f'<text x="{LEFT + 14}" y="{top + 43}">{escape(hop.does)}</text>',
        ]
        if hop.hands:
            start, end = top + BOX, top + BOX + GAP
            parts += [
                f'<path d="M{middle} {start}V{end}M{middle - 5} {end - 8}L{middle} {end}'
                f'L{middle + 5} {end - 8}"/>',
                f'<text class="hands" x="{middle + 14}" y="{start + 27}">{hop.hands}</text>',
            ]
    return "\n".join([*parts, "</svg>\n"])


def main() -> None:
    """Draw both into docs/assets."""
    for name, hops, title in (
        ("walk-recording", RECORDING, "The walk of a recording through the detector"),
        ("walk-study", STUDY, "The walk of a study from recordings to a report"),
    ):
        target = ROOT / "docs" / "assets" / f"{name}.svg"
        target.write_text(drawn(hops, title), "utf-8")
        print(target.relative_to(ROOT))


if __name__ == "__main__":
    main()
