"""The page of a recording in a real browser, beside the same beats drawn by Plotly.

    python benchmarks/view.py [--days 1 7 30] [--no-svg]

Ratios come first: how many times longer Plotly takes, in the same run. Then `pacl view` itself, and
the index of 5,000 recordings. Needs Playwright and Chromium; without Plotly it measures ours alone.
"""

import argparse
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from measure import Cost, Row
from view_browser import Frames, Seen, chromium, look, why_no_browser
from view_index import ROWS, index
from view_live import live
from view_peer import WAYS, plotly_page
from view_records import Case, cases

from pacl.detect import Detection, Detector
from pacl.report.recording import write_recording_page

SVG_BEATS = 200_000
"""Plotly's SVG draws a day in a minute, and more not at all."""
EMPTY = """<!doctype html><canvas id="tachogram" width="1200" height="430"></canvas><script>
const context = document.getElementById("tachogram").getContext("2d");
const draw = () => context.fillRect(600 * Math.random(), 9, 9, 9);
const ask = () => requestAnimationFrame(draw);
for (const kind of ["pointermove", "wheel"]) document.addEventListener(kind, ask);
draw();
performance.mark("pacl-first-picture");
</script>"""


@dataclass(frozen=True)
class Page:
    """One page in the table."""

    case: str
    who: str
    mib: float
    seen: Seen


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", nargs="*", type=int, default=(1, 7, 30))
    parser.add_argument("--no-svg", action="store_true", help="leave out what takes minutes")
    chosen = parser.parse_args()
    if reason := why_no_browser():
        print(f"Not measured here: {reason}")
        return
    if find_spec("plotly") is None:
        print("Without Plotly, which is not installed: no ratios.\n")
    kinds = [one for one in WAYS.values() if not (chosen.no_svg and one == "scatter")]
    with tempfile.TemporaryDirectory() as folder:
        pages: list[Page] = []
        lives: list[str] = []
        for case in cases(tuple(chosen.days)):
            detection, judging_s = judged(case)
            found = list(measured(Path(folder), case, detection, kinds))
            pages += found
            if len(case.record) < SVG_BEATS:
                with chromium() as browser:
                    seen = live(browser, case.record)
                lives.append(
                    f"| {case.name} | **{1000 * judging_s / seen.mark_ms:.1f}x** "
                    f"| {seen.mark_ms:.0f} ms | {1000 * judging_s:.0f} ms "
                    f"| {seen.first_ms:.0f} ms | {seen.from_command_ms / 1000:.1f} s |"
                )
            print(f"measured: {case.name}", flush=True)
        print(f"\n{pages_table(pages)}\n\n{gestures_table(pages)}\n")
        print(
            "| `pacl view` | judging anew takes | mark to new picture | judging | first picture "
            "| from the command |\n|---|--:|--:|--:|--:|--:|",
            *lives,
            sep="\n",
        )
        with chromium() as browser:
            folder_seen = index(browser, Path(folder))
    print(
        f"\nIndex of {ROWS:,} recordings, {folder_seen.size_mib:.1f} MiB: first picture "
        f"{folder_seen.first_ms:.0f} ms, sort {folder_seen.sort_ms:.0f} ms, "
        f"filter {folder_seen.filter_ms:.0f} ms."
    )


def judged(case: Case) -> tuple[Detection, float]:
    """What is found in a recording, and the seconds that it takes."""
    detector = Detector()
    began = time.perf_counter()
    return detector.detect(case.record), time.perf_counter() - began


def measured(folder: Path, case: Case, detection: Detection, kinds: list[str]) -> Iterator[Page]:
    """Ours, and Plotly's where it is installed."""
    yield _page(folder, case.name, "ours", write_recording_page(case.record, detection))
    if find_spec("plotly") is None:
        return
    for who, kind in WAYS.items():
        if kind not in kinds or (kind == "scatter" and len(case.record) > SVG_BEATS):
            continue
        content = plotly_page(case.record, detection, kind)
        try:
            yield _page(folder, case.name, who, content, times=1)
        except Exception as error:  # a page that is too much for the browser is a result
            print(f"{case.name}, {who}: gave up ({str(error).splitlines()[0][:120]})")


