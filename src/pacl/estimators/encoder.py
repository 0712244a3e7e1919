"""`SubjectContrastiveEncoder`: windows to embeddings, as a scikit-learn transformer."""

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, check_random_state

from pacl.axes import Array, Float32, Int
from pacl.estimators.fitting import checked, checked_again, divided, embed_array, make_trainer
from pacl.training import COLLAPSED, spread

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

REMEDIES = (
    "scale or filter the windows, try another lr, or more epochs and windows, and compare with a "
    "simple classifier"
)


class SubjectContrastiveEncoder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Learns embeddings in which windows of one subject and class are close (Eq. 3).

    Windows are arrays of shape (window, channel, time), or (window, time) for one channel.
    `fit` needs to know whose window each is: `fit(X, y, subjects=...)`. It trains what `pacl train`
    trains, on the same settings to the same weights.

    Parameters
    ----------
    loss
        Name of a registered loss: `subject-aware`, `supcon`, `cross-entropy`, ...
    encoder
        Name of a registered encoder, settings of one, or a function from the number of channels to
        any module that maps (batch, channel, time) to a vector.
    objective
        Settings of the loss that differ from its defaults, such as `{"temperature": 0.1}`.
    subjects_per_batch, windows_per_class
        P and n of a batch. By default 8 and 16, or fewer where the data has fewer.
    lr, weight_decay, epochs, patience
        Of the optimiser (AdamW, cosine), the most epochs, and how many of them without a better
        score end the training.
    validation
        Share of the subjects that is held out to choose the epoch by. 0, or fewer than four
        subjects: nobody is held out, and the last epoch is kept.
    augmentation
        An object that changes training windows at random; see `pacl.training.Augmentation`.
    random_state
        Seed of initial weights, batches, dropout, and of who is held out.
    device
        `cpu`, `cuda`, or `auto`: a GPU where there is one.

    Attributes
    ----------
    network_
        The trained encoder, a `torch.nn.Module`.
    classes_
        Class labels, sorted.
    validation_subjects_
        Subjects that were held out.
    history_
        One `EpochLog` per epoch.
    window_shape_
        Channels and samples of a window.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y, subjects = np.tile([0, 1], 60), np.repeat(["ann", "bob", "cem", "dee", "eva"], 24)
    >>> X = rng.normal(size=(120, 2, 32)) + y[:, None, None]
    >>> encoder = SubjectContrastiveEncoder(encoder="residual", epochs=2, random_state=0)
    >>> encoder.fit(X, y, subjects=subjects).transform(X).shape
    (120, 128)
    """

    def __init__(
        self,
        *,
        loss: Any = "subject-aware",
        encoder: Any = "residual",
        objective: Any = None,
        subjects_per_batch: Any = None,
        windows_per_class: Any = None,
        lr: Any = 1e-3,
        weight_decay: Any = 1e-3,
        epochs: Any = 30,
        patience: Any = 10,
        validation: Any = 0.2,
        augmentation: Any = None,
        random_state: Any = None,
        device: Any = "auto",
    ) -> None:  # any values: scikit-learn checks them when they are fitted
        self.loss = loss
        self.encoder = encoder
        self.objective = objective
        self.subjects_per_batch = subjects_per_batch
        self.windows_per_class = windows_per_class
        self.lr = lr
        self.weight_decay = weight_decay
        self.epochs = epochs
        self.patience = patience
        self.validation = validation
        self.augmentation = augmentation
        self.random_state = random_state
        self.device = device

    def fit(
        self, X: "ArrayLike", y: "ArrayLike", subjects: "ArrayLike | None" = None
    ) -> "SubjectContrastiveEncoder":
        """Train on windows with classes `y`.

        Parameters
        ----------
        X
            Windows of shape (window, channel, time), or (window, time) for one channel.
        y
            Class of each window.
        subjects
            Subject of each window. Without it all windows count as one subject's, with a warning.
        """
        x, labels = checked(self, X, y)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        windows = divided(x, labels, subjects, self.validation, seed)
        trainer = make_trainer(self, windows, seed)
        self.history_ = tuple(trainer)
        trainer.restore_best()
        self.network_ = trainer.encoder.cpu().eval()
        self.window_shape_ = (windows.channels, windows.length)
        self.classes_ = np.unique(labels)
        held_out = windows.select(windows.table.split.is_("validation"))
        self.validation_subjects_ = held_out.table.subject.present()
        self._n_features_out = self.network_.config["pooled_features"]
        train = windows.part("train")
        pooled = embed_array(self.network_, train.take(), self.device)
        if doubt := self._probe(pooled, train.table.labels):
            warnings.warn(f"{doubt}; {REMEDIES}", UserWarning, stacklevel=2)
        return self

    def transform(self, X: "ArrayLike") -> Float32[Array, "window feature"]:
        """Embeddings of unit length: z-hat, which the probe reads."""
        check_is_fitted(self)
        return embed_array(self.network_, checked_again(self, X), self.device)

    def _probe(
        self, pooled: Float32[Array, "window feature"], labels: Int[Array, "window"]
    ) -> str | None:
        """Fit what reads the embeddings, if anything; say if nothing can be read from them."""
        if float(spread(torch.from_numpy(pooled))) < COLLAPSED:
            return "the embeddings of all training windows are nearly the same: training collapsed"
        return None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.three_d_array = True
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags
