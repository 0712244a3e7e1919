import numpy as np
import pytest

from pacl.settings import InputSettings, SettingsError, settled
from pacl.systems import as_read, log_envelope
from pacl.windows import WindowSetError
from support.refusals import refused
from support.signals import CHANNELS, LENGTH, ring_of_sensors


def test_the_signal_is_read_as_it_is():
    windows = ring_of_sensors()
    assert np.array_equal(as_read(windows, "signal", InputSettings()).take(), windows.take())


def test_an_envelope_is_the_log_rms_of_frames_and_of_steps():
    x = np.random.default_rng(0).normal(size=(2, 3, 20)).astype(np.float32)
    found = log_envelope(x, 8, 4)
    assert found.shape == (2, 6, 4)
    for frame in range(4):
        part = x[:, :, 4 * frame : 4 * frame + 8].astype(np.float64)
        rms = np.sqrt((part**2).mean(axis=2))
        assert found[:, :3, frame] == pytest.approx(np.log(rms + 0.05), abs=1e-5)
    steps = np.diff(x[:, :, :8].astype(np.float64), axis=2, prepend=x[:, :, :1])
    assert found[:, 3:, 0] == pytest.approx(np.log(np.sqrt((steps**2).mean(axis=2)) + 0.05), abs=1e-5)


def test_frames_longer_than_windows_are_refused():
    with refused(WindowSetError, "40", str(LENGTH)):
        as_read(ring_of_sensors(), "signal", InputSettings(envelope=40))


@pytest.mark.parametrize("reads", ["signal", "features"])
def test_personal_values_are_standardised_for_each_subject_without_labels(reads):
    windows = ring_of_sensors(subjects=2)
    found = as_read(windows, reads, InputSettings(personal=True))
    for name in windows.table.subject.present():
        own = found.select(found.table.subject.is_(name)).take()
        over = (0, 2) if reads == "signal" else 0
        assert own.mean(axis=over) == pytest.approx(0, abs=1e-4)
        assert own.std(axis=over) == pytest.approx(1, abs=1e-3)
    assert found.channels == CHANNELS


def test_settings_that_do_not_fit():
    with refused(SettingsError, "hop"):
        settled(InputSettings, {"hop": 4})
    with refused(SettingsError, "envelope"):
        settled(InputSettings, {"envelope": 1})
