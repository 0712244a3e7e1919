"""Times of a page in a real browser: its first picture, and its frames while it is moved.

A page tells its first picture by `performance.mark("pacl-first-picture")`. Of each frame, the time
of the page's script is taken: its handlers of pointer and wheel, and all that it asked for with
`requestAnimationFrame`; then how far the frames are apart, and all that the page's thread did.
"""

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

NAMES = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"),
    "chromium-headless-shell",
)
SIZE = {"width": 1280, "height": 900}
MOVES, MOVE_S = 120, 1 / 60
TURNS = 24
REST_MS = 400
LEAST_WORK_MS = 0.3
PATIENCE_MS = 180_000
GESTURE_S = 15
"""A page that is slower does not get all moves."""

PROBE = """(() => {
  const probe = globalThis.probe = { frames: [], long: [], moves: 0, on: false };
  let busy = 0;
  const timed = (work, self, given) => {
    const start = performance.now();
    try { return work.apply(self, given); } finally { busy += performance.now() - start; }
  };
  const ask = requestAnimationFrame;
  const frame = (at) => {
    if (probe.on) probe.frames.push([at, busy]);
    busy = 0;
    ask(frame);
  };
  ask(frame);
  globalThis.requestAnimationFrame = (work) => ask((at) => timed(work, globalThis, [at]));
  const add = EventTarget.prototype.addEventListener;
  const watched = new Set(["pointermove", "mousemove", "wheel"]);
  EventTarget.prototype.addEventListener = function (kind, work, options) {
    const plain = !watched.has(kind) || typeof work !== "function";
    const watch = function (event) { return timed(work, this, [event]); };
    return add.call(this, kind, plain ? work : watch, options);
  };
  const count = () => { if (probe.on) probe.moves += 1; };
  add.call(globalThis, "pointermove", count, true);
  add.call(globalThis, "wheel", count, { capture: true, passive: true });
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) if (probe.on) probe.long.push(one.duration);
  }).observe({ type: "longtask" });
  probe.shown = () => new Promise((done) => ask(() => ask(() => done(performance.now()))));
  probe.painted = new Promise((done) => {
    new PerformanceObserver((list) => {
      if (list.getEntriesByName("pacl-first-picture").length) done(probe.shown());
    }).observe({ type: "mark" });
    setTimeout(done, 180_000, NaN);
  });
})();"""


@dataclass(frozen=True)
class Frames:
    """Frames of one gesture, in milliseconds: the work of script for each that has any."""

    work_ms: tuple[float, ...]
    apart_ms: tuple[float, ...]
    """From one frame to the next, as the reader sees them."""
    thread_ms: float
    """All work of the page's thread, the browser's painting included, for each move."""
    long_tasks: int
    moves: int
    """Moves of the pointer, or turns of the wheel, that reached the page."""

    def work(self, share: float) -> float:
        """Work of a frame: its median at 0.5, the worst at 1."""
        return float(np.quantile(self.work_ms, share)) if self.work_ms else float("nan")

    def apart(self, share: float) -> float:
        """Time from one frame to the next."""
        return float(np.quantile(self.apart_ms, share)) if self.apart_ms else float("nan")


@dataclass(frozen=True)
class Seen:
    """One page in the browser."""

    first_ms: float
    """From the navigation until the first picture is painted."""
    heap_mib: float
    drag: Frames
    wheel: Frames


def why_no_browser() -> str:
    """Why there is no browser to measure with; empty if there is one."""
    if find_spec("playwright") is None:
        return "it needs playwright, not installed"
    try:
        with chromium():
            return ""
    except Exception as error:
        return f"it needs a Chromium, and none starts ({str(error).splitlines()[0][:100]})"


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser of this machine, or the one that Playwright installed."""
    from playwright.sync_api import sync_playwright

    found = next(filter(None, map(shutil.which, NAMES)), None)
    with sync_playwright() as started:
        opened = started.chromium.launch(executable_path=found, args=["--no-sandbox"])
        try:
            yield opened
        finally:
            opened.close()


@contextmanager
def opened(browser: Any, address: str) -> Iterator[tuple[Any, float]]:
    """A page and when its first picture was painted, in ms; it keeps nothing from others."""
    context = browser.new_context(viewport=SIZE)
    try:
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.add_init_script(PROBE)
        page.goto(address, wait_until="commit", timeout=PATIENCE_MS)
        yield page, page.evaluate("probe.painted")
    finally:
        context.close()


def first_picture_ms(browser: Any, address: str, times: int) -> float:
    """Median time from the navigation to the first picture."""
    found = []
    for _ in range(times):
        with opened(browser, address) as (_, painted_ms):
            found.append(painted_ms)
    return float(np.median(found))


def look(browser: Any, address: str, chart: str, times: int = 3) -> Seen:
    """Open a page, zoom into its chart with the wheel, and drag it to and fro."""
    with opened(browser, address) as (page, painted_ms):
        first_ms = first_picture_ms(browser, address, times) if times > 1 else painted_ms
        page.wait_for_timeout(REST_MS)
        heap = _heap_mib(page)
        box = page.locator(chart).bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + min(box["height"], 300) / 2
        page.mouse.move(x, y)
        wheel = gesture(page, lambda: _turn(page))
        page.wait_for_timeout(REST_MS)
        page.mouse.down()
        drag = gesture(page, lambda: _drag(page, x, y, box["width"] / 4))
        page.mouse.up()
    return Seen(first_ms, heap, drag, wheel)


def gesture(page: Any, act: Callable[[], None]) -> Frames:
    """The frames while something is done to a page."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    before_s = _thread_s(session)
    page.evaluate("Object.assign(probe, { frames: [], long: [], moves: 0, on: true })")
    act()
    page.wait_for_timeout(REST_MS)
    found = page.evaluate(
        "(probe.on = false, { frames: probe.frames, long: probe.long, moves: probe.moves })"
    )
    work_s = _thread_s(session) - before_s
    # What is pushed with a frame was done for the one before it.
    work = [work for _, work in found["frames"] if work > LEAST_WORK_MS]
    apart = np.diff([at for at, _ in found["frames"]])
    return Frames(
        tuple(work),
        tuple(apart.tolist()),
        1000 * work_s / max(found["moves"], 1),
        len(found["long"]),
        found["moves"],
    )


def _thread_s(session: Any) -> float:
    values = session.send("Performance.getMetrics")["metrics"]
    return float(next(one["value"] for one in values if one["name"] == "TaskDuration"))


def _within(seconds: float, times: int) -> Iterator[int]:
    """Count, and stop when the time is over."""
    began = time.perf_counter()
    for number in range(times):
        if time.perf_counter() - began > seconds:
            return
        yield number


def _turn(page: Any) -> None:
    """In and out again, and in to half of it."""
    for turn in _within(GESTURE_S, TURNS):
        inwards = turn % 8 < 4 or turn >= TURNS - 4
        page.mouse.wheel(0, -70 if inwards else 70)
        time.sleep(2 * MOVE_S)


def _drag(page: Any, x: float, y: float, far: float) -> None:
    for move in _within(GESTURE_S, MOVES):
        began = time.perf_counter()
        page.mouse.move(x + far * np.sin(4 * np.pi * move / MOVES), y)
        time.sleep(max(MOVE_S - (time.perf_counter() - began), 0))


def _heap_mib(page: Any) -> float:
    """Memory of the page's script, its arrays included."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.enable")
    session.send("HeapProfiler.collectGarbage")
    used = session.send("Runtime.getHeapUsage")
    return float(used["usedSize"] + used.get("backingStorageSize", 0)) / 2**20