def _page(folder: Path, case: str, who: str, content: str, *, times: int = 5) -> Page:
    file = folder / "page.html"
    file.write_text(content, "utf-8")
    chart = ".nsewdrag" if "Plotly" in who else "#tachogram"
    # A browser of its own: what another page left to do would count as this one's.
    with chromium() as browser:
        seen = look(browser, file.as_uri(), chart, times)
    return Page(case, who, file.stat().st_size / 2**20, seen)


def pages_table(pages: list[Page]) -> str:
    """First pictures, sizes and memory; ratios first."""
    lines = [
        "| recording | page | first picture | page size | memory "
        "| first picture, ms | page, MiB | memory, MiB |",
        "|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for one, ours in _with_ours(pages):
        seen, own = one.seen, ours.seen
        ratios = (seen.first_ms / own.first_ms, one.mib / ours.mib, seen.heap_mib / own.heap_mib)
        lines.append(
            f"| {one.case} | {one.who} | {' | '.join(f'**{each:.3g}x**' for each in ratios)} "
            f"| {seen.first_ms:,.0f} | {one.mib:.1f} | {seen.heap_mib:.0f} |"
        )
    return "\n".join(lines)


def gestures_table(pages: list[Page]) -> str:
    """Frames while dragging and while turning the wheel; ratios first."""
    lines = [
        "| recording | page | gesture | work for a move | slow frames, 95 % "
        "| script, ms: median, 95 %, worst | frames apart, ms: median, 95 %, worst "
        "| work, ms a move | tasks above 50 ms | frames for moves |",
        "|---|---|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for one, ours in _with_ours(pages):
        for name in ("drag", "wheel"):
            seen: Frames = getattr(one.seen, name)
            own: Frames = getattr(ours.seen, name)
            lines.append(
                f"| {one.case} | {one.who} | {name} | **{seen.thread_ms / own.thread_ms:.3g}x** "
                f"| **{seen.apart(0.95) / own.apart(0.95):.3g}x** "
                f"| {_three(seen.work)} | {_three(seen.apart)} | {seen.thread_ms:.1f} "
                f"| {seen.long_tasks} | {len(seen.work_ms)} for {seen.moves} |"
            )
    return "\n".join(lines)


def _three(quantile: Any) -> str:
    return ", ".join(f"{quantile(share):.1f}" for share in (0.5, 0.95, 1.0))


def _with_ours(pages: list[Page]) -> Iterator[tuple[Page, Page]]:
    ours = {one.case: one for one in pages if one.who == "ours"}
    for one in pages:
        yield one, ours[one.case]


def rows() -> list[Row]:
    """A simulated day beside Plotly with WebGL and an empty page, for the table of all."""
    with tempfile.TemporaryDirectory() as folder:
        case = list(cases((1,)))[-1]
        detection, _ = judged(case)
        ours, peer = measured(Path(folder), case, detection, ["scattergl"])
        floor = _page(Path(folder), case.name, "empty", EMPTY)
    amount = f"{len(case.record):,} beats"

    def row(what: str, seconds: Any) -> Row:
        costs = [Cost(seconds(one.seen), one.seen.heap_mib) for one in (ours, peer, floor)]
        names = ("Plotly, WebGL", "an empty page")
        return Row(what, amount, costs[0], names[0], costs[1], names[1], costs[2], "of script")

    return [
        row("page of a recording, first picture", lambda seen: seen.first_ms / 1000),
        row("page of a recording, a move while dragging", lambda seen: seen.drag.thread_ms / 1000),
    ]


if __name__ == "__main__":
    main()
