// A canvas that is sharp on every screen, and the colours of the page.
(() => {
  const pacl = globalThis.pacl ??= {};
  const NAMES = ["paper", "card", "ink", "quiet", "line", "soft", "link", "af", "not-af", "unknown",
    "other", "sinus", "exclude", "brush", "grid"];

  // A canvas that is not shown, as in print, has no width; charts need room beside their axes.
  pacl.LEAST_WIDTH = 120;

  pacl.colours = {};
  pacl.readColours = () => {
    const style = getComputedStyle(document.documentElement);
    for (const name of NAMES) pacl.colours[name] = style.getPropertyValue(`--${name}`).trim();
  };

  // Calls back when the reader, or the machine, turns the page light or dark.
  pacl.onTheme = (callback) => {
    const changed = () => { pacl.readColours(); callback(); };
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
    new MutationObserver(changed)
      .observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  };

  // Red, green and blue of a colour as #rrggbb.
  pacl.rgb = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

  // Fits a canvas to its place on the page; gives its context, in pixels of the page.
  pacl.fitted = (canvas, height) => {
    const ratio = Math.min(globalThis.devicePixelRatio || 1, 3);
    const width = Math.max(canvas.clientWidth, pacl.LEAST_WIDTH);
    const tall = height ?? canvas.clientHeight;
    const [w, h] = [Math.round(width * ratio), Math.round(tall * ratio)];
    if (canvas.width !== w || canvas.height !== h) {
      canvas.width = w;
      canvas.height = h;
      if (height !== undefined) canvas.style.height = `${height}px`;
    }
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, tall);
    return { context, width, height: tall, ratio };
  };

  // Draws with the next frame, however often it is asked for.
  pacl.perFrame = (draw) => {
    let asked = false;
    return () => {
      if (asked) return;
      asked = true;
      requestAnimationFrame(() => { asked = false; draw(); });
    };
  };
})();
