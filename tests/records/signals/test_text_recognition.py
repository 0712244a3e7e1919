"""An ECG in text is told from RR intervals."""

import ast
from pathlib import Path

import numpy as np
import pytest

from pacl.records.signals import looks_like_ecg_text

HERE = Path(__file__).parent
WAVE = [round(float(np.sin(at / 9)), 3) for at in range(400)]


def rr_texts() -> list[str]:
    """Every string of several lines in the tests of RR text, f-strings left out."""
    found = []
    for path in (
        *HERE.parent.glob("test_text*.py"),
        HERE.parents[1] / "support/mutation_records.py",
    ):
        tree = ast.parse(path.read_text("utf-8"))
        found += [
            node.value if isinstance(node.value, str) else node.value.decode("latin-1")
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
        ]
    return [text for text in found if "\n" in text and "ecg" not in text.partition("\n")[0]]


def test_no_rr_file_is_taken_for_an_ecg():
    texts = rr_texts()
    assert len(texts) > 150
    taken = [
        text for text in texts for more in (1, 30) if looks_like_ecg_text(text.encode() * more)
    ]
    assert taken == []


@pytest.mark.parametrize("unit", [1, 0.001])
def test_no_made_rr_file_is_taken_for_an_ecg(unit):
    rr = np.random.default_rng(0).normal(800, 90, 500).round() * unit
    times = np.cumsum(rr)
    for head, rows in (
        ("", [f"{one:g}" for one in rr]),
        ("", [f"{at},{one:g}" for at, one in enumerate(rr)]),
        ("", [f"{at:g} {one:g}" for at, one in zip(times, rr, strict=True)]),
        ("", [f"{at / 60 / unit / 1000:.4f};{one:g}" for at, one in zip(times, rr, strict=True)]),
        ("time,rr\n", [f"{at:g},{one:g}" for at, one in zip(times, rr, strict=True)]),
        ("# from ECG at 250 Hz\n", [f"{one:g}" for one in rr]),
        ("V1,V2,RR [ms]\n", [f"1,2,{one:g}" for one in rr]),
        ("ECG,RR [ms]\n", [f"1,{one:g}" for one in rr]),
    ):
        assert not looks_like_ecg_text((head + "\n".join(rows)).encode()), (head, rows[:3])


@pytest.mark.parametrize(
    "text",
    [
        "Name,A\nSample Rate,512 hertz\n\nLead,Lead I\nUnit,µV\n\n"
        + "".join(f"{v}\n" for v in WAVE),
        "Phone timestamp;sensor timestamp [ns];timestamp [ms];ecg [uV]\n"
        + "".join(
            f"2026-04-24T14:10:15.270;{at * 7692307};{at * 7.69};{at % 9}\n" for at in range(99)
        ),
        "time,ECG\n" + "".join(f"{at / 250},{v}\n" for at, v in enumerate(WAVE)),
        "I,II,V1\n" + "".join(f"{v},{v},{v}\n" for v in WAVE),
        "voltage\n" + "".join(f"{v}\n" for v in WAVE),
        "timestamp,sample\n" + "".join(f"{8 * at},{round(999 * v)}\n" for at, v in enumerate(WAVE)),
        "".join(f"{v}\n" for v in WAVE),
        "".join(f"{at / 250:.3f} {v}\n" for at, v in enumerate(WAVE)),
    ],
    ids=["apple", "polar", "named", "leads", "voltage", "movesense", "one column", "two columns"],
)
def test_ecg_is_recognised(text):
    assert looks_like_ecg_text(text.encode())
    assert looks_like_ecg_text(text.replace("\n", "\r\n").encode("utf-16"))


@pytest.mark.parametrize(
    "head", [b"", b"\0" * 500, b"\xff\xfe", bytes(range(256)) * 9, b"a,b\n" * 99]
)
def test_anything_else_is_not(head):
    assert not looks_like_ecg_text(head)
