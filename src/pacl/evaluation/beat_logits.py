"""The logit of every beat of many recordings, and the AF that follows from it."""

import numpy as np
import torch
from torch.nn.functional import pad

from pacl.axes import Array, Bool, Float32
from pacl.detect.judged_steps import runs
from pacl.models.beat_network import USUAL_MS
from pacl.models.per_beat import PerBeatNetwork
from pacl.training.beats import BeatLine

CHUNK = 16_384
TOGETHER = 16


@torch.no_grad()
def beat_logits(
    network: PerBeatNetwork, line: BeatLine, *, chunk: int = CHUNK
) -> Float32[Array, "beat"]:
    """Of every beat of a line, absent ones too, some thousands at a time."""
    beats = line.rr_ms.numel()
    chunks = -(-beats // chunk)
    around = (network.behind, network.ahead + chunks * chunk - beats)
    width = network.behind + chunk + network.ahead
    rr_ms = pad(line.rr_ms, around, value=USUAL_MS).unfold(0, width, chunk)
    present = pad(line.present, around, value=False).unfold(0, width, chunk)
    found = [
        network(rr_ms[at : at + TOGETHER], present[at : at + TOGETHER]).float().cpu()
        for at in range(0, chunks, TOGETHER)
    ]
    logits: Float32[Array, "beat"] = torch.cat(found).reshape(-1)[:beats].numpy()
    return logits


def called_af(
    logits: Float32[Array, "beat"],
    present: Bool[Array, "beat"],
    *,
    evidence: float = 0.0,
    least_beats: int = 5,
) -> Bool[Array, "beat"]:
    """Beats in AF: runs of positive logits, long and sure enough.

    Interruptions of fewer than `least_beats` are bridged. Then a run counts if it has as many
    beats, and if its logits add up to `evidence`.
    """
    positive = (logits > 0) & present
    lows, highs = _runs(~positive & present)
    inside = (lows > 0) & (highs < logits.size) & (highs - lows < least_beats)
    lows, highs = lows[inside], highs[inside]
    bridged = positive[lows - 1] & positive[highs]
    positive |= _painted(logits.size, lows[bridged], highs[bridged])
    lows, highs = _runs(positive)
    total = np.append(0.0, np.cumsum(np.where(present, logits, 0.0), dtype=np.float64))
    kept = (highs - lows >= least_beats) & (total[highs] - total[lows] >= evidence)
    return _painted(logits.size, lows[kept], highs[kept])


def _runs(mask: Bool[Array, "beat"]) -> tuple[Array, Array]:
    """First and one past the last beat of each stretch where a mask holds."""
    found = np.array(list(runs(mask)), dtype=np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def _painted(size: int, lows: Array, highs: Array) -> Bool[Array, "beat"]:
    """A mask that holds in stretches which do not overlap."""
    steps = np.zeros(size + 1, np.int8)
    steps[lows] = 1
    steps[highs] = -1
    mask: Bool[Array, "beat"] = np.cumsum(steps[:-1], dtype=np.int8) > 0
    return mask
