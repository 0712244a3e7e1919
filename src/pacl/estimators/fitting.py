"""What the estimators share: checked input, who is held out, the training, the embedding."""

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, validate_data

from pacl.axes import Array, Float32
from pacl.evaluation import ProbeScore, embed_tensors
from pacl.models import Network, as_encoder, make_encoder
from pacl.objectives import make_objective
from pacl.settings import SamplerSettings, TrainSettings, check_settings
from pacl.training import (
    LabelledWindows,
    Seeds,
    Trainer,
    assembled_trainer,
    pool,
    turns_of,
    usable_device,
)
from pacl.windows import ArrayTensors, WindowSet

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pacl.estimators.encoder import SubjectContrastiveEncoder

MOST_SUBJECTS, MOST_WINDOWS = 8, 16
"""P and n of a batch, where the data has as many."""

LEAST_WINDOWS = 2
"""With one window of a subject and class, it has no positive."""

LEAST_SUBJECTS = 4
"""With fewer subjects nobody is held out."""

TRAIN, VALIDATION = "train", "validation"


def checked(
    estimator: "SubjectContrastiveEncoder", x: "ArrayLike", y: "ArrayLike"
) -> tuple[Float32[Array, "window channel time"], Array]:
    """Windows with an axis for channels, and their classes."""
    given, labels = validate_data(
        estimator, x, y, dtype=np.float32, allow_nd=True, ensure_min_samples=2
    )
    check_classification_targets(labels)
    if (kinds := np.unique(labels)).size < 2:
        raise ValueError(
            f"{type(estimator).__name__} needs windows of 2 classes or more, these are of 1 class: "
            f"{kinds[0]!r}; give windows of another class too"
        )
    return _with_channels(estimator, given), labels


def checked_again(
    estimator: "SubjectContrastiveEncoder", x: "ArrayLike"
) -> Float32[Array, "window channel time"]:
    """Windows of the shape that the estimator was fitted on."""
    given = validate_data(estimator, x, dtype=np.float32, allow_nd=True, reset=False)
    found = _with_channels(estimator, given)
    if found.shape[1:] != estimator.window_shape_:
        raise ValueError(
            f"windows of {found.shape[1]} channels x {found.shape[2]} samples; it was fitted on "
            f"{estimator.window_shape_[0]} x {estimator.window_shape_[1]}"
        )
    return found


def _with_channels(estimator: Any, x: Array) -> Float32[Array, "window channel time"]:
    if x.ndim > 3:
        raise ValueError(
            f"{type(estimator).__name__} takes windows of shape (window, channel, time) or "
            f"(window, time), these have {x.ndim} axes"
        )
    return x[:, None] if x.ndim == 2 else x


def divided(
    x: Float32[Array, "window channel time"],
    labels: Array,
    subjects: "ArrayLike | None",
    validation: float,
    seed: int,
) -> WindowSet:
    """The windows as a set, with the subjects that are held out in a part of their own."""
    if subjects is None:
        warnings.warn(
            "no subjects were given: all windows count as one subject's; "
            "use fit(X, y, subjects=...)",
            UserWarning,
            stacklevel=4,
        )
        subjects = np.zeros(len(x), dtype=np.int64)
    who = np.asarray(subjects)
    check_consistent_length(x, who)
    names = np.unique(who)
    if not 0 <= validation < 1:
        raise ValueError(
            f"validation is {validation}; give a share of the subjects from 0 to below 1"
        )
    held_out = names[:0]
    if validation and names.size >= LEAST_SUBJECTS:
        count = max(1, round(validation * names.size))
        held_out = np.random.default_rng(seed).permutation(names)[:count]
    split = np.where(np.isin(who, held_out), VALIDATION, TRAIN)
    codes = np.searchsorted(np.unique(labels), labels)
    class_names = [str(one) for one in np.unique(labels).tolist()]
    return WindowSet.from_arrays(x, codes, who.astype(str), class_names=class_names, split=split)


def make_trainer(estimator: "SubjectContrastiveEncoder", windows: WindowSet, seed: int) -> Trainer:
    """The training that the parameters of an estimator describe."""
    device = usable_device(estimator.device)
    train, held_out = windows.part(TRAIN), VALIDATION in windows.table.split.present()
    generator = Seeds.of(seed).of_weights()
    network = _network(estimator.encoder, windows, generator)
    objective = make_objective(
        estimator.loss,
        classes=len(windows.class_names),
        features=network.config["projected_features"],
        generator=generator,
        **(estimator.objective or {}),
    )
    on_device = LabelledWindows.of(train, device)
    score = None
    if held_out:
        score = ProbeScore(on_device, LabelledWindows.of(windows.part(VALIDATION), device))
    subjects, each = batch_shape(estimator, train)
    sampler = SamplerSettings(subjects=subjects, windows=each, one_class=True)
    settings = TrainSettings(
        lr=estimator.lr,
        weight_decay=estimator.weight_decay,
        epochs=estimator.epochs,
        patience=estimator.patience,
        keep="best" if held_out else "last",
    )
    for one in (sampler, settings):
        check_settings(one)
    return assembled_trainer(
        (network, objective),
        train,
        on_device,
        score,
        seed=seed,
        sampler=sampler,
        settings=settings,
        augmentation=estimator.augmentation,
    )


def batch_shape(estimator: "SubjectContrastiveEncoder", train: WindowSet) -> tuple[int, int]:
    """P and n as given, or else as many as the data has, at most 8 and 16."""
    pools = pool(train.table.labels, train.table.subject.codes)
    least = pools.counts.min(axis=1)
    n = estimator.windows_per_class
    if n is None:
        complete = least[least >= LEAST_WINDOWS]
        n = min(MOST_WINDOWS, int(complete.min())) if complete.size else LEAST_WINDOWS
    p = estimator.subjects_per_batch
    if p is None:
        p = min(MOST_SUBJECTS, max(1, int(np.count_nonzero(turns_of(pools, n)))))
    return p, n


def embed_array(
    network: Network, x: Float32[Array, "window channel time"], device: str
) -> Float32[Array, "window feature"]:
    """Pooled embeddings of windows, without dropout; the network stays on the CPU."""
    on = usable_device(device)
    tensors = ArrayTensors(torch.from_numpy(np.array(x)).to(on))
    pooled = embed_tensors(network.to(on).eval(), tensors)[0].cpu().numpy()
    network.cpu()
    return pooled


def _network(encoder: Any, windows: WindowSet, generator: torch.Generator) -> Network:
    """By the name or the settings of a registered encoder, or by a function of one's own."""
    if isinstance(encoder, str) or not callable(encoder):
        return make_encoder(encoder, in_channels=windows.channels, generator=generator)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(generator.initial_seed())
        made = encoder(windows.channels)
    if isinstance(made, Network):
        return made
    with torch.no_grad():
        features = made.eval()(torch.zeros(1, windows.channels, windows.length)).shape[-1]
    return as_encoder(made, features, generator=generator)
