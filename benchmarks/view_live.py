"""`pacl view` by itself: from the command to the picture, and from a mark to the new picture."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from view_browser import PATIENCE_MS, first_picture_ms, opened

from pacl.records import Record

MARKS = 5

AFTER_KEY = """(key) => new Promise((done) => {
  const seen = document.getElementById("marks-list");
  new MutationObserver((_, watch) => {
    watch.disconnect();
    probe.shown().then((at) => done(at - began));
  }).observe(seen, { childList: true });
  const began = performance.now();
  document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
})"""


@dataclass(frozen=True)
class Live:
    """Times of one recording, in milliseconds."""

    from_command_ms: float
    """From the command to the first picture: it reads and judges the recording meanwhile."""
    first_ms: float
    """From the navigation to the first picture, once the recording is judged."""
    mark_ms: float
    """From the key that marks an episode to the picture of the new result."""


def live(browser: Any, record: Record) -> Live:
    """Look at a recording with `pacl view`, and mark its episodes."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "recording.txt"
        np.savetxt(file, np.maximum(record.rr_ms, 1), fmt="%.0f")
        began = time.perf_counter()
        with served(file) as address:
            with opened(browser, address):
                from_command_ms = 1000 * (time.perf_counter() - began)
            first_ms = first_picture_ms(browser, address, 3)
            with opened(browser, address) as (page, _):
                marks = list(_marked(page))
    return Live(from_command_ms, first_ms, float(np.median(marks)))


@contextmanager
def served(*paths: Path) -> Iterator[str]:
    """The address of `pacl view` while it runs."""
    argv = [sys.executable, "-m", "pacl", "view", *map(str, paths), "--no-browser"]
    kept = os.environ | {"XDG_CACHE_HOME": str(paths[0].parent)}
    with subprocess.Popen(
        argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=kept
    ) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().split()[-1]
        finally:
            process.terminate()


def _marked(page: Any) -> Iterator[float]:
    """Mark one episode after the other, and take the marks back."""
    page.set_default_timeout(PATIENCE_MS)
    page.locator("#tachogram").focus()
    for _ in range(MARKS):
        page.keyboard.press("n")
        page.wait_for_timeout(200)
        for key in ("x", "u"):
            yield page.evaluate(AFTER_KEY, key)
            page.wait_for_timeout(200)
