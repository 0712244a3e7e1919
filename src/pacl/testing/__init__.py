"""Contracts: what a loss, an encoder, a reader, a beat finder or a system promises, and others.

Run them on yours, as pacl does on its own: `check_loss("mine")` in a test, or subclass
`LossContract` so that pytest shows each promise by itself.
"""

from pacl.testing.augmentations import AugmentationContract, check_augmentation
from pacl.testing.beat_finders import BeatFinderContract, check_beat_finder, made_ecg
from pacl.testing.contract import ContractError, check, check_entry, require
from pacl.testing.encoders import EncoderContract, StoredEncoderContract, check_encoder
from pacl.testing.losses import LossContract, check_loss
from pacl.testing.readers import ReaderContract, check_reader
from pacl.testing.rivals import RivalContract, check_rival
from pacl.testing.systems import SystemContract, check_system
from pacl.testing.transports import TransportContract, check_transport

__all__ = [
    "AugmentationContract",
    "BeatFinderContract",
    "ContractError",
    "EncoderContract",
    "LossContract",
    "ReaderContract",
    "RivalContract",
    "StoredEncoderContract",
    "SystemContract",
    "TransportContract",
    "check",
    "check_augmentation",
    "check_beat_finder",
    "check_encoder",
    "check_entry",
    "check_loss",
    "check_reader",
    "check_rival",
    "check_system",
    "check_transport",
    "made_ecg",
    "require",
]
