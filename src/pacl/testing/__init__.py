"""Contracts: what a loss, an encoder, an augmentation, a reader or a system promises.

Run them on yours, as pacl does on its own: `check_loss("mine")` in a test, or subclass
`LossContract` so that pytest shows each promise by itself.
"""

from pacl.testing.augmentations import AugmentationContract, check_augmentation
from pacl.testing.contract import ContractError, check, check_entry, require
from pacl.testing.encoders import EncoderContract, StoredEncoderContract, check_encoder
from pacl.testing.losses import LossContract, check_loss
from pacl.testing.readers import ReaderContract, check_reader
from pacl.testing.rivals import RivalContract, check_rival
from pacl.testing.systems import SystemContract, check_system

__all__ = [
    "AugmentationContract",
    "ContractError",
    "EncoderContract",
    "LossContract",
    "ReaderContract",
    "RivalContract",
    "StoredEncoderContract",
    "SystemContract",
    "check",
    "check_augmentation",
    "check_encoder",
    "check_entry",
    "check_loss",
    "check_reader",
    "check_rival",
    "check_system",
    "require",
]
