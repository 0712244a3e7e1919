"""Sound exports of straps and apps, and how each is opened, for `mutation_run`."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from pacl.records import Overview, TextReader
from pacl.records.kinds import describe_content
from support.mutation_target import Target

_RR = [780 + 13 * (beat % 9) for beat in range(40)]
_AT_S = [0.4 + 0.8 * beat + 0.013 * (beat % 9) for beat in range(40)]

_TEXTS = {
    "packets.txt": "Phone timestamp;RR-interval [ms]\n"
    + "".join(f"2026-04-01T09:00:{1.6 * (n // 2):06.3f};{rr}\n" for n, rr in enumerate(_RR)),
    "lists.csv": "time,hr,rr\n"
    + "".join(f'{1.6 * beat:.1f},74,"[{rr}, {rr + 20}]"\n' for beat, rr in enumerate(_RR)),
    "columns.csv": "time;hr;RR1 [ms];RR2 [ms]\n"
    + "".join(f"{0.8 * beat:.1f};74;{rr};\n" for beat, rr in enumerate(_RR)),
    "beats.csv": "beat_time,rhythm,artifact\n"
    + "".join(f"{at:.3f},{'(AFIB' if at > 9 else 'N'},0\n" for at in _AT_S),
    "peaks.csv": "systolic_peak_timestamp\n"
    + "".join(f"{1775034000000000000 + int(at * 1e9)}\n" for at in _AT_S),
    "samples.csv": "R-peak sample (250 Hz)\n" + "".join(f"{int(250 * at)}\n" for at in _AT_S),
    "iso.csv": "beat\n" + "".join(f"2026-04-01T09:00:{at:06.3f}\n" for at in _AT_S),
    "rdann.txt": "    0:00.050       18     +    0    0    0\t(N\n"
    + "".join(f"    0:{at:06.3f}  {int(360 * at):7}     N    0    0    0\n" for at in _AT_S),
    "fit.csv": "Type,Local Number,Message,Field 1,Value 1,Units 1\n"
    + "".join(
        f'Data,0,record,timestamp,"{1000000000 + beat}",s\nData,8,hrv,time,"{rr / 1000}|65.535",s\n'
        for beat, rr in enumerate(_RR)
    ),
    "nrf.log": "".join(
        f'A\t09:00:{beat:02}.2\t"Heart Rate Measurement: 74 bpm,RR Interval: {rr:.2f} ms" sent\n'
        for beat, rr in enumerate(_RR)
    ),
    "ibi.csv": "1775034000.0, IBI\n"
    + "".join(f"{at + 9 * (at > 20):.6f},0.8{beat % 9}\n" for beat, at in enumerate(_AT_S)),
    "firstbeat.txt": "Firstbeat\nStart time: 01.04.2026 09:00:00\nSubject: 7\n\nRRVector\n"
    + "".join(f"{rr}\n" for rr in _RR),
}
_OTHERS = {
    "a.pdf": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + bytes(range(256)),
    "a.xml": b'<?xml version="1.0"?>\n<AnnotatedECG xmlns="urn:hl7-org:v3">\n</AnnotatedECG>\n',
    "a.json": json.dumps({"data": [{"rr": 812, "at": "2026-04-01"}] * 9}).encode(),
    "a.zip": b"PK\x03\x04" + bytes(26) + b"[Content_Types].xml" + bytes(90),
    "a.scp": b"\x12\x34\x00\x01\0\0\x77\x12" + bytes(120),
    "a.edf": b"0       ".ljust(168) + b"01.04.2609.00.00768     ",
    "a.eml": b"From: a@b.c\nSubject: my ECG\n\nhello\n",
}


def _text(name: str) -> Callable[[Path], Sequence[Path]]:
    def write(folder: Path) -> Sequence[Path]:
        (folder / name).write_text(_TEXTS[name])
        return [folder / name]

    return write


def _read(name: str) -> Callable[[Path], None]:
    def read(folder: Path) -> None:
        reader = TextReader(folder / name)
        for record_id in reader.record_ids:
            Overview.of(reader.read(record_id))

    return read


def _others(folder: Path) -> Sequence[Path]:
    for name, content in _OTHERS.items():
        (folder / name).write_bytes(content)
    return sorted(folder.iterdir())


def _describe(folder: Path) -> None:
    for path in sorted(folder.iterdir()):
        describe_content(path.read_bytes(), path.name)


TEXT_EXPORT_TARGETS = (
    *(Target(f"records/export-{name}", _text(name), _read(name)) for name in _TEXTS),
    Target("records/kinds", _others, _describe),
)
