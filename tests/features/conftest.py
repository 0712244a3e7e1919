"""Windows whose features were once measured with NeuroKit2."""

import json
from pathlib import Path

import numpy as np
import pytest

from pacl.axes import Array, Float64

SEED = 2026


def made_windows(beats: int) -> Float64[Array, "window beat"]:
    """Breathing, AF, breathing as a recorder of 8 ms steps writes it, alternating beats."""
    generator = np.random.default_rng(SEED)
    at, noise = np.arange(200), generator.standard_normal((4, 200))
    windows = np.stack(
        [
            800 + 40 * np.sin(at / 4) + 20 * np.sin(at / 15) + 5 * noise[0],
            np.clip(600 + 120 * noise[1], 300, 1500),
            8 * np.round((1000 + 80 * np.sin(at / 5) + 10 * noise[2]) / 8),
            np.where(at % 2, 500, 520) + 3 * noise[3],
        ]
    )
    return windows[:, :beats].copy()


@pytest.fixture(params=[200, 100])
def frozen(request):
    """Windows, and a dictionary of the features that NeuroKit2 finds in each."""
    kept = json.loads(Path(__file__).with_name("neurokit2.json").read_text())
    assert kept["version"] == "0.2.13"
    return made_windows(request.param), kept[f"{request.param} beats"]


@pytest.fixture
def windows():
    return made_windows(200)


@pytest.fixture
def many():
    """Three hundred windows of all sorts, in steps of 1 ms, equal beats among them."""
    generator = np.random.default_rng(7)
    centre = generator.uniform(400, 1200, (300, 1))
    spread = centre * generator.choice([0.0, 0.005, 0.05, 0.2], (300, 1))
    rr_ms = centre + spread * generator.standard_normal((300, 60))
    return np.round(np.clip(rr_ms, 250, 2000))
