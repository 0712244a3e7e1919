"""Write annotation files in MIT format, so that tests know what a reader has to find."""

import struct

CODES = {
    symbol: code
    for code, symbol in enumerate(' NLRaVFJASEj/Q~ | sT*D"=pB^t+u?![]en@xf()r')
    if symbol != " "
}


def word(code: int, value: int) -> bytes:
    return struct.pack("<H", code << 10 | value & 1023)


def annotation(step: int, symbol: str, aux: str = "", sub: int | None = None) -> bytes:
    """One annotation `step` samples after the one before."""
    skip = b""
    if not 0 <= step < 1024:
        skip = word(59, 0) + struct.pack("<HH", (step >> 16) & 0xFFFF, step & 0xFFFF)
        step = 0
    out = skip + word(CODES[symbol], step)
    if sub is not None:
        out += word(61, sub & 255)
    if aux:
        text = aux.encode("latin-1")
        out += word(63, len(text)) + text + b"\0" * (len(text) % 2)
    return out


def annotation_file(marks: list[tuple[int, str, str]], fs: float | None = None) -> bytes:
    """A whole file from (sample, symbol, aux), in time order."""
    out, last = b"", 0
    if fs is not None:
        out += annotation(0, '"', f"## time resolution: {fs:g}")
    for sample, symbol, aux in marks:
        out += annotation(sample - last, symbol, aux)
        last = sample
    return out + b"\0\0"
