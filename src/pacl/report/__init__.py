"""What a person looks at: figures computed as plain data, then drawn."""

from pacl.report.tachogram import Tachogram, compute_tachogram
from pacl.report.tachogram_drawing import draw_tachogram

__all__ = ["Tachogram", "compute_tachogram", "draw_tachogram"]
