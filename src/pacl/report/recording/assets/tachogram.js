// Intervals over time, with ribbons below: detected AF, its probability, annotations, quality, marks.
(() => {
  const pacl = globalThis.pacl ??= {};
  const LEFT = 68;
  const RIGHT = 12;
  const TOP = 10;
  const AXIS = 22;
  const RIBBON = 12;
  const GAP = 6;
  const LIKELY = 34;
  const FONT = "11px system-ui, sans-serif";
  const MARKS = { af: "af", "not-af": "not-af", sinus: "sinus", exclude: "exclude", note: "ink" };

  pacl.LEFT = LEFT;
  pacl.RIGHT = RIGHT;

  // Which rows lie below the intervals, and where.
  const rows = (state) => {
    const found = [
      { name: "AF", height: RIBBON, draw: drawEpisodes },
      { name: "P (AF)", height: LIKELY, draw: drawLikely },
    ];
    if (state.view.annotated.length) {
      found.push({ name: "annotated", height: RIBBON, draw: drawAnnotated });
    }
    found.push({ name: "quality", height: RIBBON, draw: drawQuality });
    if (state.marks.length) found.push({ name: "marks", height: RIBBON, draw: drawMarks });
    return found;
  };

  // Draws the chart; gives the areas, so that gestures know what they touch.
  pacl.drawTachogram = (canvas, state) => {
    const below = rows(state);
    const dots = innerHeight < 700 || canvas.clientWidth < 500 ? 190 : 270;
    const height = TOP + dots + below.reduce((sum, row) => sum + row.height + GAP, GAP) + AXIS;
    const { context, width, ratio } = pacl.fitted(canvas, height);
    const area = { x: LEFT, y: TOP, width: width - LEFT - RIGHT, height: dots };
    const x = (seconds) => LEFT + (seconds - state.from) * area.width / (state.to - state.from);
    context.font = FONT;
    context.textBaseline = "middle";
    drawScale(context, area);
    drawTicks(context, state, area, height - AXIS, x);
    shade(context, state.view.not_judged, state, x, area, "unknown", 0.12);
    shade(context, state.view.episodes, state, x, area, "af", 0.1);
    pacl.drawDots(context, ratio, state.beats, state, area, state.brushed);
    let y = TOP + dots + GAP;
    for (const row of below) {
      context.fillStyle = pacl.colours.quiet;
      context.textAlign = "right";
      context.fillText(row.name, LEFT - 6, y + row.height / 2);
      context.save();
      context.beginPath();
      context.rect(LEFT, y - 1, area.width, row.height + 2);
      context.clip();
      row.draw(context, state, x, { x: LEFT, y, width: area.width, height: row.height });
      context.restore();
      row.y = y;
      y += row.height + GAP;
    }
    drawSelection(context, state, x, area, height - AXIS);
    return { area, rows: below, x, seconds: (at) => state.from + (at - LEFT) * (state.to - state.from) / area.width };
  };

  const drawScale = (context, area) => {
    const [low, high] = pacl.LIMITS_MS;
    context.textAlign = "right";
    for (const ms of [500, 1000, 1500, 2000]) {
      const y = area.y + area.height * (high - ms) / (high - low);
      context.fillStyle = pacl.colours.grid;
      context.fillRect(area.x, y, area.width, 1);
      context.fillStyle = pacl.colours.quiet;
      context.fillText(ms === 2000 ? "2000 ms" : String(ms), area.x - 6, y + (ms === 2000 ? 2 : 0));
    }
  };

  const drawTicks = (context, state, area, bottom, x) => {
    const most = Math.max(Math.floor(area.width / 78), 2);
    context.textAlign = "center";
    for (const { at, label } of state.clock.ticks(state.from, state.to, most)) {
      const place = x(at);
      context.fillStyle = pacl.colours.grid;
      context.fillRect(place, area.y, 1, bottom - area.y);
      context.fillStyle = pacl.colours.quiet;
      if (place > area.x + 12 && place < area.x + area.width - 12) {
        context.fillText(label, place, bottom + 11);
      }
    }
  };

  // Spans in order that overlap the view; a search, since there may be thousands.
  const visible = (spans, state) => {
    let low = 0;
    let high = spans.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (spans[middle].end_s < state.from) low = middle + 1;
      else high = middle;
    }
    const found = [];
    for (let n = low; n < spans.length && spans[n].start_s <= state.to; n += 1) found.push(spans[n]);
    return found;
  };

  const bar = (context, one, x, area, least = 1.5) => {
    const from = Math.max(x(one.start_s), area.x - 2);
    const to = Math.min(x(one.end_s), area.x + area.width + 2);
    context.fillRect(from, area.y, Math.max(to - from, least), area.height);
  };

  const shade = (context, spans, state, x, area, colour, alpha) => {
    context.save();
    context.globalAlpha = alpha;
    context.fillStyle = pacl.colours[colour];
    for (const one of visible(spans, state)) bar(context, one, x, area);
    context.restore();
  };

  const drawEpisodes = (context, state, x, area) => {
    context.fillStyle = pacl.colours.soft;
    context.fillRect(area.x, area.y, area.width, area.height);
    for (const one of visible(state.view.episodes, state)) {
      context.fillStyle = pacl.colours.af;
      bar(context, one, x, area, 2);
      if (one === state.episode) {
        context.fillStyle = pacl.colours.ink;
        bar(context, one, x, { ...area, y: area.y + area.height - 2, height: 2 });
      }
    }
  };

  const drawLikely = (context, state, x, area) => {
    const { beats } = state;
    const low = Math.max(beats.first(state.from) - 1, 0);
    const high = Math.min(beats.first(state.to) + 1, beats.count);
    const columns = Math.ceil(area.width);
    const sum = new Float32Array(columns);
    const count = new Uint32Array(columns);
    const most = new Uint8Array(columns);
    const stride = Math.max(1, Math.floor((high - low) / 300000));
    const perSecond = area.width / (state.to - state.from);
    const { likely, onset, rr } = beats;
    const { from: start } = state;
    for (let i = low; i < high; i += stride) {
      if (likely[i] > 250) continue;
      const from = Math.max(Math.floor((onset[i] - start) * perSecond), 0);
      const to = Math.min(Math.floor((onset[i] + rr[i] / 1000 - start) * perSecond), columns - 1);
      for (let column = from; column <= to; column += 1) {
        sum[column] += likely[i];
        count[column] += 1;
        if (likely[i] > most[column]) most[column] = likely[i];
      }
    }
    context.fillStyle = pacl.colours.soft;
    context.fillRect(area.x, area.y, area.width, area.height);
    // The highest probability of each column is faint, the mean is dark: short AF stays in sight.
    context.fillStyle = pacl.colours.quiet;
    context.globalAlpha = 0.35;
    for (let column = 0; column < columns; column += 1) {
      if (!count[column]) continue;
      const tall = area.height * most[column] / 250;
      context.fillRect(area.x + column, area.y + area.height - tall, 1, tall);
    }
    context.globalAlpha = 1;
    for (let column = 0; column < columns; column += 1) {
      if (!count[column]) continue;
      const tall = area.height * sum[column] / count[column] / 250;
      context.fillRect(area.x + column, area.y + area.height - tall, 1, Math.max(tall, 1));
    }
    context.fillStyle = pacl.colours.grid;
    context.fillRect(area.x, area.y + area.height / 2, area.width, 1);
  };

  const RHYTHMS = { SR: "not-af", AF: "af", OTHER: "other" };
  const drawAnnotated = (context, state, x, area) => {
    for (const one of visible(state.view.annotated, state)) {
      context.fillStyle = pacl.colours[RHYTHMS[one.rhythm]] ?? pacl.colours.unknown;
      bar(context, one, x, area, 1);
    }
  };

  const drawQuality = (context, state, x, area) => {
    const middle = { ...area, y: area.y + area.height / 2 - 1, height: 2 };
    context.fillStyle = pacl.colours.line;
    context.fillRect(area.x, middle.y, area.width, 2);
    context.fillStyle = pacl.colours.unknown;
    for (const one of visible(state.view.not_judged, state)) bar(context, one, x, area, 1.5);
  };

  const drawMarks = (context, state, x, area) => {
    for (const one of state.marks) {
      if (one.end_s < state.from || one.start_s > state.to) continue;
      context.fillStyle = pacl.colours[MARKS[one.kind]];
      const inner = one.kind === "note" ? { ...area, y: area.y + area.height - 3, height: 3 } : area;
      bar(context, one, x, inner, 3);
    }
  };

  const drawSelection = (context, state, x, area, bottom) => {
    if (state.selection) {
      const { start_s: from, end_s: to } = state.selection;
      const inner = { ...area, height: bottom - area.y };
      context.save();
      context.globalAlpha = 0.1;
      context.fillStyle = pacl.colours.link;
      bar(context, { start_s: from, end_s: to }, x, inner);
      context.restore();
      context.fillStyle = pacl.colours.link;
      for (const at of [from, to]) {
        if (at >= state.from && at <= state.to) context.fillRect(x(at) - 1, area.y, 2, inner.height);
      }
    }
    if (state.cursor !== null && state.cursor >= state.from && state.cursor <= state.to) {
      context.fillStyle = pacl.colours.ink;
      context.fillRect(x(state.cursor), area.y, 1, bottom - area.y);
    }
  };
})();
