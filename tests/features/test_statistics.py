"""Ten plain statistics, by hand and by windows taken one by one."""

import numpy as np
import pytest

from pacl.features import STATISTICS, statistics_of


def test_statistics_by_hand():
    found = statistics_of(np.array([[700, 800, 900, 1200]], dtype=np.float32))[0]
    by_name = dict(zip(STATISTICS, found.tolist(), strict=True))
    assert by_name["mean_ms"] == 900
    assert by_name["pnn50"] == 1
    assert by_name["median_step_ms"] == 100
    assert by_name["rmssd_ms"] == pytest.approx(np.sqrt((1e4 + 1e4 + 9e4) / 3))
    assert by_name["iqr_ms"] == pytest.approx(975 - 775)
    assert by_name["sd_share"] == pytest.approx(np.std([700, 800, 900, 1200], ddof=1) / 900)


def test_many_windows_are_as_each_alone():
    rr_ms = np.random.default_rng(0).uniform(300, 1500, (7, 200)).astype(np.float32)
    alone = np.concatenate([statistics_of(window[None]) for window in rr_ms])
    found = statistics_of(rr_ms)
    assert found.shape == (7, len(STATISTICS))
    np.testing.assert_allclose(found, alone, rtol=1e-6)
