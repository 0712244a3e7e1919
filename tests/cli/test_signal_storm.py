"""Commands that are sent signals at random moments end each time, and leave all or nothing."""

import os
import signal

import pytest

from support.signal_storm import commands_to_stop, storm

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
]
BOTH = (signal.SIGTERM, signal.SIGINT)


@pytest.mark.parametrize("name", ["simulate", "prepare"])
@pytest.mark.parametrize("again_s", [None, 0.1], ids=["once", "twice"])
def test_a_command_ends_whenever_it_is_stopped(tmp_path, name, again_s):
    argv, target = commands_to_stop(tmp_path)[name]
    how = {"numbers": BOTH, "again_s": again_s, "errors": tmp_path / "errors"}
    came = storm(argv, target, 20, **how)
    assert (came.hung, came.left) == (0, []), came
    assert came.stopped >= 5
