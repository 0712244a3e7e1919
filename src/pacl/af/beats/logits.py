"""Logits of all beats of a line, in chunks."""

import torch
from torch.nn.functional import pad

from pacl.af.beats.line import BeatLine
from pacl.af.networks import PerBeatNetwork
from pacl.axes import Array, Float32
from pacl.rr import USUAL_MS

CHUNK = 16_384
TOGETHER = 16


@torch.no_grad()
def beat_logits(
    network: PerBeatNetwork, line: BeatLine, *, chunk: int = CHUNK
) -> Float32[Array, "beat"]:
    """Logits of all beats of a line, also of absent ones, in chunks."""
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
