"""The page of one recording: what was found in it, as numbers, figures and tables."""

from pacl.report.night.annotated import AnnotatedPicture, compute_annotated, draw_annotated
from pacl.report.night.hours import HourBars, compute_hours, draw_hours
from pacl.report.night.neighbours import (
    Neighbours,
    NeighboursPicture,
    compute_neighbours,
    draw_neighbours,
)
from pacl.report.night.poincare import Cloud, PoincarePicture, compute_poincare, draw_poincare
from pacl.report.night.probability import ProbabilityPicture, compute_probability, draw_probability
from pacl.report.night.tachogram import NightTachogram, compute_night, draw_night
from pacl.report.night.write import write_night

__all__ = [
    "AnnotatedPicture",
    "Cloud",
    "HourBars",
    "Neighbours",
    "NeighboursPicture",
    "NightTachogram",
    "PoincarePicture",
    "ProbabilityPicture",
    "compute_annotated",
    "compute_hours",
    "compute_neighbours",
    "compute_night",
    "compute_poincare",
    "compute_probability",
    "draw_annotated",
    "draw_hours",
    "draw_neighbours",
    "draw_night",
    "draw_poincare",
    "draw_probability",
    "write_night",
]
