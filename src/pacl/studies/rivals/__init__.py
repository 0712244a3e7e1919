"""Comparing all systems by one protocol."""

from pacl.rivals.registry import SYSTEMS
from pacl.studies.rivals.make import compare_systems, run_rivals
from pacl.studies.rivals.protocol import RivalsProtocol

__all__ = ["SYSTEMS", "RivalsProtocol", "compare_systems", "run_rivals"]
