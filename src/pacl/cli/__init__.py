"""The `pacl` command: one file a command, each parses, calls one function and prints."""

from pacl.cli.app import main

__all__ = ["main"]
