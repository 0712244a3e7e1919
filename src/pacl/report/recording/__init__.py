"""The page of one recording: the detected AF as numbers, figures and tables."""

from pacl.report.recording.write import write_recording_page

__all__ = ["write_recording_page"]
