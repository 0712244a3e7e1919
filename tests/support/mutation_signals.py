"""Sound ECG files of every kind, and how each is opened, for `mutation_run`."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from pacl.records.signals import (
    looks_like_ecg_text,
    looks_like_edf,
    read_edf_ecg,
    read_text_ecg,
    read_wfdb_ecg,
)
from support.mutation_target import Target

_WAVE = np.round(900 * np.sin(np.arange(240) / 9)).astype(np.int64)
_TEXTS = {
    "apple.csv": "Name,A\nRecorded Date,2020-02-05 09:14:40 -0400\nClassification,Sinus Rhythm\n"
    'Device,"Watch5,4"\nSample Rate,"512,8 hertz"\n\nLead,Lead I\nUnit,µV\n\n'
    + "".join(f"{one},5\n" for one in _WAVE),
    "polar.txt": "Phone timestamp;sensor timestamp [ns];timestamp [ms];ecg [uV]\n"
    + "".join(
        f"2026-04-24T14:10:{at // 60:02}.000;{6 * 10**17 + at * 7692307};{at * 7.69};{one}\n"
        for at, one in enumerate(_WAVE)
    ),
    "phone.csv": "datetime,ECG (mV)\n"
    + "".join(f"2026-04-24T14:10:{at / 25:06.3f},{one}\n" for at, one in enumerate(_WAVE)),
    "leads.csv": "time,I,II\n"
    + "".join(f"{at / 250:.3f},{one / 900:.3f},nan\n" for at, one in enumerate(_WAVE)),
    "plain.txt": "# fs: 250 Hz\n" + "".join(f"{one}\n" for one in _WAVE),
}


def _text(name: str) -> tuple[Callable[[Path], Sequence[Path]], Callable[[Path], None]]:
    def write(folder: Path) -> Sequence[Path]:
        (folder / name).write_text(_TEXTS[name])
        return [folder / name]

    def open_it(folder: Path) -> None:
        looks_like_ecg_text((folder / name).read_bytes())
        read_text_ecg(folder / name)

    return write, open_it


def _wfdb(folder: Path) -> Sequence[Path]:
    numbers = np.tile(_WAVE, 2).astype("<i2").tobytes()
    (folder / "x.dat").write_bytes(numbers)
    (folder / "x.two").write_bytes(numbers[:720])
    (folder / "x.hea").write_text(
        "x 3 250/1(0) 240 9:30:00 31/01/2003\nx.dat 16 200(3)/mV 12 0 0 0 0 I\n"
        "x.dat 16:2 200 12 0 0 0 0 II\nx.two 212x2+0 1e2/uV 12 5 0 0 0 V1\n"
    )
    return [folder / "x.hea", folder / "x.dat"]


def _segments(folder: Path) -> Sequence[Path]:
    (folder / "m.hea").write_text("m/4 2 250 540\nm_0 0\nm_1 240\n~ 60\nm_2 240\n")
    (folder / "m_0.hea").write_text("m_0 2 250 0\n~ 0 200 12 0 0 0 0 I\n~ 0 200 12 0 0 0 0 V\n")
    for number, form, size in ((1, "310", 320), (2, "24", 720)):
        (folder / f"m_{number}.hea").write_text(
            f"m_{number} 1 250 240\nm_{number}.dat {form} 200 12 0 0 0 0 {'IV'[number - 1]}\n"
        )
        content = np.random.default_rng(number).integers(0, 256, size, dtype=np.uint8)
        (folder / f"m_{number}.dat").write_bytes(content.tobytes())
    return [folder / name for name in ("m.hea", "m_0.hea", "m_1.hea", "m_2.dat")]


def edf_bytes(kind: str, signals: Sequence[tuple[str, str, int]], records: int) -> bytes:
    """A file of one-second records; the first annotation of each says when it begins."""
    names, units, counts = zip(*signals, strict=True)
    fields = [
        *((16, name) for name in names),
        *((80, "") for _ in names),
        *((8, unit) for unit in units),
        *((8, "-2") for _ in names),
        *((8, "2") for _ in names),
        *((8, "-2048") for _ in names),
        *((8, "2047") for _ in names),
        *((80, "") for _ in names),
        *((8, str(count)) for count in counts),
        *((32, "") for _ in names),
    ]
    head = "0".ljust(8) + " " * 80 + "Startdate 02-MAR-2026 X X X".ljust(80) + "02.03.2621.30.05"
    head += f"{256 * (1 + len(names)):<8}{kind:<44}{records:<8}{'1':<8}{len(names):<4}"
    content = (head + "".join(text.ljust(width) for width, text in fields)).encode("latin-1")
    for record in range(records):
        for name, count in zip(names, counts, strict=True):
            if name == "EDF Annotations":
                onset = record + (30 if record > 2 else 0)
                content += f"+{onset}\x14\x14\0".encode().ljust(2 * count, b"\0")
            else:
                content += np.resize(_WAVE, count).astype("<i2").tobytes()
    return content


def _edf(folder: Path) -> Sequence[Path]:
    signals = [("ECG I", "mV", 100), ("RESP", "V", 10), ("EDF Annotations", "", 20)]
    (folder / "x.edf").write_bytes(edf_bytes("EDF+D", signals, 5))
    return [folder / "x.edf"]


def _open_edf(folder: Path) -> None:
    looks_like_edf((folder / "x.edf").read_bytes())
    read_edf_ecg(folder / "x.edf")


SIGNAL_TARGETS = (
    Target("signals/wfdb", _wfdb, lambda folder: read_wfdb_ecg(folder / "x")),
    Target("signals/segments", _segments, lambda folder: read_wfdb_ecg(folder / "m")),
    Target("signals/edf", _edf, _open_edf),
    *(Target(f"signals/text-{name}", *_text(name)) for name in _TEXTS),
)
