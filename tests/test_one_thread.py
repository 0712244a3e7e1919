"""Numeric libraries keep to one thread within a block, whenever they were loaded."""

import json
import subprocess
import sys

import pytest

pytest.importorskip("threadpoolctl", reason="a package of the extra train")
pytest.importorskip("sklearn", reason="a package of the extra train")

LIMITED = """
import json, threadpoolctl
from pacl.one_thread import one_thread

def threads():
    return {one["num_threads"] for one in threadpoolctl.threadpool_info()}

with one_thread():
    pass
threads_before = threads()
import sklearn.ensemble  # brings libraries that were not there
threadpoolctl.threadpool_limits(2)
before = threads()
with one_thread():
    within = threads()
    with one_thread():
        pass
    still = threads()
print(json.dumps([sorted(one) for one in (threads_before, before, within, still, threads())]))
"""


def test_libraries_loaded_later_are_limited_and_freed_again():
    done = subprocess.run([sys.executable, "-c", LIMITED], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    without_libraries, before, within, still, after = json.loads(done.stdout)
    assert without_libraries == []
    assert (before, within, still, after) == ([2], [1], [1], [2])
