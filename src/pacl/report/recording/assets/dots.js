// Beats as dots. Many beats are counted in each pixel, so that all of them are drawn and dense
// places look dense; few are drawn as circles.
(() => {
  const pacl = globalThis.pacl ??= {};
  const FEW = 3000;
  const JOINED = 400;
  const FADE = 0.55;
  const LIMITS_MS = [200, 2000];
  const DECISIONS = ["unknown", "not-af", "af"];
  const MOST = 8;
  const ALPHA = Array.from({ length: MOST + 1 }, (_, n) => 255 * (1 - (1 - FADE) ** n));
  let counts = [new Uint16Array(0), new Uint16Array(0), new Uint16Array(0)];
  const layers = new WeakMap();

  pacl.LIMITS_MS = LIMITS_MS;
  pacl.clipped = (rr) => Math.min(Math.max(rr, LIMITS_MS[0]), LIMITS_MS[1]);

  // `area`: { x, y, width, height } in pixels of the page; `view`: { from, to } in seconds.
  // `brushed(i)` tells which beats stand out; without it all do.
  pacl.drawDots = (context, ratio, beats, view, area, brushed) => {
    const low = Math.max(beats.first(view.from) - 1, 0);
    const high = Math.min(beats.first(view.to) + 1, beats.count);
    if (high - low <= FEW) drawCircles(context, beats, view, area, low, high, brushed);
    else drawPixels(context, ratio, beats, view, area, low, high, brushed);
  };

  const drawCircles = (context, beats, view, area, low, high, brushed) => {
    const perSecond = area.width / (view.to - view.from);
    const perMs = area.height / (LIMITS_MS[1] - LIMITS_MS[0]);
    const x = (i) => area.x + (beats.onset[i] - view.from) * perSecond;
    const y = (i) => area.y + area.height - (pacl.clipped(beats.rr[i]) - LIMITS_MS[0]) * perMs;
    context.save();
    context.beginPath();
    context.rect(area.x, area.y - 3, area.width, area.height + 6);
    context.clip();
    if (high - low <= JOINED) {
      context.beginPath();
      let open = false;
      for (let i = low; i < high; i += 1) {
        if (beats.isGap(i)) { open = false; continue; }
        if (open && beats.follows(i)) context.lineTo(x(i), y(i));
        else context.moveTo(x(i), y(i));
        open = true;
      }
      context.strokeStyle = pacl.colours.line;
      context.lineWidth = 1;
      context.stroke();
    }
    const radius = high - low > 800 ? 1.5 : 2.4;
    DECISIONS.forEach((name, decision) => {
      context.beginPath();
      for (let i = low; i < high; i += 1) {
        if (beats.decision[i] !== decision || beats.isGap(i)) continue;
        context.moveTo(x(i) + radius, y(i));
        context.arc(x(i), y(i), radius, 0, 2 * Math.PI);
      }
      context.globalAlpha = brushed ? 0.25 : 1;
      context.fillStyle = pacl.colours[name];
      context.fill();
    });
    if (brushed) {
      context.globalAlpha = 1;
      context.beginPath();
      for (let i = low; i < high; i += 1) {
        if (!brushed(i) || beats.isGap(i)) continue;
        context.moveTo(x(i) + radius + 1, y(i));
        context.arc(x(i), y(i), radius + 1, 0, 2 * Math.PI);
      }
      context.fillStyle = pacl.colours.brush;
      context.fill();
    }
    context.restore();
  };

  // The dots of a canvas are kept, and drawn anew only where something about them has changed.
  const drawPixels = (context, ratio, beats, view, area, low, high, brushed) => {
    const width = Math.max(Math.round(area.width * ratio), 1);
    const height = Math.max(Math.round(area.height * ratio), 1);
    const layer = layerOf(context.canvas, width, height);
    const names = brushed ? ["unknown", "unknown", "brush"] : DECISIONS;
    const of = [beats, view.from, view.to, brushed, ...names.map((name) => pacl.colours[name])];
    if (!layer.of || of.some((one, n) => one !== layer.of[n])) {
      countPixels(width, height, ratio, beats, view, low, high, brushed);
      paint(layer, names.map((name) => pacl.rgb(pacl.colours[name])));
      layer.of = of;
    }
    context.drawImage(layer.canvas, area.x, area.y, area.width, area.height);
  };

  const layerOf = (target, width, height) => {
    const found = layers.get(target);
    if (found && found.image.width === width && found.image.height === height) return found;
    const canvas = document.createElement("canvas");
    Object.assign(canvas, { width, height });
    const inner = canvas.getContext("2d");
    const image = inner.createImageData(width, height);
    const layer = { canvas, inner, image, pixels: new Uint32Array(image.data.buffer), of: null };
    layers.set(target, layer);
    return layer;
  };

  // Plain loops over plain arrays: they run for every beat in every frame.
  const countPixels = (width, height, ratio, beats, view, low, high, brushed) => {
    const size = width * height;
    if (counts[0].length < size) counts = counts.map(() => new Uint16Array(size));
    else counts.forEach((one) => one.fill(0, 0, size));
    const { rr, onset, decision } = beats;
    const [none, not, af] = counts;
    const [least, most] = LIMITS_MS;
    const { from } = view;
    const perSecond = width / (view.to - from);
    const perMs = (height - 1) / (most - least);
    const picked = beats.picked(low, high);
    const total = picked ? picked.length : high - low;
    const wide = total < 40000 || ratio > 1.5 ? 2 : 1;
    for (let n = 0; n < total; n += 1) {
      const i = picked ? picked[n] : low + n;
      const ms = rr[i];
      if (ms > 10000) continue;
      const x = Math.floor((onset[i] - from) * perSecond);
      if (x < 0 || x > width - wide) continue;
      const inside = ms < least ? least : ms > most ? most : ms;
      const y = height - 1 - Math.round((inside - least) * perMs);
      const kind = brushed ? (brushed(i) ? af : none) : decision[i] === 2 ? af : decision[i] === 1 ? not : none;
      const at = (y < height - 2 ? y : height - 2) * width + x;
      kind[at] += 1;
      kind[at + width] += 1; // intervals come in steps: no empty rows between
      if (wide === 2) { kind[at + 1] += 1; kind[at + width + 1] += 1; }
    }
  };

  const paint = ({ inner, image, pixels }, [none, not, af]) => {
    const [a, b, c] = counts;
    // Most pixels hold beats of one kind: their colours are computed once.
    const plain = [none, not, af].map((one) => Uint32Array.from(ALPHA, (alpha) => colour(alpha, ...one)));
    for (let at = 0; at < pixels.length; at += 1) {
      const x = a[at];
      const y = b[at];
      const z = c[at];
      const total = x + y + z;
      const many = total > MOST ? MOST : total;
      if (total === 0) pixels[at] = 0;
      else if (y === total) pixels[at] = plain[1][many];
      else if (z === total) pixels[at] = plain[2][many];
      else if (x === total) pixels[at] = plain[0][many];
      else {
        pixels[at] = colour(ALPHA[many], (x * none[0] + y * not[0] + z * af[0]) / total,
          (x * none[1] + y * not[1] + z * af[1]) / total, (x * none[2] + y * not[2] + z * af[2]) / total);
      }
    }
    inner.putImageData(image, 0, 0);
  };

  const colour = (alpha, red, green, blue) => (alpha << 24) | (blue << 16) | (green << 8) | red;
})();
