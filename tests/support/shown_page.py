"""The page of a recording, as a test sees it in the browser."""

import re

FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
NEAR = """(canvas, [wanted, box]) => {
  const ratio = canvas.width / canvas.clientWidth;
  const all = [0, 0, canvas.width, canvas.height];
  const [x, y, w, h] = box ? box.map((one) => Math.round(one * ratio)) : all;
  const { data } = canvas.getContext("2d").getImageData(x, y, w, h);
  let found = 0;
  for (let at = 0; at < data.length; at += 4) {
    const far = wanted.reduce((sum, one, n) => sum + Math.abs(data[at + n] - one), 0);
    if (data[at + 3] > 200 && far < 24) found += 1;
  }
  return found;
}"""
LEFT, RIGHT = 68, 12
"""Pixels of the chart beside the beats."""


def open_page(page, address):
    """Open the page of a recording, and wait for its first picture."""
    page.goto(address)
    page.locator("body[data-ready=yes]").wait_for()
    return page


def drawn(page):
    """Wait until what was asked for is drawn."""
    page.evaluate(FRAMES)
    return page


def shown(page):
    """First and last second that the chart shows, as its text tells them."""
    text = drawn(page).locator("#numbers").inner_text()
    found = re.match(r"(-?)(\d+):(\d+):([\d.]+) to (\d+):(\d+):([\d.]+):", text)
    sign, *parts = found.groups()
    first, last = (
        3600 * int(hours) + 60 * int(minutes) + float(seconds)
        for hours, minutes, seconds in (parts[:3], parts[3:])
    )
    return (-first if sign else first), last


def figures(page):
    """The numbers on top by their names."""
    facts = page.locator("#result > div")
    return {
        one.locator("dt").inner_text(): one.locator("dd.value").inner_text() for one in facts.all()
    }


def notices(page):
    """What is said about the result."""
    return "\n".join(page.locator("#reason, #notices").all_inner_texts())


def look_for_marks(page):
    """Have the page ask for marks of others now; it does so every few seconds by itself."""
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")


def colour(page, name):
    """A colour of the page as red, green and blue."""
    text = page.evaluate(
        "(name) => getComputedStyle(document.documentElement).getPropertyValue(name)", f"--{name}"
    ).strip()
    return [int(text[at : at + 2], 16) for at in (1, 3, 5)]


def ink(page, canvas, name, box=None):
    """How many pixels of a canvas have a colour of the page; `box` is x, y, width and height."""
    return page.locator(canvas).evaluate(NEAR, [colour(page, name), box])


def x_of(page, seconds, canvas="#tachogram"):
    """Where a second of the recording is, in pixels of the window."""
    box = page.locator(canvas).bounding_box()
    first, last = shown(page)
    share = (seconds - first) / (last - first)
    return box["x"] + LEFT + share * (box["width"] - LEFT - RIGHT)


def percent(part):
    """A share as the page writes it, from 1 % to 98 %."""
    return f"{100 * part:.0f} %" if part >= 0.0995 else f"{100 * part:.1f} %"
