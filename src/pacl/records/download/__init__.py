"""Public data sets, fetched from where their authors keep them."""

from pacl.records.download.datasets import Dataset, DownloadSummary, download
from pacl.records.download.fetch import DownloadError

__all__ = ["Dataset", "DownloadError", "DownloadSummary", "download"]
