"""Tables are read by the thread that asks, so that none of Arrow's is left when Python ends."""

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

READ = """
import os, sys
from pathlib import Path
import pyarrow.parquet  # has a thread of its own
from pacl.stored import read_table

threads = lambda: set(os.listdir("/proc/self/task"))
before = threads()
found = read_table(Path(sys.argv[1]), {}, lambda path, why: ValueError(why))
print(found.num_rows, len(threads() - before))
"""


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="threads are counted on Linux")
def test_reading_starts_no_threads(tmp_path):
    """One that releases Python's bytes while the interpreter shuts down would abort it."""
    table = pa.table({name: list(range(1000)) for name in "abcdef"})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=100)
    done = subprocess.run(
        [sys.executable, "-c", READ, tmp_path / "t.parquet"], capture_output=True, text=True
    )
    assert done.stdout.split() == ["1000", "0"], done.stderr
