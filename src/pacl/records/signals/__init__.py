"""ECG signals on disk: WFDB, EDF and text."""

from pacl.records.signals.edf_ecg import read_edf_ecg
from pacl.records.signals.edf_header import looks_like_edf
from pacl.records.signals.leads import choose_leads
from pacl.records.signals.text_ecg import read_text_ecg
from pacl.records.signals.text_head import EcgHead, read_ecg_head
from pacl.records.signals.text_recognition import looks_like_ecg_text
from pacl.records.signals.wfdb_ecg import read_wfdb_ecg, wfdb_ecg_files
from pacl.records.signals.wfdb_header import WfdbHeader, parse_wfdb_header

__all__ = [
    "EcgHead",
    "WfdbHeader",
    "choose_leads",
    "looks_like_ecg_text",
    "looks_like_edf",
    "parse_wfdb_header",
    "read_ecg_head",
    "read_edf_ecg",
    "read_text_ecg",
    "read_wfdb_ecg",
    "wfdb_ecg_files",
]
