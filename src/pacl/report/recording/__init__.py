"""The page of one recording: what was found in it, as numbers, figures and tables."""

from pacl.report.recording.annotations import AnnotatedPicture, compute_annotated, draw_annotated
from pacl.report.recording.hours import HourBars, compute_hours, draw_hours
from pacl.report.recording.neighbours import (
    Neighbours,
    NeighboursPicture,
    compute_neighbours,
    draw_neighbours,
)
from pacl.report.recording.poincare import Cloud, PoincarePicture, compute_poincare, draw_poincare
from pacl.report.recording.probability import (
    ProbabilityPicture,
    compute_probability,
    draw_probability,
)
from pacl.report.recording.tachogram import RecordingTachogram, compute_tachogram, draw_tachogram
from pacl.report.recording.write import write_recording_page

__all__ = [
    "AnnotatedPicture",
    "Cloud",
    "HourBars",
    "Neighbours",
    "NeighboursPicture",
    "PoincarePicture",
    "ProbabilityPicture",
    "RecordingTachogram",
    "compute_annotated",
    "compute_hours",
    "compute_neighbours",
    "compute_poincare",
    "compute_probability",
    "compute_tachogram",
    "draw_annotated",
    "draw_hours",
    "draw_neighbours",
    "draw_poincare",
    "draw_probability",
    "draw_tachogram",
    "write_recording_page",
]
