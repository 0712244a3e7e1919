"""The released weights: our encoder against the released architecture written out again."""

import pickle
import zipfile
from collections import OrderedDict
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn import functional

from pacl.models import Encoder, WeightsError
from pacl.models.released import read_released
from pacl.records import open_records
from pacl.records.simulate import simulate_cohort

NAME = "released-checkpoint.pth"
State = dict[str, torch.Tensor]


def load(path: Path) -> State:
    return torch.load(path, map_location="cpu", weights_only=True)


# ----------------------------------------------- the released architecture, from its description


def released(state: State, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """z-hat and e-hat of windows (window, beat), straight from the released names."""

    def layer(name: str) -> tuple[torch.Tensor, torch.Tensor]:
        return state[f"{name}.weight"], state[f"{name}.bias"]

    branches = []
    for branch, k in ((1, 3), (2, 5), (3, 7)):
        h = x[:, None, :]
        for convolution in (0, 3, 6):
            name = f"encoder.branch{branch}.{convolution}"
            h = functional.conv1d(h, *layer(name), stride=2, padding=k // 2)
            h = functional.group_norm(h, 8, *layer(f"encoder.branch{branch}.{convolution + 1}"))
            h = functional.relu(h)
        branches.append(h)
    h = functional.conv1d(torch.cat(branches, 1), *layer("encoder.channel_mix.0"))
    h = functional.relu(functional.group_norm(h, 8, *layer("encoder.channel_mix.1")))
    score = functional.conv1d(h, *layer("encoder.attention_pool.attention_conv.0"))
    pooled = (h * functional.softmax(score, dim=-1)).sum(dim=-1)
    z = functional.linear(pooled, *layer("encoder.proj.0"))
    e = functional.relu(functional.linear(z, *layer("projection.0")))
    e = functional.linear(e, *layer("projection.2"))
    return functional.normalize(z, dim=1), functional.normalize(e, dim=1)


def released_in_numpy(state: State, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same for one window (beat,), in float64 and without torch."""
    w = {name: value.numpy().astype(np.float64) for name, value in state.items()}

    def convolve(h: np.ndarray, name: str, stride: int, padding: int) -> np.ndarray:
        weight = w[f"{name}.weight"]
        h = np.pad(h, ((0, 0), (padding, padding)))
        starts = range(0, h.shape[1] - weight.shape[2] + 1, stride)
        columns = [
            np.tensordot(weight, h[:, t : t + weight.shape[2]], axes=([1, 2], [0, 1]))
            for t in starts
        ]
        return np.stack(columns, axis=1) + w[f"{name}.bias"][:, None]

    def norm_relu(h: np.ndarray, name: str) -> np.ndarray:
        groups = h.reshape(8, -1)
        centred = groups - groups.mean(axis=1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5)
        out = scaled.reshape(h.shape) * w[f"{name}.weight"][:, None] + w[f"{name}.bias"][:, None]
        return np.maximum(out, 0)

    def linear(v: np.ndarray, name: str) -> np.ndarray:
        return w[f"{name}.weight"] @ v + w[f"{name}.bias"]

    branches = []
    for branch in (1, 2, 3):
        h = x.astype(np.float64)[None]
        for at in (0, 3, 6):
            h = convolve(h, f"encoder.branch{branch}.{at}", 2, branch)  # 7 // 2 = 3, and so on
            h = norm_relu(h, f"encoder.branch{branch}.{at + 1}")
        branches.append(h)
    h = convolve(np.concatenate(branches), "encoder.channel_mix.0", 1, 0)
    h = norm_relu(h, "encoder.channel_mix.1")
    alpha = np.exp(convolve(h, "encoder.attention_pool.attention_conv.0", 1, 0)[0])
    z = linear(h @ (alpha / alpha.sum()), "encoder.proj.0")
    e = linear(np.maximum(linear(z, "projection.0"), 0), "projection.2")
    return z / np.linalg.norm(z), e / np.linalg.norm(e)


# --------------------------------------------------------------------------------------- windows


def scaled(rr_ms: np.ndarray, windows: int = 12, beats: int = 200) -> torch.Tensor:
    """Windows from all over a recording, by its median and interquartile range."""
    low, middle, high = np.percentile(rr_ms, [25, 50, 75])
    starts = np.linspace(0, len(rr_ms) - beats, windows).astype(int)
    cut = np.stack([rr_ms[start : start + beats] for start in starts])
    return torch.from_numpy(((cut - middle) / (high - low)).astype(np.float32))


def check(path: Path, x: torch.Tensor) -> None:
    state, out = load(path), Encoder.from_released(path)(x)
    z, e = released(state, x)
    torch.testing.assert_close(out.pooled, z, rtol=0, atol=1e-5)
    torch.testing.assert_close(out.projected, e, rtol=0, atol=1e-5)
    for row in (0, -1):
        z, e = released_in_numpy(state, x[row].numpy())
        np.testing.assert_allclose(out.pooled[row].detach(), z, rtol=0, atol=1e-5)
        np.testing.assert_allclose(out.projected[row].detach(), e, rtol=0, atol=1e-5)


@pytest.mark.reference
@pytest.mark.real
def test_real_windows(reference, data):
    reader = open_records(data / "afdb")
    check(reference / NAME, scaled(reader.read(reader.record_ids[1]).rr_ms))


@pytest.mark.reference
def test_simulated_windows(reference):
    made = next(iter(simulate_cohort(patients=1, seed=3)))
    check(reference / NAME, scaled(made.record.rr_ms))


@pytest.mark.reference
@pytest.mark.parametrize("beats", [32, 101, 200])
def test_random_windows(reference, beats):
    drawn = torch.randn(5, beats, generator=torch.Generator().manual_seed(beats))
    check(reference / NAME, drawn * 3)


@pytest.mark.parametrize("seed", [0, 1])
def test_any_weights_of_that_architecture(seed, tmp_path):
    # needs no released file: ours under the released names
    path = save(tmp_path, written(seed))
    check(path, torch.randn(3, 64, generator=torch.Generator().manual_seed(seed)))


# ------------------------------------------------------------------------------------- the file


def written(seed: int = 0) -> State:
    """A random state dict under the released names, in the shapes that findings.md gives."""
    drawn = torch.Generator().manual_seed(seed)
    shapes: dict[str, tuple[int, ...]] = {}
    for branch, k in ((1, 3), (2, 5), (3, 7)):
        for at, (before, after) in zip((0, 3, 6), ((1, 16), (16, 32), (32, 64)), strict=True):
            shapes[f"encoder.branch{branch}.{at}"] = (after, before, k)
            shapes[f"encoder.branch{branch}.{at + 1}"] = (after,)
    shapes |= {
        "encoder.channel_mix.0": (192, 192, 1),
        "encoder.channel_mix.1": (192,),
        "encoder.attention_pool.attention_conv.0": (1, 192, 1),
        "encoder.proj.0": (128, 192),
        "projection.0": (128, 128),
        "projection.2": (128, 128),
    }
    state = OrderedDict()
    for name, shape in shapes.items():
        fan_in = shape[1] * shape[-1] if len(shape) > 2 else shape[-1]
        weight = torch.randn(shape, generator=drawn)
        state[f"{name}.weight"] = 1 + 0.3 * weight if len(shape) == 1 else weight * fan_in**-0.5
        state[f"{name}.bias"] = 0.3 * torch.randn(shape[0], generator=drawn)
    return state


def save(folder: Path, what: object) -> Path:
    path = folder / "weights.pth"
    torch.save(what, path)
    return path


def refused(path: Path | str) -> str:
    with pytest.raises(WeightsError) as caught:
        Encoder.from_released(path)
    text = str(caught.value)
    assert text.startswith(f"{path}: ")
    assert "\n" not in text
    return text


@pytest.mark.reference
def test_the_description_is_that_of_the_file(reference):
    state = load(reference / NAME)
    assert {k: v.shape for k, v in state.items()} == {k: v.shape for k, v in written().items()}
    assert len(state) == 48
    assert sum(value.numel() for value in state.values()) == 135_009


@pytest.mark.reference
def test_saved_from_cuda_and_read_on_the_cpu(reference):
    with zipfile.ZipFile(reference / NAME) as archive:
        (pickled,) = [name for name in archive.namelist() if name.endswith("data.pkl")]
        assert b"cuda:0" in archive.read(pickled)
    encoder = Encoder.from_released(str(reference / NAME))
    assert {value.device.type for value in encoder.state_dict().values()} == {"cpu"}
    assert not encoder.training


def test_every_tensor_is_used_once(tmp_path):
    state = written()
    ours = read_released(save(tmp_path, state), Encoder().state_dict())
    assert set(ours) == set(Encoder().state_dict())
    for mine, theirs in zip(ours.values(), state.values(), strict=True):
        assert torch.equal(mine, theirs)
    loaded = Encoder.from_released(tmp_path / "weights.pth").state_dict()
    assert all(torch.equal(loaded[name], value) for name, value in ours.items())
    # each tensor matters: moving any one moves the embedding
    drawn = torch.Generator().manual_seed(1)
    x = torch.randn(2, 64, generator=torch.Generator().manual_seed(0))
    before = released(state, x)[1]
    for name in state:
        moved = dict(state)
        moved[name] = moved[name] + torch.randn(moved[name].shape, generator=drawn) / 3
        ours = Encoder.from_released(save(tmp_path, moved))(x).projected
        torch.testing.assert_close(ours, released(moved, x)[1], rtol=0, atol=1e-5)
        # but for the bias of a softmax
        if name != "encoder.attention_pool.attention_conv.0.bias":
            assert (ours - before).abs().max() > 1e-4, name


def test_a_missing_tensor(tmp_path):
    state = written()
    del state["encoder.proj.0.bias"]
    text = refused(save(tmp_path, state))
    assert "1 tensors" in text
    assert "to_pooled.bias" in text


@pytest.mark.parametrize("name", ["head.weight", "encoder.branch4.0.weight", "xprojection.0.bias"])
def test_a_tensor_without_a_place(tmp_path, name):
    state = written()
    state[name] = torch.zeros(3)
    assert name in refused(save(tmp_path, state))


def test_a_tensor_left_over(tmp_path):
    state = written()
    state["encoder.branch1.9.weight"] = torch.zeros(3)
    assert "branches.0.9.weight" in refused(save(tmp_path, state))


def test_another_shape(tmp_path):
    state = written()
    state["projection.2.weight"] = torch.zeros(64, 128)
    assert "project_out.weight" in refused(save(tmp_path, state))
    # a shape that would broadcast
    state = written()
    state["encoder.channel_mix.0.weight"] = torch.zeros(192, 192)
    assert "mix.0.weight" in refused(save(tmp_path, state))


@pytest.mark.parametrize(
    "what",
    [[1, 2], torch.zeros(3), {"epoch": 3, "weights": {}}, {3: torch.zeros(1)}, "weights"],
    ids=["list", "tensor", "training state", "numbered", "text"],
)
def test_not_a_state_dict(tmp_path, what):
    refused(save(tmp_path, what))


def test_an_empty_state_dict(tmp_path):
    assert "48 tensors" in refused(save(tmp_path, {}))


def test_no_such_file(tmp_path):
    assert "No such file" in refused(tmp_path / "nothing.pth")
    refused(tmp_path)


@pytest.mark.parametrize("legacy", [False, True], ids=["zip", "legacy"])
def test_truncated(tmp_path, legacy):
    path = tmp_path / "cut.pth"
    torch.save(written(), path, _use_new_zipfile_serialization=not legacy)
    Encoder.from_released(path)
    whole = path.read_bytes()
    for kept in (0, 1, 2, 10, 50, 100, 333, 1000, 3000, len(whole) // 2, len(whole) - 10):
        path.write_bytes(whole[:kept])
        assert "cannot be read" in refused(path)


def test_damaged(tmp_path):
    """A pickle in which bytes were changed raises whatever it likes; never past `WeightsError`."""
    path = tmp_path / "damaged.pth"
    torch.save(written(), path, _use_new_zipfile_serialization=False)
    whole = np.frombuffer(path.read_bytes()[:8000], dtype=np.uint8)
    drawn = np.random.default_rng(0)
    for _ in range(150):
        damaged = whole.copy()
        damaged[drawn.integers(0, 3000, 4)] = drawn.integers(0, 256, 4)
        path.write_bytes(damaged.tobytes())
        refused(path)


def test_other_files(tmp_path):
    path = tmp_path / "other.pth"
    for content in (b"rr_ms\n812\n", b"\x00" * 500, b"PK\x03\x04 not quite", b"{}"):
        path.write_bytes(content)
        assert "cannot be read" in refused(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "no weights here")
    assert "cannot be read" in refused(path)


class Payload:
    """Pickled, it asks whoever reads it to touch a file."""

    def __init__(self, touched: Path) -> None:
        self.touched = touched

    def __reduce__(self):
        return Path.touch, (self.touched,)


@pytest.mark.parametrize("legacy", [False, True], ids=["zip", "legacy"])
def test_code_is_never_run(tmp_path, legacy):
    touched = tmp_path / "touched"
    path = tmp_path / "evil.pth"
    what = {**written(), "extra": Payload(touched)}
    torch.save(what, path, _use_new_zipfile_serialization=not legacy)
    assert "cannot be read" in refused(path)
    assert not touched.exists()
    torch.load(path, weights_only=False)
    assert touched.exists()  # the payload works


def test_a_bare_pickle_with_code(tmp_path):
    touched = tmp_path / "touched"
    path = tmp_path / "evil.pth"
    path.write_bytes(pickle.dumps(Payload(touched), protocol=2))
    assert "cannot be read" in refused(path)
    assert not touched.exists()


def test_halves_are_read_as_single_precision(tmp_path):
    state = {name: value.half() for name, value in written().items()}
    encoder = Encoder.from_released(save(tmp_path, state))
    assert {value.dtype for value in encoder.state_dict().values()} == {torch.float32}
