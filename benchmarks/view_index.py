"""The index of a folder of 5,000 recordings: its first picture, sorting and filtering."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from view_browser import PATIENCE_MS, PROBE, SIZE

from pacl.report.index import Day, RecordingRow, index_page

ROWS = 5000
TIMES = 5

DONE = """(act) => {
  const began = performance.now();
  if (act.click) document.querySelector(act.click).click();
  else {
    const field = document.querySelector(act.field);
    field.value = act.text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
  return probe.shown().then((at) => at - began);
}"""


@dataclass(frozen=True)
class IndexSeen:
    """Milliseconds until the picture is there."""

    size_mib: float
    first_ms: float
    sort_ms: float
    filter_ms: float


def index(browser: Any, folder: Path) -> IndexSeen:
    """Open an index, sort it by burden, and search it by name."""
    page_file = folder / "index.html"
    page_file.write_text(index_page(rows()), "utf-8")
    context = browser.new_context(viewport=SIZE)
    try:
        page = context.new_page()
        page.add_init_script(PROBE)
        page.goto(page_file.as_uri(), timeout=PATIENCE_MS)
        first_ms = page.evaluate("probe.shown()")
        sort, search = [], []
        for turn in range(TIMES):
            click = {"click": "th[data-column=burden] button"}
            sort.append(page.evaluate(DONE, click))
            text = {"field": "#filters input[type=search]", "text": f"4{turn}"}
            search.append(page.evaluate(DONE, text))
            page.evaluate(DONE, text | {"text": ""})
    finally:
        context.close()
    size = page_file.stat().st_size / 2**20
    return IndexSeen(size, first_ms, float(np.median(sort)), float(np.median(search)))


def rows() -> list[RecordingRow]:
    """Nights of 250 patients."""
    draw = np.random.Generator(np.random.SFC64(0))
    return [_row(number, float(draw.beta(0.3, 1.0))) for number in range(ROWS)]


def _row(number: int, burden: float) -> RecordingRow:
    started = datetime(2026, 1, 1, 22) + timedelta(days=number // 250)
    hours = 8 * 3600.0
    return RecordingRow(
        key=f"{number:016x}",
        name=f"night_{number:04d}",
        patient=f"patient_{number % 250:03d}",
        status="ready",
        page=f"night_{number:04d}.html",
        started=started.isoformat(),
        duration_s=hours,
        recorded_s=hours,
        judged_s=hours,
        af_s=burden * hours,
        judged_share=1.0,
        af_burden=burden,
        verdict="AF detected" if burden > 0.1 else "no AF detected",
        beats=40_000,
        episodes=round(20 * burden),
        longest_s=burden * hours / 2,
        days=(Day(started.date().isoformat(), burden * hours, hours),),
    )
