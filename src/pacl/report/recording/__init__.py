"""The page of one recording: the detected AF in charts to look into, numbers and tables."""

from pacl.report.recording.ecg_samples import ecg_values, packed_minute
from pacl.report.recording.recording_view import RecordingView, recording_view
from pacl.report.recording.write import (
    about_page,
    live_recording_page,
    recording_assets,
    sheet_page,
    write_recording_page,
)

__all__ = [
    "RecordingView",
    "about_page",
    "ecg_values",
    "live_recording_page",
    "packed_minute",
    "recording_assets",
    "recording_view",
    "sheet_page",
    "write_recording_page",
]
