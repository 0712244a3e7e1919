// What is in view, in two more ways: each interval and the next (Poincaré), and how often each
// length occurs. A frame drawn in either marks the same beats in the other and in the chart.
(() => {
  const pacl = globalThis.pacl ??= {};
  const MOST = 250000; // of more beats in view, an even choice is counted
  const BINS = 60;
  const PAD = { left: 40, right: 10, top: 8, bottom: 30 };
  const [LOW, HIGH] = pacl.LIMITS_MS;
  const DECISIONS = ["unknown", "not-af", "af"];

  const range = (state) => {
    const low = state.beats.first(state.from);
    const high = state.beats.first(state.to);
    return [low, high, Math.max(1, Math.ceil((high - low) / MOST))];
  };

  const axes = (context, area, label) => {
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = pacl.colours.quiet;
    context.textBaseline = "top";
    context.textAlign = "center";
    for (const ms of [500, 1000, 1500]) {
      const at = area.x + area.width * (ms - LOW) / (HIGH - LOW);
      context.fillStyle = pacl.colours.grid;
      context.fillRect(at, area.y, 1, area.height);
      context.fillStyle = pacl.colours.quiet;
      context.fillText(String(ms), at, area.y + area.height + 4);
    }
    context.fillText(label, area.x + area.width / 2, area.y + area.height + 17);
  };

  const place = (width, height) => ({ x: PAD.left, y: PAD.top,
    width: width - PAD.left - PAD.right, height: height - PAD.top - PAD.bottom });

  // Whether a beat lies in the frame that was drawn.
  pacl.brushOf = (beats, brush) => {
    if (!brush) return undefined;
    return (i) => {
      const rr = pacl.clipped(beats.rr[i]);
      if (rr < brush.from || rr > brush.to) return false;
      if (brush.low === undefined) return true;
      if (i + 1 >= beats.count) return false;
      const next = pacl.clipped(beats.rr[i + 1]);
      return next >= brush.low && next <= brush.high;
    };
  };

  // Gives the area of a chart that would look as it did when it was drawn last; null if it has to
  // be drawn: what hovers over the tachogram changes neither chart.
  const drawn = new WeakMap();
  const asDrawn = (canvas, state) => {
    const of = [state.beats, state.from, state.to, state.brush, canvas.clientWidth, canvas.clientHeight,
      globalThis.devicePixelRatio, ...["paper", "af", "not-af", "brush"].map((name) => pacl.colours[name])];
    const last = drawn.get(canvas);
    if (last && of.every((one, n) => one === last.of[n])) return last.area;
    const area = place(Math.max(canvas.clientWidth, pacl.LEAST_WIDTH), canvas.clientHeight);
    drawn.set(canvas, { of, area });
    return null;
  };

  const counts = { size: 0, of: [] };
  const dense = document.createElement("canvas");
  pacl.drawPoincare = (canvas, state) => {
    const same = asDrawn(canvas, state);
    if (same) return same;
    const { context, width, height } = pacl.fitted(canvas);
    const area = place(width, height);
    axes(context, area, "this interval (ms)");
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const ms of [500, 1000, 1500]) {
      const y = area.y + area.height * (HIGH - ms) / (HIGH - LOW);
      context.fillStyle = pacl.colours.grid;
      context.fillRect(area.x, y, area.width, 1);
      context.fillStyle = pacl.colours.quiet;
      context.fillText(String(ms), area.x - 4, y);
    }
    const { beats } = state;
    const [low, high, stride] = range(state);
    const side = high - low > 3000 ? 1.5 : high - low > 400 ? 2.5 : 4;
    const cells = Math.max(Math.floor(area.width / side), 1);
    const rows = Math.max(Math.floor(area.height / side), 1);
    if (counts.size !== cells * rows) {
      counts.size = cells * rows;
      counts.of = [0, 1, 2, 3].map(() => new Uint16Array(counts.size));
    } else counts.of.forEach((one) => one.fill(0));
    const { rr, decision } = beats;
    const { brushed } = state;
    const [perX, perY] = [(cells - 1) / (HIGH - LOW), (rows - 1) / (HIGH - LOW)];
    for (let i = low; i + 1 < high; i += stride) {
      if (beats.isGap(i) || beats.isGap(i + 1) || !beats.follows(i + 1)) continue;
      const x = Math.floor((pacl.clipped(rr[i]) - LOW) * perX);
      const y = Math.floor((HIGH - pacl.clipped(rr[i + 1])) * perY);
      counts.of[brushed && brushed(i) ? 3 : decision[i]][y * cells + x] += 1;
    }
    const layers = [...DECISIONS, "brush"].map((name, kind) => {
      const faint = brushed && kind < 3 ? 0.4 : 1;
      return { colour: pacl.colours[name], of: counts.of[kind],
        passes: [[1, faint * (high - low > 3000 ? 0.45 : 0.8)], [3, faint * 0.5]] };
    });
    if (high - low > 3000) drawCells(context, area, cells, rows, side, layers);
    else drawRects(context, area, cells, side, layers);
    context.globalAlpha = 1;
    drawBrush(context, area, state.brush, true);
    return area;
  };

  const drawRects = (context, area, cells, side, layers) => {
    for (const { colour, of, passes } of layers) {
      context.fillStyle = colour;
      for (const [least, alpha] of passes) {
        context.globalAlpha = alpha;
        for (let at = 0; at < of.length; at += 1) {
          if (of[at] < least) continue;
          context.fillRect(area.x + (at % cells) * side, area.y + Math.floor(at / cells) * side, side, side);
        }
      }
    }
  };

  // The same for many beats: one picture, since thousands of rectangles take too long for a frame.
  const drawCells = (context, area, cells, rows, side, layers) => {
    if (dense.width !== cells || dense.height !== rows) Object.assign(dense, { width: cells, height: rows });
    const inner = dense.getContext("2d");
    const image = inner.createImageData(cells, rows);
    const { data } = image;
    for (const { colour, of, passes } of layers) {
      const rgb = pacl.rgb(colour);
      const [[, once], [often, again]] = passes;
      const twice = once + again * (1 - once);
      for (let at = 0; at < of.length; at += 1) {
        if (of[at] === 0) continue;
        const alpha = of[at] < often ? once : twice;
        const below = (1 - alpha) * data[4 * at + 3] / 255;
        for (let n = 0; n < 3; n += 1) {
          data[4 * at + n] = (rgb[n] * alpha + data[4 * at + n] * below) / (alpha + below);
        }
        data[4 * at + 3] = 255 * (alpha + below);
      }
    }
    inner.putImageData(image, 0, 0);
    context.drawImage(dense, area.x, area.y, cells * side, rows * side);
  };

  pacl.drawHistogram = (canvas, state) => {
    const same = asDrawn(canvas, state);
    if (same) return same;
    const { context, width, height } = pacl.fitted(canvas);
    const area = place(width, height);
    axes(context, area, "interval (ms)");
    const { beats } = state;
    const [low, high, stride] = range(state);
    const { rr, decision } = beats;
    const bins = [0, 1, 2].map(() => new Float64Array(BINS));
    for (let i = low; i < high; i += stride) {
      if (beats.isGap(i)) continue;
      const bin = Math.min(Math.floor(BINS * (pacl.clipped(rr[i]) - LOW) / (HIGH - LOW)), BINS - 1);
      bins[decision[i]][bin] += 1;
    }
    let most = 1;
    for (let bin = 0; bin < BINS; bin += 1) most = Math.max(most, bins[0][bin] + bins[1][bin] + bins[2][bin]);
    const each = area.width / BINS;
    for (let bin = 0; bin < BINS; bin += 1) {
      let y = area.y + area.height;
      [1, 2, 0].forEach((kind) => {
        const tall = area.height * bins[kind][bin] / most;
        y -= tall;
        context.fillStyle = pacl.colours[DECISIONS[kind]];
        context.fillRect(area.x + bin * each + 0.5, y, each - 1, tall);
      });
    }
    drawBrush(context, area, state.brush, false);
    return area;
  };

  const drawBrush = (context, area, brush, both) => {
    if (!brush) return;
    const x = (ms) => area.x + area.width * (ms - LOW) / (HIGH - LOW);
    const y = (ms) => area.y + area.height * (HIGH - ms) / (HIGH - LOW);
    const [top, bottom] = both && brush.low !== undefined ? [y(brush.high), y(brush.low)]
      : [area.y, area.y + area.height];
    context.strokeStyle = pacl.colours.brush;
    context.lineWidth = 1.5;
    context.strokeRect(x(brush.from), top, x(brush.to) - x(brush.from), bottom - top);
  };

  // A frame drawn with the pointer; `both` for two intervals, else for one.
  pacl.brushing = (canvas, area, both, changed) => {
    let start = null;
    const ms = (event) => {
      const box = canvas.getBoundingClientRect();
      const inside = area();
      const x = LOW + (HIGH - LOW) * (event.clientX - box.left - inside.x) / inside.width;
      const y = HIGH - (HIGH - LOW) * (event.clientY - box.top - inside.y) / inside.height;
      return [pacl.clipped(x), pacl.clipped(y)];
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      start = ms(event);
      changed(null);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (start === null) return;
      const [x, y] = ms(event);
      if (Math.abs(x - start[0]) < 15) return;
      const brush = { from: Math.min(x, start[0]), to: Math.max(x, start[0]) };
      if (both) Object.assign(brush, { low: Math.min(y, start[1]), high: Math.max(y, start[1]) });
      changed(brush);
    });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { start = null; });
  };
})();
