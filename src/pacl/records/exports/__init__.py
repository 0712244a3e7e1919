"""Exports of watches and apps that are not plain text: FIT, Apple Health, JSON, zip."""

from pacl.records.exports.formats import EXPORT_ENDINGS, FORMATS, recognise_export
from pacl.records.exports.reader import ExportReader
from pacl.records.exports.recording import Contents, Recording
from pacl.records.exports.source import HEAD_BYTES, Advance, ExportFormat, Source

__all__ = [
    "EXPORT_ENDINGS",
    "FORMATS",
    "HEAD_BYTES",
    "Advance",
    "Contents",
    "ExportFormat",
    "ExportReader",
    "Recording",
    "Source",
    "recognise_export",
]
