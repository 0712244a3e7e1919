"""What people look at: pages, tables and figures, each computed as plain data, then shown."""

from pacl.report.cards import cohort_source, write_beat_card, write_card
from pacl.report.ecg_picture import EcgPicture, compute_ecg_picture
from pacl.report.ecg_picture_drawing import draw_ecg_picture
from pacl.report.recording_picture import RecordingPicture, compute_recording_picture
from pacl.report.recording_picture_drawing import draw_recording_picture
from pacl.report.tuning import compute_history, draw_history, draw_importances

__all__ = [
    "EcgPicture",
    "RecordingPicture",
    "cohort_source",
    "compute_ecg_picture",
    "compute_history",
    "compute_recording_picture",
    "draw_ecg_picture",
    "draw_history",
    "draw_importances",
    "draw_recording_picture",
    "write_beat_card",
    "write_card",
]
