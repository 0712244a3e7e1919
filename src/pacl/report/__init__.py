"""What people look at: pages, tables and figures, each computed as plain data, then shown."""

from pacl.report.recording_picture import RecordingPicture, compute_recording_picture
from pacl.report.recording_picture_drawing import draw_recording_picture

__all__ = ["RecordingPicture", "compute_recording_picture", "draw_recording_picture"]
