"""What a C file takes of a microcontroller."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CFile:
    """What a C file takes.

    Parameters
    ----------
    parameters
        Numbers that were learned and are in the file.
    macs
        Multiply-adds for one logit, at most: those with zeros are counted, and left out when it
        runs.
    flash_bytes
        Of the weights, without the code.
    ram_bytes
        Of the struct that holds a stream and its working memory.
    """

    parameters: int
    macs: int
    flash_bytes: int
    ram_bytes: int
