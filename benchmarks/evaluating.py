"""Embedding, probe and geometry, each beside the straightforward way."""

from functools import cache

import numpy as np
from measure import Row, cost

EMBEDDED, FITTED, MEASURED, PATIENTS, FEATURES = 1000, 20_000, 50_000, 80, 128


def rows() -> list[Row]:
    """What an evaluation consists of."""
    return [
        Row(
            what="embed windows",
            amount=f"{EMBEDDED:,}",
            ours=cost(embed_together),
            peer_name="a window at a time",
            peer=cost(embed_singly, repeat=1),
            floor_name="their multiplications in one product",
            floor=cost(embed_floor),
        ),
        Row(
            what="fit the probe",
            amount=f"{FITTED:,} windows",
            ours=cost(fit),
            peer_name="lbfgs, as near the optimum as it gets",
            peer=cost(fit_lbfgs, repeat=2),
            floor_name="one product of the features with themselves",
            floor=cost(fit_floor),
        ),
        Row(
            what="measure the geometry",
            amount=f"{MEASURED:,} windows of {PATIENTS} patients",
            ours=cost(geometry),
            peer_name="a loop over patients",
            peer=cost(geometry_loop),
            floor_name="converting and summing once",
            floor=cost(geometry_floor),
        ),
    ]


@cache
def _windows() -> object:
    import torch

    return torch.randn(EMBEDDED, 200, generator=torch.Generator().manual_seed(0))


@cache
def _encoder() -> object:
    from pacl import Encoder

    return Encoder().eval()


def embed_together() -> None:
    """Ours: in batches."""
    import torch

    with torch.inference_mode():
        _encoder()(_windows())


def embed_singly() -> None:
    """The peer."""
    import torch

    with torch.inference_mode():
        for window in _windows():
            _encoder()(window[None])


def embed_floor() -> None:
    """4.32 MFLOP a window."""
    import torch

    side = 1024
    torch.mm(_square(side), torch.ones(side, round(4.32e6 * EMBEDDED / (2 * side**2))))


@cache
def _square(side: int) -> object:
    import torch

    return torch.ones(side, side)


@cache
def _embedded(windows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    generator = np.random.default_rng(0)
    labels = generator.integers(0, 2, windows)
    patients = generator.integers(0, PATIENTS, windows)
    found = generator.normal(size=(windows, FEATURES)) + labels[:, None] * 0.35
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    return found.astype(np.float32), labels, patients


def fit() -> None:
    """Ours."""
    from pacl.evaluation import fit_probe

    fit_probe(*_embedded(FITTED)[:2])


def fit_lbfgs() -> None:
    """The peer: scikit-learn's default solver with a tolerance that reaches the optimum."""
    from sklearn.linear_model import LogisticRegression

    found, labels, _ = _embedded(FITTED)
    LogisticRegression(max_iter=5000, tol=1e-8).fit(found.astype(np.float64), labels)


def fit_floor() -> None:
    """The second derivatives, once."""
    found = _embedded(FITTED)[0].astype(np.float64)
    found.T @ found


def geometry() -> None:
    """Ours: Eqs. 6-10 for all patients."""
    from pacl.evaluation import measure_geometry

    measure_geometry(*_embedded(MEASURED))


def geometry_loop() -> None:
    """The peer: the equations, patient by patient."""
    found, labels, patients = _embedded(MEASURED)
    z = found.astype(np.float64)
    for rows in [labels == label for label in (0, 1)]:
        mean = z[rows].mean(axis=0)
        np.linalg.norm(z[rows] - mean, axis=1).mean()
    for patient in range(PATIENTS):
        for label in (0, 1):
            own = z[(patients == patient) & (labels == label)]
            mean = own.mean(axis=0)
            (own @ (mean / np.linalg.norm(mean))).mean()
            np.linalg.norm(own - mean, axis=1).mean()


def geometry_floor() -> None:
    """The least that touches every value."""
    _embedded(MEASURED)[0].astype(np.float64).sum(axis=0)
