"""Every system under one protocol."""

from pacl.rivals.registry import SYSTEMS
from pacl.studies.rivals.make import run_rivals
from pacl.studies.rivals.protocol import RivalsProtocol

__all__ = ["SYSTEMS", "RivalsProtocol", "run_rivals"]
